internal import Text
package import GatewayModel
internal import Bytes
internal import JOSE
internal import JSON

/// The decision of a JWT or Cognito authorizer of API Gateway.
package enum TokenVerdict: Equatable, Sendable {
  /// The token is valid, and the backend receives this.
  case allowed(NativeGrant)
  case refused(TokenRefusal)
}

extension TokenAuthorizer {
  /// Decides about the value of the identity source.
  ///
  /// AWS documents what it checks, and nothing about tokens in unusual forms. Everything that is not documented to be
  /// accepted is refused here: a `kid` that is missing, claims of another JSON type, algorithms that are not RSA with
  /// PKCS #1, an `exp` that is missing.
  ///
  /// - Parameters:
  ///   - value: the value of the identity source: the token, also behind `Bearer `.
  ///   - scopes: the scopes of the route; the token needs one of them.
  ///   - absent: what a rule about a claim that is not required decides about a token without it.
  package func verdict(
    on value: String?, scopes: [String], stageVariables: [String: String], keys: TrustedKeys.Keys,
    at unixMilliseconds: Int64, absent: Assumptions.AbsentClaim = .refused
  ) -> TokenVerdict {
    do throws(TokenRefusal) {
      let text = Self.token(in: value)
      guard !text.isEmpty else { throw .missing }
      let token: UnverifiedToken
      var rules: [JWTTrust.Claim] = []
      do throws(TokenRejection) {
        token = try UnverifiedToken(parsing: text)
        let claims = TokenClaims(token.unverifiedClaims)
        let issuers = issuers(stageVariables)
        switch keys {
        case .shared(let keys):
          try checkSignature(of: token.jws, keys)
          try claims.checkIssuer(issuers)
        // The issuer chooses the keys, so that those of one issuer sign no tokens of another.
        case .byIssuer(let sets):
          try claims.checkIssuer(issuers)
          let issuer = try claims.issuer()
          guard let keys = sets.first(where: { $0.key.utf8.elementsEqual(issuer.utf8) })?.value else {
            throw TokenRejection.unknownKey
          }
          try checkSignature(of: token.jws, keys)
        }
        switch kind {
        case .jwt(_, let audiences): try claims.checkAudience(audiences)
        case .restJWT(let trust):
          let name = try claims.issuer()
          guard let issuer = trust.issuer(name) else { throw TokenRejection.wrongIssuer(found: name) }
          try claims.checkStrictAudience(issuer.audiences)
          rules = issuer.claims
        case .userPools: break
        }
        try claims.checkTimes(at: unixMilliseconds)
        if case .userPools = kind { try claims.checkUse(scopes.isEmpty ? "id" : "access") }
      } catch {
        throw .rejected(error)
      }
      let claims = TokenClaims(token.unverifiedClaims)
      if let validation, claims.audiences.map({ $0.contains { validation.matches($0) } }) != true {
        throw .notMatching(expression: validation.text)
      }
      try claims.check(rules, absent: absent)
      guard scopes.isEmpty || claims.grants(oneOf: scopes) else { throw .insufficientScope }
      return .allowed(grant(claims, hasScopes: !scopes.isEmpty))
    } catch {
      return .refused(error)
    }
  }

  private func grant(_ claims: TokenClaims, hasScopes: Bool) -> NativeGrant {
    switch kind {
    case .jwt: .jwt(claims: claims.texts(of: .httpAPI), scopes: hasScopes ? claims.scopes : nil)
    case .restJWT: .restJWT(claims: claims.typed)
    case .userPools: .userPool(claims: claims.texts(of: .restAPI))
    }
  }

  /// The token without the prefix `Bearer `, the only one that AWS documents.
  private static func token(in value: String?) -> [UInt8] {
    let bytes = Array((value ?? "").utf8)
    let prefix = Array("Bearer ".utf8)
    return bytes.starts(with: prefix) ? Array(bytes.dropFirst(prefix.count)) : bytes
  }

  // MARK: Signature

  /// The algorithms: HTTP APIs accept "RSA-based algorithms" only, which is not known to include PSS; a JWT authorizer of
  /// a REST API lists them; user pools sign with RS256.
  private var algorithms: [Algorithm] {
    switch kind {
    case .jwt: [.rs256, .rs384, .rs512]
    case .restJWT(let trust): trust.algorithms.compactMap { Algorithm(rawValue: $0.rawValue) }
    case .userPools: [.rs256]
    }
  }

  private func checkSignature(of jws: CompactJWS, _ keys: KeySet) throws(TokenRejection) {
    let algorithm = jws.header.algorithm
    guard algorithms.contains(algorithm) else { throw .algorithmNotAllowed(found: algorithm.rawValue) }
    guard let keyID = jws.header.keyID,
      let key = keys.keys.first(where: { $0.keyID == keyID && $0.algorithms.contains(algorithm) })
    else { throw .unknownKey }
    var checker = SignatureChecker()
    guard checker.verifies(jws, with: .key(key)) else { throw .signatureMismatch }
  }
}
