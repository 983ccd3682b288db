@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
import JSON
import Testing

/// The answers and events of routes that API Gateway itself guards.
@Suite struct NativeAuthorizerTests {
  /// One API of each kind, whose functions are echoes.
  private static func gateway(trust: TrustedKeys, behaviors: Assumptions = .init()) throws -> Gateway {
    func route(
      _ path: String, _ access: RouteAccess, _ format: GatewayIntegration.PayloadFormat
    ) throws -> GatewayRoute {
      GatewayRoute(
        match: .path(method: nil, try #require(PathPattern(path))), access: access,
        integration: .function("F", format))
    }
    let stage = GatewayAPI.Stage(name: "prod", variables: [:])
    let rest = GatewayAPI(
      name: "Rest", identifier: "abcdefghij", kind: .rest(GatewayResponses()), stage: stage,
      routes: [
        try route("/id", .token(TokenSamples.pools(), scopes: []), .rest),
        try route("/scoped", .token(TokenSamples.pools(), scopes: ["shop/read"]), .rest),
        try route("/iam", .signature, .rest),
      ])
    let http = GatewayAPI(
      name: "Http", identifier: "klmnopqrst", kind: .http(nil), stage: stage,
      routes: [
        try route("/open", .open, .http2),
        try route("/jwt", .token(TokenSamples.jwt, scopes: []), .http2),
        try route("/jwt1", .token(TokenSamples.jwt, scopes: []), .http1),
        try route("/scoped", .token(TokenSamples.jwt, scopes: ["read"]), .http2),
        try route("/scoped1", .token(TokenSamples.jwt, scopes: ["read"]), .http1),
        try route(
          "/query",
          .token(
            TokenAuthorizer(name: "Q", kind: TokenSamples.jwt.kind, source: .query("token")), scopes: []),
          .http2),
        try route("/iam", .signature, .http2),
      ])
    let socket = GatewayAPI(
      name: "Socket", identifier: "uvwxyzabcd",
      kind: .webSocket(try #require(RouteSelection("$request.body.a"))),
      stage: stage,
      routes: [GatewayRoute(match: .connect, access: .signature, integration: .function("F", .webSocket))])
    return Gateway(apis: [rest, http, socket], location: .init(), settings: behaviors, trust: trust)
  }

  private static func answer(
    _ gateway: Gateway, _ api: String, _ path: String, query: String = "",
    headers: [GatewayRequest.Header] = [], sentPath: String? = nil, connectionID: String? = nil
  ) throws -> GatewayAnswer {
    let state = Gateway.State()
    let api = try #require(gateway.apis.first { $0.name == api })
    let request = GatewayRequest(
      method: "GET", path: path, sentPath: sentPath, query: query, headers: headers)
    let ids = RequestIdentity(
      requestID: "r-1", extendedRequestID: "ZhFsxGQDDoEEMig=", traceID: "Root=1-a",
      unixMilliseconds: TokenSamples.milliseconds)
    switch gateway.begin(ReceivedRequest(request, to: api, ids, connectionID: connectionID), state: state) {
    case .answer(let answer): return answer
    case .integrate(let call): return gateway.finish(call, with: .echo(call.echo))
    case .authorize: throw Unexpected.call
    }
  }

  private enum Unexpected: Error { case call }

  private static func bearer(_ recipe: String) throws -> [GatewayRequest.Header] {
    [.init("Authorization", "Bearer " + (try TokenSamples.token(recipe)))]
  }

  private static let oidc = #"{"preset":"oidc:https://id.example.com"#

  // MARK: HTTP APIs

  struct Challenge: Sendable {
    let recipe: String?
    let status: Int
    let header: String?
    var path = "/prod/jwt"
  }

  /// The JWT authorizers of serverless-offline verified nothing.
  @Test(arguments: [
    Challenge(recipe: nil, status: 401, header: "Bearer"),
    Challenge(
      recipe: #"{"raw":"not-a-token"}"#, status: 401,
      header:
        #"Bearer scope="" error="invalid_token" error_description="token contains an invalid number of segments""#
    ),
    Challenge(
      recipe: #"{"preset":"oidc:https://id.example.com","algorithm":"ES256"}"#, status: 401,
      header: #"Bearer scope="" error="invalid_token" error_description="signing method ES256 is invalid""#),
    Challenge(
      recipe: #"{"preset":"oidc:https://id.example.com","claims":{"aud":"x"}}"#, status: 401,
      header:
        #"Bearer scope="" error="invalid_token" error_description="the token does not have a valid audience""#
    ),
    Challenge(
      recipe: #"{"preset":"oidc:https://x.example.com"}"#, status: 401,
      header: #"Bearer scope="" error="invalid_token" error_description="issuer does not match""#),
    Challenge(
      recipe: #"{"preset":"oidc:https://id.example.com","claims":{"exp":"-1h"}}"#, status: 401,
      header: #"Bearer scope="" error="invalid_token""#),
    // The caller writes the name of the algorithm; it is no part of the header.
    Challenge(
      recipe: #"{"preset":"oidc:https://id.example.com","header":{"alg":"x\" y"}}"#, status: 401,
      header: #"Bearer scope="" error="invalid_token""#),
    Challenge(
      recipe: #"{"preset":"oidc:https://id.example.com"}"#, status: 403, header: nil, path: "/prod/scoped"),
    Challenge(recipe: #"{"preset":"oidc:https://id.example.com"}"#, status: 200, header: nil),
  ]) func httpAnswers(_ test: Challenge) throws {
    let gateway = try Self.gateway(trust: TokenSamples.trust)
    let answer = try Self.answer(
      gateway, "Http", test.path, headers: try test.recipe.map { try Self.bearer($0) } ?? [])
    #expect(answer.response.status == test.status)
    #expect(answer.response.header("www-authenticate") == test.header)
    if test.status != 200 {
      #expect(answer.text == #"{"message":"\#(test.status == 401 ? "Unauthorized" : "Forbidden")"}"#)
    }
  }

  @Test func httpEvents() throws {
    let gateway = try Self.gateway(trust: TokenSamples.trust)
    func authorizer(_ path: String) throws -> JSONTree? {
      let recipe = Self.oidc + #"","claims":{"sub":"u","scope":"read write"}}"#
      return try Self.answer(gateway, "Http", "/prod" + path, headers: try Self.bearer(recipe)).json?
        .at("event", "requestContext", "authorizer")
    }
    let jwt = try #require(try authorizer("/jwt"))
    #expect(jwt.names == ["jwt"])
    #expect(jwt.at("jwt", "claims", "sub") == .string("u"))
    #expect(jwt.at("jwt", "scopes") == .null)
    // All scopes of the token, for a route that has scopes.
    let all = JSONTree.array([.string("read"), .string("write")])
    #expect(try authorizer("/scoped")?.at("jwt", "scopes") == all)
    let flat = try #require(try authorizer("/scoped1"))
    #expect(flat.names == ["claims", "scopes"])
    #expect(flat["scopes"] == all)
    #expect(try authorizer("/jwt1")?["scopes"] == .null)
  }

  @Test func theTokenMayBeInTheQuery() throws {
    let gateway = try Self.gateway(trust: TokenSamples.trust)
    let token = try TokenSamples.token(Self.oidc + #""}"#)
    #expect(try Self.answer(gateway, "Http", "/prod/query", query: "token=" + token).response.status == 200)
    #expect(try Self.answer(gateway, "Http", "/prod/query", query: "Token=" + token).response.status == 401)
    let header = [GatewayRequest.Header("Authorization", "Bearer " + token)]
    #expect(try Self.answer(gateway, "Http", "/prod/query", headers: header).response.status == 401)
    // Two lines of one header are one value.
    #expect(try Self.answer(gateway, "Http", "/prod/jwt", headers: header + header).response.status == 401)
  }

  // MARK: REST APIs

  @Test(
    arguments: [
      ("/prod/id", #"{"preset":"cognito-id:us-east-1_Pool00001"}"#, 200, ""),
      (
        "/prod/id", #"{"preset":"cognito-id:us-east-1_Pool00001","claims":{"exp":"-1h"}}"#, 401,
        "The incoming token has expired"
      ),
      ("/prod/id", #"{"preset":"cognito-access:us-east-1_Pool00001"}"#, 401, "Unauthorized"),
      ("/prod/id", #"{"raw":"x"}"#, 401, "Unauthorized"), ("/prod/id", nil, 401, "Unauthorized"),
      ("/prod/scoped", #"{"preset":"cognito-access:us-east-1_Pool00001"}"#, 401, "Unauthorized"),
      (
        "/prod/scoped", #"{"preset":"cognito-access:us-east-1_Pool00001","claims":{"scope":"shop/read"}}"#,
        200, ""
      ),
    ] as [(String, String?, Int, String)]) func restAnswers(
      _ path: String, _ recipe: String?, _ status: Int, _ message: String
    ) throws
  {
    let gateway = try Self.gateway(trust: TokenSamples.trust)
    let answer = try Self.answer(
      gateway, "Rest", path, headers: try recipe.map { try Self.bearer($0) } ?? [])
    #expect(answer.response.status == status)
    guard status == 401 else {
      let context = answer.json?.at("event", "requestContext", "authorizer")
      #expect(context?.names == ["claims"])
      #expect(
        context?.at("claims", "iss")
          == .string("https://cognito-idp.us-east-1.amazonaws.com/us-east-1_Pool00001"))
      return
    }
    #expect(answer.text == #"{"message":"\#(message)"}"#)
    #expect(answer.response.header("x-amzn-ErrorType") == "UnauthorizedException")
    #expect(answer.record.origin == .native)
  }

  // MARK: Signatures

  private static var signer: TrustedKeys {
    TrustedKeys(keys: nil, accessKeys: [SignedSamples.plain.accessKey])
  }

  /// The samples are signed for `/Api/prod/pets`, so that path is what the client wrote.
  private static func signed(
    _ api: String, connectionID: String? = nil, _ change: (inout SignedSample) -> Void = { _ in }
  ) throws -> GatewayAnswer {
    var sample = SignedSamples.plain
    change(&sample)
    return try answer(
      try gateway(trust: signer), api, connectionID == nil ? "/prod/iam" : "/prod", headers: sample.headers,
      sentPath: sample.path, connectionID: connectionID)
  }

  @Test(
    arguments: [
      ("", "The security", "UnrecognizedClientException"),
      (
        "Bearer x", "Invalid key=value pair (missing equal-sign) in Authorization header",
        "IncompleteSignatureException"
      ),
      ("Basic x=", "Authorization header requires 'Credential' parameter.", "IncompleteSignatureException"),
      (nil, "Missing Authentication Token", "MissingAuthenticationTokenException"),
      ("5b3bcec0", "The request signature we calculated does not match", "InvalidSignatureException"),
    ] as [(String?, String, String)]) func restSignatures(
      _ authorization: String?, _ message: String, _ type: String
    ) throws
  {
    let answer = try Self.signed("Rest") { sample in
      switch authorization {
      case nil: sample.headers.removeAll { $0.name == "Authorization" }
      case "": sample.set("Authorization", sample.value("Authorization").replacing("KEY0", with: "KEY9"))
      case "5b3bcec0":
        sample.set("Authorization", sample.value("Authorization").replacing("5b3bcec0", with: "5b3bcec1"))
      case let text?: sample.set("Authorization", text)
      }
    }
    #expect(answer.response.status == 403)
    #expect(answer.response.header("x-amzn-ErrorType") == type)
    #expect(answer.text.hasPrefix(#"{"message":"\#(message)"#), "\(answer.text)")
  }

  @Test func signedCallers() throws {
    let rest = try #require(try Self.signed("Rest").json?.at("event", "requestContext"))
    let expected = [
      "accessKey": SignedSamples.identifier, "accountId": "123456789012", "caller": "LOCALDEVELOPMENTUSER",
      "user": "LOCALDEVELOPMENTUSER", "userArn": "arn:aws:iam::123456789012:user/development",
    ]
    for (name, value) in expected { #expect(rest.at("identity", name) == .string(value), "\(name)") }
    #expect(rest["authorizer"] == nil)
    let iam = try #require(try Self.signed("Http").json?.at("event", "requestContext", "authorizer", "iam"))
    #expect(
      iam.names == [
        "accessKey", "accountId", "callerId", "cognitoIdentity", "principalOrgId", "userArn", "userId",
      ])
    #expect(iam["userArn"] == .string("arn:aws:iam::123456789012:user/development"))
    let socket = try Self.signed("Socket", connectionID: "c")
    #expect(
      socket.json?.at("event", "requestContext", "identity", "caller") == .string("LOCALDEVELOPMENTUSER"))
    // Requests without a signature have none of this.
    let open = try Self.answer(try Self.gateway(trust: Self.signer), "Http", "/prod/open")
    #expect(open.response.status == 200 && open.json?.at("event", "requestContext", "authorizer") == nil)
  }

  @Test(arguments: ["Http", "Socket"]) func otherAPIsOnlyForbid(_ api: String) throws {
    let answer = try Self.signed(api, connectionID: api == "Socket" ? "c" : nil) {
      $0.set("Authorization", "Bearer x")
    }
    #expect(answer.response.status == 403)
    #expect(answer.text == #"{"message":"Forbidden"}"#)
  }

  /// The signature covers the path that the client wrote, not only its part within the API.
  @Test func aSignatureIsForOneAPI() throws {
    #expect(try Self.signed("Rest").response.status == 200)
    #expect(try Self.signed("Rest") { $0.path = "/Rest/prod/iam" }.response.status == 403)
  }

  // MARK: Without trust

  @Test(arguments: [
    ("Rest", "/prod/id"), ("Rest", "/prod/iam"), ("Http", "/prod/jwt"), ("Http", "/prod/iam"),
  ])
  func withoutTrustRoutesAreClosed(_ api: String, _ path: String) throws {
    let tokens = try Self.bearer(Self.oidc + #""}"#)
    for headers in [tokens, SignedSamples.plain.headers, []] {
      let answer = try Self.answer(try Self.gateway(trust: .none), api, path, headers: headers)
      #expect(answer.response.status == 501)
      #expect(answer.response.header("x-authorizer-local-closed") == "true")
    }
  }

  /// Trust in one kind opens no route of the other.
  @Test func trustIsSeparate() throws {
    #expect(
      try Self.answer(
        try Self.gateway(trust: TokenSamples.trust), "Rest", "/prod/iam", headers: SignedSamples.plain.headers
      ).response.status == 501)
    #expect(
      try Self.answer(
        try Self.gateway(trust: Self.signer), "Http", "/prod/jwt",
        headers: try Self.bearer(Self.oidc + #""}"#)
      ).response.status == 501)
  }

  @Test func theLogHasNoToken() throws {
    let token = try TokenSamples.token(Self.oidc + #"","claims":{"aud":"x","email":"eve@example.com"}}"#)
    let gateway = try Self.gateway(trust: TokenSamples.trust)
    let line = try Self.answer(gateway, "Http", "/prod/jwt", headers: [.init("Authorization", token)]).record
      .line
    #expect(line.contains("authorizer=Jwt answer=native"))
    #expect(line.contains("reason=wrongAudience"))
    #expect(!line.contains(token.prefix(20)) && !line.contains("eve@"))
  }
}
