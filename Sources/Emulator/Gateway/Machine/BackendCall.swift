internal import JSON

/// A pending call of a backend.
struct BackendCall: Sendable {
  let exchange: Exchange
  let record: AccessRecord
  let target: Target

  enum Target: Sendable {
    /// A function of the template, and its event.
    case function(String, JSONTree, GatewayIntegration.PayloadFormat)
    case http(BackendRequest)
  }

  /// The name of the backend in the log.
  var name: String { if case .function(let name, _, _) = target { name } else { "HTTP" } }

  var isHTTP: Bool { if case .http = target { true } else { false } }

  /// How long API Gateway waits, in milliseconds: 29 s on REST and WebSocket APIs, 30 s on HTTP APIs ("Amazon API Gateway
  /// quotas").
  var patienceMilliseconds: Int { if case .http = exchange.api.kind { 30_000 } else { 29_000 } }

  /// The response if the backend is not available here: everything that it would have received.
  var echo: GatewayResponse {
    let description: JSONTree =
      switch target {
      case .function(let name, let event, _):
        .members(["backend": .string("function \(name)"), "event": event])
      case .http(let request):
        .members([
          "backend": .string("HTTP"), "method": .string(request.method), "url": .string(request.address),
          "headers": .object(request.headers.map { .init(name: $0.name, value: .string($0.value)) }),
          "body": .string(String(decoding: request.body, as: UTF8.self)),
          "requestContext": .members(["authorizer": request.authorizer]),
        ])
      }
    return GatewayResponse(
      status: 200, headers: [.init("Content-Type", "application/json"), .init("X-Backend", "echo")],
      body: description.bytes(indentedBy: 2) + [0x0A])
  }
}

/// How a call of a backend ended.
enum BackendAnswer: Sendable {
  /// - Parameter reason: the function's reason code, for the log only.
  case response(GatewayResponse, reason: String? = nil)
  /// - Parameter why: the reason, for the log only.
  case functionFailed(why: String)
  case unreachable
  case timedOut
}
