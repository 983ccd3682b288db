package import GatewayModel
internal import JOSE
internal import LambdaEmulator
internal import Text
package import JSON
package import TestTokens

/// An issuer for local development: every caller gets a token for any user, so only verifiers on this machine may
/// trust its keys.
///
/// It uses the keys of `authorizer-local token`, whose IDs begin with `development-`; a deployed function refuses
/// them.
package struct DevelopmentIssuer: Sendable {
  /// The default properties of a token.
  package struct Defaults: Equatable, Sendable {
    /// The preset, as `TokenPreset` spells it; `nil` for this issuer's own.
    package var preset: String?
    /// The audience: the `aud` claim, or `client_id` for a preset whose tokens have that; empty for the preset's own.
    package var audience: [String]
    /// The algorithm if it is not the preset's; applies only to tokens of that preset.
    package var algorithm: String?
    /// The claims that an order does not write itself.
    package var claims: [JSONTree.Member]

    package init(
      preset: String? = nil, audience: [String] = [], algorithm: String? = nil, claims: [JSONTree.Member] = []
    ) {
      self.preset = preset
      self.audience = audience
      self.algorithm = algorithm
      self.claims = claims
    }
  }

  private let keys: DevelopmentKeys
  private let defaults: Defaults
  /// The access key for routes with `AWS_IAM`; `nil` if there are none.
  package let credentials: DevelopmentCredentials?
  /// The receivers whose senders it plays.
  let receivers: [SignalReceiver]

  package init(
    keys: DevelopmentKeys, defaults: Defaults = Defaults(), credentials: DevelopmentCredentials? = nil,
    receivers: [SignalReceiver] = []
  ) {
    self.receivers = receivers
    self.keys = keys
    self.defaults = defaults
    self.credentials = credentials
  }

  /// The key set (RFC 7517 section 5).
  package var keySet: JSONTree { keys.publicKeySet }

  /// Returns the discovery document (OpenID Connect Discovery 1.0 section 3).
  ///
  /// - Parameter base: this issuer's own URL, without a slash at the end.
  package func discovery(base: String) -> JSONTree {
    .members([
      "issuer": .string(base), "jwks_uri": .string(base + "/.well-known/jwks.json"),
      "token_endpoint": .string(base + "/dev/token"),
      "response_types_supported": .array([.string("id_token")]),
      "subject_types_supported": .array([.string("public")]),
      "id_token_signing_alg_values_supported": .array(
        DevelopmentKeyName.allCases.filter(\.isPublished).map { .string($0.algorithm.rawValue) }),
    ])
  }

  /// The reason why no token is issued.
  package struct TokenRequestError: Error, Equatable, Sendable {
    /// The reason as human-readable text.
    package let problem: String

    package init(problem: String) { self.problem = problem }
  }

  /// Issues a token for any user.
  ///
  /// - Parameters:
  ///   - order: `user` (their `sub`, and their address and name in the preset's claims), `preset`, `authorizer`,
  ///     `audience`, `scope`, `expires` such as `"+10m"` or `"-1h"`, `algorithm`, `claims`, `bind` (`"dpop"`, or
  ///     `"certificate"` with the PEM text in `certificate`); each is optional.
  ///   - base: this issuer's own URL.
  ///   - authorizers: the JWT and Cognito authorizers that `authorizer` may name.
  ///   - now: the time in seconds since 1970.
  /// - Throws: `TokenRequestError` for an invalid request.
  package func token(
    _ order: JSONTree, base: String, authorizers: [TokenAuthorizer] = [], now: Int64
  ) throws(TokenRequestError) -> JSONTree {
    let order = try IssuerOrder(
      order,
      known: [
        "user", "preset", "authorizer", "audience", "scope", "expires", "algorithm", "claims", "bind",
        "certificate",
      ])
    var recipe: [JSONTree.Member] = [.init(name: "unique", value: .boolean(true))]
    let shape = try shape(order, authorizers)
    let preset = shape.preset ?? defaults.preset ?? "oidc:\(base)"
    var claims = order.claims
    if let scope = order["scope"] { claims.append(.init(name: "scope", value: scope)) }
    if let text = order.text("expires") {
      guard RelativeTime(text) != nil else {
        throw TokenRequestError(
          problem: "expires must be a relative time such as +10m or -1h, found \(text)")
      }
      claims.append(.init(name: "exp", value: .string(text)))
    }
    claims += shape.claims.filter { one in !claims.contains { $0.name == one.name } }
    if let user = order.text("user") { claims += Self.claims(of: user, preset, besides: claims) }
    if let audience = try Self.audienceClaim(order["audience"], else: shape.audience, of: preset),
      order["audience"] != nil || !claims.contains(where: { $0.name == audience.name })
    {
      claims.removeAll { $0.name == audience.name }
      claims.append(audience)
    }
    let confirmation = try confirmation(order)
    if let confirmation {
      guard !claims.contains(where: { $0.name == "cnf" }) else {
        throw TokenRequestError(problem: "bind makes the claim cnf: leave it out of claims")
      }
      claims.append(.init(name: "cnf", value: confirmation))
    }
    if let algorithm = order.text("algorithm") ?? shape.algorithm {
      recipe.append(.init(name: "algorithm", value: .string(algorithm)))
    }
    recipe.append(.init(name: "preset", value: .string(preset)))
    recipe.append(.init(name: "claims", value: .object(claims)))
    // RFC 9449 section 5: the type says with which scheme the token is sent.
    let type = confirmation?["jkt"] == nil ? "Bearer" : "DPoP"
    return try answer(try signed(.object(recipe), now: now), type: type, now: now)
  }

  /// The claims that name a user. Claims that the order writes itself stay, but `sub`.
  private static func claims(
    of user: String, _ preset: String, besides claims: [JSONTree.Member]
  ) -> [JSONTree.Member] {
    let own = Set(claims.map(\.name)).subtracting(["sub"])
    let named = TokenPreset(preset)?.claims(of: user) ?? [.init(name: "sub", value: .string(user))]
    return named.filter { !own.contains($0.name) }
  }

  /// The claim `cnf` of an order (RFC 9449 section 6.1, RFC 8705 section 3.1); `nil` for a token that is not bound.
  private func confirmation(_ order: IssuerOrder) throws(TokenRequestError) -> JSONTree? {
    guard let binding = order.text("bind") else {
      guard order["certificate"] == nil else {
        throw TokenRequestError(problem: "certificate needs bind=certificate")
      }
      return nil
    }
    switch (binding, order["certificate"]) {
    case ("dpop", nil): return .members(["jkt": .string(try proofThumbprint())])
    case ("certificate", .string(let text)?):
      guard let certificate = X509Certificate(pem: Array(text.utf8)),
        let thumbprint = try? certificate.thumbprint()
      else { throw TokenRequestError(problem: "certificate must be a client certificate in PEM") }
      return .members(["x5t#S256": .string(thumbprint)])
    default:
      throw TokenRequestError(problem: "bind must be dpop, or certificate with the PEM text in certificate")
    }
  }

  private func proofThumbprint() throws(TokenRequestError) -> String {
    do {
      return try keys.proofKey().thumbprint()
    } catch {
      throw TokenRequestError(problem: "no key for proofs: \(error)")
    }
  }

  /// Makes a DPoP proof for one request with a token (RFC 9449 section 4.2).
  ///
  /// - Parameters:
  ///   - method: the HTTP method.
  ///   - address: the URL of the request.
  ///   - now: the time in seconds since 1970.
  /// - Throws: `TokenRequestError` if there is no key for proofs.
  package func proof(
    method: String, address: String, token: String, now: Int64
  ) throws(TokenRequestError) -> String {
    try Result { () throws(TokenMintError) in
      try TokenMint(recipes: TokenRecipes(), keys: keys, now: now)
        .proof(method: method, address: address, token: token)
    }.mapError { TokenRequestError(problem: $0.description) }.get()
  }

  /// Returns a server-to-server notification as Apple posts it: `{"payload":"<JWT>"}` (Apple, "Processing changes for
  /// Sign in with Apple accounts").
  ///
  /// - Parameters:
  ///   - order: `type` (default `consent-revoked`), `user`, `audience`, `claims` (of the event: `email`,
  ///     `is_private_email`); each is optional.
  ///   - nowMilliseconds: the time of the event in milliseconds since 1970.
  /// - Throws: `TokenRequestError` for an invalid request.
  package func notification(_ order: JSONTree, nowMilliseconds: Int64) throws(TokenRequestError) -> JSONTree {
    let order = try IssuerOrder(order, known: ["user", "type", "audience", "claims"])
    let event =
      order.claims + [
        .init(name: "type", value: order["type"] ?? .string("consent-revoked")),
        .init(name: "sub", value: order["user"] ?? .string(Self.exampleSubject)),
        .init(name: "event_time", value: .integer(nowMilliseconds)),
      ]
    let text = String(decoding: JSONTree.object(event).bytes(), as: UTF8.self)
    var claims: [JSONTree.Member] = [
      .init(name: "events", value: .string(text)),
      .init(name: "jti", value: .string(Identifiers.requestID())),
    ]
    let isApple = defaults.preset == "apple" && !defaults.audience.isEmpty
    let usual = isApple ? TokenPreset.standardAudienceClaim(defaults.audience)?.value : nil
    if let audience = order["audience"] ?? usual {
      claims.append(.init(name: "aud", value: audience))
    }
    // A notification does not have these claims of an identity token (Apple's own samples).
    let omitted = ["sub", "email", "email_verified", "is_private_email", "auth_time", "nonce_supported"]
    let recipe = JSONTree.members([
      "preset": .string("apple"), "claims": .object(claims),
      "omit": .array(omitted.map { .string($0) }),
    ])
    return .members(["payload": .string(try signed(recipe, now: nowMilliseconds / 1000))])
  }

  /// The preset's example user, for a notification without `user`.
  private static let exampleSubject = "001234.0123456789abcdef0123456789abcdef.0123"

  /// Returns the properties of the authorizer or preset that the order names; without a name the defaults.
  private func shape(
    _ order: IssuerOrder, _ authorizers: [TokenAuthorizer]
  ) throws(TokenRequestError) -> Defaults {
    guard let name = order.text("authorizer") else {
      let preset = order.text("preset") ?? defaults.preset
      return preset == defaults.preset ? defaults : Defaults(preset: preset)
    }
    guard order["preset"] == nil else { throw TokenRequestError(problem: "give either authorizer or preset") }
    guard let authorizer = authorizers.first(where: { $0.name == name }) else {
      let known = Set(authorizers.map(\.name)).sorted().joined(separator: ", ")
      throw TokenRequestError(
        problem: "there is no JWT or Cognito authorizer \(name); known are \(known.isEmpty ? "none" : known)")
    }
    return Defaults(of: authorizer, hasScope: order["scope"] != nil)
  }

  /// Returns the audience member in the form of the preset's tokens; `nil` for the preset's own audience.
  private static func audienceClaim(
    _ order: JSONTree?, else audience: [String], of preset: String
  ) throws(TokenRequestError) -> JSONTree.Member? {
    guard let order else {
      return TokenPreset(preset).map { $0.audienceClaim(Array(audience.prefix(1))) }
        ?? TokenPreset.standardAudienceClaim(audience)
    }
    guard TokenPreset(preset)?.audienceIsClientID == true else { return .init(name: "aud", value: order) }
    switch order {
    case .string: return .init(name: "client_id", value: order)
    case .array(let clients) where clients.count == 1: return .init(name: "client_id", value: clients[0])
    default: throw TokenRequestError(problem: "audience: a token of \(preset) is for one client")
    }
  }

  package func signed(_ recipe: JSONTree, now: Int64) throws(TokenRequestError) -> String {
    try Result { () throws(TokenFileError) in
      let recipe = try TokenRecipe(recipe, name: "token")
      return try Result { () throws(TokenMintError) in
        try TokenMint(recipes: TokenRecipes(), keys: keys, now: now).token(recipe, name: "token")
      }.mapError { TokenFileError.invalid([FileProblem(path: "token", text: $0.description)]) }.get()
    }.mapError { TokenRequestError(problem: $0.description) }.get()
  }

  /// Returns a token response (RFC 6749 section 5.1); `expires_in` is negative for an expired token.
  private func answer(_ token: String, type: String, now: Int64) throws(TokenRequestError) -> JSONTree {
    let payload = token.splitBytes(at: ".").dropFirst().first.flatMap { Base64URL.decode(Array($0.utf8)) }
    let claims = payload.flatMap { try? JSONDocument(parsing: $0, limits: .event) }
    let expiry = claims?.root["exp"]?.number?.integer
    return .members([
      "access_token": .string(token), "id_token": .string(token), "token_type": .string(type),
      "expires_in": expiry.map { .integer($0 - now) },
    ])
  }
}
