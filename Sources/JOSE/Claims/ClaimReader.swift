import Bytes
import JSON

/// Reads claims: an absent claim is `nil`, a valid claim is a value, everything else throws `malformedClaim`.
///
/// A claim of the wrong type must never be handled as an absent claim (CVE-2026-25537).
struct ClaimReader {
  let claims: JSONValue

  /// The last second of the year 9999, the largest accepted NumericDate.
  static let latestDate: Int64 = 253_402_300_799

  /// A string without NUL (RFC 7519 section 2, StringOrURI).
  func text(_ name: StaticString) throws(TokenRejection) -> [UInt8]? {
    try Self.text(claims[name], name.description).map { Array(copying: $0.span) }
  }

  /// The same as a part of the claims, for a comparison.
  func requiredSlice(_ name: StaticString) throws(TokenRejection) -> ArraySlice<UInt8> {
    guard let text = try Self.text(claims[name], name.description) else {
      throw .missingClaim(name.description)
    }
    return text
  }

  func requiredText(_ name: StaticString) throws(TokenRejection) -> [UInt8] {
    guard let text = try text(name) else { throw .missingClaim(name.description) }
    return text
  }

  func requiredText(named name: String) throws(TokenRejection) -> [UInt8] {
    guard let text = try Self.text(claims[name], name) else { throw .missingClaim(name) }
    return Array(copying: text.span)
  }

  private static func text(
    _ value: JSONValue?, _ name: @autoclosure () -> String
  ) throws(TokenRejection) -> ArraySlice<UInt8>? {
    guard let value else { return nil }
    guard let text = value.utf8Slice, !text.span.contains(0) else {
      throw .malformedClaim(name())
    }
    return text
  }

  enum Rounding { case down, up }

  /// A NumericDate in whole Unix seconds (RFC 7519 section 2). Fractions are rounded to the stricter side: `exp`
  /// down, `nbf` and `iat` up.
  func date(_ name: StaticString, rounding: Rounding) throws(TokenRejection) -> Int64? {
    try Self.date(claims[name], name.description, rounding)
  }

  func date(named name: String, rounding: Rounding) throws(TokenRejection) -> Int64? {
    try Self.date(claims[name], name, rounding)
  }

  private static func date(
    _ value: JSONValue?, _ name: @autoclosure () -> String, _ rounding: Rounding
  ) throws(TokenRejection) -> Int64? {
    guard let value else { return nil }
    guard let bounds = value.bounds, bounds.floor >= 0, bounds.ceiling <= latestDate else {
      throw .malformedClaim(name())
    }
    return rounding == .down ? bounds.floor : bounds.ceiling
  }

  /// `exp`, which every token has.
  func expiry() throws(TokenRejection) -> Int64 {
    guard let expiry = try date("exp", rounding: .down) else { throw .missingClaim("exp") }
    return expiry
  }

  /// The values of `aud`: one string, or a non-empty array of strings (RFC 7519 section 4.1.3).
  func audiences() throws(TokenRejection) -> [[UInt8]] {
    guard let value = claims["aud"] else { throw .missingClaim("aud") }
    if value.kind == .string { return [try requiredText("aud")] }
    guard value.kind == .array else { throw .malformedClaim("aud") }
    var audiences: [[UInt8]] = []
    for element in value.elements {
      guard let text = element.utf8, !text.contains(0) else { throw .malformedClaim("aud") }
      audiences.append(text)
    }
    guard !audiences.isEmpty else { throw .malformedClaim("aud") }
    return audiences
  }

  /// Whether `aud` contains one of these values.
  ///
  /// - Throws: the errors of `audiences`, also if a value before the malformed one is contained.
  func hasAudience(among accepted: [[UInt8]]) throws(TokenRejection) -> Bool {
    if let value = claims["aud"], value.kind == .string, let audience = try Self.text(value, "aud") {
      return accepted.contains { $0.span.equals(audience.span) }
    }
    return try audiences().contains { accepted.contains($0) }
  }

  /// An identifier for policies and logs: 1 to `limit` bytes, no control characters.
  func identifier(
    _ path: ClaimPath, limit: Int = IssuerProfile.maximumPrincipalBytes
  ) throws(TokenRejection) -> [UInt8] {
    guard let value = path.value(in: claims) else { throw .missingClaim(path.text) }
    guard let text = value.utf8, 1...limit ~= text.count, !ControlCharacters.occur(in: text) else {
      throw .malformedClaim(path.text)
    }
    return text
  }

  /// The bindings of a token; without any if it is not bound. Other members of `cnf` are ignored.
  ///
  /// - Throws: `malformedClaim` if `cnf` is not an object, or if a binding is not 43 base64url characters.
  func confirmation() throws(TokenRejection) -> Confirmation {
    guard let confirmation = claims["cnf"] else { return .none }
    guard confirmation.kind == .object else { throw .malformedClaim("cnf") }
    return Confirmation(
      key: try Self.thumbprint(.key, in: confirmation),
      certificate: try Self.thumbprint(.certificate, in: confirmation))
  }

  private static func thumbprint(
    _ binding: TokenBinding, in confirmation: JSONValue
  ) throws(TokenRejection) -> Thumbprint? {
    guard let value = confirmation[binding.rawValue] else { return nil }
    guard let thumbprint = value.utf8.flatMap({ Thumbprint($0) }) else {
      throw .malformedClaim("cnf." + binding.rawValue)
    }
    return thumbprint
  }
}

/// Control characters, which could end a line of a log or a header.
package enum ControlCharacters {
  /// Whether a text contains a C0 control, DEL, or a C1 control (C2 80 to C2 9F in UTF-8).
  package static func occur(in text: [UInt8]) -> Bool { occur(in: text.span) }

  /// Whether a text contains a C0 control, DEL, or a C1 control (C2 80 to C2 9F in UTF-8).
  package static func occur(in bytes: Span<UInt8>) -> Bool {
    var index = 0
    while bytes.count - index >= 8, bytes.word(at: index).isPrintable { index += 8 }
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte < 0x20 || byte == .delete { return true }
      if byte == 0xC2, index < bytes.count, bytes[index] < 0xA0 { return true }
    }
    return false
  }
}
