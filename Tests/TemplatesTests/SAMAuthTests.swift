@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import Templates
import Testing

/// Who may call a route, as SAM's translator 1.110.0 writes it into the OpenAPI document.
@Suite struct SAMAuthTests {
  /// The ARN of the template's user pool.
  private static let poolARN = "arn:aws:cognito-idp:us-east-1:123456789012:userpool/us-east-1_iuyo38uhk"

  private static let lambda = "L: { FunctionArn: !GetAtt Guard.Arn }"
  private static let pool = "C: { UserPoolArn: !GetAtt Pool.Arn, AuthorizationScopes: [s] }"
  private static let two = "Authorizers: { \(lambda), \(pool) }"

  /// `Auth` of a REST API, the `Auth` of an event, and who may call its `GET` and the `OPTIONS` of `Cors`.
  @Test(
    arguments: [
      ("DefaultAuthorizer: L, \(two)", "", "L", "L"),
      ("DefaultAuthorizer: L, AddDefaultAuthorizerToCorsPreflight: false, \(two)", "", "L", "open"),
      ("\(two)", "", "open", "open"), ("\(two)", "Authorizer: L", "L", "open"),
      ("DefaultAuthorizer: L, \(two)", "Authorizer: NONE", "open", "L"),
      ("\(two)", "Authorizer: NONE", "closed", "open"), ("\(two)", "Authorizer: X", "closed", "open"),
      ("DefaultAuthorizer: C, \(two)", "", "C s", "C s"),
      ("DefaultAuthorizer: C, \(two)", "Authorizer: C, AuthorizationScopes: [t, u]", "C t u", "C s"),
      ("DefaultAuthorizer: C, \(two)", "Authorizer: C, AuthorizationScopes: []", "C", "C s"),
      ("DefaultAuthorizer: C, \(two)", "AuthorizationScopes: [t]", "closed", "C s"),
      ("\(two)", "Authorizer: L, AuthorizationScopes: [t]", "closed", "open"),
      ("DefaultAuthorizer: AWS_IAM", "", "iam", "iam"),
      ("DefaultAuthorizer: AWS_IAM, AddDefaultAuthorizerToCorsPreflight: false", "", "iam", "open"),
      ("\(two)", "Authorizer: AWS_IAM", "iam", "open"),
      (
        "DefaultAuthorizer: AWS_IAM, InvokeRole: NONE, \(two)", "InvokeRole: CALLER_CREDENTIALS", "iam", "iam"
      ),
      ("ApiKeyRequired: true", "", "open + key", "open + key"),
      ("ApiKeyRequired: true, AddApiKeyRequiredToCorsPreflight: false", "", "open + key", "open"),
      ("ApiKeyRequired: true", "ApiKeyRequired: false", "open", "open + key"),
      ("ApiKeyRequired: false", "ApiKeyRequired: true", "open + key", "open"),
      ("ApiKeyRequired: false", "ApiKeyRequired: false", "closed", "open"),
      ("ApiKeyRequired: true, DefaultAuthorizer: L, \(two)", "", "L + key", "L + key"),
    ]) func guardsRoutesOfARESTAPI(_ auth: String, _ event: String, _ get: String, _ options: String)
  {
    let text = SAMTemplate.text(
      events: SAMTemplate.event("get", "/a", "Auth: { \(event) }"),
      resources: SAMTemplate.rest("Cors: \"'*'\", Auth: { \(auth) }"))
    #expect(SAMTemplate.guards(text) == ["Api GET /a": get, "Api OPTIONS /a": options])
  }

  /// What SAM refuses, and what is not emulated: the API is closed.
  @Test(
    arguments: [
      ("DefaultAuthorizer: X, \(two)", "there is no authorizer X"),
      ("DefaultAuthorizer: NONE, \(two)", "there is no authorizer NONE"),
      ("DefaultAuthorizer: L", "there is no authorizer L"), ("DefaultAuthorizr: L, \(two)", "is not known"),
      ("DefaultAuthorizer: [L], \(two)", "must be a string, found a list"),
      ("DefaultAuthorizer: !If [C, L, !Ref AWS::NoValue], \(two)", "must be a literal for SAM"),
      ("DefaultAuthorizer: !Ref AWS::NoValue, \(two)", "must be a literal for SAM"),
      ("ApiKeyRequired: maybe", "must be true or false"),
      ("ApiKeyRequired: !If [C, true, false]", "must be a literal for SAM"),
      ("UsagePlan: { Quota: { Limit: 1, Period: DAY } }", "is missing"),
      ("UsagePlan: { CreateUsagePlan: SOME }", "is not emulated: SOME"),
      ("Authorizers: { AWS_IAM: { FunctionArn: !GetAtt Guard.Arn } }", "has the name of API Gateway's own"),
    ]) func closesAnAPI(_ auth: String, _ problem: String)
  {
    let text = SAMTemplate.text(
      events: SAMTemplate.event("get", "/a"), resources: SAMTemplate.rest("Auth: { \(auth) }"),
      head: "Conditions: { C: !Equals [a, b] }")
    #expect(SAMTemplate.problems(text).contains { $0.hasPrefix(problem) }, "\(SAMTemplate.problems(text))")
  }

  @Test func closesAnAPIWhoseAuthIsAFunction() {
    for auth in ["!If [C, { DefaultAuthorizer: L }, !Ref AWS::NoValue]", "!Ref AWS::NoValue"] {
      let text = SAMTemplate.text(
        events: SAMTemplate.event("get", "/a"), resources: SAMTemplate.rest("Auth: \(auth)"),
        head: "Conditions: { C: !Equals [a, b] }")
      #expect(SAMTemplate.problems(text).contains { $0.hasPrefix("must be a literal for SAM") })
    }
  }

  /// One authorizer of a REST API and what it becomes; `nil` if its routes are closed.
  @Test(
    arguments: [
      "FunctionArn: !GetAtt Guard.Arn": "token Authorization 300",
      "FunctionArn: !GetAtt Guard.Arn, Identity: { Header: X, ReauthorizeEvery: 0 }": "token X 0",
      // SAM reads Header, not Headers.
      "FunctionArn: !GetAtt Guard.Arn, Identity: { Headers: [X] }": "token Authorization 300",
      "FunctionArn: !GetAtt Guard.Arn, AuthorizerPayloadFormatVersion: '2.0', EnableSimpleResponses: true":
        "token Authorization 300",
      "FunctionArn: !GetAtt Guard.Arn, FunctionPayloadType: REQUEST, Identity: { Headers: [X], QueryStrings: [q] }":
        "request header X, query parameter q 300",
      "FunctionArn: !GetAtt Guard.Arn, FunctionPayloadType: REQUEST, Identity: { Header: X, Headers: [Y] }":
        "request header Y 300",
      "FunctionArn: !GetAtt Guard.Arn, FunctionPayloadType: REQUEST": nil,
      "FunctionArn: !GetAtt Guard.Arn, FunctionPayloadType: TOKENS": nil,
      // SAM looks up the names that it knows.
      "FunctionArn: !GetAtt Guard.Arn, Identity: { Haeder: X }": "token Authorization 300",
      "FunctionArn: !GetAtt Guard.Arn, Identiy: { Header: X }": "token Authorization 300",
      "FunctionArn: !GetAtt Guard.Arn, FunctionArn: !GetAtt Guard.Arn": nil,
      "FunctionArm: !GetAtt Guard.Arn": nil,
      "FunctionPayloadType: TOKEN": nil,
      "FunctionArn: !GetAtt Guard.Arn, AuthorizationScopes: [s]": nil,
      "UserPoolArn: !GetAtt Pool.Arn": "pool \(poolARN) Authorization",
      "UserPoolArn: [!GetAtt Pool.Arn, 'arn:aws:cognito-idp:eu-west-1:123456789012:userpool/eu-west-1_A'], "
        + "Identity: { Header: X, ReauthorizeEvery: 5 }":
        "pool \(poolARN) arn:aws:cognito-idp:eu-west-1:123456789012:userpool/eu-west-1_A X",
      "UserPoolArn: !GetAtt Pool.Arn, FunctionArn: !GetAtt Guard.Arn": "pool \(poolARN) Authorization",
      "UserPoolArn: []": nil,
      "UserPoolArn: pool": nil,
      "UserPoolArn: !ImportValue Pool": nil,
    ] as [String: String?]) func readsAnAuthorizerOfARESTAPI(_ authorizer: String, _ expected: String?)
    throws
  {
    let text = SAMTemplate.text(
      events: SAMTemplate.event("get", "/a"),
      resources: SAMTemplate.rest("Auth: { DefaultAuthorizer: A, Authorizers: { A: { \(authorizer) } } }"))
    #expect(Self.description(text) == expected)
  }

  /// One authorizer of an HTTP API.
  @Test(
    arguments: [
      "FunctionArn: !GetAtt Guard.Arn, AuthorizerPayloadFormatVersion: 1.0": "http1 ",
      "FunctionArn: !GetAtt Guard.Arn, AuthorizerPayloadFormatVersion: '2.0', EnableSimpleResponses: true, "
        + "Identity: { Headers: [X], ReauthorizeEvery: 9 }": "http2 header X simple 9",
      "FunctionArn: !GetAtt Guard.Arn": nil,
      "JwtConfiguration: { issuer: 'https://i.example', audience: [a, b] }, IdentitySource: $request.header.Authorization":
        "jwt https://i.example a b header Authorization",
      "JwtConfiguration: { Issuer: 'https://i.example', Audience: [a] }, IdentitySource: $request.querystring.t":
        "jwt https://i.example a query parameter t",
      "JwtConfiguration: { issuer: 'https://i.example', audience: [a] }": nil,
      "JwtConfiguration: { issuer: 'https://i.example' }, IdentitySource: $request.header.Authorization": nil,
      "JwtConfiguration: { issuer: 'http://i.example', audience: [a] }, IdentitySource: $request.header.A":
        nil,
      "JwtConfiguration: { issuer: 'https://i.example', audience: [a] }, IdentitySource: $context.path": nil,
      "JwtConfiguration: { issuer: 'https://i.example', audience: [a] }, "
        + "IdentitySource: '$request.header.A, $request.header.B'": nil,
      "JwtConfiguration: { issuer: 'https://i.example', audience: [a], Audience: [b] }, "
        + "IdentitySource: $request.header.A": nil,
      "JwtConfiguration: { issuer: !ImportValue I, audience: [a] }, IdentitySource: $request.header.A": nil,
      "OpenIdConnectUrl: 'https://i.example'": nil,
      "JwtConfiguration: {}": nil,
      "FunctionArn: !GetAtt Guard.Arn, AuthorizerPayloadFormatVersion: 1.0, Surprise: 1, Identity: { Haeders: [X] }":
        "http1 ",
      // SAM refuses what belongs to the other kind.
      "FunctionArn: !GetAtt Guard.Arn, AuthorizerPayloadFormatVersion: 1.0, IdentitySource: a": nil,
      "JwtConfiguration: { issuer: 'https://i.example', audience: [a] }, IdentitySource: $request.header.A, Surprise: 1":
        "jwt https://i.example a header A",
      "JwtConfiguration: { issuer: 'https://i.example', audience: [a] }, IdentitySource: $request.header.A, "
        + "EnableSimpleResponses: true": nil,
    ] as [String: String?]) func readsAnAuthorizerOfAnHTTPAPI(_ authorizer: String, _ expected: String?)
    throws
  {
    let text = SAMTemplate.text(
      events: SAMTemplate.httpEvent("get", "/a"),
      resources: SAMTemplate.http("Auth: { DefaultAuthorizer: A, Authorizers: { A: { \(authorizer) } } }"))
    #expect(Self.description(text) == expected)
  }

  @Test func anUnknownMemberOfAnAuthorizerIsAWarning() throws {
    let authorizer =
      "FunctionArn: !GetAtt Guard.Arn, Identiy: { Header: X }, Identity: { Haeder: X }, Surprise: 1"
    let text = SAMTemplate.text(
      events: SAMTemplate.event("get", "/a"),
      resources: SAMTemplate.rest("Auth: { DefaultAuthorizer: A, Authorizers: { A: { \(authorizer) } } }"))
    let path = "Resources.Api.Properties.Auth.Authorizers.A"
    #expect(
      Set(try GatewayTemplate(parsing: text).warnings.map { "\($0.path): \($0.problem) (\($0.cure))" }) == [
        "\(path).Identiy: is not known, and SAM ignores it (did you mean Identity?)",
        "\(path).Identity.Haeder: is not known, and SAM ignores it (did you mean Header?)",
        "\(path).Surprise: is not known, and SAM ignores it (remove it)",
      ])
  }

  /// What only HTTP APIs have, at an authorizer in the document of a REST API ("x-amazon-apigateway-authorizer object").
  @Test func aRESTAuthorizerOfADocumentIgnoresPropertiesOfHTTPAPIs() throws {
    let authorizer =
      "type: token, authorizerUri: !GetAtt Guard.Arn, authorizerPayloadFormatVersion: '2.0', enableSimpleResponses: true"
    let body =
      "swagger: '2.0', paths: { /a: { get: { security: [{ T: [] }], x-amazon-apigateway-integration: { type: mock } } } }, "
      + "securityDefinitions: { T: { type: apiKey, name: T, in: header, x-amazon-apigateway-authorizer: { \(authorizer) } } }"
    let template = try GatewayTemplate(
      parsing: SAMTemplate.text(resources: SAMTemplate.rest("DefinitionBody: { \(body) }")))
    #expect(template.apis.first?.routes.map { SAMTemplate.word($0.access) } == ["T"])
    #expect(template.notes.count { $0.text().contains("belongs to HTTP APIs and has no effect") } == 2)
  }

  private static func description(_ text: String) -> String? {
    guard let access = try? GatewayTemplate(parsing: text).apis.first?.routes.first?.access else {
      return nil
    }
    switch access {
    case .lambda(let authorizer):
      let seconds = authorizer.timeToLiveSeconds
      let sources = authorizer.identitySources.map(\.description).joined(separator: ", ")
      switch authorizer.form {
      case .token(let header, _): return "token \(header) \(seconds)"
      case .restRequest: return "request \(sources) \(seconds)"
      case .http1: return "http1 \(sources)"
      case .http2(_, let simple): return "http2 \(sources) \(simple ? "simple " : "")\(seconds)"
      case .webSocket: return "webSocket"
      }
    case .token(let authorizer, _):
      switch authorizer.kind {
      case .jwt(let issuer, let audiences):
        return (["jwt", issuer] + audiences + [authorizer.source.description]).joined(separator: " ")
      case .restJWT: return nil
      case .userPools(let pools):
        guard case .header(let header) = authorizer.source else { return nil }
        return (["pool"] + pools + [header]).joined(separator: " ")
      }
    case .open, .signature, .closed: return nil
    }
  }

  /// `Auth` of an HTTP API, the `Auth` of a `GET` and an `OPTIONS` event, and who may call them.
  @Test(
    arguments: [
      ("DefaultAuthorizer: J", "", "J s", "open"),
      ("DefaultAuthorizer: J", "Authorizer: NONE", "open", "open"),
      ("DefaultAuthorizer: J", "AuthorizationScopes: [t]", "J t", "J t"),
      ("DefaultAuthorizer: J", "Authorizer: J, AuthorizationScopes: []", "J s", "J s"),
      ("EnableIamAuthorizer: false", "Authorizer: J", "J s", "J s"),
      ("EnableIamAuthorizer: true", "Authorizer: AWS_IAM", "iam", "iam"),
      ("EnableIamAuthorizer: true, DefaultAuthorizer: AWS_IAM", "", "iam", "open"),
      ("EnableIamAuthorizer: false", "Authorizer: AWS_IAM", "closed", "closed"),
      ("EnableIamAuthorizer: false", "Authorizer: NONE", "closed", "closed"),
      ("EnableIamAuthorizer: false", "AuthorizationScopes: [t]", "closed", "closed"),
      ("DefaultAuthorizer: J", "ApiKeyRequired: true", "closed", "closed"),
    ]) func guardsRoutesOfAnHTTPAPI(_ auth: String, _ event: String, _ get: String, _ options: String)
  {
    let jwt =
      "J: { AuthorizationScopes: [s], IdentitySource: $request.header.Authorization, "
      + "JwtConfiguration: { issuer: 'https://i.example', audience: [a] } }"
    let events = ["get", "options"].map { SAMTemplate.httpEvent($0, "/a", "Auth: { \(event) }") }
    let text = SAMTemplate.text(
      events: events.joined(separator: ", "),
      resources: SAMTemplate.http("Auth: { \(auth), Authorizers: { \(jwt) } }"))
    let guards = SAMTemplate.guards(text)
    #expect(guards["Api GET /a"] ?? "closed" == get.replacing(" + key", with: ""), "\(guards)")
    #expect(guards["Api OPTIONS /a"] ?? "closed" == options)
  }

  @Test func makesUsagePlans() throws {
    func plans(_ auth: String) throws -> (plans: [UsagePlan], keys: [APIKey]) {
      let text = SAMTemplate.text(
        events: SAMTemplate.event("get", "/a"),
        resources: SAMTemplate.rest("ApiKeySourceType: AUTHORIZER, Auth: { ApiKeyRequired: true, \(auth) }"))
      let access = try #require(try GatewayTemplate(parsing: text).apis.first?.access)
      #expect(access.keySource == .authorizer)
      return (access.plans, access.keys)
    }
    let own = try plans(
      "UsagePlan: { CreateUsagePlan: PER_API, Quota: { Limit: 9, Period: WEEK }, "
        + "Throttle: { RateLimit: 1.5, BurstLimit: 3 } }")
    #expect(own.plans.map(\.name) == ["ApiUsagePlan"])
    #expect(own.plans.first?.keys == ["ApiApiKey"])
    #expect(own.plans.first?.quota?.limit == 9)
    #expect(own.plans.first?.throttle?.rate == 1.5)
    #expect(own.keys.map(\.name) == ["ApiApiKey"])
    #expect(own.keys.map(\.isEnabled) == [true])
    let shared = try plans("UsagePlan: { CreateUsagePlan: SHARED }")
    #expect(shared.plans.map(\.name) == ["ServerlessUsagePlan"])
    #expect(try plans("UsagePlan: { CreateUsagePlan: NONE }").plans.isEmpty)
  }

  /// `ResourcePolicy` of events, and the statuses of requests from 10.0.0.1 and 192.0.2.1 (SAM's translator 1.115.0).
  @Test(arguments: [
    // SAM writes a policy, so routes without a statement are denied.
    ([("/a", "IpRangeWhitelist: [10.0.0.0/8]"), ("/b", "")], "", "prod", ["/a 200 403", "/b 403 403"]),
    (
      [("/a", "IpRangeBlacklist: [10.0.0.0/8]"), ("/b/{id}", "IpRangeWhitelist: [10.0.0.0/8]")], "", "prod",
      ["/a 403 200", "/b/1 200 403"]
    ),
    // The API's own policy is added.
    (
      [("/a", "IpRangeWhitelist: [10.0.0.0/8]"), ("/b", "")],
      "Auth: { ResourcePolicy: { IpRangeBlacklist: [192.0.3.0/24] } }", "prod", ["/a 200 403", "/b 200 200"]
    ),
    // SAM does not resolve the stage here: its statements are about the stage `Stage`.
    ([("/a", "IpRangeWhitelist: [10.0.0.0/8]")], "", "!Ref Name", ["/a 403 403"]),
  ]) func readsResourcePoliciesOfEvents(
    _ routes: [(String, String)], _ auth: String, _ stage: String, _ expected: [String]
  ) throws {
    let events = routes.map { path, policy in
      SAMTemplate.event("get", path, policy.isEmpty ? "" : "Auth: { ResourcePolicy: { \(policy) } }")
    }
    let text = SAMTemplate.text(
      events: events.joined(separator: ", "), resources: SAMTemplate.rest(auth),
      head: "Parameters: { Name: { Type: String, Default: prod } }"
    ).replacing("StageName: prod", with: "StageName: \(stage)")
    var gateway = try GatewayStage(text)
    let statuses = expected.map { line in
      let path = String(line.prefix { $0 != " " })
      let found = ["10.0.0.1", "192.0.2.1"].map { address in
        String(gateway.send("GET", "/prod" + path, from: address).response.status)
      }
      return ([path] + found).joined(separator: " ")
    }
    #expect(statuses == expected)
  }

  /// The order of SAM's events decides about which methods such a policy is.
  @Test func closesAnAPIWithAPolicyAtAPathOfSeveralEvents() throws {
    let policy = "Auth: { ResourcePolicy: { IpRangeWhitelist: [10.0.0.0/8] } }"
    let events = [SAMTemplate.event("get", "/a", policy), SAMTemplate.event("post", "/a")]
    let text = SAMTemplate.text(events: events.joined(separator: ", "), resources: SAMTemplate.rest(""))
    let error = #expect(throws: TemplateError.self) { try GatewayTemplate(parsing: text) }
    #expect(error?.findings.first?.problem.contains("several events") == true)
  }
}
