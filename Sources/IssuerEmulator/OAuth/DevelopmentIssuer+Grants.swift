package import JSON
internal import TestTokens

extension DevelopmentIssuer {
  /// Issues the token of a grant and returns the token response (RFC 6749 section 5.1): a JWT access token (RFC 9068).
  ///
  /// - Parameter now: the time in seconds since 1970.
  /// - Throws: `server_error` if it cannot be signed.
  package func response(to order: GrantedToken, now: Int64) throws(OAuthError) -> JSONTree {
    var claims: [JSONTree.Member] = [
      .init(name: "sub", value: .string(order.user)),
      .init(name: "aud", value: .string(order.resource.text)),
      .init(name: "client_id", value: .string(order.client)),
      .init(name: "exp", value: .string("+\(OAuthLimits.accessTokenSeconds)s")),
    ]
    var recipe: [JSONTree.Member] = [.init(name: "unique", value: .boolean(true))]
    recipe.append(.init(name: "preset", value: .string("rfc9068:" + order.issuer)))
    if order.scope.names.isEmpty {
      recipe.append(.init(name: "omit", value: .array([.string("scope")])))
    } else {
      claims.append(.init(name: "scope", value: .string(order.scope.text)))
    }
    if let thumbprint = order.proofThumbprint {
      claims.append(.init(name: "cnf", value: .members(["jkt": .string(thumbprint)])))
    }
    recipe.append(.init(name: "claims", value: .object(claims)))
    let token: String
    do throws(TokenRequestError) {
      token = try signed(.object(recipe), now: now)
    } catch {
      throw OAuthError(.serverError, "the token cannot be signed")
    }
    var members: [JSONTree.Member] = [
      .init(name: "access_token", value: .string(token)),
      .init(name: "token_type", value: .string(order.proofThumbprint == nil ? "Bearer" : "DPoP")),
      .init(name: "expires_in", value: .integer(OAuthLimits.accessTokenSeconds)),
      .init(name: "scope", value: .string(order.scope.text)),
    ]
    if let next = order.refreshToken { members.append(.init(name: "refresh_token", value: .string(next))) }
    return .object(members)
  }
}
