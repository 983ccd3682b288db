/// An OAuth 2.1 authorization server for public clients on this machine, without I/O: time and randomness are arguments.
///
/// ```
/// register ─▶ OAuthClient
/// begin    ─▶ AuthorizationRequest ─▶ Login, shown to a person
/// decide   ─▶ OAuthRedirect with a code ─▶ Grant
/// exchange ─▶ TokenOrder, and again for each refresh token
/// ```
public struct AuthorizationServer: Sendable {
  private var clients: [ExactText: OAuthClient] = [:]
  private var logins: [SecretHash: Login] = [:]
  var grants = GrantTable()

  /// A request that waits for a person.
  struct Login: Sendable {
    let request: AuthorizationRequest
    /// The hash of the cookie of the browser that was shown the page.
    let browser: SecretHash
    let expiry: Int64
  }

  /// The secrets of a login page: the ticket is in its form, the other in a cookie of its browser.
  struct Ticket: Sendable {
    let form: String
    let cookie: String
  }

  /// Creates a server without clients.
  public init() {}

  /// The registered client with an ID.
  func client(_ identifier: String) -> OAuthClient? { clients[ExactText(identifier)] }

  /// Registers a client (RFC 7591 section 3).
  ///
  /// - Parameter now: seconds since 1970.
  /// - Throws: `temporarily_unavailable` at the limit.
  mutating func register(
    _ metadata: ClientMetadata, at now: Int64, _ random: inout some RandomNumberGenerator
  ) throws(OAuthError) -> OAuthClient {
    guard clients.count < OAuthLimits.clients else {
      throw OAuthError(
        .temporarilyUnavailable,
        "\(OAuthLimits.clients) clients are registered, which is the limit; restart serve to remove them")
    }
    let client = OAuthClient(
      identifier: OpaqueSecret(from: &random).text, metadata: metadata, registered: now)
    clients[ExactText(client.identifier)] = client
    return client
  }

  /// Stores a request until a person answers it.
  mutating func begin(
    _ request: AuthorizationRequest, at now: Int64, _ random: inout some RandomNumberGenerator
  ) -> Ticket {
    logins = logins.filter { now < $0.value.expiry }
    if logins.count >= OAuthLimits.logins, let oldest = logins.min(by: { $0.value.expiry < $1.value.expiry })
    {
      logins[oldest.key] = nil
    }
    let (form, cookie) = (OpaqueSecret(from: &random), OpaqueSecret(from: &random))
    logins[form.hash] = Login(
      request: request, browser: cookie.hash, expiry: now + OAuthLimits.loginSeconds)
    return Ticket(form: form.text, cookie: cookie.text)
  }

  /// What a person answers.
  enum Answer: Equatable, Sendable {
    case deny
    case allow(user: String, scopes: [String])
  }

  /// Ends a login with a person's answer.
  ///
  /// - Parameter cookies: the values of the cookie that the browser sent: one of them must be that of the page.
  /// - Throws: `invalid_request` for an unknown or expired page, another browser, and an invalid user's name.
  mutating func decide(
    _ answer: Answer, form: String, cookies: [String], issuer: String, at now: Int64,
    _ random: inout some RandomNumberGenerator
  ) throws(OAuthError) -> OAuthRedirect {
    let hash = SecretHash(of: form)
    guard let login = logins[hash], now < login.expiry, login.request.issuer.hasSameBytes(as: issuer),
      cookies.contains(where: { SecretHash(of: $0) == login.browser })
    else {
      throw OAuthError(
        .invalidRequest, "this page has expired, or another browser opened it; begin again in the client")
    }
    let request = login.request
    guard case .allow(let user, let scopes) = answer else {
      logins[hash] = nil
      return OAuthRedirect(
        to: request.redirectURI, OAuthError(.accessDenied, "the user denied access"), state: request.state,
        issuer: request.issuer)
    }
    guard 1...OAuthLimits.userCharacters ~= user.unicodeScalars.count,
      !user.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else {
      throw OAuthError(
        .invalidRequest, "the user's name must have 1 to \(OAuthLimits.userCharacters) characters")
    }
    logins[hash] = nil
    let code = grants.add(
      request, user: user, scope: request.scope.limited(to: scopes), at: now, &random)
    return OAuthRedirect(
      to: request.redirectURI, code: code, state: request.state, issuer: request.issuer)
  }

  /// Exchanges a code or a refresh token (RFC 6749 sections 4.1.3 and 6).
  ///
  /// - Throws: the errors of RFC 6749 section 5.2, and `invalid_target`.
  mutating func exchange(
    _ request: TokenRequest, issuer: String, at now: Int64, _ random: inout some RandomNumberGenerator
  ) throws(OAuthError) -> TokenOrder {
    guard let client = client(request.client) else {
      throw OAuthError(.invalidClient, "client_id is unknown; register again")
    }
    return try grants.exchange(request, of: client, issuer: issuer, at: now, &random)
  }
}
