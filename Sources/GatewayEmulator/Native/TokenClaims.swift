internal import Text
internal import LambdaEmulator
internal import JOSE
internal import JSON

/// The claims of a token whose signature is valid.
struct TokenClaims {
  let claims: JSONValue

  init(_ claims: JSONValue) { self.claims = claims }

  // MARK: Checks

  /// `iss` is one of these, byte for byte.
  func checkIssuer(_ issuers: [String]) throws(TokenRejection) {
    let found = try text("iss")
    guard issuers.contains(where: { $0.utf8.elementsEqual(found) }) else {
      throw .wrongIssuer(found: String(decoding: found, as: UTF8.self))
    }
  }

  func issuer() throws(TokenRejection) -> String { String(decoding: try text("iss"), as: UTF8.self) }

  /// `aud` has one of these; a token without `aud` has one of them in `client_id`.
  func checkAudience(_ audiences: [String]) throws(TokenRejection) {
    let found: [String]
    if claims["aud"] == nil {
      found = [String(decoding: try text("client_id"), as: UTF8.self)]
    } else {
      guard let list = self.audiences else { throw .malformedClaim("aud") }
      found = list
    }
    let accepted = audiences.filter { !$0.isEmpty }
    guard found.contains(where: { one in accepted.contains { $0.utf8.elementsEqual(one.utf8) } }) else {
      throw .wrongAudience(found: found)
    }
  }

  /// The values of `aud`; `nil` if it is absent or not a string or an array of strings.
  var audiences: [String]? { strings("aud") }

  /// The token's time has begun and not ended. There is no leeway.
  func checkTimes(at unixMilliseconds: Int64) throws(TokenRejection) {
    let now = unixMilliseconds / 1000
    guard let expiry = try date("exp")?.floor else { throw .missingClaim("exp") }
    guard now < expiry else { throw .expired(at: expiry, now: now) }
    if let start = try date("nbf")?.ceiling, start > now { throw .notYetValid(from: start, now: now) }
    if let issued = try date("iat")?.ceiling, issued > now { throw .issuedInFuture(at: issued, now: now) }
  }

  /// `token_use` of Cognito tokens: `id` or `access`.
  func checkUse(_ use: String) throws(TokenRejection) {
    let found = try text("token_use")
    guard found.elementsEqual(use.utf8) else {
      throw .wrongType(found: String(decoding: found, as: UTF8.self))
    }
  }

  /// Whether the token has one of the scopes.
  ///
  /// AWS reads `scope` or `scp` and does not say which one wins: if a token has both, each needs one of the scopes.
  func grants(oneOf scopes: [String]) -> Bool {
    let lists = ["scope", "scp"].filter { claims[$0] != nil }.map { words(in: $0) }
    return !lists.isEmpty
      && lists.allSatisfy { list in
        list.contains { one in scopes.contains { $0.utf8.elementsEqual(one.utf8) } }
      }
  }

  var scopes: [String] { words(in: claims["scp"] == nil ? "scope" : "scp") }

  /// Scopes are words of a string (RFC 6749 section 3.3); `scp` may also be an array of strings.
  private func words(in name: String) -> [String] {
    if let text = claims[name]?.text { return text.splitBytes(at: " ").map(String.init) }
    return name == "scp" ? strings(name) ?? [] : []
  }

  private func strings(_ name: String) -> [String]? {
    guard let value = claims[name] else { return nil }
    if let text = value.text { return [text] }
    guard value.kind == .array else { return nil }
    var list: [String] = []
    for element in value.elements {
      guard let text = element.text else { return nil }
      list.append(text)
    }
    return list
  }

  private func text(_ name: String) throws(TokenRejection) -> [UInt8] {
    guard let value = claims[name] else { throw .missingClaim(name) }
    guard let text = value.utf8 else { throw .malformedClaim(name) }
    return text
  }

  private func date(_ name: String) throws(TokenRejection) -> (floor: Int64, ceiling: Int64)? {
    guard let value = claims[name] else { return nil }
    guard let bounds = value.number?.bounds, bounds.floor >= 0 else { throw .malformedClaim(name) }
    return bounds
  }

  // MARK: Texts for the backend

  /// The two ways in which API Gateway writes claims as strings.
  enum Form { case httpAPI, restAPI }

  /// The claims as the backend receives them: all values are strings, and claims that are `null` are left out.
  func texts(of form: Form) -> [NativeGrant.Claim] {
    claims.members.compactMap { name, value in
      guard let name = name.text, value.kind != .null else { return nil }
      return NativeGrant.Claim(name: name, value: Self.text(name, value, form))
    }
  }

  private static func text(_ name: String, _ value: JSONValue, _ form: Form) -> String {
    switch (value.kind, form) {
    // `[admin editor]` on HTTP APIs, `admin,editor` on REST APIs.
    case (.array, .httpAPI): return "[" + value.elements.map(plain).joined(separator: " ") + "]"
    case (.array, .restAPI): return value.elements.map(plain).joined(separator: ",")
    // The Cognito authorizer writes these two as `Mon Jun 15 05:56:21 UTC 2026`, and `auth_time` as a number.
    case (.number, .restAPI) where name == "exp" || name == "iat":
      guard let seconds = value.number?.integer, (0...latestSecond).contains(seconds) else {
        return plain(value)
      }
      return Timestamp.calendar(seconds * 1000)
    default: return plain(value)
    }
  }

  /// The last second of the year 9999.
  private static let latestSecond: Int64 = 253_402_300_799

  private static func plain(_ value: JSONValue) -> String {
    value.text ?? String(decoding: value.source, as: UTF8.self)
  }
}
