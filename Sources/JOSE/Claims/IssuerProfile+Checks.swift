import Bytes
import JSON

extension IssuerProfile {
  /// Compares the header's algorithm with the issuer's list, which decides (RFC 8725 section 3.1).
  func checkAlgorithm(_ algorithm: Algorithm) throws(TokenRejection) {
    guard algorithms.contains(where: { $0.isSameSignature(as: algorithm) }) else {
      throw .algorithmNotAllowed(found: algorithm.rawValue)
    }
  }

  /// Rejects a token without `kid`, for an issuer whose tokens all have one.
  func checkKeyID(_ keyID: [UInt8]?) throws(TokenRejection) {
    guard keyID != nil else { throw .malformedToken(.headerMember("kid")) }
  }

  func checkAudience(_ claims: ClaimReader) throws(TokenRejection) {
    switch audience {
    case .audience:
      guard try claims.hasAudience(among: audiences) else { throw Self.wrongAudience(try claims.audiences()) }
    case .clientID:
      let found = try claims.requiredText("client_id")
      guard audiences.contains(found) else { throw Self.wrongAudience([found]) }
    }
  }

  func check(_ rule: ClaimRule, _ claims: ClaimReader, now: Int64) throws(TokenRejection) {
    switch rule {
    case .equals(let name, let expected):
      let found = try claims.requiredText(named: name)
      guard found.elementsEqual(expected.utf8) else {
        throw .wrongType(found: String(decoding: found, as: UTF8.self))
      }
    case .absent(let name):
      if claims.claims[name] != nil { throw .wrongType(found: name) }
    case .present(let name):
      if claims.claims[name] == nil { throw .missingClaim(name) }
    case .atMostBytes(let name, let limit):
      guard try claims.requiredText(named: name).count <= limit else { throw .malformedClaim(name) }
    case .inPast(let name):
      guard let date = try claims.date(named: name, rounding: .up) else { throw .missingClaim(name) }
      guard date <= now + leewaySeconds else { throw .issuedInFuture(at: date, now: now) }
    case .authorizedParty:
      guard let party = try claims.text("azp") else { return }
      let audiences = try claims.audiences()
      guard audiences.count > 1 else { return }
      guard self.audiences.contains(party) else { throw Self.wrongAudience([party]) }
    }
  }

  /// Returns the bindings of a token, and rejects those that nothing checks: without a proof of possession the token
  /// may be stolen (RFC 9449 section 7.1, RFC 8705 section 3).
  func checkBinding(_ claims: ClaimReader) throws(TokenRejection) -> Confirmation {
    let confirmation = try claims.confirmation()
    let unchecked = confirmation.bindings.filter { !proofOfPossession.checks($0) }
    guard unchecked.isEmpty else { throw .boundToken(to: unchecked) }
    return confirmation
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
      guard accepted.contains(where: { name in name.withBytes { MediaType.areEqual(type.span, $0) } }) else {
        throw .wrongType(found: String(decoding: type, as: UTF8.self))
      }
    }
  }
}

extension ClaimPath {
  /// `sub` (RFC 7519 section 4.1.2).
  static let subject = ClaimPath(name: "sub")
}
