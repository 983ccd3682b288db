internal import GatewayEmulator
internal import GatewayModel
internal import IssuerEmulator
internal import Text
internal import JSON

/// Tokens of the development issuer in requests of the console. The page never has one.
struct ConsoleTokens {
  let issuer: DevelopmentIssuer
  /// The issuer's own URL.
  let base: String
  /// Seconds since 1970.
  let now: Int64

  /// Makes a token that the authorizer of a route accepts. More claims are an object, or its JSON text, as readers write it.
  ///
  /// - Parameter isBound: whether the token is bound to the development key for DPoP.
  func token(
    user: String?, scope: String?, claims: JSONTree? = nil, for route: GatewayRoute?, isBound: Bool = false
  ) throws(ConsoleProblem) -> String {
    var authorizer: TokenAuthorizer?
    var claims = claims
    if case .string(let text)? = claims { claims = (try? JSONTree(parsing: Array(text.utf8))) ?? claims }
    if case .token(let verifier, _)? = route?.access { authorizer = verifier }
    let order = JSONTree.members([
      "user": user.map { .string($0) },
      "scope": claims?["scope"] == nil ? scope.map { .string($0) } : nil, "claims": claims,
      "authorizer": authorizer.map { .string($0.name) }, "bind": isBound ? .string("dpop") : nil,
    ])
    let answer = try Result { () throws(DevelopmentIssuer.TokenRequestError) in
      try issuer.token(order, base: base, authorizers: authorizer.map { [$0] } ?? [], now: now)
    }.mapError { ConsoleProblem.invalid($0.problem) }.get()
    if case .string(let token)? = answer["access_token"] { return token }
    throw .impossible("the development issuer made no token")
  }

  /// Signs a recorded token again, with another user or other scopes.
  ///
  /// - Parameter reason: why the authorizer refused it, which stays so.
  /// - Throws: `impossible` for a token of another issuer.
  func token(
    like old: DecodedToken, refused reason: String?, user: String?, scope: String?
  ) throws(ConsoleProblem) -> String {
    guard let recorded = RecordedRecipe(old, refused: reason) else {
      throw .impossible(
        "the token of this decision is not of the development issuer: its claims cannot be signed again; replay it "
          + "without user and scope, or send a request with a new token")
    }
    return try Result { () throws(DevelopmentIssuer.TokenRequestError) in
      try issuer.signed(recorded.tree(user: user, scope: scope), now: now)
    }.mapError {
      ConsoleProblem.impossible("the token of this decision cannot be made again: \($0.problem)")
    }.get()
  }

  /// Returns a request with a token instead of the old one; without an old one, where the authorizer reads it.
  func request(
    _ request: GatewayRequest, with token: String, insteadOf old: String?, for route: GatewayRoute?
  ) -> GatewayRequest {
    if let old {
      return request.replacing(
        query: request.query.replacingBytes(of: old, with: token),
        headers: request.headers.map { .init($0.name, $0.value.replacingBytes(of: old, with: token)) })
    }
    switch route?.identitySources.first {
    case .query(let name)?:
      let items = request.query.splitBytes(at: "&").filter {
        let start = $0.head(before: "=")
        return !PercentText.decoded(start, plusIsBlank: true).hasSameBytes(as: name)
      }
      return request.replacing(
        query: (items.map(String.init) + ["\(name)=\(token)"]).joined(separator: "&"))
    case .header(let name)?: return Self.request(request, name, token)
    case .stageVariable?, .context?, nil: return Self.request(request, "Authorization", token)
    }
  }

  private static func request(_ request: GatewayRequest, _ name: String, _ token: String) -> GatewayRequest {
    let others = request.headers.filter { $0.name.lowercased() != name.lowercased() }
    return request.replacing(headers: others + [.init(name, "Bearer " + token)])
  }

  /// Returns a request with a new proof for its token in place of one that the development key signed; other proofs stay.
  ///
  /// - Parameter isChanged: whether the token is not the one that the proof was made for.
  func renewingProof(
    of request: GatewayRequest, token: String, isChanged: Bool = false
  ) throws(ConsoleProblem) -> GatewayRequest {
    let proofs = request.values(ofHeader: "DPoP")
    guard proofs.count == 1, let proof = DecodedToken(proofs[0]), DecodedToken(token)?.claims["cnf"] != nil,
      case .string(let method)? = proof.claims["htm"], case .string(let address)? = proof.claims["htu"]
    else { return request }
    let fresh = try Result { () throws(DevelopmentIssuer.TokenRequestError) in
      try issuer.proof(method: method, address: address, token: token, now: now)
    }.mapError { ConsoleProblem.impossible($0.problem) }.get()
    guard DecodedToken(fresh)?.header["jwk"] == proof.header["jwk"] else {
      guard isChanged else { return request }
      throw .impossible(
        "the DPoP proof is made with the client's own key, so none can be made for another token")
    }
    return request.replacing(
      headers: request.headers.map { $0.name.lowercased() == "dpop" ? .init($0.name, fresh) : $0 })
  }
}

extension GatewayRequest {
  /// Returns the request with these parts in place of its own.
  func replacing(
    path: String? = nil, sentPath: String? = nil, query: String? = nil, headers: [Header]? = nil,
    body: [UInt8]? = nil
  ) -> GatewayRequest {
    var request = GatewayRequest(
      method: method, path: path ?? self.path, sentPath: sentPath ?? self.sentPath,
      query: query ?? self.query, headers: headers ?? self.headers, body: body ?? self.body,
      sourceAddress: sourceAddress, isBodyTooLarge: isBodyTooLarge)
    request.domain = domain
    request.certificate = certificate
    return request
  }
}
