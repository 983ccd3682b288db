import Foundation
import JSON
import TestSupport
import Testing

/// `test --against` from end to end: two functions, their configurations, exit codes and reports.
@Suite(.needsPython, .hangLimit)
struct ComparisonCommandTests {
  /// The scripted function, which answers as the member `do` of the event says, or `other`, if it starts so.
  private static let source = ScriptedRuntime.source.replacing(
    #"do = event["do"]"#, with: #"do = event.get(start or "do", event["do"])"#)

  private static let command = "\(Workshop.python ?? "python3") -I -u \(ScriptedRuntime.path)"

  /// A folder with an event for each name: what the first function answers, and the second.
  private static func workshop(_ events: [String: (String, String)]) throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(source, to: ScriptedRuntime.path)
    for (name, answers) in events {
      try workshop.write(
        ScriptedRuntime.event(
          answers.0, more: #","other":"\#(answers.1)","authorizationToken":"\#(name)""#),
        to: "events/\(name).json")
    }
    return workshop
  }

  private static let functions = ["--function", command, "--against", "\(command) other"]

  @Test(
    "the exit code says whether B lets in what A refuses",
    arguments: [
      ("Allow", "Allow", [], 0), ("Allow", "Deny", [], 0), ("Deny", "Unauthorized", [], 0),
      ("Deny", "Allow", [], 1), ("Unauthorized", "Allow", [], 1), ("garbage", "Allow", [], 1),
      ("Allow", "Deny", ["--strict"], 1), ("Deny", "Unauthorized", ["--strict"], 1), ("Deny", "exit", [], 3),
      ("exit", "Allow", [], 3),
    ] as [(String, String, [String], Int32)])
  func exits(_ a: String, _ b: String, _ options: [String], _ exit: Int32) throws {
    let workshop = try Self.workshop(["event": (a, b)])
    let answer = try workshop.execute(["test"] + options + Self.functions)
    #expect(answer.exit == exit, "\(answer.output)\(answer.errors)")
  }

  @Test("a function that does not start has the exit code 2, and its log is shown once")
  func starts() throws {
    let workshop = try Self.workshop(["a": ("Deny", "Allow"), "b": ("Deny", "Allow")])
    try workshop.write("echo a broken import >&2\nexit 1\n", to: "broken.sh")
    for options in [
      ["--function", "sh broken.sh", "--against", Self.command], ["--against", "sh broken.sh"],
    ] {
      let first = options.count == 4 ? [] : ["--function", Self.command]
      let answer = try workshop.execute(["test"] + first + options)
      #expect(answer.exit == 2, "\(answer.output)\(answer.errors)")
      #expect(answer.errors.components(separatedBy: "a broken import").count == 2, "\(answer.errors)")
    }
  }

  @Test("what B lets in comes first, in every report, and expectations do not count")
  func reports() throws {
    let workshop = try Self.workshop([
      "a": ("Allow", "Allow"), "b": ("Deny", "Unauthorized"), "c": ("Allow", "Deny"), "d": ("Deny", "Allow"),
    ])
    try workshop.write(#"{"outcome":"failure"}"#, to: "events/a.expected.json")
    try workshop.write("{", to: "events/e.json")
    let answer = try workshop.execute(["test", "--junit", "report.xml"] + Self.functions)
    #expect(answer.exit == 1, "\(answer.output)\(answer.errors)")
    let table = answer.output.components(separatedBy: "\n\n").first ?? ""
    #expect(table.split(separator: "\n").dropFirst().map { $0.prefix(1) } == ["e", "d", "c", "b", "a"])
    #expect(answer.output.contains("B allows what A refuses:\n  d: outcome: A forbidden, B allowed"))
    #expect(
      answer.output.hasSuffix("\n1 allows more, 1 allows less, 1 differs, 1 same, 1 not compared\n"))
    let junit = try TestCommandTests.text("report.xml", in: workshop)
    #expect(junit.contains(#"<testsuites tests="5" failures="2">"#), "\(junit)")
    let json = try JSONTree(
      parsing: Array(try workshop.execute(["test", "--json"] + Self.functions).output.utf8))
    #expect(json["tests"]?.elements.map { $0["file"]?.plain } == ["e", "d", "c", "b", "a"])
    #expect(json["failed"] == .integer(2))
  }

  @Test(
    "the options of two functions",
    arguments: [
      (["--against", "x", "--against-handler", "a.py:b"], "give --against-handler, or --against"),
      (["--against-handler", "a.py:b", "--against-config", "c"], "give --against-handler, or --against"),
      (["--against-handler", "a.py"], "PATH:FUNCTION"),
      (["--against", "x", "--update"], "--update and --repeat"),
      (["--against", "x", "--repeat", "2"], "--update and --repeat"),
      (["--native"], "--native needs --against"),
      (["--native", "--against", "x"], "--native needs --template"),
      (["--native", "--against", "x", "--function", "y"], "give --native, or"),
      (["--against", "x", "--key-set", "https://a.example/b"], "--key-set needs --handler"),
      (["--function", "x", "--against-config", "absent.json"], "absent.json"),
    ])
  func refusedOptions(_ options: [String], _ message: String) throws {
    let workshop = try Self.workshop(["a": ("Allow", "Allow")])
    let answer = try workshop.execute(["test"] + options)
    #expect(answer.exit == 64 && answer.errors.contains(message), "\(answer.errors)")
  }

  /// Another function of the same language, and this project's authorizer with a change of its rules.
  @Test("a handler and a configuration can be B", .needsBootstrap)
  func secondFunctions() throws {
    let workshop = try Workshop()
    for (name, routes) in [("old", #""GET /orders""#), ("new", #""* /*""#)] {
      try workshop.write(
        #"{"issuers":[{"preset":"auth0:example.eu.auth0.com","audiences":["api"]}],"default":"deny","#
          + #""rules":[{"routes":[\#(routes)],"allow":true}]}"#, to: "events/\(name)/authorizer.json")
    }
    try workshop.write(
      #"{"ali":{"preset":"auth0:example.eu.auth0.com","claims":{"aud":"api","sub":"ali"}}}"#,
      to: "events/tokens.json")
    for name in ["orders", "admin"] {
      let event = try workshop.execute(
        ["event", "--kind", "restToken", "--token", "ali", "https://a.example/prod/\(name)"])
      try workshop.write(event.output, to: "events/old/\(name).json")
    }
    let configurations = try workshop.execute(
      ["test", "events/old", "--function", Workshop.bootstrap, "--against", Workshop.bootstrap]
        + ["--against-config", "events/new/authorizer.json"])
    #expect(configurations.exit == 1, "\(configurations.output)\(configurations.errors)")
    #expect(
      configurations.output.contains(
        "admin: outcome: A forbidden, B allowed (A: No rule matches GET /admin, and \"default\" is \"deny\"; "
          + "B: rules[0] allows GET /admin: any valid token)"), "\(configurations.output)")
    #expect(configurations.output.contains("orders: the answer for GET /admin: A refused, B allowed"))
    try workshop.write(
      """
      def handler(event, context):
          print("reads the event")
          statement = {"Action": "execute-api:Invoke", "Effect": "Deny", "Resource": event["methodArn"]}
          return {"principalId": "x", "policyDocument": {"Version": "2012-10-17", "Statement": [statement]}}
      """, to: "app.py")
    let handler = try workshop.execute(
      ["test", "events/old", "--function", Workshop.bootstrap, "--against-handler", "app.py:handler"])
    #expect(handler.exit == 0, "\(handler.output)\(handler.errors)")
    #expect(
      handler.output.hasSuffix("\n0 allows more, 2 allows less, 0 differs, 0 same\n"), "\(handler.output)")
  }

  /// An HTTP API with a JWT authorizer, whose second route is open to everyone.
  private static let jwtTemplate = """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Api:
        Type: AWS::Serverless::HttpApi
        Properties:
          Auth:
            DefaultAuthorizer: Jwt
            Authorizers:
              Jwt:
                IdentitySource: $request.header.Authorization
                JwtConfiguration: { issuer: "https://id.example.com", audience: [api] }
      Backend:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: nodejs24.x
          Handler: index.handler
          InlineCode: "exports.handler = async () => ({});"
          Events:
            Orders:
              Type: HttpApi
              Properties: { ApiId: !Ref Api, Method: ANY, Path: "/orders/{id}", Auth: { AuthorizationScopes: [read] } }
            Free: { Type: HttpApi, Properties: { ApiId: !Ref Api, Method: GET, Path: /free, Auth: { Authorizer: NONE } } }
    """

  @Test("A can be the JWT authorizer of a template", .needsBootstrap)
  func nativeAuthorizers() throws {
    let workshop = try Workshop()
    try workshop.write(Self.jwtTemplate, to: "template.yaml")
    try workshop.write(
      #"{"issuers":[{"issuer":"https://id.example.com","audiences":["api"],"algorithms":["RS256"],"#
        + #""keys":{"url":"https://id.example.com/jwks"}}],"default":"deny","#
        + #""rules":[{"routes":["GET /orders/*"],"allow":true}]}"#, to: "events/authorizer.json")
    let recipe = { (claims: String) in
      #"{"preset":"oidc:https://id.example.com","claims":{"aud":"api",\#(claims)}}"#
    }
    try workshop.write(
      #"{"good":\#(recipe(#""scope":"read""#)),"low":\#(recipe(#""scope":"other""#)),"#
        + #""old":\#(recipe(#""scope":"read","iat":"-2h","exp":"-1h""#))}"#, to: "events/tokens.json")
    for (name, token, path) in [
      ("good", "good", "orders/7"), ("low", "low", "orders/7"), ("old", "old", "orders/7"),
      ("free", "good", "free"),
    ] {
      let event = try workshop.execute(
        ["event", "--kind", "http2", "--stage", "$default", "--token", token, "https://a.example/\(path)"])
      try workshop.write(event.output, to: "events/\(name).json")
    }
    let answer = try workshop.execute(
      ["test", "--native", "--template", "template.yaml", "--against", Workshop.bootstrap])
    #expect(answer.exit == 1, "\(answer.output)\(answer.errors)")
    for line in [
      "low   http2  forbidden     allowed       allows more", "old   http2  unauthorized  unauthorized  same",
      "free  -      -             -             FAIL",
      "low: outcome: A forbidden, B allowed (A: the token has none of the route's scopes (insufficientScope); B: ",
      "free:\n  route: expected a JWT or Cognito authorizer, found none",
    ] {
      #expect(answer.output.contains(line), "\(line)\n\(answer.output)")
    }
    // No event asks for the other methods of the route.
    try workshop.write(
      try TestCommandTests.text("events/authorizer.json", in: workshop).replacing(
        "GET /orders", with: "* /orders"),
      to: "wide.json")
    let wide = try workshop.execute(
      ["test", "events/good.json", "--function", Workshop.bootstrap, "--template", "template.yaml"]
        + ["--against", Workshop.bootstrap, "--against-config", "wide.json"])
    #expect(wide.exit == 1, "\(wide.output)\(wide.errors)")
    #expect(wide.output.contains("good: the answer for DELETE /orders/1, HEAD /orders/1, "), "\(wide.output)")
  }
}
