package import GatewayModel

package struct GatewayAnswer: Sendable {
  package let response: GatewayResponse
  package let record: AccessRecord
  /// The exchange with its route; `nil` if no route was found.
  package let exchange: RequestContext?
  /// Why the gateway itself refused the request; `nil` if it did not.
  package let refusal: GatewayError?

  /// What the authorizer of `$connect` passes on to the messages of the connection.
  package var authorizer: AuthorizerContext? { exchange?.authorizer }

  /// Creates an answer, and adds the result of the browser's CORS checks to the record.
  init(
    _ response: GatewayResponse, _ record: AccessRecord, to received: ReceivedRequest,
    exchange: RequestContext? = nil, refusal: GatewayError? = nil
  ) {
    var record = record
    record.crossOrigin = CrossOriginCheck.problem(of: response, to: received.request, by: received.api)
    (self.response, self.record, self.exchange, self.refusal) = (response, record, exchange, refusal)
  }

  /// Creates the answer to a request with a route.
  init(
    _ response: GatewayResponse, _ record: AccessRecord, of exchange: RequestContext,
    refusal: GatewayError? = nil
  ) {
    self.init(response, record, to: exchange.received, exchange: exchange, refusal: refusal)
  }
}
