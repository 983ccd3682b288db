internal import GatewayModel

/// Mapped integrations of REST APIs.
extension Gateway {
  func integrate(
    _ integration: MappedIntegration, _ authorized: AuthorizedRequest
  ) -> Step {
    let (exchange, use) = (authorized.exchange, authorized.use)
    let record = AccessRecord(exchange, use)
    let request: MappedRequest
    do throws(MappedRequest.Problem) {
      request = try MappedRequest(integration, exchange, authorized.source)
    } catch {
      switch error {
      case .unsupportedMediaType: return .answer(refuse(.unsupportedMediaType, exchange, use))
      case .notJSON: return .answer(refuse(.bodyNotJSON, exchange, use))
      case .failed(let why): return .answer(failed(why, exchange, record))
      }
    }
    var call = BackendCall(exchange: exchange, record: record, target: .mapped(request))
    if case .function(let name, _, _) = request.target {
      switch tenant(request.tenant, of: name, authorized) {
      case .refused(let answer): return .answer(answer)
      case .passed(let tenant): call.tenant = tenant
      }
    }
    guard case .mock(let reply) = request.target else { return .integrate(call) }
    return .answer(finish(call, with: reply))
  }

  /// Finishes an exchange with the answer of the target of a mapped integration.
  func finish(
    _ call: BackendCall, with reply: GatewayResponse, errorMessage: String? = nil, reason: String? = nil
  ) -> GatewayAnswer {
    let exchange = call.exchange
    var record = call.record
    record.backend = reason.map { "\(call.name): \($0)" }
    guard case .mapped(let request) = call.target else { return failed("no mapping", exchange, record) }
    do throws(MappedRequest.Problem) {
      let response = try request.response(to: reply, errorMessage: errorMessage, of: exchange)
      record.status = response.status
      record.warning = call.toolHeaderWarning(response.status)
      return GatewayAnswer(completed(response, exchange), record, of: exchange)
    } catch {
      guard case .failed(let why) = error else {
        return failed("the response cannot be mapped", exchange, record)
      }
      return failed(why, exchange, record)
    }
  }

  /// Answers with a 500, because the integration cannot make or map a request.
  func failed(_ why: String, _ exchange: RequestContext, _ record: AccessRecord) -> GatewayAnswer {
    var record = record
    record.backend = [record.backend, why].compactMap { $0 }.joined(separator: "; ")
    let response = GatewayError.integrationMisconfigured.response(
      to: exchange.received, from: ParameterSource(exchange))
    record.status = response.status
    return GatewayAnswer(response, record, of: exchange)
  }
}
