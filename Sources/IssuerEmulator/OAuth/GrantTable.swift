internal import Text

/// The grants of users to clients. A code or a refresh token names its grant and has a secret, so that a second use is
/// recognized however often the tokens were rotated.
struct GrantTable: Sendable {
  private var grants: [ByteString: Grant] = [:]
  /// How many grants were added: the next one's place in their order.
  private var added = 0

  private struct Grant: Sendable {
    let request: AuthorizationRequest
    let user: String
    let scope: ScopeList
    let session: String
    /// When the user logged in, in seconds since 1970.
    let login: Int64
    /// Grants are removed in this order.
    let place: Int
    var phase: Phase
    /// When the current secret expires, in seconds since 1970.
    var expiry: Int64
    /// The key of a public client, to which its refresh tokens are bound (RFC 9449 section 5).
    var proofThumbprint: String?
  }

  private enum Phase: Sendable {
    /// The code is not used.
    case code(SecretHash)
    /// The only valid refresh token.
    case refresh(SecretHash)
  }

  /// A grant whose request was checked.
  struct Admission: Sendable {
    fileprivate let name: ByteString
    fileprivate let scope: ScopeList
    fileprivate let proofThumbprint: String?
  }

  /// Adds a grant and returns its code.
  mutating func add(
    _ request: AuthorizationRequest, user: String, scope: ScopeList, at now: Int64,
    _ random: inout some RandomNumberGenerator
  ) -> String {
    grants = grants.filter { now < $0.value.expiry }
    if grants.count >= OAuthLimits.grants, let oldest = grants.min(by: { $0.value.place < $1.value.place }) {
      grants[oldest.key] = nil
    }
    let (name, secret) = (OpaqueSecret(from: &random), OpaqueSecret(from: &random))
    grants[ByteString(name.text)] = Grant(
      request: request, user: user, scope: scope, session: OpaqueSecret(from: &random).text, login: now,
      place: added, phase: .code(secret.hash),
      expiry: now + OAuthLimits.codeSeconds, proofThumbprint: request.proofThumbprint)
    added += 1
    return name.text + "." + secret.text
  }

  /// The IDs of the clients that have a grant.
  func clients(at now: Int64) -> Set<ByteString> {
    Set(grants.values.filter { now < $0.expiry }.map { ByteString($0.request.client.identifier) })
  }

  /// Checks a code or a refresh token. Whatever is wrong with one ends its whole grant: it was stolen, or its client is
  /// faulty.
  mutating func admit(
    _ request: TokenRequest, of client: OAuthClient, issuer: String, at now: Int64
  ) throws(OAuthError) -> Admission {
    let token =
      switch request.grant {
      case .code(let code, _, _): code
      case .refresh(let token, _): token
      }
    let parts = token.splitBytes(at: ".", omittingEmptySubsequences: false).map(String.init)
    let name = ByteString(parts[0])
    guard parts.count == 2, let grant = grants[name] else { throw Self.invalid }
    do throws(OAuthError) {
      try Self.check(grant, SecretHash(of: parts[1]), request, client, issuer, now)
    } catch {
      grants[name] = nil
      throw error
    }
    // Errors of the request itself, which the client can correct.
    if let resource = request.resource, resource != grant.request.resource {
      throw OAuthError(.invalidTarget, "resource is not the one of the authorization request")
    }
    var scope = grant.scope
    if case .refresh(_, let wanted?) = request.grant {
      guard wanted.isContained(in: grant.scope) else {
        throw OAuthError(.invalidScope, "scope has more than the user granted")
      }
      scope = wanted
    }
    return Admission(name: name, scope: scope, proofThumbprint: request.proof?.thumbprint)
  }

  /// Spends the code or the refresh token of an admission. A client without refresh tokens has no grant afterwards.
  mutating func order(
    _ admission: Admission, at now: Int64, _ random: inout some RandomNumberGenerator
  ) throws(OAuthError) -> GrantedToken {
    guard var grant = grants.removeValue(forKey: admission.name) else { throw Self.invalid }
    let client = grant.request.client
    var token: String?
    if client.metadata.grantTypes.contains(.refreshToken) {
      let next = OpaqueSecret(from: &random)
      grant.phase = .refresh(next.hash)
      grant.expiry = now + OAuthLimits.refreshTokenSeconds
      grant.proofThumbprint = admission.proofThumbprint
      grants[admission.name] = grant
      token = admission.name.text + "." + next.text
    }
    return GrantedToken(
      issuer: grant.request.issuer, client: client.identifier, user: grant.user, scope: admission.scope,
      resource: grant.request.resource, proofThumbprint: admission.proofThumbprint,
      session: grant.session, login: grant.login, refreshToken: token)
  }

  private static let invalid = OAuthError(
    .invalidGrant, "the code or refresh token is unknown, expired, used already or for another client")

  /// Checks that a secret is the current one and came from its client.
  private static func check(
    _ grant: Grant, _ secret: SecretHash, _ request: TokenRequest, _ client: OAuthClient, _ issuer: String,
    _ now: Int64
  ) throws(OAuthError) {
    guard now < grant.expiry, grant.request.client.identifier.hasSameBytes(as: client.identifier),
      grant.request.issuer.hasSameBytes(as: issuer)
    else { throw invalid }
    switch (grant.phase, request.grant) {
    case (.code(let expected), .code(_, let redirectURI, let verifier)):
      guard expected == secret else { throw invalid }
      guard redirectURI.hasSameBytes(as: grant.request.redirectURI.text) else {
        throw OAuthError(.invalidGrant, "redirect_uri is not the one of the authorization request")
      }
      guard grant.request.challenge.isMet(by: verifier) else {
        throw OAuthError(.invalidGrant, "code_verifier does not fit code_challenge")
      }
    case (.refresh(let expected), .refresh): guard expected == secret else { throw invalid }
    // A code or a token that was used before.
    case (.code, .refresh), (.refresh, .code): throw invalid
    }
    if let bound = grant.proofThumbprint {
      guard let proven = request.proof?.thumbprint, proven.hasSameBytes(as: bound) else {
        throw OAuthError(.invalidProof, "the grant is bound to a key: send a proof with this key")
      }
    }
  }
}
