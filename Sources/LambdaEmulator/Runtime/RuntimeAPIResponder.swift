internal import Text
internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import Synchronization

/// Translates HTTP requests into events of the state machine, and replies into HTTP responses.
struct RuntimeAPIResponder: Sendable {
  private let server = Slot()

  /// The `RuntimeAPIServer`, which is created after the responder because it needs the port.
  private final class Slot: Sendable {
    let value = Mutex<RuntimeAPIServer?>(nil)
  }

  func serve(_ server: RuntimeAPIServer) {
    self.server.value.withLock { $0 = server }
  }

  func respond(to request: Request, on channel: any Channel) async -> Response {
    guard let server = server.value.withLock({ $0 }) else { return response(.gone) }
    return response(await reply(to: request, on: channel, by: server))
  }

  private func reply(
    to request: Request, on channel: any Channel, by server: RuntimeAPIServer
  ) async -> RuntimeReply {
    let trailers = await RequestTrailers.next(on: channel)
    guard let call = RuntimeCall(method: request.method.rawValue, path: request.uri.path) else {
      return .notFound
    }
    switch call {
    case .ping: return .pong
    case .next:
      return await server.exchange { machine, exchange, now in machine.next(exchange: exchange, at: now) }
    case .initializationError:
      switch await Self.body(of: request) {
      case .tooLarge: return .tooLarge
      case .truncated: return .truncated
      case .whole(let body):
        let report = FunctionErrorReport(headerType: request.headers[.functionErrorType], document: body)
        return await server.exchange { machine, exchange, now in
          machine.initializationError(report, exchange: exchange, at: now)
        }
      }
    case .registerExtension:
      guard case .whole(let body) = await Self.body(of: request) else { return .tooLarge }
      let name = request.headers[.extensionName]
      return await extensionCall(
        .register(name: name, body: body, identifier: Identifiers.requestID()), server)
    case .nextExtensionEvent:
      return await extensionCall(.next(identifier: request.headers[.extensionIdentifier]), server)
    case .extensionError:
      return await extensionCall(.error(identifier: request.headers[.extensionIdentifier]), server)
    case .response(let requestID):
      let mode = request.headers[.responseMode] ?? ""
      guard mode == "streaming" else {
        return await post(to: requestID, request, server) {
          mode.isEmpty ? .response($0) : .unknownResponseMode
        }
      }
      // Without its trailers, a response that has failed would be a success.
      guard let trailers else { return .truncated }
      let limit = server.beginStream(requestID)
      defer { if limit == RuntimeAPILimits.streamBytes { server.endStream() } }
      return await post(to: requestID, request, server, limit: limit) { body in
        let trailers = trailers()
        // The response has failed after its beginning.
        guard let type = trailers[.functionErrorType], !type.isEmpty else { return .response(body) }
        let document = trailers[.functionErrorBody].flatMap { Base64Text.decoded($0) }
        return .error(FunctionErrorReport(headerType: type, document: document ?? []))
      }
    case .error(let requestID):
      let type = request.headers[.functionErrorType]
      return await post(to: requestID, request, server) {
        .error(FunctionErrorReport(headerType: type, document: $0))
      }
    }
  }

  private func extensionCall(_ call: ExtensionRegistry.Call, _ server: RuntimeAPIServer) async -> RuntimeReply
  {
    await server.exchange { machine, exchange, _ in machine.extensionCall(call, exchange: exchange) }
  }

  private func post(
    to requestID: String, _ request: Request, _ server: RuntimeAPIServer,
    limit: Int = RuntimeAPILimits.payloadBytes,
    payload: ([UInt8]) -> RuntimeStateMachine.Post.Payload
  ) async -> RuntimeReply {
    let attemptID = request.headers[.invocationID].flatMap { $0.isEmpty ? nil : $0 }
    let content: RuntimeStateMachine.Post.Payload
    switch await BoundedBody.read(request, limit: limit) {
    case .whole(let body): content = payload(body)
    case .tooLarge: content = .tooLarge(limit: limit)
    // The invocation stays open: the runtime may request it again, or its timeout ends it.
    case .truncated: return .truncated
    }
    return await server.exchange { machine, exchange, now in
      machine.post(
        RuntimeStateMachine.Post(
          exchange: exchange, requestID: requestID, attemptID: attemptID, payload: content), at: now)
    }
  }

  private static func body(of request: Request) async -> BoundedBody {
    await BoundedBody.read(request, limit: RuntimeAPILimits.payloadBytes)
  }

  private func response(_ reply: RuntimeReply) -> Response {
    var fields = HTTPFields()
    for field in reply.headers {
      guard let name = HTTPField.Name(field.name) else { continue }
      fields.append(HTTPField(name: name, value: field.value))
    }
    return Response(
      status: HTTPResponse.Status(code: reply.status), headers: fields,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: reply.body)))
  }
}

enum RuntimeCall: Equatable {
  case ping, next, initializationError, registerExtension, nextExtensionEvent, extensionError
  case response(requestID: String)
  case error(requestID: String)

  init?(method: String, path: String) {
    let parts = path.splitBytes(at: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    switch (method, parts.count) {
    case ("GET", 1) where parts == ["ping"],
      ("GET", 2) where parts == ["2018-06-01", "ping"]:
      self = .ping
    case ("GET", 4) where parts == ["2018-06-01", "runtime", "invocation", "next"]: self = .next
    case ("POST", 4) where parts == ["2018-06-01", "runtime", "init", "error"]: self = .initializationError
    case ("POST", 3) where parts == ["2020-01-01", "extension", "register"]: self = .registerExtension
    case ("GET", 4) where parts == ["2020-01-01", "extension", "event", "next"]: self = .nextExtensionEvent
    case ("POST", 4) where parts == ["2020-01-01", "extension", "init", "error"],
      ("POST", 4) where parts == ["2020-01-01", "extension", "exit", "error"]:
      self = .extensionError
    case ("POST", 5) where parts.starts(with: ["2018-06-01", "runtime", "invocation"]):
      switch parts[4] {
      case "response": self = .response(requestID: parts[3])
      case "error": self = .error(requestID: parts[3])
      default: return nil
      }
    default: return nil
    }
  }
}

extension HTTPField.Name {
  fileprivate static var functionErrorType: HTTPField.Name { known("Lambda-Runtime-Function-Error-Type") }
  fileprivate static var functionErrorBody: HTTPField.Name { known("Lambda-Runtime-Function-Error-Body") }
  fileprivate static var responseMode: HTTPField.Name { known("Lambda-Runtime-Function-Response-Mode") }
  fileprivate static var extensionName: HTTPField.Name { known("Lambda-Extension-Name") }
  fileprivate static var extensionIdentifier: HTTPField.Name { known("Lambda-Extension-Identifier") }
  fileprivate static var invocationID: HTTPField.Name { known("Lambda-Runtime-Invocation-Id") }
}
