package import JSON
internal import TestTokens

extension DevelopmentIssuer {
  /// Issues the token of a grant and returns the token response (RFC 6749 section 5.1): a JWT access token (RFC 9068).
  ///
  /// - Parameter now: the time in seconds since 1970.
  /// - Throws: `server_error` if it cannot be signed.
  package func response(to order: GrantedToken, now: Int64) throws(OAuthError) -> JSONTree {
    let hasScope = !order.scope.names.isEmpty
    let recipe = JSONTree.members([
      "unique": .boolean(true), "preset": .string("rfc9068:" + order.issuer),
      "omit": hasScope ? nil : .array([.string("scope")]),
      "claims": .members([
        "sub": .string(order.user), "aud": .string(order.resource.text), "client_id": .string(order.client),
        "exp": .string("+\(OAuthLimits.accessTokenSeconds)s"),
        "scope": hasScope ? .string(order.scope.text) : nil,
        "sid": .string(order.session), "origin_jti": .string(order.session),
        "auth_time": .integer(order.login),
        "cnf": order.proofThumbprint.map { .members(["jkt": .string($0)]) },
      ]),
    ])
    let token = try Result { () throws(TokenRequestError) in try signed(recipe, now: now) }
      .mapError { _ in OAuthError(.serverError, "the token cannot be signed") }.get()
    return .members([
      "access_token": .string(token),
      "token_type": .string(order.proofThumbprint == nil ? "Bearer" : "DPoP"),
      "expires_in": .integer(OAuthLimits.accessTokenSeconds), "scope": .string(order.scope.text),
      "refresh_token": order.refreshToken.map { .string($0) },
    ])
  }
}
