import FunctionHost

/// One request, its response, and the facts that are logged about them.
package struct RequestRecord: Sendable {
  /// The response for API Gateway: status, headers and body.
  package internal(set) var response: [UInt8] = []
  /// The HTTP status of the response.
  package internal(set) var status: Int64 = 0
  package internal(set) var outcome = Outcome.failure
  /// The reason of a refusal or failure.
  package internal(set) var refusal: Refusal?
  /// The route's name; `nil` if no route matches.
  package let route: String?
  package let format: PayloadFormat
  /// The ID of the request in API Gateway.
  let apiRequestID: APIRequestID?
  /// The first eight hexadecimal digits of the token's SHA-256.
  package internal(set) var tokenHash: [UInt8]?
  package internal(set) var receiver: String?
  /// The number of JWKS fetches before the response.
  package internal(set) var keyFetches = 0

  init(format: PayloadFormat, route: String?, apiRequestID: APIRequestID?) {
    self.format = format
    self.route = route
    self.apiRequestID = apiRequestID
  }

  package enum Outcome: String, CaseIterable, Sendable {
    /// A nonce was issued.
    case issued
    /// A user signed in for the first time.
    case created
    /// An existing user was found.
    case found
    /// A notification or a withdrawal was stored.
    case recorded
    /// It had already been stored.
    case seenBefore
    /// A notification of an event that changes nothing here.
    case ignored
    /// A sender's test of its connection.
    case verified
    /// The request was refused: 4xx.
    case refused
    /// The request failed: 5xx.
    case failure
  }

  var level: LogLevel {
    switch refusal {
    case .subjectNotSupported, .signal: .error
    default: outcome == .failure ? .error : .info
    }
  }

  mutating func refused(for refusal: Refusal) {
    self.refusal = refusal
    // Who sends unsigned tokens must not write errors.
    outcome = refusal.publicError.status >= 500 && refusal != .keysNotRefreshed ? .failure : .refused
  }
}
