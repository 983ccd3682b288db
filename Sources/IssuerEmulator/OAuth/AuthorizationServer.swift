internal import Text

/// An OAuth 2.1 authorization server for public clients on this machine, without I/O: time and randomness are arguments.
///
/// ```
/// register ─▶ OAuthClient
/// begin    ─▶ AuthorizationRequest ─▶ Login, shown to a person
/// decide   ─▶ OAuthRedirect with a code ─▶ Grant
/// exchange ─▶ GrantedToken, and again for each refresh token
/// ```
package struct AuthorizationServer: Sendable {
  /// In the order of their registration.
  private var clients: [OAuthClient] = []
  /// In the order of their beginning.
  private var logins: [Login] = []
  private var grants = GrantTable()
  private var proofs = UsedProofs()

  /// A request that waits for a person.
  struct Login: Sendable {
    let request: AuthorizationRequest
    /// The hash of the ticket in the form.
    let form: SecretHash
    /// The hash of the cookie of the browser that was shown the page.
    let browser: SecretHash
    let expiry: Int64
  }

  /// The secrets of a login page: the ticket is in its form, the other in a cookie of its browser.
  package struct Ticket: Sendable {
    let form: String
    let cookie: String
  }

  /// The registered client with an ID.
  package func client(_ identifier: String) -> OAuthClient? {
    clients.first { $0.identifier.hasSameBytes(as: identifier) }
  }

  /// Registers a client (RFC 7591 section 3). At the limit it replaces the oldest that no login page and no grant needs.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Throws: `temporarily_unavailable` if all are needed.
  package mutating func register(
    _ metadata: ClientMetadata, at now: Int64, _ random: inout some RandomNumberGenerator
  ) throws(OAuthError) -> OAuthClient {
    if clients.count >= OAuthLimits.clients {
      let needed = grants.clients(at: now).union(
        logins.filter { now < $0.expiry }.map { ByteString($0.request.client.identifier) })
      guard let idle = clients.firstIndex(where: { !needed.contains(ByteString($0.identifier)) }) else {
        throw OAuthError(
          .temporarilyUnavailable,
          "\(OAuthLimits.clients) clients have users, which is the limit; restart serve to remove them")
      }
      clients.remove(at: idle)
    }
    let client = OAuthClient(
      identifier: OpaqueSecret(from: &random).text, metadata: metadata, registered: now)
    clients.append(client)
    return client
  }

  /// Stores a request until a person answers it.
  package mutating func begin(
    _ request: AuthorizationRequest, at now: Int64, _ random: inout some RandomNumberGenerator
  ) -> Ticket {
    logins.removeAll { $0.expiry <= now }
    if logins.count >= OAuthLimits.logins { removeLogin() }
    let (form, cookie) = (OpaqueSecret(from: &random), OpaqueSecret(from: &random))
    logins.append(
      Login(
        request: request, form: form.hash, browser: cookie.hash, expiry: now + OAuthLimits.loginSeconds))
    return Ticket(form: form.text, cookie: cookie.text)
  }

  /// Removes the oldest login of the client that has the most, so that one client cannot remove those of others.
  private mutating func removeLogin() {
    let counts = Dictionary(
      logins.map { (ByteString($0.request.client.identifier), 1) }, uniquingKeysWith: +)
    let most = counts.values.max()
    if let oldest = logins.firstIndex(where: { counts[ByteString($0.request.client.identifier)] == most }) {
      logins.remove(at: oldest)
    }
  }

  /// What a person answers.
  package enum Answer: Equatable, Sendable {
    case deny
    case allow(user: String, scopes: [String])
  }

  /// Ends a login with a person's answer.
  ///
  /// - Parameter cookies: the values of the cookie that the browser sent: one of them must be that of the page.
  /// - Throws: `invalid_request` for an unknown or expired page, another browser, and an invalid user's name.
  package mutating func decide(
    _ answer: Answer, form: String, cookies: [String], issuer: String, at now: Int64,
    _ random: inout some RandomNumberGenerator
  ) throws(OAuthError) -> OAuthRedirect {
    let hash = SecretHash(of: form)
    guard let place = logins.firstIndex(where: { $0.form == hash }), case let login = logins[place],
      now < login.expiry, login.request.issuer.hasSameBytes(as: issuer),
      cookies.contains(where: { SecretHash(of: $0) == login.browser })
    else {
      throw OAuthError(
        .invalidRequest, "this page has expired, or another browser opened it; begin again in the client")
    }
    let request = login.request
    guard case .allow(let user, let scopes) = answer else {
      logins.remove(at: place)
      return OAuthRedirect(
        to: request.redirectURI, OAuthError(.accessDenied, "the user denied access"), state: request.state,
        issuer: request.issuer)
    }
    guard Self.isUser(user) else {
      throw OAuthError(
        .invalidRequest,
        "the user's name must have 1 to \(OAuthLimits.userCharacters) characters, not only spaces, and no invisible ones"
      )
    }
    logins.remove(at: place)
    let code = grants.add(
      request, user: user, scope: request.scope.limited(to: scopes), at: now, &random)
    return OAuthRedirect(
      to: request.redirectURI, code: code, state: request.state, issuer: request.issuer)
  }

  /// Whether a person sees the name as it is: controls and marks of direction would show another one.
  private static func isUser(_ name: String) -> Bool {
    let invisible: [Unicode.GeneralCategory] = [.control, .format, .lineSeparator, .paragraphSeparator]
    return name.unicodeScalars.count <= OAuthLimits.userCharacters && !name.allSatisfy(\.isWhitespace)
      && !name.unicodeScalars.contains { invisible.contains($0.properties.generalCategory) }
  }

  /// Exchanges a code or a refresh token (RFC 6749 sections 4.1.3 and 6).
  ///
  /// A proof counts as used only if everything else is right: others cannot fill the table of proofs.
  ///
  /// - Throws: the errors of RFC 6749 section 5.2, `invalid_target`, and those of `UsedProofs`.
  package mutating func exchange(
    _ request: TokenRequest, issuer: String, at now: Int64, _ random: inout some RandomNumberGenerator
  ) throws(OAuthError) -> GrantedToken {
    guard let client = client(request.client) else {
      throw OAuthError(.invalidClient, "client_id is unknown; register again")
    }
    let admission = try grants.admit(request, of: client, issuer: issuer, at: now)
    if let proof = request.proof { try proofs.add(proof, at: now) }
    return try grants.order(admission, at: now, &random)
  }
}
