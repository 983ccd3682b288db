internal import Bytes
internal import GatewayEmulator
internal import JSON
internal import TestTokens
internal import Text

/// The recipe of a token of the development issuer, as a decision recorded it: the token can be made again.
struct RecordedRecipe {
  private let token: DecodedToken
  private let algorithm: String
  private let header: [JSONTree.Member]
  /// Why the authorizer refused the token.
  private let reason: String?

  /// Returns `nil` for a token of another issuer.
  init?(_ token: DecodedToken, refused reason: String?) {
    guard token.isDevelopment, case .string(let algorithm)? = token.header["alg"],
      case .object(let header) = token.header
    else { return nil }
    (self.token, self.algorithm, self.header, self.reason) = (token, algorithm, header, reason)
  }

  /// Returns the recipe with these claims.
  ///
  /// - Parameters:
  ///   - binds: whether the token is bound to the development key again, in place of a claim `cnf`.
  ///   - shown: changes the values of the header.
  func tree(
    claims: [JSONTree.Member], binds: Bool = false, shown: (JSONTree) -> JSONTree = { $0 }
  ) -> JSONTree {
    // The recipe names the key by its algorithm, except where the name of the key is what was wrong.
    let header = header.filter { $0.name != "alg" && ($0.name != "kid" || reason == "unknownKey") }
      .map { JSONTree.Member(name: $0.name, value: shown($0.value)) }
    return .members([
      "algorithm": .string(algorithm), "claims": .object(claims),
      "header": header.isEmpty ? nil : .object(header),
      "omitHeader": token.header["typ"] == nil ? .string("typ") : nil,
      // A recipe gives a valid signature, which the token did not have.
      "damage": reason == "signatureMismatch" ? .string("signature") : nil,
      "bind": binds ? .string("dpop") : nil,
    ])
  }

  /// Returns the recipe of the token with another user or other scopes. Every other claim stays, its times too.
  ///
  /// - Parameter scope: scopes, joined by blanks, in the form that the token has them.
  func tree(user: String?, scope: String?) -> JSONTree {
    var claims = token.claims
    if let user { claims["sub"] = .string(user) }
    if let scope {
      // Entra and Okta write `scp` (docs/rules.md).
      let name = ["scope", "scp"].first { claims[$0] != nil } ?? "scope"
      if case .array? = claims[name] {
        claims[name] = .array(scope.splitBytes(at: " ").map { .string(String($0)) })
      } else {
        claims[name] = .string(scope)
      }
    }
    guard case .object(let members) = claims else { return .null }
    return tree(claims: members)
  }
}

extension DecodedToken {
  /// Whether its key is named like one of the development issuer, so that its claims describe no real person.
  var isDevelopment: Bool {
    guard case .string(let key)? = header["kid"] else { return false }
    return key.hasBytePrefix(DevelopmentKeyName.idPrefix)
  }
}
