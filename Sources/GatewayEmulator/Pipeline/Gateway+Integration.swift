internal import GatewayModel
internal import JSON
internal import LambdaEmulator

/// Validation, and the integration of a route.
extension Gateway {
  /// Refuses a request that lacks parameters which its request validator requires.
  func refusedByValidation(_ request: AuthorizedRequest) -> GatewayAnswer? {
    let missing = request.exchange.route.validation.missing(from: request.source)
    return missing.isEmpty ? nil : refuse(.parametersMissing(missing), request.exchange, request.use)
  }

  /// Makes the call of the backend, or the answer of an integration that has none.
  func integrate(_ request: AuthorizedRequest) -> Step {
    var exchange = request.exchange
    let (grant, use, source) = (request.grant, request.use, request.source)
    let record = AccessRecord(exchange, use)
    if exchange.connectionID != nil {
      exchange.authorizer = grant.map {
        AuthorizerContext(
          members: $0.textContext(latencyMilliseconds: request.latencyMilliseconds) ?? .object([]),
          variables: $0.variables)
      }
    }
    switch exchange.route.integration {
    case .unavailable(let finding): return .answer(refuse(.notEmulated(finding), exchange, use))
    case .webSocketMock:
      return .answer(GatewayAnswer(GatewayResponse(status: 200), record, of: exchange))
    case .mapped(let integration): return integrate(integration, request)
    case .service(let integration):
      return .integrate(
        BackendCall(exchange: exchange, record: record, target: .service(integration, source)))
    case .function(let name, let format):
      return call(source.filled(name), format, tenant: nil, exchange, request)
    case .restFunction(let function):
      let tenant = function.tenant?.text(from: source)
      return call(source.filled(function.name), .rest, tenant: tenant, exchange, request)
    case .http(let integration):
      if exchange.isREST,
        let name = integration.changes.lazy.compactMap(\.header).first(where: {
          MappedHeaders.isForbidden($0, onAWS: false)
        })
      {
        return .answer(failed("the header \(name) cannot be mapped", exchange, record))
      }
      let request = BackendRequest(integration, source, exchange)
      return .integrate(BackendCall(exchange: exchange, record: record, target: .http(request)))
    }
  }

  /// Makes the call of a function.
  private func call(
    _ function: String, _ format: GatewayIntegration.PayloadFormat, tenant: String?,
    _ exchange: RequestContext, _ request: AuthorizedRequest
  ) -> Step {
    let use = request.use
    let event = BackendEvent(
      exchange: exchange, grant: request.grant, latencyMilliseconds: request.latencyMilliseconds)
    if exchange.isREST, exchange.request.body.count > Self.bodyBytesInEvent,
      event.tree(format).bytes().count > RuntimeAPILimits.eventBytes
    {
      return .answer(refuse(.eventTooLarge, exchange, use))
    }
    switch self.tenant(tenant, of: function, request) {
    case .refused(let answer): return .answer(answer)
    case .passed(let tenant):
      return .integrate(
        BackendCall(
          exchange: exchange, record: AccessRecord(exchange, use),
          target: .function(function, event.tree(format), format), tenant: tenant))
    }
  }

  /// Smaller bodies fit into an event of Lambda: our bound. In base64 they have at most 5.6 of its 6 MB.
  private static let bodyBytesInEvent = 4 << 20
}
