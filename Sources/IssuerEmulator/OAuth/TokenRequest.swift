/// A request to the token endpoint (RFC 6749 sections 4.1.3 and 6).
package struct TokenRequest: Sendable {
  enum Grant: Sendable {
    case code(String, redirectURI: String, verifier: String)
    case refresh(String, scope: ScopeList?)
  }

  let client: String
  let grant: Grant
  /// The resource, which may be left out: the grant's counts then (RFC 8707 section 2.2).
  let resource: ResourceIndicator?
  /// The proof that came with the request.
  var proof: Proof?

  /// A verified proof of the client's key (RFC 9449 section 5).
  struct Proof: Sendable {
    let thumbprint: String
    /// Distinguishes the proofs of all keys.
    let fingerprint: [UInt8]
    /// When the proof is refused for its age, in seconds since 1970.
    let expiry: Int64
  }

  /// Parses a form.
  ///
  /// - Throws: `invalid_request`, `unsupported_grant_type`, `invalid_target` or `invalid_scope`.
  init(_ form: OAuthParameters) throws(OAuthError) {
    try form.refuseRepeated(["redirect_uri", "code_verifier", "scope", "refresh_token", "code"])
    let type = try form.required("grant_type")
    guard form.all("client_secret").isEmpty, form.all("client_assertion").isEmpty else {
      throw OAuthError(.invalidClient, "clients of this server are public: they have no secret")
    }
    guard let type = GrantType(rawValue: type) else {
      throw OAuthError(.unsupportedGrantType, "grant_type must be authorization_code or refresh_token")
    }
    client = try form.required("client_id")
    switch type {
    case .authorizationCode:
      grant = .code(
        try form.required("code"), redirectURI: try form.required("redirect_uri"),
        verifier: try form.required("code_verifier"))
    case .refreshToken:
      let scope = form.only("scope")
      grant = .refresh(
        try form.required("refresh_token"), scope: scope == nil ? nil : try ScopeList(scope ?? ""))
    }
    let resources = form.all("resource")
    resource = resources.isEmpty ? nil : try ResourceIndicator(resources)
  }
}

/// What a token is issued for.
package struct GrantedToken: Equatable, Sendable {
  let issuer: String
  let client: String
  let user: String
  let scope: ScopeList
  let resource: ResourceIndicator
  let proofThumbprint: String?
  /// The login, which all tokens of the grant have as `sid` and `origin_jti`.
  let session: String
  /// When the user logged in, in seconds since 1970.
  let login: Int64
  /// The refresh token that follows; `nil` for a client that has not registered the grant type.
  let refreshToken: String?
}
