import Bytes
package import JSON

/// A request of API Gateway: may the bearer of this credential reach this method?
///
/// Five kinds of event become one request. Unknown members are ignored, since API Gateway may add some.
struct AuthorizationRequest {
  let kind: EventKind
  let arn: MethodARN
  let event: JSONValue

  /// Reads an event.
  ///
  /// - Throws: `EventFlaw` if it is not an authorizer event: an error of the setup, not of the caller.
  init(parsing bytes: [UInt8]) throws(EventFlaw) {
    do {
      event = try JSONDocument(parsing: bytes, limits: .event).root
    } catch {
      throw .notJSON(error)
    }
    guard let (kind, arn) = EventKind.recognize(event) else { throw .notAnAuthorizerEvent }
    guard let arn else { throw .malformedARN }
    self.kind = kind
    self.arn = arn
  }

  /// Returns the one credential of this request.
  ///
  /// - Throws: `missingToken`, `ambiguousToken` or `malformedToken`.
  func credential(in places: CredentialPlaces) throws(CredentialFlaw) -> Credential {
    if let member = kind.credentialMember {
      guard let value = event[member], value.kind != .null else { throw .missing }
      guard let text = value.utf8Slice else { throw .malformed }
      return try Credential(header: text, acceptsDPoP: places.acceptsDPoP)
    }
    var found: (source: TokenSource, value: [UInt8]?)?
    for source in places.sources {
      // A browser cannot set a header on a WebSocket. Elsewhere a token in a URL ends up in logs.
      if case .query = source, kind != .webSocket, !places.allowsQuery { continue }
      for value in source.credentials(in: event) {
        guard found == nil else { throw .ambiguous }
        found = (source, value)
      }
    }
    guard let (source, text) = found else { throw .missing }
    guard let value = text else { throw .malformed }
    if case .header = source { return try Credential(header: value[...], acceptsDPoP: places.acceptsDPoP) }
    guard !value.isEmpty else { throw .missing }
    // Payload 2.0 has no multi-value members: it joins repeated parameters with a comma, which no token contains.
    if case .query = source, kind == .http2, value.contains(.comma) { throw .ambiguous }
    return try Credential(bare: value)
  }

  /// Returns every text in the places where credentials are expected.
  func credentials(in places: CredentialPlaces) -> [[UInt8]] {
    if let member = kind.credentialMember { return event[member]?.utf8.map { [$0] } ?? [] }
    return places.sources.flatMap { $0.credentials(in: event) }.compactMap { $0 }
  }
}

/// Why an event is not one that an authorizer can answer.
package enum EventFlaw: Error, Equatable, Sendable {
  /// Not strict JSON, or beyond its limits.
  case notJSON(JSONError)
  /// JSON, but none of the five kinds.
  case notAnAuthorizerEvent
  /// The ARN of the method is absent, too long or not an `execute-api` ARN.
  case malformedARN

  /// One sentence for a person; contains nothing from the event.
  package var description: String {
    switch self {
    case .notJSON(let error): "the event is not JSON: \(error.description)"
    case .notAnAuthorizerEvent: "not an event of an API Gateway Lambda authorizer"
    case .malformedARN: "methodArn or routeArn is not an ARN of execute-api"
    }
  }
}

/// What is wrong with the way the token is sent.
enum CredentialFlaw: Error, Equatable {
  case missing
  /// More than one credential: if we chose one, a backend might choose the other.
  case ambiguous
  case malformed
}
