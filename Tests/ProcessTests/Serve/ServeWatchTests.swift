import DeploymentChecks
import Foundation
import JSON
import Testing
import TestSupport

/// The changes for which `serve --watch` restarts.
@Suite(
  .enabled(if: Workshop.hasBootstrap, "make bootstrap builds dist/bootstrap"), .serialized,
  .timeLimit(.minutes(HangLimit.minutes)))
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
    _ workshop: borrowing Workshop, _ arguments: [String], tool: URL? = nil
  ) throws -> ServedGateway {
    try workshop.write(template, to: "template.yaml")
    try workshop.write(configuration("one"), to: "authorizer.json")
    return try ServedGateway(workshop, ["--watch"] + arguments, tool: tool)
  }

  static func pets(_ gateway: ServedGateway) async throws -> Int {
    let token = try await gateway.token("user=alice")
    return try await gateway.send("GET", "/Api/prod/pets", headers: ["Authorization": "Bearer \(token)"])
      .status
  }

  @Test func reportsABrokenTemplateAndServesTheRepairedOne() async throws {
    let workshop = try Workshop()
    let gateway = try Self.start(workshop, ["--function", Workshop.bootstrap])
    try workshop.write(Self.template.replacing("StageName", with: "StageNome"), to: "template.yaml")
    try await gateway.untilLog("StageNome")
    try workshop.write(Self.template.replacing("prod", with: "test"), to: "template.yaml")
    _ = try gateway.nextPort()
    #expect(try await gateway.send("GET", "/Api/test/pets").status == 401)
    #expect(try await gateway.send("GET", "/Api/prod/pets").status == 403)
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

  /// The old function is served while the sources do not build.
  @Test(arguments: [false, true]) func buildsAndServesChangedSources(_ byMake: Bool) async throws {
    let workshop = try Workshop()
    let source = "Sources/function/Function.swift"
    try workshop.write(Self.script("first"), to: source)
    // "Builds" sources without the word mistake.
    let recipe =
      "if grep -n mistake \(source) >&2; then exit 3; fi; mkdir -p dist; cp \(source) dist/new; chmod +x dist/new; "
      + "mv dist/new dist/bootstrap"
    try workshop.write("bootstrap:\n\t\(recipe)\n", to: "Makefile")
    try workshop.write(program: Self.script("first"), to: "dist/bootstrap")
    let gateway = try Self.start(
      workshop, byMake ? [] : ["--build", recipe], tool: workshop.addTool())
    try workshop.write(Self.script("a mistake"), to: source)
    try await gateway.untilLog("the build failed with exit status \(byMake ? 2 : 3)")
    #expect(gateway.logText.contains("2:# a mistake"))
    #expect(try await Self.pets(gateway) == 200)
    try workshop.write(Self.script("repaired at last"), to: source)
    _ = try gateway.nextPort()
    #expect(try await Self.pets(gateway) == 200)
    let built = try String(
      contentsOf: workshop.folder.appendingPathComponent("dist/bootstrap"), encoding: .utf8)
    #expect(built == Self.script("repaired at last"))
    // Tests and other files are not sources of the function.
    #expect(gateway.logText.components(separatedBy: "sources changed, building: ").count == 3)
  }
}
