import DeploymentChecks
import Foundation
import JSON
import Testing
import TestSupport

/// `serve` follows its files, and its port stays open.
@Suite(.needsBootstrap, .serialized, .hangLimit)
struct ServeWatchTests {
  static let template = """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Authorizer: { Type: AWS::Serverless::Function, Properties: { Runtime: provided.al2023 } }
      Backend:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: provided.al2023
          Events: { Pets: { Type: Api, Properties: { RestApiId: !Ref Api, Path: /pets, Method: get } } }
      Api:
        Type: AWS::Serverless::Api
        Properties:
          StageName: prod
          Auth: { DefaultAuthorizer: Bearer, Authorizers: { Bearer: { FunctionArn: !GetAtt Authorizer.Arn } } }
    """

  /// Returns a function as a script that starts the real one.
  static func script(_ mark: String) -> String { "#!/bin/sh\n# \(mark)\nexec '\(Workshop.bootstrap)'\n" }

  static func configuration(_ audience: String) -> String {
    #"{"issuers":[{"preset":"apple","audiences":["\#(audience)"]}]}"#
  }

  static func start(
    _ workshop: borrowing Workshop, _ arguments: [String], tool: URL? = nil,
    change: (String) -> String = { $0 }
  ) throws -> ServedGateway {
    try workshop.write(change(template), to: "template.yaml")
    try workshop.write(configuration("one"), to: "authorizer.json")
    return try ServedGateway(workshop, arguments, tool: tool)
  }

  static func pets(_ gateway: ServedGateway) async throws -> Int {
    let token = try await gateway.token("user=alice")
    return try await gateway.send("GET", "/Api/prod/pets", headers: ["Authorization": "Bearer \(token)"])
      .status
  }

  @Test func whileTheTemplateIsBrokenRequestsAreA503AndThenGoOn() async throws {
    let workshop = try Workshop()
    let gateway = try Self.start(workshop, ["--function", Workshop.bootstrap])
    let port = gateway.port
    try workshop.write(Self.template.replacing("StageName", with: "StageNome"), to: "template.yaml")
    // It may have read the file while it was empty.
    try await gateway.untilLog("StageNome")
    for path in ["/Api/prod/pets", "/dev/clock", "/nothing"] {
      let answer = try await gateway.send("GET", path)
      #expect(answer.status == 503)
      #expect(answer.json?["error"]?.text?.contains("StageNome") == true, "\(answer.text)")
    }
    try await gateway.untilLog(" GET /nothing route=\"none\" status=503 ")
    try workshop.write(Self.template.replacing("prod", with: "test"), to: "template.yaml")
    #expect(try gateway.nextPort() == port)
    #expect(try await gateway.send("GET", "/Api/test/pets").status == 401)
    #expect(try await gateway.send("GET", "/Api/prod/pets").status == 403)
  }

  /// A file that another one names, and that does not exist at first.
  @Test func aFileIsFollowedBeforeItExists() async throws {
    let workshop = try Workshop()
    let gateway = try Self.start(workshop, ["--function", Workshop.bootstrap])
    let template = Self.template.replacing(
      "{ Runtime: provided.al2023 } }",
      with: "{ Runtime: provided.al2023, Environment: { Variables: { AUTHORIZER_CONFIG: own.json } } } }")
    #expect(template != Self.template)
    try FileManager.default.removeItem(at: workshop.folder.appendingPathComponent("authorizer.json"))
    try workshop.write(template, to: "template.yaml")
    try await gateway.untilLog("which is not in ")
    #expect(try await gateway.send("GET", "/Api/prod/pets").status == 503)
    try workshop.write(Self.configuration("own"), to: "own.json")
    try await gateway.untilLog("serve: \(workshop.folder.resolvingSymlinksInPath().path)/own.json changed")
    _ = try gateway.nextPort()
    #expect(try await Self.pets(gateway) == 200)
  }

  /// As `curl -o body.json` writes one into the checkout, which is the code of the project's own functions.
  @Test(.needsPython) func aFileBesideTheProjectIsNoCode() async throws {
    let workshop = try Workshop()
    try workshop.write(ScriptedRuntime.source, to: "back/app.py")
    let gateway = try Self.start(workshop, ["--function", Workshop.bootstrap, "--run-functions"]) {
      $0.replacing("{ Runtime: provided.al2023 } }", with: "{ Runtime: provided.al2023, CodeUri: ./ } }")
        .replacing(
          "Runtime: provided.al2023\n",
          with: "Runtime: python3.13\n      Handler: app.handler\n      CodeUri: back/\n")
    }
    try workshop.write("{}", to: "a-body.json")
    // Both have changed when serve looks, and it names the first one.
    try workshop.write("# changed", to: "back/app.py")
    try await gateway.untilLog(" changed, restarting")
    #expect(gateway.logText.contains("/back/app.py changed, restarting"), "\(gateway.logText)")
  }

  @Test func watchesTheNearestConfiguration() async throws {
    let workshop = try Workshop()
    let gateway = try Self.start(workshop, ["--function", Workshop.bootstrap])
    #expect(try await Self.pets(gateway) == 200)
    let old = try await gateway.token("user=alice")
    try workshop.write(Self.configuration("another"), to: "authorizer.json")
    _ = try gateway.nextPort()
    #expect(try await Self.pets(gateway) == 200)
    let answer = try await gateway.send("GET", "/Api/prod/pets", headers: ["Authorization": "Bearer \(old)"])
    #expect(answer.status == 401)
  }

  @Test func watchesTheFunctionAndKeepsTheClockOffset() async throws {
    let workshop = try Workshop()
    try workshop.write(Self.script("first"), to: "function.sh")
    let gateway = try Self.start(workshop, ["--function", "/bin/sh function.sh"])
    #expect(try await gateway.send("POST", "/dev/clock", body: #"{"move":"+1h"}"#).status == 200)
    try workshop.write(Self.script("the second one"), to: "function.sh")
    _ = try gateway.nextPort()
    #expect(try await gateway.send("GET", "/dev/clock").json?["offsetSeconds"] == .number("3600"))
    #expect(try await Self.pets(gateway) == 200)
  }

  /// Returns an archive with this `bootstrap`.
  static func archive(_ text: String) throws -> Data {
    let file = DeploymentPackage.File(path: "bootstrap", bytes: Array(text.utf8), permissions: 0o755)
    return Data(try DeploymentPackage(files: [file]).archive)
  }

  @Test func servesTheNewFilesOfAnArchive() async throws {
    let workshop = try Workshop()
    let place = workshop.folder.appendingPathComponent("function.zip")
    let whole = try Self.archive(Self.script("first"))
    try whole.write(to: place)
    let gateway = try Self.start(workshop, ["--zip", "function.zip"])
    #expect(try await Self.pets(gateway) == 200)
    // As while it is copied.
    try whole.prefix(whole.count / 2).write(to: place)
    try await gateway.untilLog("error: function.zip: ")
    try Self.archive("#!/bin/sh\nexit 3\n").write(to: place)
    _ = try gateway.nextPort()
    #expect(try await Self.pets(gateway) == 500)
  }

  /// `make serve` adds the line of its command.
  @Test func theStartHasAtMostElevenLines() async throws {
    let workshop = try Workshop()
    let gateway = try ServeTests.gateway(workshop)
    _ = try await gateway.send("GET", "/")
    let lines = (gateway.announcement + gateway.logText).split(separator: "\n")
    #expect(lines.count <= 11, "\(lines.joined(separator: "\n"))")
    let listed = try await workshop.run(["serve", "--assumptions", "--assume", "answer-limit=8KiB"])
    #expect(listed.exit == 0 && listed.output.contains("answer-limit=8KiB  REST and HTTP API"), "\(listed)")
    let count = listed.output.split(separator: "\n").count
    #expect(gateway.logText.contains("note: \(count) assumptions about what AWS does not document"))
  }
}
