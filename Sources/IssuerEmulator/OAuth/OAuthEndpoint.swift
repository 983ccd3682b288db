internal import Text
package import GatewayModel
internal import JOSE
internal import JSON
internal import Synchronization

/// The HTTP endpoints of the development issuer's authorization server.
///
/// | request | does |
/// |---|---|
/// | `GET /.well-known/oauth-authorization-server/dev/oauth` | metadata (RFC 8414) |
/// | `POST /dev/oauth/register` | registers a client (RFC 7591) |
/// | `GET /dev/oauth/authorize` | the login page; `POST` is its form |
/// | `POST /dev/oauth/token` | tokens for a code or a refresh token (RFC 6749) |
package final class OAuthEndpoint: Sendable {
  private struct State: Sendable {
    var server = AuthorizationServer()
    var random = SystemRandomNumberGenerator()
  }

  private let state = Mutex(State())

  package init() {}

  /// Answers a request from this machine; returns `nil` for other paths.
  ///
  /// - Parameters:
  ///   - base: the origin of the request.
  ///   - signer: signs the tokens.
  ///   - now: seconds since 1970.
  package func answer(
    _ request: GatewayRequest, base: String, signer: DevelopmentIssuer, at now: Int64
  ) -> GatewayResponse? {
    guard let path = OAuthMetadata.Path(rawValue: request.path) else { return nil }
    let metadata = OAuthMetadata(base: base)
    let call = Call(request: request, metadata: metadata, now: now)
    if path == .authorization { return login(call) }
    let response: GatewayResponse
    switch (path, request.method) {
    case (_, "OPTIONS"): response = GatewayResponse(status: 204)
    case (.metadata, "GET"): response = Self.json(200, metadata.document)
    case (.registration, "POST"): response = register(call)
    case (.token, "POST"): response = token(call, signer)
    default: response = Self.wrongMethod(path)
    }
    return LoopbackCrossOrigin.readable(
      response, for: request, methods: path.methods,
      headers: ["authorization", "content-type", "dpop", "mcp-protocol-version"])
  }

  /// A request with what answers it.
  private struct Call {
    let request: GatewayRequest
    let metadata: OAuthMetadata
    let now: Int64

    /// The types of content without their parameters (RFC 9110 section 8.3.1).
    var mediaTypes: [String] {
      request.values(ofHeader: "Content-Type").map { $0.head(before: ";").trimmingBlanks.lowercased() }
    }

    /// Whether the request came over TLS.
    var isSecure: Bool { metadata.base.hasBytePrefix("https:") }

    /// The form in the body.
    ///
    /// - Throws: `invalid_request` for another type of content (RFC 6749 section 4.1.3).
    func form() throws(OAuthError) -> OAuthParameters {
      guard mediaTypes == ["application/x-www-form-urlencoded"] else {
        throw OAuthError(.invalidRequest, "the body must be application/x-www-form-urlencoded")
      }
      return OAuthParameters(String(decoding: request.body, as: UTF8.self))
    }
  }

  // MARK: Login

  private func login(_ call: Call) -> GatewayResponse {
    switch call.request.method {
    case "GET": ask(call)
    case "POST": decide(call)
    default: Self.wrongMethod(.authorization)
    }
  }

  private func ask(_ call: Call) -> GatewayResponse {
    let parameters = OAuthParameters(call.request.query)
    do throws(AuthorizationRequest.Refusal) {
      return try state.withLock { state throws(AuthorizationRequest.Refusal) in
        let request = try AuthorizationRequest(
          parameters, issuer: call.metadata.issuer, client: state.server.client)
        let ticket = state.server.begin(request, at: call.now, &state.random)
        return LoginPage.response(request, ticket, isSecure: call.isSecure)
      }
    } catch {
      switch error {
      case .page(let problem):
        return LoginPage.problem(
          400, problem.description,
          next: "The client was not told, because its address is not known or not safe.")
      case .redirect(let redirect): return Self.redirect(redirect)
      }
    }
  }

  private func decide(_ call: Call) -> GatewayResponse {
    // SameSite does not distinguish ports, so a page of another local server could send the form with the cookie.
    let origins = call.request.values(ofHeader: "Origin")
    let sites = call.request.values(ofHeader: "Sec-Fetch-Site")
    guard origins.allSatisfy({ $0.hasSameBytes(as: call.metadata.base) }),
      sites.allSatisfy({ $0 == "same-origin" })
    else {
      return LoginPage.problem(
        403, "only the login page itself may send its form", next: "Begin again in the client.")
    }
    do throws(OAuthError) {
      let form = try call.form()
      let answer: AuthorizationServer.Answer =
        switch try form.required("decision") {
        case "allow": .allow(user: form.only("user") ?? "", scopes: form.all("scope"))
        case "deny": .deny
        default: throw OAuthError(.invalidRequest, "decision must be allow or deny")
        }
      let ticket = try form.required("ticket")
      let cookies = Self.cookies(of: call.request)
      let redirect = try state.withLock { state throws(OAuthError) in
        try state.server.decide(
          answer, form: ticket, cookies: cookies, issuer: call.metadata.issuer, at: call.now, &state.random)
      }
      var response = Self.redirect(redirect)
      response.headers.append(LoginPage.withoutCookie(ofForm: ticket, isSecure: call.isSecure))
      return response
    } catch {
      return LoginPage.problem(
        400, error.description, next: "Go back to correct it, or begin again in the client.")
    }
  }

  private static func cookies(of request: GatewayRequest) -> [String] {
    request.values(ofHeader: "Cookie").flatMap { $0.splitBytes(at: ";") }.compactMap { item in
      let parts = item.trimmingBlanks.splitBytes(at: "=", maxSplits: 1)
      return parts.count == 2 && parts[0].hasBytePrefix(LoginPage.cookiePrefix) ? String(parts[1]) : nil
    }
  }

  /// 303: the browser follows with GET, so that the form does not reach the client (RFC 9700 section 4.12).
  private static func redirect(_ redirect: OAuthRedirect) -> GatewayResponse {
    GatewayResponse(
      status: 303,
      headers: [
        .init("Location", redirect.location), .init("Cache-Control", "no-store"),
        .init("Referrer-Policy", "no-referrer"),
      ])
  }

  // MARK: JSON

  private func register(_ call: Call) -> GatewayResponse {
    respond { () throws(OAuthError) in
      guard call.mediaTypes == ["application/json"] else {
        throw OAuthError(.invalidClientMetadata, "the body must be application/json")
      }
      let metadata = try ClientMetadata(parsing: call.request.body)
      let client = try state.withLock { state throws(OAuthError) in
        try state.server.register(metadata, at: call.now, &state.random)
      }
      return Self.json(201, client.response)
    }
  }

  private func token(_ call: Call, _ signer: DevelopmentIssuer) -> GatewayResponse {
    guard call.request.values(ofHeader: "Authorization").isEmpty else {
      var response = Self.error(
        OAuthError(.invalidClient, "clients of this server are public: send client_id in the form"))
      response.headers.append(.init("WWW-Authenticate", "Basic realm=\"development issuer\""))
      return response
    }
    return respond { () throws(OAuthError) in
      var request = try TokenRequest(try call.form())
      request.proof = try Self.proof(call)
      let order = try state.withLock { state throws(OAuthError) in
        try state.server.exchange(request, issuer: call.metadata.issuer, at: call.now, &state.random)
      }
      return Self.json(200, try signer.response(to: order, now: call.now))
    }
  }

  /// The proof; `nil` without one (RFC 9449 section 5).
  private static func proof(_ call: Call) throws(OAuthError) -> TokenRequest.Proof? {
    let headers = call.request.values(ofHeader: "DPoP")
    guard let text = headers.first else { return nil }
    guard headers.count == 1 else { throw OAuthError(.invalidProof, "more than one proof") }
    guard let policy = OAuthMetadata.proofPolicy else {
      throw OAuthError(.serverError, "this server has no algorithm for proofs")
    }
    let proof = try Result { () throws(ProofFlaw) in
      try TokenRequestProof(Array(text.utf8), for: call.metadata.proofTarget, policy, at: call.now)
    }.mapError { OAuthError(.invalidProof, $0.description) }.get()
    return TokenRequest.Proof(
      thumbprint: String(decoding: proof.thumbprint.text, as: UTF8.self), fingerprint: proof.fingerprint,
      expiry: call.now + policy.windowSeconds)
  }

  private func respond(_ body: () throws(OAuthError) -> GatewayResponse) -> GatewayResponse {
    do throws(OAuthError) { return try body() } catch { return Self.error(error) }
  }

  private static func error(_ error: OAuthError) -> GatewayResponse {
    json(
      error.status,
      .members(["error": .string(error.code.rawValue), "error_description": .string(error.description)]))
  }

  private static func json(_ status: Int, _ tree: JSONTree) -> GatewayResponse {
    GatewayResponse(
      status: status,
      headers: [.init("Content-Type", "application/json"), .init("Cache-Control", "no-store")],
      body: tree.bytes(indentedBy: 2) + [0x0A])
  }

  private static func wrongMethod(_ path: OAuthMetadata.Path) -> GatewayResponse {
    var response = error(OAuthError(.invalidRequest, "use \(path.methods.joined(separator: " or "))"))
    response.status = 405
    response.headers.append(.init("Allow", path.methods.joined(separator: ", ")))
    return response
  }
}
