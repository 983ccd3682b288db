internal import GatewayModel
internal import HummingbirdCore
internal import LambdaEmulator
package import Logging
internal import NIOCore
internal import Synchronization
internal import TestTokens

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The port of the gateway on 127.0.0.1. It stays open while what is behind it changes: requests wait for a moment, or
/// learn why nothing is served.
package final class GatewayListener: Sendable {
  private let encryption: (any ConnectionEncryption)?
  private let shared = Mutex(Shared())

  private struct Shared {
    /// What answers; `nil` while it is exchanged.
    var content: Content?
    var waiting: [CheckedContinuation<Content, Never>] = []
    var channels: [ObjectIdentifier: any Channel] = [:]
  }

  /// What answers requests.
  enum Content: Sendable {
    case gateway(GatewayResponder)
    case failure(GatewayFailure)
  }

  /// - Parameter encryption: TLS for all connections; `nil` for plain HTTP.
  package init(encryption: (any ConnectionEncryption)? = nil) { self.encryption = encryption }

  /// Lets a gateway answer, also the requests that wait.
  package func open(_ server: GatewayServer) { change(to: .gateway(server.responder)) }

  /// Answers each request with a 503.
  ///
  /// - Parameters:
  ///   - problem: why nothing is served, for people.
  ///   - onRecord: gets the line of each request.
  package func fail(_ problem: String, onRecord: @escaping @Sendable (AccessRecord) -> Void) {
    change(to: .failure(GatewayFailure(problem, onRecord: onRecord)))
  }

  /// Ends all connections, and lets new requests wait.
  package func close() {
    let channels = shared.withLock { shared in
      shared.content = nil
      return Array(shared.channels.values)
    }
    for channel in channels { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
  }

  private func change(to content: Content) {
    let waiting = shared.withLock { shared in
      shared.content = content
      defer { shared.waiting = [] }
      return shared.waiting
    }
    for continuation in waiting { continuation.resume(returning: content) }
  }

  /// What answers now, or as soon as there is something.
  func content() async -> Content {
    await withCheckedContinuation { continuation in
      let content = shared.withLock { shared in
        if shared.content == nil { shared.waiting.append(continuation) }
        return shared.content
      }
      if let content { continuation.resume(returning: content) }
    }
  }

  /// The number of requests that wait.
  var waitingRequests: Int { shared.withLock { $0.waiting.count } }

  /// Whether a handshake is answered as such: its host and path are those of a WebSocket API, or are not known yet.
  func takesHandshake(host: String, path: String) -> Bool {
    switch shared.withLock({ $0.content }) {
    case nil: true
    case .gateway(let responder)?: responder.webSocket(host: host, path: path) != nil
    case .failure?: false
    }
  }

  /// Notes a request that is not HTTP.
  func refuse(_ why: String) {
    guard case .gateway(let responder)? = shared.withLock({ $0.content }) else { return }
    _ = responder.refuse(
      GatewayRequest(method: "-", path: "-", headers: []), with: GatewayResponse(status: 400), why: why)
  }

  /// Keeps a connection until it is closed, so that ``close()`` can end it.
  func keep(_ channel: any Channel) {
    let key = ObjectIdentifier(channel)
    shared.withLock { $0.channels[key] = channel }
    channel.closeFuture.whenComplete { [self] _ in
      shared.withLock { _ = $0.channels.removeValue(forKey: key) }
    }
  }

  /// Listens while `body` runs.
  ///
  /// - Parameter port: 0 for any free port.
  /// - Throws: the error of `body`, or `ListenError` if it cannot listen.
  package func listen<Result: Sendable>(
    port: Int = 0, logger: Logger, _ body: @escaping @Sendable (_ port: Int) async throws -> Result
  ) async throws -> Result {
    let channel = WebSocketChannel(
      responder: LoopbackServer.answer { request, channel in await self.answer(request, from: channel) },
      listener: self, encryption: encryption)
    // Errors of `body` bypass the `catch`, because it may throw the same errors for another file or port.
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = try await LoopbackServer.run(channel, port: port, logger: logger) { port in
        // A request that still waits would block the shutdown.
        defer { self.fail("serve ends") { _ in } }
        do {
          return .success(try await body(port))
        } catch {
          return .failure(error)
        }
      }
    } catch let error as IOError where error.errnoCode == EADDRINUSE || error.errnoCode == EACCES {
      throw ListenError(port: port, isInUse: error.errnoCode == EADDRINUSE)
    }
    return try outcome.get()
  }

  private func answer(_ request: Request, from channel: any Channel) async -> Response {
    switch await content() {
    case .failure(let failure): return failure.respond(to: request)
    case .gateway(var responder):
      responder.channel = channel
      if let encryption, encryption.asksForCertificates {
        let bytes = await encryption.clientCertificate(of: channel)
        responder.client = .asked(bytes.flatMap { X509Certificate(bytes: $0) })
      }
      return await responder.respond(to: request)
    }
  }
}

/// Answers each request with a 503 that says why nothing is served.
struct GatewayFailure: Sendable {
  private let problem: String
  private let service: GatewayService

  init(_ problem: String, onRecord: @escaping @Sendable (AccessRecord) -> Void) {
    self.problem = problem
    service = GatewayService(
      gateway: Gateway(ServedAPIs(apis: []), settings: Assumptions()), functions: [:], onRecord: onRecord)
  }

  func respond(to request: Request) -> Response {
    GatewayResponder.response(answer(GatewayResponder.incoming(request)))
  }

  func answer(_ request: GatewayRequest) -> GatewayResponse {
    // A page can let its own name resolve to 127.0.0.1, and would read a part of the template.
    let isLoopback = request.values(ofHeader: "Host").allSatisfy { LoopbackHost.isLoopback($0) }
    let shown = isLoopback ? problem : "the log of serve has the error"
    let response = GatewayResponse(
      status: 503, headers: [.init("Content-Type", "application/json"), .init("Cache-Control", "no-store")],
      body: Array(#"{"error":\#(ParameterSource.quoted(shown))}"#.utf8) + [0x0A])
    return service.refuse(request, at: "none", with: response, .noRoute, why: problem)
  }
}
