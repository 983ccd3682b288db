@testable import EmulatorTestSupport
import Templates
import Testing

@testable import authorizer_local

/// What a user with a template and an authorizer of their own is told.
@Suite struct StrangersTemplateTests {
  private static let template = """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Guard:
        Type: AWS::Serverless::Function
        Properties: { Runtime: python3.13, Handler: app.handler, CodeUri: guard }
      Api:
        Type: AWS::Serverless::HttpApi
        Properties:
          Auth:
            DefaultAuthorizer: Own
            Authorizers:
              Own:
                FunctionArn: !GetAtt Guard.Arn
                AuthorizerPayloadFormatVersion: "2.0"
                Identity: { Headers: [Authorization, X-Tenant], ReauthorizeEvery: 60 }
      Backend:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: nodejs22.x
          Handler: index.handler
          CodeUri: backend
          Events:
            Pets: { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: /pets, Method: get } }
            News: { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: /news, Method: get, Auth: { Authorizer: NONE } } }
      Old:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: java21
          Handler: a.B::c
          CodeUri: old
          Events:
            Old: { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: /old, Method: get } }
      Nightly:
        Type: AWS::Serverless::Function
        Properties: { Runtime: java21, Handler: a.B::c, CodeUri: old }
    """

  private static func standIns(
    served: Set<String> = [], refusals: [String: String] = [:], runsFunctions: Bool = false
  ) throws -> [String] {
    UnservedFunctions(
      try GatewayTemplate(parsing: template), served: served, refusals: refusals, runsFunctions: runsFunctions
    ).lines
  }

  @Test func functionsThatDoNotRunAreNamedWithTheReason() throws {
    #expect(
      try Self.standIns() == [
        "no program answers for the authorizer Guard, so its routes answer 500; --run-functions runs the code of the template, with your rights on this machine",
        "an echo answers for Backend; --run-functions runs the code of the template, with your rights on this machine",
        "an echo answers for Old; --run NAME='COMMAND' runs a program instead, because serve does not run java21",
      ])
    let lines = try Self.standIns(
      served: ["Guard"], refusals: ["Backend": "it does not run here: Node.js 22.0 is not installed"],
      runsFunctions: true)
    #expect(
      lines == [
        "no program answers for Backend, so its routes fail; it does not run here: Node.js 22.0 is not installed",
        "no program answers for Old, so its routes fail; --run NAME='COMMAND' runs a program instead, because serve does not run java21",
      ])
    #expect(try Self.standIns(served: ["Guard", "Backend", "Old"]) == [])
  }

  @Test func theStartListHasTheIdentitySources() throws {
    let lines = ServedAddresses(
      template: try GatewayTemplate(parsing: Self.template), base: "http://127.0.0.1:1"
    ).lines
    #expect(
      lines.first
        == "  http://127.0.0.1:1/Api  GET /pets  (Own, header Authorization, header X-Tenant, cached for 60 s)"
    )
  }

  @Test func routesShowsIdentitySourcesAndMissingPermissions() async throws {
    let recorded = try RecordedMachine()
    try recorded.write(Self.template, to: "template.yaml")
    #expect(await recorded.run("routes") == 0)
    let lines = recorded.answer.split(separator: "\n").map(String.init)
    #expect(lines[0].split(separator: " ") == ["API", "ROUTE", "ACCESS", "IDENTITY", "ANSWER"])
    #expect(
      lines.contains { $0.contains("lambda:Own") && $0.contains("header Authorization, header X-Tenant") })
    #expect(lines.contains { $0.hasPrefix("warning: ") && $0.contains("nothing in the template allows") })
    #expect(await recorded.run("routes", "--json") == 0)
    #expect(recorded.answer.contains(#""warnings""#))
    #expect(recorded.answer.contains(#""header X-Tenant""#))
  }

  @Test(arguments: ["--handler a.py:handler", "--function ./a"])
  func anOptionAboutNoAuthorizerIsAWarning(_ option: String) async throws {
    let recorded = try RecordedMachine()
    try recorded.write(
      """
      Transform: AWS::Serverless-2016-10-31
      Resources:
        Backend:
          Type: AWS::Serverless::Function
          Properties:
            Runtime: python3.13
            Handler: a.handler
            Events: { News: { Type: HttpApi, Properties: { Path: /news, Method: get } } }
      """, to: "template.yaml")
    // The unknown function ends the command before it serves.
    #expect(await recorded.run(words: "serve --run Unknown=true " + option) == 64)
    #expect(
      recorded.notes.contains("warning: \(option.split(separator: " ")[0]) has no effect"),
      "\(recorded.notes)")
    #expect(recorded.notes.contains("the functions are Backend"))
  }

  /// The first line about a value that only the account knows is about that value.
  @Test func aMissingValueIsNotAMissingProperty() async throws {
    let recorded = try RecordedMachine()
    try recorded.write(
      """
      Transform: AWS::Serverless-2016-10-31
      Resources:
        Api:
          Type: AWS::Serverless::HttpApi
          Properties:
            Auth:
              DefaultAuthorizer: Bearer
              Authorizers:
                Bearer:
                  IdentitySource: $request.header.Authorization
                  JwtConfiguration:
                    issuer: https://id.example.com
                    audience: [!ImportValue client]
        Backend:
          Type: AWS::Serverless::Function
          Properties:
            Runtime: python3.13
            Handler: a.handler
            Events: { News: { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: /news, Method: get } } }
      """, to: "template.yaml")
    #expect(await recorded.run("routes", "--template", "template.yaml") == 64)
    #expect(
      recorded.notes
        == """
        error: template.yaml:13: Resources.Api.Properties.Auth.Authorizers.Bearer.JwtConfiguration.audience[0]: only the \
        account knows import:client (add --parameter import:client=VALUE)
        hint: only these values are missing: give them with --parameter, as the lines say

        """)
    #expect(
      await recorded.run("routes", "--template", "template.yaml", "--parameter", "import:client=a") == 0)
  }

  // MARK: Watching

  @Test func everyFileOfTheTemplateIsWatched() throws {
    let recorded = try RecordedMachine()
    try recorded.write(
      """
      Transform: AWS::Serverless-2016-10-31
      Resources:
        One: { Type: AWS::Serverless::HttpApi, Properties: { DefinitionUri: api/one.yaml } }
        Two: { Type: AWS::Serverless::HttpApi, Properties: { DefinitionUri: absent.yaml } }
        Three:
          Type: AWS::Serverless::Api
          Properties:
            StageName: dev
            DefinitionBody: { "Fn::Transform": { Name: AWS::Include, Parameters: { Location: api/three.yaml } } }
        AuthorizerFunction:
          Type: AWS::Serverless::Function
          Properties:
            CodeUri: code
            Runtime: provided.al2023
            Environment: { Variables: { AUTHORIZER_CONFIG: own.json } }
      """, to: "template.yaml")
    try recorded.write("paths: {", to: "api/one.yaml")
    try recorded.write("paths: {}", to: "api/three.yaml")
    let folder = recorded.folder
    // What refuses the template may be in one of them.
    for name in ["api/one.yaml", "absent.yaml", "api/three.yaml"] {
      let start = ServeRun.Start(ServeOptions(), folder + "/template.yaml", nil, on: recorded.machine)
      #expect(start.followed.changed == nil)
      try recorded.write("changed: \(name)", to: name)
      #expect(start.followed.changed == folder + "/" + name)
    }
  }

  // MARK: Doctor

  @Test(
    arguments: [
      ("nodejs22.x", true), ("nodejs22", false), ("nodejs.x", false), ("node22.x", false),
      ("python3.13", true),
      ("python313", false), ("python3", false), ("python3.x", false), ("java21", true), ("java8.al2", true),
      ("java", false), ("ruby3.4", true), ("dotnet8", true), ("provided.al2023", true),
      ("provided.al", false),
      ("go1.x", true), ("nodejs22.x ", false), ("", false),
    ])
  func aRuntimeHasTheFormOfLambda(_ text: String, _ isRuntime: Bool) {
    #expect(DoctorHandlers.isRuntime(text) == isRuntime)
  }

  @Test(
    arguments: [
      ("python3.13", "app.handler", "app.py", "def handler(event, context): ...", nil),
      ("python3.13", "app.handler", "app.py", "def handle(event, context): ...", "does not contain handler"),
      ("python3.13", "app.handler", "app.py", "from other import *", nil),
      ("python3.13", "app.handler", "main.py", "def handler(event, context): ...", "no file app"),
      ("python3.13", "src.app.handler", "src/app.py", "handler = 1", nil),
      ("python3.13", "handler", "app.py", "handler = 1", "FILE.FUNCTION"),
      ("nodejs22.x", "index.handler", "index.mjs", "export const handler = 1", nil),
      ("nodejs22.x", "index.handler", "index.mjs", "export const main = 1", "does not contain handler"),
      ("nodejs22.x", "src/index.handler", "src/index.js", "exports.handler = 1", nil),
      ("nodejs22.x", "index.handler", "index.ts", "export const handler = 1", nil),
      ("nodejs22", "index.handler", "index.mjs", "export const handler = 1", "Lambda has no Runtime"),
      ("nodejs22.x", "index.handler", "index.mjs", #"export*from"./other.mjs""#, nil),
      ("python3.13", "app.handler", "app.py", "from other import*", nil),
      ("nodejs22.x", "/opt/nodejs/node_modules/agent/index.handler", "index.mjs", "", nil),
      ("python3.13", "!Ref Name", "app.py", "", nil),
      ("python3.13", "agent.handler\n      Layers: ['arn:aws:lambda:x']", "app.py", "", nil),
    ] as [(String, String, String, String, String?)])
  func doctorFindsTheHandler(
    _ runtime: String, _ handler: String, _ file: String, _ text: String, _ problem: String?
  ) async throws {
    let recorded = try RecordedMachine()
    try recorded.write(text, to: "code/" + file)
    try recorded.write(
      """
      Transform: AWS::Serverless-2016-10-31
      Parameters: { Name: { Type: String } }
      Resources:
        News:
          Type: AWS::Serverless::Function
          Properties:
            Runtime: \(runtime)
            Handler: \(handler)
            CodeUri: code
            Events: { News: { Type: HttpApi, Properties: { Path: /news, Method: get } } }
      """, to: "template.yaml")
    _ = await recorded.run("doctor")
    let found = recorded.answer.split(separator: "\n").filter {
      $0.contains("handlerNotFound") || $0.contains("runtimeUnknown")
    }
    guard let problem else {
      #expect(found == [])
      return
    }
    #expect(found.count == 1 && found[0].contains(problem), "\(recorded.answer)")
  }
}
