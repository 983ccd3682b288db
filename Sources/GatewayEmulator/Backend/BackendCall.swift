package import GatewayModel
internal import LambdaEmulator
internal import Mapping
internal import JSON

package struct BackendCall: Sendable {
  let exchange: RequestContext
  let record: AccessRecord
  let target: Target
  /// The tenant for the function.
  var tenant: Tenant?

  enum Target: Sendable {
    /// A function of the template, and its event.
    case function(String, JSONTree, GatewayIntegration.PayloadFormat)
    case http(BackendRequest)
    case mapped(MappedRequest)
    /// An AWS service of an HTTP API, and the source of its parameters.
    case service(ServiceIntegration, ParameterSource)
  }

  /// The name of the backend in the log.
  var name: String {
    switch target {
    case .function(let name, _, _): return name
    case .http: return "HTTP"
    case .service(let service, _): return service.subtype
    case .mapped(let request):
      switch request.target {
      case .function(let name, _, _): return name
      case .service(let name, _, _): return name
      case .http, .mock: return "HTTP"
      }
    }
  }

  /// How long API Gateway waits, in milliseconds: the timeout of the template, else that of the kind of API.
  var timeoutMilliseconds: Int {
    if let own = transport.timeoutMilliseconds { return own }
    let isHTTP = if case .http = exchange.api.kind { true } else { false }
    return isHTTP ? GatewayQuota.httpIntegrationMilliseconds : GatewayQuota.restIntegrationMilliseconds
  }

  /// Whether only AWS can reach the backend, through a VPC link.
  var isPrivate: Bool { transport.isPrivate }

  /// Whether API Gateway streams the response.
  var isStreamed: Bool { transport.isStreamed }

  private var transport: (timeoutMilliseconds: Int?, isPrivate: Bool, isStreamed: Bool) {
    switch exchange.route.integration {
    case .http(let http): (http.timeoutMilliseconds, http.isPrivate, http.isStreamed)
    case .mapped(let integration): (integration.timeoutMilliseconds, integration.isPrivate, false)
    case .restFunction(let function): (function.timeoutMilliseconds, false, function.isStreamed)
    case .webSocketMock, .function, .service, .unavailable: (nil, false, false)
    }
  }

  /// Returns a response of the backend with the changes that the integration maps for its status.
  func changed(_ response: GatewayResponse) -> GatewayResponse {
    guard case .http(let integration) = exchange.route.integration,
      let changes = integration.responseChanges[response.status]
    else { return response }
    var source = ParameterSource(exchange)
    source.reply = response
    var response = response
    for change in changes {
      let value = change.value?.text(from: source)
      switch change.place {
      case .header(let name): BackendRequest.apply(change.action, name, value, to: &response.headers)
      // A value that is no status of a final response is an error of the mapping.
      case .status:
        if let value { response.status = Int(value).flatMap { (200...599).contains($0) ? $0 : nil } ?? 500 }
      case .query, .path, .wholePath: break
      }
    }
    return response
  }

  var isHTTP: Bool { if case .http = target { true } else { false } }

  /// The response if the backend is not available here: everything that it would have received.
  var echo: GatewayResponse {
    let description: JSONTree =
      switch target {
      case .function(let name, let event, _):
        .members([
          "backend": .string("function \(name)"), "tenant": tenant.map { .string($0.text) }, "event": event,
        ])
      case .http(let request): Self.description(request, backend: "HTTP", action: nil)
      case .service(let service, let source):
        .members([
          "backend": .string("AWS \(service.subtype)"),
          "parameters": .object(
            service.parameters.map { .init(name: $0.name, value: .string($0.value.text(from: source) ?? "")) }
          ),
        ])
      case .mapped(let request):
        switch request.target {
        case .function(let name, let event, _):
          .members([
            "backend": .string("function \(name)"), "tenant": tenant.map { .string($0.text) },
            "event": (try? JSONTree(parsing: event)) ?? .null,
          ])
        case .http(let request): Self.description(request, backend: "HTTP", action: nil)
        case .service(let name, let action, let request):
          Self.description(request, backend: "AWS \(name)", action: action)
        case .mock: .null
        }
      }
    return GatewayResponse(
      status: 200, headers: [.init("Content-Type", "application/json"), .init("X-Backend", "echo")],
      body: description.bytes(indentedBy: 2) + [0x0A])
  }

  private static func description(_ request: BackendRequest, backend: String, action: String?) -> JSONTree {
    .members([
      "backend": .string(backend), "action": action.map { .string($0) }, "method": .string(request.method),
      "url": .string(request.address),
      "headers": .object(request.headers.map { .init(name: $0.name, value: .string($0.value)) }),
      "body": .string(String(decoding: request.body, as: UTF8.self)),
      "requestContext": .members(["authorizer": request.authorizer]),
    ])
  }
}

package enum BackendAnswer: Sendable {
  /// What a backend that is not available here would have received, in place of its answer. Nothing maps it.
  case echo(GatewayResponse)
  /// A call that only AWS can make.
  case notEmulated(Diagnostic)
  /// - Parameter reason: the function's reason code, for the log only.
  case response(GatewayResponse, reason: String? = nil)
  /// The answer of the target of a mapped integration. The error message of a function selects the response instead of the
  /// status.
  case mapped(GatewayResponse, errorMessage: String? = nil, reason: String? = nil)
  /// - Parameter why: the reason, for the log only.
  case functionFailed(why: String)
  case unreachable
  case timedOut
}
