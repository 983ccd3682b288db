internal import GatewayModel
internal import HummingbirdCore
package import LambdaEmulator
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
  /// How long ``close()`` waits for answers, in milliseconds: our limit, Lambda's default timeout of a function.
  static let drainMilliseconds = TemplateFunction.defaultTimeoutSeconds * 1000
  /// How long new requests are answered meanwhile, in milliseconds: our choice, enough for a function that fetches keys
  /// from this port before it answers.
  static let nestedMilliseconds = 500

  private let encryption: (any ConnectionEncryption)?
  private let clock: LambdaClock
  private let shared = Mutex(Shared())

  private struct Shared {
    /// What answers; `nil` while it is exchanged.
    var content: Content?
    /// Counts the contents, so that no connection is kept for one that has ended.
    var generation = 0
    var waiting: [(channel: any Channel, continuation: CheckedContinuation<Served, Never>)] = []
    /// The connections whose requests the content is answering.
    var answering: [ObjectIdentifier: any Channel] = [:]
    /// Waits until there are none.
    var idle: CheckedContinuation<Void, Never>?
    /// The WebSockets and streams of the content.
    var kept: [ObjectIdentifier: any Channel] = [:]
  }

  /// What answers, and its generation.
  typealias Served = (content: Content, generation: Int)

  /// What answers requests.
  enum Content: Sendable {
    case gateway(GatewayResponder)
    case failure(GatewayFailure)
  }

  /// - Parameters:
  ///   - encryption: TLS for all connections; `nil` for plain HTTP.
  ///   - clock: the clock for the limit of ``close()``.
  package init(encryption: (any ConnectionEncryption)? = nil, clock: LambdaClock = .system) {
    self.encryption = encryption
    self.clock = clock
  }

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

  /// Waits until no request is being answered, at most ``drainMilliseconds``, and lets new requests wait, at the latest
  /// after ``nestedMilliseconds``. Then it ends the connections of unanswered requests, WebSockets and streams; others
  /// stay.
  ///
  /// Does not wait in a task that is cancelled. One call at a time.
  package func close() async {
    await drain(atMost: Self.nestedMilliseconds)
    shared.withLock { $0.content = nil }
    await drain(atMost: Self.drainMilliseconds - Self.nestedMilliseconds)
    let channels = shared.withLock { shared in
      shared.generation += 1
      defer { (shared.answering, shared.kept) = ([:], [:]) }
      return Array(shared.answering.values) + Array(shared.kept.values)
    }
    for channel in channels { Self.end(channel) }
  }

  /// Waits until the content answers nothing, and then lets new requests wait.
  private func drain(atMost milliseconds: Int) async {
    await withTaskGroup { group in
      group.addTask { await self.drained() }
      group.addTask { try? await self.clock.wait(milliseconds * self.clock.timeoutFactor) }
      await group.next()
      group.cancelAll()
      shared.withLock { $0.idle.take() }?.resume()
    }
  }

  private func drained() async {
    await withCheckedContinuation { continuation in
      let waits = shared.withLock { shared in
        // Cancelled, it would wait for a limit that has passed.
        if !shared.answering.isEmpty, !Task.isCancelled { shared.idle = continuation }
        if shared.answering.isEmpty { shared.content = nil }
        return shared.idle != nil
      }
      if !waits { continuation.resume() }
    }
  }

  private static func end(_ channel: any Channel) {
    channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
  }

  private func change(to content: Content) {
    let (waiting, generation) = shared.withLock { shared in
      shared.content = content
      for (channel, _) in shared.waiting { shared.answering[ObjectIdentifier(channel)] = channel }
      defer { shared.waiting = [] }
      return (shared.waiting, shared.generation)
    }
    for (_, continuation) in waiting { continuation.resume(returning: (content, generation)) }
  }

  /// Runs `body` with what answers now, or as soon as there is something. ``close()`` waits for it.
  ///
  /// - Parameter channel: the connection of the request.
  func withContent<Result: Sendable>(
    for channel: any Channel, _ body: (Served) async -> Result
  ) async -> Result {
    let served = await withCheckedContinuation { continuation in
      let served: Served? = shared.withLock { shared in
        guard let content = shared.content else {
          shared.waiting.append((channel, continuation))
          return nil
        }
        shared.answering[ObjectIdentifier(channel)] = channel
        return (content, shared.generation)
      }
      if let served { continuation.resume(returning: served) }
    }
    defer { finish(channel, served.generation) }
    return await body(served)
  }

  /// Notes that a request is answered.
  private func finish(_ channel: any Channel, _ generation: Int) {
    let idle: CheckedContinuation<Void, Never>? = shared.withLock { shared in
      // Others are noted no longer.
      guard shared.generation == generation else { return nil }
      shared.answering[ObjectIdentifier(channel)] = nil
      guard shared.answering.isEmpty, let idle = shared.idle.take() else { return nil }
      shared.content = nil
      return idle
    }
    idle?.resume()
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

  /// Keeps a WebSocket or a stream until it is closed, so that it ends with the content.
  ///
  /// - Parameter generation: that of the content.
  func keep(_ channel: any Channel, of generation: Int) {
    let key = ObjectIdentifier(channel)
    let isKept = shared.withLock { shared in
      if shared.generation == generation { shared.kept[key] = channel }
      return shared.generation == generation
    }
    guard isKept else { return Self.end(channel) }
    channel.closeFuture.whenComplete { [self] _ in
      shared.withLock { _ = $0.kept.removeValue(forKey: key) }
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
    await withContent(for: channel) { served in
      switch served.content {
      case .failure(let failure): return failure.respond(to: request)
      case .gateway(var responder):
        responder.channel = channel
        if let encryption, encryption.asksForCertificates {
          let bytes = await encryption.clientCertificate(of: channel)
          responder.client = .asked(bytes.flatMap { X509Certificate(bytes: $0) })
        }
        let response = await responder.respond(to: request)
        // The length of a stream is not known.
        if response.body.contentLength == nil { keep(channel, of: served.generation) }
        return response
      }
    }
  }
}
