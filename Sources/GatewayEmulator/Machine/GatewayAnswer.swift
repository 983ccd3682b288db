package import GatewayModel

/// The result of an exchange.
package struct GatewayAnswer: Sendable {
  /// The response to the client.
  package let response: GatewayResponse
  /// The log record.
  package let record: AccessRecord
  /// What the authorizer of `$connect` passes on to the messages of the connection.
  package var authorizer: AuthorizerContext?

  /// The exchange with its route; `nil` if no route was found.
  package var exchange: Exchange?
  /// Why the gateway itself refused the request; `nil` if it did not.
  package var refusal: Refusal?

  /// Creates an answer, and adds the result of the browser's CORS checks to the record.
  package init(
    _ response: GatewayResponse, _ record: AccessRecord, to request: GatewayRequest, of api: GatewayAPI
  ) {
    var record = record
    record.crossOrigin = CrossOriginCheck(response, to: request, of: api).problem
    (self.response, self.record) = (response, record)
  }
}
