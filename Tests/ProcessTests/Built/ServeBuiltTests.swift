import Foundation
import JSON
import TestSupport
import Testing

/// `serve` with templates that AWS CDK and the Serverless Framework have written, and the code that is beside them.
@Suite(.needsPython, .needsNode, .serialized, .hangLimit)
struct ServeBuiltTests {
  private static let pass = "Bearer open-sesame"

  private static func send(
    _ gateway: ServedGateway, _ path: String, _ token: String?
  ) async throws -> (status: Int, route: String?) {
    let answer = try await gateway.send("GET", path, headers: token.map { ["Authorization": $0] } ?? [:])
    guard case .string(let route)? = answer.json?["route"] else { return (answer.status, nil) }
    return (answer.status, route)
  }

  /// What each request gets: the status, and the route by which the backend was called.
  @Test(
    arguments: [
      (
        "Rest",
        [
          ("/ApiF70053CD/prod/pets", nil, 401, nil), ("/ApiF70053CD/prod/pets", "Bearer guess", 401, nil),
          ("/ApiF70053CD/prod/pets", "Bearer closed", 403, nil),
          ("/ApiF70053CD/prod/pets", pass, 200, "GET /pets"), ("/ApiF70053CD/prod/health", nil, 200, nil),
        ]
      ),
      (
        "Http",
        [
          ("/ApiF70053CD/pets", nil, 401, nil), ("/ApiF70053CD/pets", "Bearer guess", 403, nil),
          ("/ApiF70053CD/pets", pass, 200, "GET /pets"), ("/ApiF70053CD/me", nil, 401, nil),
          ("/ApiF70053CD/me", pass, 401, nil),
        ]
      ),
      (
        "Nested",
        [
          ("/ApiF70053CD/prod/pets", nil, 401, nil), ("/ApiF70053CD/prod/pets", "Bearer closed", 403, nil),
          ("/ApiF70053CD/prod/pets", pass, 200, "GET /pets"),
          ("/ApiF70053CD/prod/other", nil, 200, "GET /{proxy+}"),
        ]
      ),
    ] as [(String, [(String, String?, Int, String?)])])
  func handlersOfCDKRun(_ stack: String, _ requests: [(String, String?, Int, String?)]) async throws {
    let workshop = try BuiltProject.cdk()
    let template = "\(BuiltProject.assembly)/\(stack).template.json"
    let gateway = try ServedGateway(workshop, ["--template", template, "--run-functions"])
    for (path, token, status, route) in requests {
      let answer = try await Self.send(gateway, path, token)
      #expect(
        answer.status == status && answer.route == route,
        "\(path) \(token ?? "-"): \(answer)\n\(gateway.logText)")
    }
    guard stack == "Http" else { return }
    let token = try await gateway.send(
      "POST", "/dev/token", headers: ["Accept": "text/plain"], body: "user=alice&authorizer=Tokens")
    let bearer = "Bearer " + token.text.trimmingCharacters(in: .newlines)
    let answer = try await Self.send(gateway, "/ApiF70053CD/me", bearer)
    #expect(answer.status == 200 && answer.route == "GET /me", "\(token.text)")
  }

  /// Without consent, no code of the assembly runs.
  @Test func withoutTheOptionNothingRuns() async throws {
    let workshop = try BuiltProject.cdk()
    let gateway = try ServedGateway(workshop, ["--template", "\(BuiltProject.assembly)/Rest.template.json"])
    #expect(try await Self.send(gateway, "/ApiF70053CD/prod/pets", Self.pass).status == 500)
    #expect(gateway.logText.contains("--run-functions runs the code of the template"))
  }

  /// The archive of the framework, or else the project beside its folder.
  @Test(arguments: [true, false]) func handlersOfTheServerlessFrameworkRun(_ isPacked: Bool) async throws {
    let workshop = try Workshop()
    try workshop.write(BuiltProject.serverlessTemplate, to: BuiltProject.serverless)
    if isPacked {
      try Data(try DoctorCommandTests.package(BuiltProject.code())).write(
        to: workshop.folder.appendingPathComponent("their/.serverless/pets.zip"))
    } else {
      try workshop.write("service: pets", to: "their/serverless.yml")
      for (path, text) in try BuiltProject.code() { try workshop.write(text, to: "their/" + path) }
    }
    let gateway = try ServedGateway(
      workshop, ["--template", BuiltProject.serverless, "--run-functions"])
    let path = "/ApiGatewayRestApi/dev/pets"
    #expect(try await Self.send(gateway, path, nil).status == 401)
    #expect(try await Self.send(gateway, path, "Bearer closed").status == 403)
    let answer = try await Self.send(gateway, path, Self.pass)
    #expect(answer.status == 200 && answer.route == "GET /pets", "\(gateway.logText)")
  }
}
