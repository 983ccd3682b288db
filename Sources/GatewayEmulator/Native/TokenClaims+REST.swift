internal import GatewayModel
internal import JOSE
internal import JSON

/// JWT authorizers of REST APIs.
extension TokenClaims {
  /// `aud` has one of these. `client_id` does not replace it (API Gateway API Reference, "JwtIssuerInput").
  func checkStrictAudience(_ audiences: [String]) throws(TokenRejection) {
    guard claims["aud"] != nil else { throw .missingClaim("aud") }
    guard let found = self.audiences else { throw .malformedClaim("aud") }
    guard found.contains(where: { one in audiences.contains { $0.utf8.elementsEqual(one.utf8) } }) else {
      throw .wrongAudience(found: found)
    }
  }

  /// Each additional claim is a string, with the value that its rule names.
  ///
  /// - Parameter absent: what a rule about a claim that is not required decides about a token without it.
  func check(_ rules: [JWTTrust.Claim], absent: Assumptions.AbsentClaim) throws(TokenRefusal) {
    for rule in rules {
      guard let value = claims[rule.name] else {
        if !rule.isRequired, absent == .accepted { continue }
        throw .claimNotAllowed(rule.name)
      }
      guard let text = value.utf8, rule.value.map({ text.elementsEqual($0.utf8) }) != false else {
        throw .claimNotAllowed(rule.name)
      }
    }
  }

  /// The claims as JSON: an event has them with their types, `$context` as text in ASCII ("Pass JWT claims to your
  /// integration").
  var typed: [NativeGrant.Claim] {
    claims.members.compactMap { name, value in
      guard let name = name.text else { return nil }
      let tree = JSONTree(value)
      return NativeGrant.Claim(name: name, value: Self.ascii(tree), tree: tree)
    }
  }

  /// The text of a value, each other character as `\u00E9`.
  private static func ascii(_ tree: JSONTree) -> String {
    var text = ""
    for unit in String(decoding: tree.bytes(), as: UTF8.self).utf16 {
      if unit < 0x80 {
        text.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
      } else {
        let digits = String(unit, radix: 16, uppercase: true)
        text += #"\u"# + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      }
    }
    return text
  }
}
