import DeploymentChecks
import Foundation
import JSON
import TestSupport
import Testing

/// `serve` with the functions of another team's template.
@Suite(.needsPython, .needsNode, .serialized, .hangLimit)
struct ServeHandlerTests {
  static let template = """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Guard:
        Type: AWS::Serverless::Function
        Properties:
          { Runtime: python3.11, Handler: app.handler, CodeUri: guard/, MemorySize: 256, Environment: { Variables: { PLAN: gold } } }
      Backend:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: nodejs20.x
          Handler: index.handler
          CodeUri: backend/
          MemorySize: 256
          Environment: { Variables: { TABLE: pets, LD_DEBUG: '', AWS_PROFILE: default, AWS_CONFIG_FILE: '' } }
          Events: { Pets: { Type: Api, Properties: { RestApiId: !Ref Api, Path: /pets, Method: get } } }
      Old:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: java21
          Handler: a.B
          Events: { Old: { Type: Api, Properties: { RestApiId: !Ref Api, Path: /old, Method: get } } }
      Api:
        Type: AWS::Serverless::Api
        Properties:
          StageName: prod
          Auth: { DefaultAuthorizer: Own, Authorizers: { Own: { FunctionArn: !GetAtt Guard.Arn } } }
    """

  /// An authorizer that leaves a file when its code runs.
  static let guardSource = """
    import os
    open(os.path.join(os.path.dirname(__file__), "ran"), "w").close()

    def handler(event, context):
        if event["authorizationToken"] == "grow":
            held = []
            while True:
                held.append(os.urandom(1 << 20))
        if event["authorizationToken"] != "Bearer open-sesame":
            raise Exception("Unauthorized")
        statement = {"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": "*"}
        return {"principalId": os.environ["PLAN"], "policyDocument": {"Version": "2012-10-17", "Statement": [statement]}}
    """

  static let backendSource = """
    exports.handler = async (event) => ({
      statusCode: 200, body: JSON.stringify({ user: event.requestContext.authorizer.principalId, environment: process.env }),
    });
    """

  /// What a developer may have in the shell.
  static let shell = [
    "AWS_ACCESS_KEY_ID": "AKIAREALKEY", "AWS_SECRET_ACCESS_KEY": "real-secret", "AWS_PROFILE": "production",
    "GITHUB_TOKEN": "real-token", "NODE_OPTIONS": "--no-such-option", "AUTHORIZER_AUDIENCE": "real-audience",
  ]

  private static let pass = ["Authorization": "Bearer open-sesame"]

  private static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(template, to: "their/template.yaml")
    try workshop.write(guardSource, to: "their/guard/app.py")
    try workshop.write(backendSource, to: "their/backend/index.js")
    return workshop
  }

  private static func hasRun(_ workshop: borrowing Workshop) -> Bool {
    FileManager.default.fileExists(atPath: workshop.folder.appendingPathComponent("their/guard/ran").path)
  }

  @Test("no code of the template runs unasked") func consent() async throws {
    let workshop = try Self.workshop()
    let gateway = try ServedGateway(workshop, ["--template", "their/template.yaml"])
    #expect(try await gateway.send("GET", "/Api/prod/pets", headers: Self.pass).status == 500)
    #expect(gateway.logText.contains("--run-functions runs"))
    for command in [["doctor", "their/template.yaml"], ["routes", "--template", "their/template.yaml"]] {
      _ = try await workshop.run(command)
    }
    let hasRun = Self.hasRun(workshop)
    #expect(!hasRun)
  }

  @Test("the functions run with --run-functions, without the user's variables") func runs() async throws {
    let workshop = try Self.workshop()
    let gateway = try ServedGateway(
      workshop, ["--template", "their/template.yaml", "--run-functions"], environment: Self.shell)
    #expect(try await gateway.send("GET", "/Api/prod/pets").status == 401)
    #expect(
      try await gateway.send("GET", "/Api/prod/pets", headers: ["Authorization": "Bearer guess"]).status
        == 401)
    let answer = try await gateway.send("GET", "/Api/prod/pets", headers: Self.pass)
    #expect(answer.status == 200, "\(answer.text)\n\(gateway.logText)")
    #expect(answer.json?["user"] == .string("gold"))
    let environment = answer.json?["environment"]
    #expect(environment?["TABLE"] == .string("pets"))
    #expect(environment?["LD_DEBUG"] == .string(""))
    for value in Self.shell.values { #expect(!answer.text.contains("\"\(value)\""), "\(value)") }
    #expect(environment?["AWS_PROFILE"] == nil)
    #expect(environment?["AWS_CONFIG_FILE"] == .string("/dev/null"))
    #expect(
      gateway.logText.contains(
        "Backend: AWS_CONFIG_FILE, AWS_PROFILE of the template: would lead an AWS SDK to credentials"))
    let hasRun = Self.hasRun(workshop)
    #expect(hasRun)
    // What cannot run fails as on AWS, and says why.
    #expect(
      gateway.logText.contains(
        "warning: no program answers for Old, so its routes fail; it does not run here: its Runtime is java21"
      ))
    let old = try await gateway.send("GET", "/Api/prod/old", headers: Self.pass)
    #expect(old.status == 502 && old.text == #"{"message":"Internal server error"}"#, "\(old.text)")
    try await gateway.untilLog(#"backend="Old: it does not run here: its Runtime is java21"#)
  }

  @Test("a function with too much memory is ended, and the next request is answered") func memory()
    async throws
  {
    let workshop = try Self.workshop()
    let gateway = try ServedGateway(workshop, ["--template", "their/template.yaml", "--run-functions"])
    #expect(
      try await gateway.send("GET", "/Api/prod/pets", headers: ["Authorization": "grow"]).status == 500)
    #expect(gateway.logText.contains("Runtime.OutOfMemory"), "\(gateway.logText)")
    #expect(try await gateway.send("GET", "/Api/prod/pets", headers: Self.pass).status == 200)
  }

  @Test(
    "--handler runs one function, and leaves the others",
    arguments: [["--env", "PLAN=own"], ["--template-variables"]])
  func oneHandler(_ variables: [String]) async throws {
    let workshop = try Self.workshop()
    let gateway = try ServedGateway(
      workshop,
      ["--template", "their/template.yaml", "--handler", "Guard=their/guard/app.py:handler"] + variables)
    let answer = try await gateway.send("GET", "/Api/prod/pets", headers: Self.pass)
    #expect(answer.status == 200)
    #expect(answer.headers["x-backend"] == "echo")
    #expect(
      gateway.logText.contains("an echo answers for Backend; --run-functions runs the code of the template"))
  }

  @Test("a missing package is named without --verbose, once")
  func missingPackage() async throws {
    let workshop = try Self.workshop()
    try workshop.write("import no_such_package\n" + Self.guardSource, to: "their/guard/app.py")
    try workshop.write(
      "require('@aws-sdk/no-such-client')\n" + Self.backendSource, to: "their/backend/index.js")
    let gateway = try ServedGateway(workshop, ["--template", "their/template.yaml", "--run-functions"])
    for _ in 1...3 {
      #expect(try await gateway.send("GET", "/Api/prod/pets", headers: Self.pass).status == 500)
    }
    try await gateway.untilLog("Guard: hint: install no_such_package into the folder of the function")
    let lines = gateway.logText.split(separator: "\n").filter { $0.contains("hint: install") }
    #expect(lines.count == 1, "\(gateway.logText)")
    try workshop.write(Self.guardSource, to: "their/guard/app.py")
    let second = try ServedGateway(workshop, ["--template", "their/template.yaml", "--run-functions"])
    _ = try await second.send("GET", "/Api/prod/pets", headers: Self.pass)
    try await second.untilLog(
      "Backend: hint: @aws-sdk/no-such-client is in Lambda's runtime, and not on this machine: run npm install "
        + "--no-save @aws-sdk/no-such-client in ")
  }

  @Test(
    "a handler that cannot run is an error",
    arguments: [
      ("Guard=their/guard/none.py:handler", "has no file none.py for its handler", 69),
      ("None=their/guard/app.py:handler", "the template has no function None", 64),
      ("Guard=their/template.yaml:handler", "template.yaml is no Python or JavaScript file", 64),
      ("Guard=their/guard:handler", "it has the form FILE.FUNCTION", 64),
    ] as [(String, String, Int32)])
  func refusedHandler(_ option: String, _ words: String, _ exit: Int32) async throws {
    let workshop = try Self.workshop()
    let answer = try await workshop.run([
      "serve", "--port", "0", "--template", "their/template.yaml", "--handler", option,
    ])
    #expect(answer.exit == exit)
    #expect(answer.errors.contains(words), "\(answer.errors)")
    #expect(answer.errors.contains("hint: "))
  }

  @Test(
    "a changed handler is started",
    arguments: [
      ["--template", "their/template.yaml", "--run-functions"],
      ["--kind", "restToken", "--handler", "their/guard/app.py:handler", "--env", "PLAN=gold"],
    ])
  func watch(_ options: [String]) async throws {
    let workshop = try Self.workshop()
    // The file that it writes is no code, so it is no change.
    let source = Self.guardSource
    let gateway = try ServedGateway(workshop, options)
    #expect(try await gateway.send("GET", "/Api/prod/pets", headers: Self.pass).status == 200)
    try workshop.write(source.replacing("open-sesame", with: "other"), to: "their/guard/app.py")
    _ = try gateway.nextPort()
    #expect(try await gateway.send("GET", "/Api/prod/pets", headers: Self.pass).status == 401)
  }

  private static func archive(_ text: String) throws -> Data {
    let file = DeploymentPackage.File(path: "app.py", bytes: Array(text.utf8), permissions: 0o644)
    return Data(try DeploymentPackage(files: [file]).archive)
  }

  @Test("the new files of an archive are started") func watchArchive() async throws {
    let workshop = try Self.workshop()
    try workshop.write(Self.template.replacing("guard/", with: "guard.zip"), to: "their/template.yaml")
    let place = workshop.folder.appendingPathComponent("their/guard.zip")
    let whole = try Self.archive(Self.guardSource)
    try whole.write(to: place)
    let gateway = try ServedGateway(
      workshop, ["--template", "their/template.yaml", "--run-functions"])
    #expect(try await gateway.send("GET", "/Api/prod/pets", headers: Self.pass).status == 200)
    // As while it is copied.
    try whole.prefix(whole.count / 2).write(to: place)
    _ = try gateway.nextPort()
    #expect(try await gateway.send("GET", "/Api/prod/pets", headers: Self.pass).status == 500)
    try Self.archive(Self.guardSource.replacing("open-sesame", with: "other")).write(to: place)
    _ = try gateway.nextPort()
    #expect(try await gateway.send("GET", "/Api/prod/pets", headers: Self.pass).status == 401)
    let other = ["Authorization": "Bearer other"]
    #expect(try await gateway.send("GET", "/Api/prod/pets", headers: other).status == 200)
  }

  /// Kinds, the file of a handler, its text, the path of a route, and the header that opens it.
  static let kinds: [(kind: [String], path: String)] = [
    (["restToken"], "/Api/prod/pets"), (["restRequest"], "/Api/prod/pets/1"), (["http1"], "/Api/pets"),
    (["http2"], "/Api/pets"), (["http2", "--simple-responses"], "/Api/"),
  ]

  @Test("--kind puts an API in front of a handler", arguments: kinds)
  func kind(_ row: (kind: [String], path: String)) async throws {
    let workshop = try Workshop()
    try workshop.write(
      """
      exports.handler = async (event) => {
        const header = event.authorizationToken ?? event.headers.Authorization ?? event.headers.authorization;
        if (header !== "Bearer open-sesame") throw new Error("Unauthorized");
        if (process.env.SIMPLE) return { isAuthorized: true };
        return { principalId: "ali", policyDocument: { Version: "2012-10-17",
          Statement: [{ Action: "execute-api:Invoke", Effect: "Allow", Resource: "*" }] } };
      };
      """, to: "index.js")
    let simple = row.kind.count > 1 ? ["--env", "SIMPLE=1"] : []
    let gateway = try ServedGateway(
      workshop, ["--handler", "index.js:handler", "--kind"] + row.kind + simple)
    let answer = try await gateway.send("GET", row.path, headers: Self.pass)
    #expect(answer.status == 200, "\(answer.text)\n\(gateway.logText)")
    #expect(answer.headers["x-backend"] == "echo")
    #expect(try await gateway.send("GET", row.path, headers: ["Authorization": "x"]).status == 401)
    #expect(try await gateway.send("GET", row.path).status == 401)
  }

  @Test("--kind webSocket guards $connect") func webSocketKind() async throws {
    let workshop = try Workshop()
    try workshop.write("exports.handler = async () => { throw new Error('Unauthorized'); };", to: "index.js")
    let gateway = try ServedGateway(workshop, ["--kind", "webSocket", "--handler", "index.js:handler"])
    let upgrade = [
      "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Authorization": "x",
    ]
    let text = upgrade.map { "\($0): \($1)\r\n" }.joined()
    let request = "GET /Api/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\(text)\r\n"
    let answers = try await ConcurrentClients.answers(to: [request], port: gateway.port)
    #expect(answers.first?.hasPrefix("HTTP/1.1 401") == true, "\(answers)")
  }

  @Test("a thousand requests at once", arguments: ["app.py", "index.js"])
  func crowd(_ file: String) async throws {
    try #require(ConcurrentClients.raisesFileLimit(to: 4096))
    let workshop = try Workshop()
    try workshop.write(
      """
      def handler(event, context):
          user = event["authorizationToken"]
          return {"principalId": user, "policyDocument": {"Version": "2012-10-17", "Statement": [
              {"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": "*"}]}}
      """, to: "app.py")
    try workshop.write(
      """
      exports.handler = async (event) => ({
        principalId: event.authorizationToken,
        policyDocument: { Version: "2012-10-17",
          Statement: [{ Action: "execute-api:Invoke", Effect: "Allow", Resource: "*" }] },
      });
      """, to: "index.js")
    let gateway = try ServedGateway(workshop, ["--kind", "restToken", "--handler", "\(file):handler"])
    let requests = (1...1000).map {
      "GET /Api/prod/pets HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: user-\($0)-\r\nConnection: close\r\n\r\n"
    }
    let answers = try await ConcurrentClients.answers(to: requests, port: gateway.port)
    let wrong = answers.enumerated().filter { number, answer in
      !answer.hasPrefix("HTTP/1.1 200")
        || !answer.replacing(" ", with: "").contains("\"principalId\":\"user-\(number + 1)-\"")
    }
    #expect(wrong.isEmpty, "\(wrong.count) of \(answers.count): \(wrong.first?.element ?? "")")
  }
}
