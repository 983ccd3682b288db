@testable import GatewayEmulator
@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Templates
import Testing

/// `AWS::Serverless::WebSocketApi`, and WebSocket APIs of `AWS::ApiGatewayV2`.
@Suite struct WebSocketTemplateTests {
  private static let functions = """
      Chat:
        Type: AWS::Serverless::Function
        Properties: { Handler: a.b, Runtime: python3.13, CodeUri: . }
      Guard:
        Type: AWS::Serverless::Function
        Properties: { Handler: a.b, Runtime: python3.13, CodeUri: . }
    """

  private static func sam(_ properties: String, _ more: String = "") -> String {
    let lines = properties.split(separator: "\n", omittingEmptySubsequences: false)
      .map { "      " + $0 }.joined(separator: "\n")
    return """
      Transform: AWS::Serverless-2016-10-31
      Resources:
      \(functions)
        Live:
          Type: AWS::Serverless::WebSocketApi
          Properties:
            RouteSelectionExpression: $request.body.action
      \(lines)
      \(more)
      """
  }

  private static let open = "Routes: { $connect: { FunctionArn: !GetAtt Chat.Arn } }"

  private static func api(_ properties: String, _ more: String = "") throws -> GatewayAPI {
    try #require(try GatewayTemplate(parsing: sam(properties, more)).apis.first)
  }

  // MARK: SAM

  @Test func readsRoutesAndTheirDefaults() throws {
    let api = try Self.api(
      """
      StageVariables: { table: t }
      Routes:
        $connect: { FunctionArn: !GetAtt Chat.Arn, OperationName: open }
        $disconnect: { FunctionArn: !GetAtt Chat.Arn, IntegrationTimeout: 1000 }
        $default: { FunctionArn: !GetAtt Chat.Arn }
        send: { FunctionArn: !GetAtt Chat.Arn, RouteResponseSelectionExpression: $default }
      """)
    #expect(api.name == "Live")
    #expect(api.stage == .init(name: "default", variables: ["table": "t"]))
    #expect(api.routes.map(\.key) == ["$connect", "$disconnect", "$default", "send"])
    #expect(api.routes.allSatisfy { $0.access == .open && !$0.needsAPIKey })
    #expect(api.routes.allSatisfy { $0.integration == .function("Chat", .webSocket) })
    #expect(api.routes.map(\.reply) == [.none, .none, .none, .oneOfBoth])
    guard case .webSocket = api.kind else {
      Issue.record("\(api.kind)")
      return
    }
  }

  @Test func aRouteResponseNamesSAMsRoute() throws {
    let api = try Self.api(
      """
      Routes:
        $connect: { FunctionArn: !GetAtt Chat.Arn }
        sendMessage: { FunctionArn: !GetAtt Chat.Arn, RouteResponseSelectionExpression: $default }
      """,
      """
        Answer:
          Type: AWS::ApiGatewayV2::RouteResponse
          Properties: { ApiId: !Ref Live, RouteId: LiveSendmessageRoute, RouteResponseKey: $default }
      """)
    #expect(api.routes.map(\.reply) == [.none, .both])
  }

  @Test func readsTheAuthorizerOfConnect() throws {
    let api = try Self.api(
      """
      StageName: prod
      Auth:
        AuthType: CUSTOM
        AuthArn: !GetAtt Guard.Arn
        IdentitySource: [route.request.querystring.ticket]
      Routes:
        $connect: { FunctionArn: !GetAtt Chat.Arn }
        send: { FunctionArn: !GetAtt Chat.Arn }
      """)
    #expect(api.stage.name == "prod")
    let authorizer = try #require(api.routes[0].authorizer)
    #expect(authorizer.name == "LiveConnectAuthorizer")
    #expect(authorizer.function == "Guard")
    #expect(authorizer.form == .webSocket([.query("ticket")]))
    #expect(authorizer.timeToLiveSeconds == 0)
    #expect(api.routes[1].access == .open)
    // SAM adds the permission.
    #expect(try GatewayTemplate(parsing: Self.sam(Self.open)).notes == [])
  }

  @Test(arguments: [
    ("AuthType: NONE", RouteAccess.open), ("AuthType: AWS_IAM", .signature),
  ]) func otherKindsOfAuthorization(_ auth: String, _ access: RouteAccess) throws {
    #expect(try Self.api("Auth: { \(auth) }\n\(Self.open)").routes[0].access == access)
  }

  /// What would be open if it were ignored.
  @Test(arguments: [
    "AuthType: custom, AuthArn: !GetAtt Guard.Arn", "AuthType: CUSTOM", "AuthArn: !GetAtt Guard.Arn",
    "AuthType: NONE, AuthArn: !GetAtt Guard.Arn", "AuthType: JWT", "AuthType: AWS_IAM, Name: x",
    "AuthType: CUSTOM, AuthArn: !GetAtt Absent.Arn", "AuthType: CUSTOM, AuthArn: arn:aws:lambda:x",
    "AuthType: CUSTOM, AuthArn: !GetAtt Guard.Arn, IdentitySource: [cookie.x]",
    "AuthType: CUSTOM, AuthArn: !GetAtt Guard.Arn, Nope: x", "AuthType: [CUSTOM]",
  ]) func anAuthorizationThatIsNotUnderstoodClosesConnect(_ auth: String) throws {
    let template = Self.sam(
      "Auth: { \(auth) }\nRoutes:\n  $connect: { FunctionArn: !GetAtt Chat.Arn }\n"
        + "  $default: { FunctionArn: !GetAtt Chat.Arn }")
    guard let api = try? GatewayTemplate(parsing: template).apis.first else { return }
    guard case .closed = api.routes[0].access else {
      Issue.record("\(api.routes[0].access)")
      return
    }
  }

  @Test(arguments: [
    (
      "Auth: { AuthType: AWS_IAM }\nRoutes: { send: { FunctionArn: !GetAtt Chat.Arn } }",
      "needs a $connect route"
    ),
    ("StageName: $default\n" + open, "cannot be $default"), ("Routes: {}", "is empty"),
    ("Name: x", "is empty"),
    ("Routes: { send-it: { FunctionArn: !GetAtt Chat.Arn } }", "letters and digits"),
    ("Routes: { $other: { FunctionArn: !GetAtt Chat.Arn } }", "letters and digits"),
    ("Nope: 1\n" + open, "is not known"), ("ApiKeySelectionExpression: $x\n" + open, "is not known: $x"),
    ("Domain: { DomainName: a.example }\n" + open, "is not emulated"),
  ]) func refusesWhatSAMRefuses(_ properties: String, _ words: String) {
    #expect {
      try GatewayTemplate(parsing: Self.sam(properties))
    } throws: { error in
      (error as? TemplateError)?.findings.contains { $0.problem.contains(words) } == true
    }
  }

  @Test(arguments: [
    ("$connect", "ApiKeyRequired: true", true), ("send", "ApiKeyRequired: true", false),
    ("$connect", "RequestParameters: { route.request.header.x: { Required: false } }", true),
    ("$connect", "RequestParameters: { route.request.header.x: { Required: true } }", false),
    ("send", "RouteResponseSelectionExpression: $other", false), ("send", "Nope: 1", false),
    ("send", "OperationName: x", true),
  ]) func aSettingThatDecidesClosesItsRoute(_ key: String, _ setting: String, _ isServed: Bool) throws {
    let api = try Self.api(
      "Routes:\n  $disconnect: { FunctionArn: !GetAtt Chat.Arn }\n"
        + "  \(key): { FunctionArn: !GetAtt Chat.Arn, \(setting) }")
    let route = try #require(api.routes.first { $0.key == key })
    if case .closed = route.access { #expect(!isServed) } else { #expect(isServed) }
    #expect(route.needsAPIKey == setting.hasPrefix("ApiKeyRequired"))
  }

  @Test func aFunctionElsewhereIsUnavailable() throws {
    let api = try Self.api("Routes: { $connect: { FunctionArn: arn:aws:lambda:x }, send: {} }")
    for route in api.routes {
      guard case .unavailable = route.integration else {
        Issue.record("\(route.integration)")
        continue
      }
    }
  }

  // MARK: CloudFormation

  private static func linked(_ route: String, _ integration: String, _ more: String = "", api: String = "")
    -> String
  {
    """
    Transform: AWS::Serverless-2016-10-31
    Resources:
    \(functions)
      Live:
        Type: AWS::ApiGatewayV2::Api
        Properties: { Name: n, ProtocolType: WEBSOCKET, RouteSelectionExpression: $request.body.action\(api) }
      Stage:
        Type: AWS::ApiGatewayV2::Stage
        Properties: { ApiId: !Ref Live, StageName: live }
      Backend:
        Type: AWS::ApiGatewayV2::Integration
        Properties: { ApiId: !Ref Live, \(integration) }
      Route:
        Type: AWS::ApiGatewayV2::Route
        Properties: { ApiId: !Ref Live, Target: !Sub "integrations/${Backend}", \(route) }
    \(more)
    """
  }

  private static let chat = "IntegrationType: AWS_PROXY, IntegrationUri: !GetAtt Chat.Arn"
  private static let response = """
      Answer:
        Type: AWS::ApiGatewayV2::RouteResponse
        Properties: { ApiId: !Ref Live, RouteId: !Ref Route, RouteResponseKey: $default }
    """

  @Test(arguments: [
    ("", "", GatewayRoute.Reply.none), ("", response, .oneOfBoth),
    (", RouteResponseSelectionExpression: $default", "", .oneOfBoth),
    (", RouteResponseSelectionExpression: $default", response, .both),
  ]) func readsTwoWayRoutes(_ expression: String, _ response: String, _ reply: GatewayRoute.Reply) throws {
    let template = try GatewayTemplate(
      parsing: Self.linked("RouteKey: send\(expression)", Self.chat, response))
    #expect(template.apis[0].routes[0].reply == reply)
    #expect(template.apis[0].routes[0].access == .open)
    #expect(template.notes == [])
  }

  @Test func readsHTTPBackendsWithParameters() throws {
    let template = try GatewayTemplate(
      parsing: Self.linked(
        "RouteKey: send",
        "IntegrationType: HTTP_PROXY, IntegrationMethod: POST, IntegrationUri: https://b.example/in, "
          + "RequestParameters: { integration.request.header.connectionId: context.connectionId }"))
    guard case .http(let integration) = template.apis[0].routes[0].integration else {
      Issue.record("\(template.apis[0].routes[0].integration)")
      return
    }
    #expect(integration.method == "POST")
    #expect(integration.changes.map(\.value) == [.context("connectionId")])
  }

  /// "Setting up an integration for $connect is optional" ("The $connect route").
  @Test(arguments: [("$connect", "", true), ("$connect", ", Target: nothing", false), ("send", "", false)])
  func connectNeedsNoTarget(_ key: String, _ target: String, _ isAnswered: Bool) throws {
    let text = Self.linked(
      "RouteKey: $disconnect", Self.chat,
      """
        Guarded: { Type: AWS::ApiGatewayV2::Authorizer, Properties: { ApiId: !Ref Live, Name: Guarded, AuthorizerType: REQUEST, IdentitySource: [route.request.querystring.ticket], AuthorizerUri: !Sub 'arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Guard.Arn}/invocations' } }
        Bare: { Type: AWS::ApiGatewayV2::Route, Properties: { ApiId: !Ref Live, RouteKey: \(key)\(target)\(key == "$connect" ? ", AuthorizationType: CUSTOM, AuthorizerId: !Ref Guarded" : "") } }
      """)
    let template = try GatewayTemplate(parsing: text)
    let route = try #require(template.apis[0].routes.last)
    guard isAnswered else {
      #expect(template.closures.map(\.problem) == ["refers to no integration of this API"])
      return
    }
    #expect(template.closures == [])
    // Who may connect is decided as ever.
    var stage = GatewayStage([template.apis[0]])
    #expect(route.authorizer?.function == "Guard")
    for (query, answer, status) in [
      ("", GatewayStage.policy(), 401), ("ticket=a", GatewayStage.policy("Deny"), 403),
      ("ticket=a", GatewayStage.policy(), 200),
    ] {
      stage.function = { _ in answer }
      let response = stage.send(
        "GET", "/live", query: query, headers: [], connectionID: WebSocketStage.identifier
      ).response
      #expect(response.status == status)
    }
  }

  @Test(arguments: [
    ("RouteKey: $connect, AuthorizationType: AWS_IAM", true),
    ("RouteKey: send, AuthorizationType: AWS_IAM", false),
    ("RouteKey: send, ApiKeyRequired: true", false),
  ]) func onlyConnectCanBeGuarded(_ route: String, _ isConnect: Bool) throws {
    let text = Self.linked(
      route, Self.chat,
      """
        Other:
          Type: AWS::ApiGatewayV2::Route
          Properties: { ApiId: !Ref Live, RouteKey: $disconnect, Target: !Sub "integrations/${Backend}" }
      """)
    let access = try GatewayTemplate(parsing: text).apis[0].routes[0].access
    if isConnect {
      #expect(access == .signature)
    } else if case .closed = access {
    } else {
      Issue.record("\(access)")
    }
  }

  @Test(arguments: ["Stage: live", "Stage: !Ref Stage"])
  func aPlanNamesTheStage(_ stage: String) throws {
    let text = Self.linked(
      "RouteKey: $connect, ApiKeyRequired: true", Self.chat,
      """
        Key: { Type: AWS::ApiGateway::ApiKey, Properties: { Enabled: true, Value: 0123456789abcdefghij } }
        Plan:
          Type: AWS::ApiGateway::UsagePlan
          Properties: { ApiStages: [{ ApiId: !Ref Live, \(stage) }] }
        Member:
          Type: AWS::ApiGateway::UsagePlanKey
          Properties: { KeyId: !Ref Key, KeyType: API_KEY, UsagePlanId: !Ref Plan }
      """)
    let access = try GatewayTemplate(parsing: text).apis[0].access
    #expect(access.use(ofKey: "0123456789abcdefghij")?.key.name == "Key")
    #expect(access.use(ofKey: "another") == nil)
  }

  @Test func readsWhereTheKeyIs() throws {
    let text = Self.linked(
      "RouteKey: $connect, ApiKeyRequired: true", Self.chat,
      api: ", ApiKeySelectionExpression: $context.authorizer.usageIdentifierKey")
    let api = try GatewayTemplate(parsing: text).apis[0]
    #expect(api.access.keySource == .authorizer)
    #expect(api.routes[0].needsAPIKey)
  }
}
