import JSON

/// Reads claims in three states: absent is `nil`, good is a value, anything else is `malformedClaim`.
///
/// "Present but of the wrong type" must never look like "absent" (CVE-2026-25537).
struct ClaimReader {
  let claims: JSONValue

  /// The last second of the year 9999, the largest NumericDate that means a date.
  static let latestDate: Int64 = 253_402_300_799

  /// A string without NUL; RFC 7519 section 2 StringOrURI.
  func text(_ name: String) throws(TokenRejection) -> [UInt8]? {
    guard let value = claims[name] else { return nil }
    guard let text = value.utf8, !text.contains(0) else { throw .malformedClaim(name) }
    return text
  }

  func requiredText(_ name: String) throws(TokenRejection) -> [UInt8] {
    guard let text = try text(name) else { throw .missingClaim(name) }
    return text
  }

  enum Rounding { case down, up }

  /// A NumericDate in whole Unix seconds (RFC 7519 section 2): fractions are rounded against the bearer, so `exp` goes
  /// down, `nbf` and `iat` go up.
  func date(_ name: String, rounding: Rounding) throws(TokenRejection) -> Int64? {
    guard let value = claims[name] else { return nil }
    guard let bounds = value.number?.bounds, bounds.floor >= 0, bounds.ceiling <= Self.latestDate else {
      throw .malformedClaim(name)
    }
    return rounding == .down ? bounds.floor : bounds.ceiling
  }

  /// `aud`: one string, or a non-empty array of nothing but strings (RFC 7519 section 4.1.3).
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

  /// An identifier that goes on into policies and logs: 1 to `limit` bytes, no control characters.
  func identifier(
    _ path: ClaimPath, limit: Int = IssuerProfile.maximumPrincipalBytes
  ) throws(TokenRejection) -> [UInt8] {
    guard let value = path.value(in: claims) else { throw .missingClaim(path.text) }
    guard let text = value.utf8, 1...limit ~= text.count, !ControlCharacters.occur(in: text) else {
      throw .malformedClaim(path.text)
    }
    return text
  }
}

/// Characters that end lines and headers.
public enum ControlCharacters {
  /// Whether a text holds a C0 control or DEL, or a C1 control, which UTF-8 writes as C2 80 … C2 9F.
  public static func occur(in text: [UInt8]) -> Bool {
    for (index, byte) in text.enumerated() {
      if byte < 0x20 || byte == 0x7F { return true }
      if byte == 0xC2, index + 1 < text.count, text[index + 1] < 0xA0 { return true }
    }
    return false
  }
}
