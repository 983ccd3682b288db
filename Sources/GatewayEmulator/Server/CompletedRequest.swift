internal import AuthorizerContract
package import GatewayModel
package import LambdaEmulator

/// A finished exchange: references to what the gateway had for it. Nothing is rendered or copied.
package struct CompletedRequest: Sendable {
  package let identity: RequestIdentity
  package let api: GatewayAPI
  package var request: GatewayRequest
  /// The exchange with its route; `nil` if no route was found.
  package var exchange: RequestContext?
  package var response: GatewayResponse
  package var record: AccessRecord
  /// Why the gateway itself refused the request; `nil` if it did not.
  package let refusal: GatewayError?
  /// The answer of the authorizer's function; `nil` if it was not called for this request.
  package var functionAnswer: InvocationAnswer?
  /// Whether the backend, its echo or a mock answered.
  package let reachedBackend: Bool
  /// The time from the request to its answer by the gateway's clock.
  package let microseconds: Int

  package init(
    _ answer: GatewayAnswer, to received: ReceivedRequest, functionAnswer: InvocationAnswer?,
    reachedBackend: Bool, microseconds: Int
  ) {
    identity = received.identity
    api = received.api
    request = received.request
    exchange = answer.exchange
    response = answer.response
    record = answer.record
    refusal = answer.refusal
    self.functionAnswer = functionAnswer
    self.reachedBackend = reachedBackend
    self.microseconds = microseconds
  }
}

extension CompletedRequest {
  /// The credentials of the request, of its answers and of its route.
  package var credentials: RequestCredentials { RequestCredentials(in: places) }

  package var places: RequestCredentials.Places {
    let grant = exchange?.evidence?.grant
    return RequestCredentials.Places(
      request: request, response: response, identitySources: exchange?.route.identitySources ?? [],
      pathParameters: exchange?.pathParameters ?? [], stageVariables: api.stage.variables,
      answer: grant?.bytes ?? [],
      credentials: [exchange?.apiKey?.value, grant?.answer.usageIdentifierKey].compactMap(\.self)
        + (grant?.request?.pathCredentials ?? []))
  }

  /// The record for the log, without the credentials of the request.
  ///
  /// Each request waits for it, so it reads only what its texts can repeat: no value longer than the longest text, and
  /// bodies only if there is a text of the backend.
  package var redactedRecord: AccessRecord {
    var places = places
    places.answer = []
    places.response = nil
    places.longestTextBytes = record.longestTextBytes
    places.readsBody = record.backend != nil
    return redactedRecord(RequestCredentials(in: places))
  }

  /// Returns the record without these credentials. What a backend says is left out if a body was too long to be searched,
  /// because it may repeat a credential of that body.
  package func redactedRecord(_ credentials: RequestCredentials) -> AccessRecord {
    let redactor = Redactor(credentials)
    var record = record.mapped { redactor.text($0) }
    if record.backend != nil, max(request.body.count, response.body.count) > RequestCredentials.bodyBytes {
      record.backend = Redactor.mark
    }
    return record
  }
}

/// Sees each exchange when its answer is ready. The client waits for it, so it must only take references.
package protocol RequestObserving: Sendable {
  func observe(_ exchange: CompletedRequest)
}
