public import JSON

/// One question of API Gateway: may the bearer of this credential reach this method?
///
/// Five kinds of event become one request; unknown members are ignored, since API Gateway may add some.
struct AuthorizationRequest {
  let kind: EventKind
  let arn: MethodARN
  let event: JSONValue

  /// Reads an event.
  ///
  /// - Throws: `EventFlaw` where it is no authorizer event: a fault of the wiring, not of the caller.
  init(parsing bytes: [UInt8]) throws(EventFlaw) {
    do {
      event = try JSONDocument(parsing: bytes, limits: .event).root
    } catch {
      throw .notJSON(error)
    }
    guard let (kind, arn) = EventKind.recognise(event) else { throw .notAnAuthorizerEvent }
    guard let bytes = arn.utf8, let methodARN = MethodARN(parsing: bytes) else { throw .malformedARN }
    self.kind = kind
    self.arn = methodARN
  }

  /// The one token of this request.
  ///
  /// - Throws: `missingToken`, `ambiguousToken` or `malformedToken`.
  func token(from settings: Settings) throws(CredentialFlaw) -> [UInt8] {
    if kind == .restToken {
      guard let value = event["authorizationToken"], value.kind != .null else { throw .missing }
      guard let text = value.utf8 else { throw .malformed }
      return try Self.bearerToken(text)
    }
    var found: (source: TokenSource, value: [UInt8]?)?
    for source in settings.tokenSources {
      // A browser cannot set a header on a WebSocket; elsewhere a token in an address ends up in logs.
      if case .query = source, kind != .webSocket, !settings.allowsQueryTokens { continue }
      for value in source.credentials(in: event) {
        guard found == nil else { throw .ambiguous }
        found = (source, value)
      }
    }
    guard let (source, text) = found else { throw .missing }
    guard let value = text else { throw .malformed }
    if case .header = source { return try Self.bearerToken(value) }
    guard !value.isEmpty else { throw .missing }
    // Payload 2.0 has no multi-value members: it joins repeated parameters with a comma, which no token holds.
    if case .query = source, kind == .http2, value.contains(0x2C) { throw .ambiguous }
    guard let token = Self.bare(value, from: 0) else { throw .malformed }
    return token
  }

  /// Every text that stands where a credential is looked for.
  func credentials(from settings: Settings) -> [[UInt8]] {
    if kind == .restToken { return event["authorizationToken"]?.utf8.map { [$0] } ?? [] }
    return settings.tokenSources.flatMap { $0.credentials(in: event) }.compactMap { $0 }
  }

  /// RFC 6750 section 2.1 and RFC 9110 section 11.4: the scheme in any case, one space, one token.
  ///
  /// HTTP APIs join repeated headers with a comma, which no token holds: two credentials, not one odd one.
  private static func bearerToken(_ value: [UInt8]) throws(CredentialFlaw) -> [UInt8] {
    guard value.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { throw .missing }
    guard isBearer(value[...]) else { throw .malformed }
    // Most values hold no comma and are looked at once.
    if let token = bare(value, from: scheme.utf8.count) { return token }
    var rest = value[...]
    while let comma = rest.firstIndex(of: 0x2C) {
      rest = rest[(comma + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
      if isBearer(rest) { throw .ambiguous }
    }
    throw .malformed
  }

  /// Visible ASCII without the comma that joins two values to one: no token of any kind needs more.
  private static func bare(_ value: [UInt8], from start: Int) -> [UInt8]? {
    let bytes = value.span
    guard start < bytes.count else { return nil }
    // Collected without a branch: nearly every token is good to its last byte.
    var wrong: UInt8 = 0
    for index in start..<bytes.count {
      let byte = bytes[index]
      // 0x5E bytes from 0x21 to 0x7E.
      wrong |= (byte &- 0x21 < 0x5E ? 0 : 1) | (byte == 0x2C ? 1 : 0)
    }
    guard wrong == 0 else { return nil }
    // Appending copies faster than Array.init of a slice in Embedded Swift.
    var token: [UInt8] = []
    token.append(contentsOf: value[start...])
    return token
  }

  private static let scheme = "bearer "

  private static func isBearer(_ value: ArraySlice<UInt8>) -> Bool {
    value.count >= scheme.utf8.count
      && zip(value, scheme.utf8).allSatisfy { (0x41...0x5A ~= $0 ? $0 | 0x20 : $0) == $1 }
  }
}

/// Why an event is not one that an authorizer can answer.
public enum EventFlaw: Error, Equatable, Sendable {
  /// Not strict JSON, or over its limits.
  case notJSON(JSONError)
  /// JSON, but none of the five kinds.
  case notAnAuthorizerEvent
  /// The method's ARN is absent, too long or not one of `execute-api`.
  case malformedARN

  /// One sentence for a person; quotes nothing of the event.
  public var description: String {
    switch self {
    case .notJSON(let error): "the event is not JSON: \(error.description)"
    case .notAnAuthorizerEvent: "not an event of an API Gateway Lambda authorizer"
    case .malformedARN: "methodArn or routeArn is not an ARN of execute-api"
    }
  }
}

/// What is wrong with the way the token is carried.
enum CredentialFlaw: Error, Equatable {
  case missing
  /// More than one credential: whichever was chosen, something behind us might choose the other.
  case ambiguous
  case malformed

  var code: ReasonCode {
    switch self {
    case .missing: .missingToken
    case .ambiguous: .ambiguousToken
    case .malformed: .malformedToken
    }
  }
}
