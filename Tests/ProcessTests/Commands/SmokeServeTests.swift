import Foundation
import JSON
import TestSupport
import Testing

/// `smoke` against another `serve` on this machine: WebSocket APIs, and what functions print.
@Suite(.needsBootstrap, .hangLimit)
struct SmokeServeTests {
  // MARK: WebSocket APIs

  private static func socket(_ source: String, isGuarded: Bool) -> String {
    """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Guard:
        Type: AWS::Serverless::Function
        Properties: { Runtime: provided.al2023, Handler: bootstrap, CodeUri: dist/ }
      Chat:
        Type: AWS::ApiGatewayV2::Api
        Properties: { Name: chat, ProtocolType: WEBSOCKET, RouteSelectionExpression: $request.body.action }
      Stage:
        Type: AWS::ApiGatewayV2::Stage
        Properties: { ApiId: !Ref Chat, StageName: live }
      Judge:
        Type: AWS::ApiGatewayV2::Authorizer
        Properties:
          ApiId: !Ref Chat
          Name: judge
          AuthorizerType: REQUEST
          AuthorizerUri: !Sub arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Guard.Arn}/invocations
          IdentitySource: [\(source)]
      Mock:
        Type: AWS::ApiGatewayV2::Integration
        Properties: { ApiId: !Ref Chat, IntegrationType: MOCK }
      Connect:
        Type: AWS::ApiGatewayV2::Route
        Properties:
          ApiId: !Ref Chat
          RouteKey: $connect
          Target: !Sub integrations/${Mock}
          \(isGuarded ? "AuthorizationType: CUSTOM\n      AuthorizerId: !Ref Judge" : "AuthorizationType: NONE")
      Say:
        Type: AWS::ApiGatewayV2::Route
        Properties: { ApiId: !Ref Chat, RouteKey: say, Target: !Sub "integrations/${Mock}" }
    """
  }

  private static func configuration(_ place: String) -> String {
    """
    {"issuers":[{"preset":"apple","audiences":["com.example.app"]}],"tokenSources":["\(place)"],
    "default":"deny","rules":[{"routes":["$connect"],"allow":true,"require":{"claims":{"email_verified":true}}}]}
    """
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The place of the token, for the authorizer.
    let place: String
    /// Whether the template and the deployed API guard `$connect`.
    let isGuarded: (template: Bool, deployed: Bool)
    /// The prediction, the status and the difference by credential.
    let found: [String: String]
    let exit: Int32
  }

  /// The expired token is as worthless here, so the exit code is 2.
  private static let asPredicted = [
    "with alice": "101 101 -", "with late": "401 401 -", "with mallory": "403 403 -",
    "with garbage": "401 401 -",
    "without a token": "401 401 -",
  ]

  static let cases = [
    Case(
      testDescription: "a header", place: "header:authorization", isGuarded: (true, true),
      found: asPredicted, exit: 2),
    Case(
      testDescription: "a query parameter", place: "query:token",
      isGuarded: (true, true),
      found: asPredicted, exit: 2),
    Case(
      testDescription: "no authorizer", place: "header:authorization",
      isGuarded: (true, false),
      found: [
        "with alice": "101 101 -", "with late": "401 101 letsIn", "with mallory": "403 101 letsIn",
        "with garbage": "401 101 letsIn", "without a token": "401 101 letsIn",
      ], exit: 1),
    Case(
      testDescription: "a guard on an open API", place: "header:authorization",
      isGuarded: (false, true), found: ["without a token": "101 401 refuses"], exit: 1),
  ]

  @Test(arguments: cases) func aHandshakeIsPredicted(_ fact: Case) async throws {
    let workshop = try Workshop()
    try workshop.write(Self.configuration(fact.place), to: "authorizer.json")
    let source = fact.place.replacing("header:", with: "route.request.header.").replacing(
      "query:", with: "route.request.querystring.")
    try workshop.write(Self.socket(source, isGuarded: fact.isGuarded.template), to: "template.yaml")
    try workshop.write(Self.socket(source, isGuarded: fact.isGuarded.deployed), to: "deployed.yaml")
    var tokens: [String] = []
    for (role, options) in [
      ("alice", ["--claim", "email_verified=true"]),
      ("late", ["--claim", "email_verified=true", "--expires=-1h"]),
      ("mallory", ["--claim", "email_verified=false"]),
    ] {
      let made = try await workshop.run(
        ["token", "--preset", "apple", "--audience", "com.example.app", "--subject", role] + options)
      try workshop.write(made.output, to: role + ".jwt")
      tokens += ["--token", "\(role)=@\(role).jwt"]
    }
    let gateway = try ServedGateway(workshop, ["--template", "deployed.yaml", "--config", "authorizer.json"])
    let address = "127.0.0.1:\(gateway.port)"
    let command = [
      "smoke", "--template", "template.yaml", "--config", "authorizer.json", "--url",
      "Chat=http://\(address)/Chat/live", "--host", address, "--yes", "--json", "--rate", "100",
    ]
    #expect(
      try await workshop.run(command + tokens).errors.contains("hint: --websocket opens connections to it"))
    let answer = try await workshop.run(command + tokens + ["--websocket"])
    let tree = try JSONTree(parsing: Array(answer.output.utf8))
    let results = try #require(tree["results"]?.elements, "\(answer)")
    let skipped = try #require(tree["skipped"]?.elements, "\(answer)")
    let found = results.map { result in
      let status = if case .number(let status)? = result["status"] { status } else { "none" }
      let texts = [result["predicted"]?.text, status, result["difference"]?.text ?? "-"].compactMap(\.self)
      return (result["credential"]?.text ?? "", texts.joined(separator: " "))
    }
    #expect(Dictionary(found) { $1 } == fact.found, "\(answer.output) \(gateway.logText)")
    #expect(answer.exit == fact.exit && skipped.count == 1, "\(answer.output)")
  }

  // MARK: Output of functions

  /// The mark is in what the handler prints, on both streams, and in what its error says.
  private static let handler = """
    import sys
    def handler(event, context):
        token = event["authorizationToken"]
        print("prints", token, flush=True)
        print("warns", token, file=sys.stderr, flush=True)
        if "garbage" in token:
            raise Exception("Unauthorized")
        statement = {"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": "*"}
        return {"principalId": "u", "policyDocument": {"Version": "2012-10-17", "Statement": [statement]}}
    """

  private static let foreign = """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Guard:
        Type: AWS::Serverless::Function
        Properties: { Runtime: python3.13, Handler: guard.handler, CodeUri: . }
      Backend:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: provided.al2023
          Events: { Pets: { Type: Api, Properties: { RestApiId: !Ref Api, Path: /pets, Method: get } } }
      Api:
        Type: AWS::Serverless::Api
        Properties:
          StageName: prod
          Auth:
            DefaultAuthorizer: Bearer
            Authorizers: { Bearer: { FunctionArn: !GetAtt Guard.Arn } }
    """

  @Test(.needsPython, arguments: [[], ["--verbose"]])
  func whatAFunctionPrintsIsHidden(_ options: [String]) async throws {
    let workshop = try Workshop()
    try workshop.write(Self.handler, to: "guard.py")
    try workshop.write(Self.foreign, to: "template.yaml")
    try workshop.write("printed-mark", to: "alice.jwt")
    let handler = ["--template", "template.yaml", "--handler", "Guard=guard.py:handler"]
    let gateway = try ServedGateway(workshop, handler + ["--verbose"])
    let address = "127.0.0.1:\(gateway.port)"
    let answer = try workshop.execute(
      ["smoke"] + handler + options + [
        "--url", "Api=http://\(address)/Api/prod", "--host", address, "--token", "alice=@alice.jwt", "--yes",
        "--rate", "100", "--junit", "report.xml",
      ])
    #expect(answer.exit == 0 && answer.output.contains("3 of 3 answers as predicted"), "\(answer)")
    // That of `serve` shows it, so the handler has printed it.
    try await gateway.untilLog("prints Bearer printed-mark")
    let report = try String(contentsOf: workshop.folder.appendingPathComponent("report.xml"), encoding: .utf8)
    for text in [answer.output, answer.errors, report] { #expect(!text.contains("printed-mark"), "\(text)") }
  }
}
