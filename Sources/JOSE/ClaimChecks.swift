import JSON

extension IssuerProfile {
  /// RFC 7519 sections 4.1.4 to 4.1.6. "On or after" `exp` is expired, so equality is expired too.
  ///
  /// - Returns: `exp` in Unix seconds.
  func checkTimes(_ claims: ClaimReader, now: Int64) throws(TokenRejection) -> Int64 {
    guard let expiry = try claims.date("exp", rounding: .down) else { throw .missingClaim("exp") }
    guard now < expiry + leewaySeconds else { throw .expired(at: expiry, now: now) }
    if let start = try claims.date("nbf", rounding: .up), start > now + leewaySeconds {
      throw .notYetValid(from: start, now: now)
    }
    let issued = try claims.date("iat", rounding: .up)
    if let issued, issued > now + leewaySeconds { throw .issuedInFuture(at: issued, now: now) }
    guard maximumLifetimeSeconds != nil || maximumAgeSeconds != nil else { return expiry }
    guard let issued else { throw .missingClaim("iat") }
    if let limit = maximumLifetimeSeconds, expiry - issued > limit + leewaySeconds {
      throw .lifetimeTooLong(seconds: expiry - issued, limit: limit)
    }
    if let limit = maximumAgeSeconds, now - issued > limit + leewaySeconds {
      throw .tooOld(seconds: now - issued, limit: limit)
    }
    return expiry
  }

  func checkAudience(_ claims: ClaimReader) throws(TokenRejection) {
    switch audience {
    case .audience(let accepted):
      let found = try claims.audiences()
      guard found.contains(where: { Self.contains(accepted, $0) }) else { throw Self.wrongAudience(found) }
    case .clientID(let accepted):
      let found = try claims.requiredText("client_id")
      guard Self.contains(accepted, found) else { throw Self.wrongAudience([found]) }
    }
  }

  func check(_ rule: ClaimRule, _ claims: ClaimReader, now: Int64) throws(TokenRejection) {
    switch rule {
    case .equals(let name, let expected):
      let found = try claims.requiredText(name)
      guard found.elementsEqual(expected.utf8) else {
        throw .wrongType(found: String(decoding: found, as: UTF8.self))
      }
    case .absent(let name):
      if claims.claims[name] != nil { throw .wrongType(found: name) }
    case .present(let name):
      if claims.claims[name] == nil { throw .missingClaim(name) }
    case .atMostBytes(let name, let limit):
      guard try claims.requiredText(name).count <= limit else { throw .malformedClaim(name) }
    case .inPast(let name):
      guard let date = try claims.date(name, rounding: .up) else { throw .missingClaim(name) }
      guard date <= now + leewaySeconds else { throw .issuedInFuture(at: date, now: now) }
    case .authorizedParty:
      guard let party = try claims.text("azp") else { return }
      let audiences = try claims.audiences()
      guard audiences.count > 1 else { return }
      guard Self.contains(audience.values, party) else { throw Self.wrongAudience([party]) }
    }
  }

  private static func contains(_ accepted: [String], _ found: [UInt8]) -> Bool {
    accepted.contains { $0.utf8.elementsEqual(found) }
  }

  private static func wrongAudience(_ found: [[UInt8]]) -> TokenRejection {
    .wrongAudience(found: found.map { String(decoding: $0, as: UTF8.self) })
  }
}

extension IssuerProfile.TypeRule {
  /// RFC 8725 section 3.11 and RFC 7515 section 4.1.9.
  func check(_ type: [UInt8]?) throws(TokenRejection) {
    switch (self, type) {
    case (.ifPresent, nil): return
    case (.required, nil): throw .wrongType(found: "")
    case (.ifPresent(let accepted), let type?), (.required(let accepted), let type?):
      let found = MediaType(type)
      guard accepted.contains(where: { found.isEqual(to: $0) }) else {
        throw .wrongType(found: String(decoding: type, as: UTF8.self))
      }
    }
  }
}

extension ClaimPath {
  /// `sub` (RFC 7519 section 4.1.2).
  static let subject = ClaimPath(name: "sub")
}
