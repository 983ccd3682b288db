@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Templates
@testable import Text
import Testing

@Suite struct GatewayTemplateTests {
  @Test func readsTheDeployedTemplate() throws {
    let template = try GatewayTemplate(parsing: TemplateSamples.deployed())
    // SAM's deployment makes one more stage.
    #expect(template.apis.map(\.name) == ["RestApi", "HttpApi", "WebSocketApi", "RestApi"])
    #expect(template.apis.map(\.stage.name) == ["prod", "$default", "live", "Stage"])
    #expect(template.authorizerFunctions == ["AuthorizerFunction"])
    #expect(template.functions["AuthorizerFunction"]?.timeoutMilliseconds == 10_000)
    // Empty parameters omit the variables.
    #expect(template.functions["AuthorizerFunction"]?.variables == [:])

    let rest = try #require(template.apis.first)
    #expect(rest.routes.map(\.key) == ["GET /me", "GET /me/request", "OPTIONS /me", "OPTIONS /me/request"])
    guard case .token(header: "Authorization", let expression?)? = rest.routes[0].authorizer?.form else {
      Issue.record("no TOKEN authorizer with an expression")
      return
    }
    for (value, fits) in [
      ("Bearer a-_.b.c", true), ("bEARER a.b.c", true), ("Bearer a.b.c.d.e", false), ("a.b.c", false),
      ("Bearer  a.b.c", false), ("Basic a.b.c", false), ("Bearer a.b.", false), ("Bearer a.b.c\n", false),
    ] {
      #expect(expression.matches(value) == fits, "\(value)")
    }
    #expect(rest.routes[0].authorizer?.timeToLiveSeconds == 300)
    #expect(rest.routes[1].authorizer?.form == .restRequest([.header("Authorization")]))
    // The preflight routes of SAM have no authorizer here.
    #expect(rest.routes[2].authorizer == nil)
    #expect(rest.routes[3].authorizer == nil)

    let http = template.apis[1]
    #expect(http.stage.name == "$default")
    #expect(http.routes[0].authorizer?.form == .http2([.header("Authorization")], simpleAnswers: false))

    let socket = template.apis[2]
    #expect(socket.routes.map(\.key) == ["$connect", "$default"])
    #expect(socket.routes[0].authorizer?.form == .webSocket([.header("Authorization")]))
    #expect(socket.routes[1].authorizer == nil)
  }

  @Test func refusesAliasesThatMultiply() throws {
    var text = "Transform: AWS::Serverless-2016-10-31\nResources:\n  Api:\n    Type: AWS::Serverless::Api\n"
    text += "    Properties:\n      a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1...12 {
      let before = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      text += "      a\(level): &a\(level) [\(before)]\n"
    }
    #expect {
      try GatewayTemplate(parsing: text)
    } throws: { error in
      (error as? TemplateError)?.findings.first?.problem.contains("with all aliases expanded") == true
    }
  }

  @Test func readsTheTemplateForSimpleAnswers() throws {
    let template = try GatewayTemplate(
      parsing: TemplateSamples.deployed("simple-answers"),
      parameters: ["Issuer": "apple", "Audience": "com.example.app"])
    #expect(template.apis.map(\.name) == ["HttpApi"])
    #expect(
      template.apis[0].routes[0].authorizer?.form
        == .http2([.header("Authorization")], simpleAnswers: true))
    #expect(
      template.functions["AuthorizerFunction"]?.variables == [
        "AUTHORIZER_CONFIG":
          #"{"issuers":[{"preset":"apple","audiences":["com.example.app"]}],"httpApiAnswer":"simple"}"#
      ])
    // Throttling is not emulated.
    #expect(template.notes.allSatisfy { $0.text().hasSuffix("Settings: is not emulated") })
  }

  @Test func parametersReachVariablesAndConditions() throws {
    let template = try GatewayTemplate(
      parsing: TemplateSamples.deployed(), parameters: ["Issuer": "apple", "Audience": "com.example.app"])
    #expect(
      template.functions["AuthorizerFunction"]?.variables
        == ["AUTHORIZER_ISSUER": "apple", "AUTHORIZER_AUDIENCE": "com.example.app"])
  }

  /// A function that API Gateway may not call is a 500 on AWS, but a 200 here.
  @Test func reportsAMissingPermission() throws {
    #expect(try GatewayTemplate(parsing: TemplateSamples.deployed()).uncallable == [])
    let words = "nothing in the template allows API Gateway to call Authorizer"
    let http = StatusTemplates.http()
    #expect(try GatewayTemplate(parsing: http).uncallable.contains { $0.problem.contains(words) })
    let enabled = StatusTemplates.http("            EnableFunctionDefaultPermissions: true")
    #expect(try GatewayTemplate(parsing: enabled).uncallable == [])
    let permission =
      "\n  Permission:\n    Type: AWS::Lambda::Permission\n    Properties: { FunctionName: !Ref Authorizer }\n"
    #expect(try GatewayTemplate(parsing: http + permission).uncallable == [])
    #expect(try GatewayTemplate(parsing: StatusTemplates.rest).uncallable == [])
    let disabled = TemplateSamples.rest(
      auth: TemplateSamples.requestAuth("            DisableFunctionDefaultPermissions: true"))
    #expect(try GatewayTemplate(parsing: disabled).uncallable.contains { $0.problem.contains(words) })
  }

  /// The authorizers of the operations of a path, by method.
  private static func guards(_ template: String) throws -> [String: String] {
    let api = try #require(try GatewayTemplate(parsing: template).apis.first)
    return Dictionary(uniqueKeysWithValues: api.routes.map { ($0.key, $0.authorizer?.name ?? "none") })
  }

  /// As SAM translates them (samtranslator 1.110.0).
  @Test(
    arguments: [
      ("Api", "", ["GET /a": "Bearer", "PUT /a": "none", "OPTIONS /a": "Bearer"]),
      (
        "Api", "        AddDefaultAuthorizerToCorsPreflight: false\n",
        ["GET /a": "Bearer", "PUT /a": "none", "OPTIONS /a": "none"]
      ),
      (
        "HttpApi", "        EnableIamAuthorizer: false\n",
        ["GET /a": "Bearer", "PUT /a": "none", "OPTIONS /a": "none"]
      ),
    ] as [(String, String, [String: String])])
  func appliesTheDefaultAuthorizerLikeSAM(
    _ type: String, _ auth: String, _ guards: [String: String]
  ) throws {
    let integration =
      #"x-amazon-apigateway-integration: { type: http_proxy, httpMethod: GET, uri: "https://a.example/" }"#
    let version = type == "HttpApi" ? "            AuthorizerPayloadFormatVersion: \"2.0\"\n" : ""
    let template = """
      Transform: AWS::Serverless-2016-10-31
      Resources:
        Authorizer: { Type: AWS::Serverless::Function, Properties: { Runtime: provided.al2023 } }
        Api:
          Type: AWS::Serverless::\(type)
          Properties:
            StageName: prod
            Auth:
      \(TemplateSamples.tokenAuth)
      \(version)\(auth)      DefinitionBody:
              openapi: 3.0.1
              paths:
                /a:
                  get: { security: [], \(integration) }
                  put: { security: [{ NONE: [] }], \(integration) }
                  options: { \(integration) }
      """
    #expect(try Self.guards(template) == guards)
  }

  private static func event(_ path: String, _ method: String) -> String {
    "        Twin: { Type: Api, Properties: { RestApiId: !Ref Api, Path: \"\(path)\", Method: \(method) } }"
  }

  @Test(arguments: [
    ("/pets", "get", "GET /pets is also in line 13"), ("/pets", "GET", "GET /pets is also in line 13"),
    ("/pets/{name}", "any", "ANY /pets/{name} is also in line 14"), ("/pets", "post", nil),
    ("/pets/{id}", "get", nil), ("/cats/{id+}", "any", nil), ("/Pets", "get", nil),
  ]) func refusesADuplicateRoute(_ path: String, _ method: String, _ words: String?) throws {
    let text = TemplateSamples.rest(auth: TemplateSamples.tokenAuth, events: Self.event(path, method))
    guard let words else {
      #expect(try GatewayTemplate(parsing: text).apis.first?.routes.count == 3)
      return
    }
    let error = #expect(throws: TemplateError.self) { try GatewayTemplate(parsing: text) }
    #expect(
      error?.lines(in: "t.yaml") == [
        "t.yaml:15: Resources.Backend.Properties.Events.Twin: is a duplicate: \(words) "
          + "(remove one of the two; names of parameters make no difference)"
      ])
  }

  @Test func refusesADuplicateRouteKey() throws {
    let deployed = try TemplateSamples.deployed()
    let text = deployed.replacing("RouteKey: $default", with: "RouteKey: $connect")
    #expect(text != deployed)
    let template = try GatewayTemplate(parsing: text)
    #expect(template.apis.map(\.name) == ["RestApi", "HttpApi", "RestApi"])
    #expect(template.closedAPIs.map(\.name) == ["WebSocketApi"])
    #expect(
      template.closures.contains { $0.problem.hasPrefix("is a duplicate: $connect is also in line ") })
  }

  @Test func apiIDsAreStable() throws {
    let one = try GatewayTemplate(parsing: TemplateSamples.deployed()).apis.map(\.identifier)
    #expect(try GatewayTemplate(parsing: TemplateSamples.deployed()).apis.map(\.identifier) == one)
    #expect(Set(one).count == 3)
    #expect(one.allSatisfy { $0.utf8.count == 10 })
  }

  /// An invalid template: a text in the line of the finding, and the message.
  struct Bad: Sendable {
    let template: String
    let line: String
    let problem: String

    init(_ template: String, line: String, _ problem: String) {
      self.template = template
      self.line = line
      self.problem = problem
    }
  }

  static let auth = TemplateSamples.tokenAuth
  static func restWith(_ text: String) -> String { TemplateSamples.rest(auth: auth, extra: text) }
  /// An authorizer with these members, of a REST API or an HTTP API.
  static func rest(authorizer: String) -> String {
    TemplateSamples.rest(auth: TemplateSamples.requestAuth("            " + authorizer))
  }
  static func http(authorizer: String) -> String {
    TemplateSamples.http(auth: TemplateSamples.requestAuth("            " + authorizer))
  }
  /// A default authorizer, and all authorizers.
  static func defaulting(_ name: String, _ authorizers: String) -> String {
    "        DefaultAuthorizer: \(name)\n        Authorizers: \(authorizers)"
  }
  static func rest(event: String) -> String {
    TemplateSamples.rest(auth: auth, events: "        T: { Type: \(event) }")
  }
  static func api(_ body: String) -> String {
    """
    Resources:
      Api:
        Type: AWS::Serverless::Api
        Properties:
          StageName: prod
          DefinitionBody:
            paths:
              /pets:
                get:
                  x-amazon-apigateway-integration:
    \(body)
    """
  }
  static let mock = """
                    type: mock
                    requestTemplates: { application/json: '{"statusCode":200}' }
    """

  static let bad: [Bad] = [
    Bad("Resources: {}", line: "Resources", "there is no API"),
    Bad("- a", line: "- a", "is not a map"),
    Bad("Resources:\n  A: [\n", line: "", "is not YAML"),
    Bad("Resources: { A: { Type: AWS::EC2::Instance } }", line: "Resources", "there is no API"),
    Bad(
      "Resources: { A: { Type: AWS::ApiGateway::Future } }", line: "A:",
      "AWS::ApiGateway::Future is not emulated"),
    Bad("Resources: { A: { Type: AWS::ApiGateway::RestApi } }", line: "A:", "has no methods"),
    Bad("Resurces: {}", line: "Resurces", "is not a section"),
    Bad("Transform: Other\nResources: {}", line: "Transform", "is not emulated: Other"),
    Bad(
      "Resources:\n  A:\n    Type: AWS::Serverless::Api\n    Properties: { StageName: a }", line: "A:",
      "Transform is missing"),
    Bad(
      restWith("      EndpointConfiguration: { Type: SECRET }"), line: "SECRET", "is not emulated: SECRET"),
    Bad(
      restWith("      EndpointConfiguration: { VPCEndpointIds: [a] }"), line: "VPCEndpointIds", "is not known"
    ),
    Bad(
      "Parameters:\n  P: { Type: String }\n"
        + restWith("").replacing("StageName: prod", with: "StageName: !Ref P"), line: "P:", "has no value"),
    Bad(restWith("      ApiKeySourceType: COOKIE"), line: "COOKIE", "is not emulated: COOKIE"),
    Bad(restWith("      Surprise: 1"), line: "Surprise", "is not known"),
    Bad(restWith("      GatewayResponses: [UNAUTHORIZED]"), line: "GatewayResponses", "must be a map"),
    Bad(
      TemplateSamples.rest(auth: defaulting("Barer", "{}")), line: "Auth:", "there is no authorizer Barer"),
    Bad(
      TemplateSamples.rest(auth: defaulting("Pool", "{ Pool: { UserPoolArn: arn } }")), line: "Pool",
      "is not the ARN of a user pool"),
    Bad(
      TemplateSamples.rest(auth: defaulting("B", "{ B: { FunctionArn: !GetAtt Nope.Arn } }")), line: "Nope",
      "Nope.Arn is not an attribute"),
    Bad(
      TemplateSamples.rest(auth: defaulting("B", "{ B: { FunctionArn: 'arn:aws:lambda:r:1:function:x' } }")),
      line: "function:x", "refers to no function of this template"),
    Bad(
      rest(authorizer: "FunctionPayloadType: REQUEST\n            Identity: {}"), line: "Bearer:",
      "has no identity source"),
    Bad(rest(authorizer: "Identity: { ReauthorizeEvery: 3601 }"), line: "3601", "from 0 to 3600"),
    Bad(
      rest(authorizer: "Identity: { ValidationExpression: '(' }"), line: "ValidationExpression",
      "is not a valid regular expression"),
    Bad(
      rest(event: "Api, Properties: { RestApiId: !Ref Api, Path: pets, Method: get }"), line: "T:",
      "is not a path: pets"),
    Bad(
      rest(event: "Api, Properties: { RestApiId: other, Path: /a, Method: get }"), line: "T:",
      "refers to no API of this template"),
    Bad(rest(event: "Alien"), line: "T:", "Alien is not emulated"),
    Bad(
      TemplateSamples.rest(auth: auth, function: "      Timeout: !ImportValue X"), line: "ImportValue",
      "only the account knows import:X"),
    Bad(api("                type: smtp"), line: "type: smtp", "is not emulated: smtp"),
    Bad(
      api(
        mock
          + "\n                responses:\n                  default:\n                    statusCode: '200'\n"
          + "                    responseTemplates:\n                      application/json: \"#foreach($a in $b)\""
      ),
      line: "#foreach", "#foreach has no #end"),
    Bad(http(authorizer: "EnableSimpleResponses: true"), line: "Bearer:", "is missing"),
    Bad(
      http(
        authorizer: "AuthorizerPayloadFormatVersion: '1.0'\n            EnableSimpleResponses: true"),
      line: "Bearer:", "needs payload format 2.0"),
    Bad(
      TemplateSamples.http(auth: defaulting("J", "{ J: { JwtConfiguration: { issuer: x } } }")), line: "J:",
      "is missing"),
  ]

  /// What closes the template or a part of it.
  private static func findings(_ template: String) -> [Diagnostic] {
    do throws(TemplateError) {
      return try GatewayTemplate(parsing: template).closures
    } catch {
      return error.findings
    }
  }

  /// aws-sam-cli#137, #7483, #7750: unknown properties were ignored.
  @Test(arguments: bad) func reportsUnsupportedPartsWithTheirLine(_ bad: Bad) throws {
    let findings = Self.findings(bad.template)
    let finding = try #require(
      findings.first { "\($0.path) \($0.problem)".contains(bad.problem) },
      "found: \(findings.map { $0.line(in: "template") })")
    let lines = bad.template.split(separator: "\n", omittingEmptySubsequences: false)
    let text = lines.indices.contains(finding.line - 1) ? String(lines[finding.line - 1]) : ""
    #expect(bad.line.isEmpty || text.contains(bad.line), "line \(finding.line): \(text)")
    #expect(!finding.cure.isEmpty)
  }

  @Test func reportsAllFindingsInTheOrderOfTheLines() throws {
    let text = Self.restWith("      One: 1\n      Two: 2")
    let error = try #require(throws: TemplateError.self) { try GatewayTemplate(parsing: text) }
    #expect(
      error.findings.map(\.path).suffix(2) == [
        "Resources.Api.Properties.One", "Resources.Api.Properties.Two",
      ])
    #expect(error.findings.map(\.line) == error.findings.map(\.line).sorted())
    #expect(error.lines(in: "t.yaml").allSatisfy { $0.hasPrefix("t.yaml:") })
  }

  @Test(arguments: [
    ("!Sub '${AWS::Region}-${P}'", "us-east-1-v"), ("!Join ['-', [a, !Ref P]]", "a-v"),
    ("!If [C, yes, no]", "yes"), ("!If [D, a, b]", "b"), ("{ 'Fn::Sub': 'x${!P}' }", "x${P}"),
    ("!Select [1, [a, b]]", "b"), ("!FindInMap [M, one, two]", "three"), ("{ Ref: P }", "v"),
    ("!Sub ['${x}-${P}', { x: y }]", "y-v"), ("!Ref AWS::AccountId", "123456789012"),
    ("!GetAtt Authorizer.Arn", "arn:aws:lambda:us-east-1:123456789012:function:Authorizer"),
  ]) func evaluatesIntrinsicFunctions(_ text: String, _ expected: String) throws {
    let head = """
      Parameters: { P: { Type: String, Default: v } }
      Mappings: { M: { one: { two: three } } }
      Conditions:
        C: !And [!Equals [!Ref P, v], !Not [!Equals [a, b]]]
        D: !Or [!Equals [a, b], !Not [!Condition C]]

      """
    let function = "      Environment: { Variables: { X: \(text) } }"
    let template = try GatewayTemplate(
      parsing: head + TemplateSamples.rest(auth: Self.auth, function: function))
    #expect(template.functions["Authorizer"]?.variables["X"] == expected)
  }
}
