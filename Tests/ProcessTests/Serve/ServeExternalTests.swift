import Foundation
import Testing

/// `serve` with an authorizer that is not in the template, as in the guide "In front of your API".
@Suite(.needsBootstrap, .serialized)
struct ServeExternalTests {
  private static let configuration = """
    {"issuers":[{"preset":"auth0:example.eu.auth0.com","audiences":["https://api.example.com"]}]}
    """

  /// The template of the guide.
  static func template() throws -> String {
    let page = try Readme("docs/guides/in-front-of-your-api.md")
    let index = try #require(page.files.firstIndex(of: "my-api/sam.yaml"))
    return page.blocks[index].text + "\n"
  }

  /// A second authorizer outside of the template, for a route of its own.
  private static func withTwo(_ template: String) -> String {
    let first = "          Bearer:\n            FunctionArn: !Ref AuthorizerFunctionArn\n"
    return template.replacing("{ Type: String }", with: "{ Type: String }\n  Other: { Type: String }")
      .replacing(
        first,
        with: """
                    Second:
                      FunctionArn: !Ref Other
                      AuthorizerPayloadFormatVersion: "2.0"
                      Identity: { Headers: [Authorization] }
          \(first)
          """
      )
      .replacing(
        "        Orders:",
        with: """
                  More: { Type: HttpApi, Properties: { ApiId: !Ref Api, Method: GET, Path: /more, \
          Auth: { Authorizer: Second } } }
                  Orders:
          """)
  }

  private static let isAnswered =
    "note: AuthorizerFunctionArn is answered by this project's authorizer with own.json"

  /// The options, whether a configuration is beside the template, whether there is a second authorizer, the status with
  /// a token, what the start says, and what it does not say.
  private static let ways: [([String], Bool, Bool, Int, String, String)] =
    [
      (["--config", "own.json"], false, false, 200, isAnswered, "no program answers"),
      ([], true, false, 200, "is answered by this project's authorizer with /", "no program answers"),
      (["--function", Workshop.bootstrap], true, false, 200, "note: keys and users", "has no effect"),
      (
        [], false, false, 500, "no program answers for the authorizer AuthorizerFunctionArn", "is answered by"
      ),
      (["--run", "AuthorizerFunctionArn=false"], true, false, 500, "note: keys and users", "is answered by"),
      (
        ["--config", "own.json"], false, true, 500,
        "--config FILE runs this project's authorizer, if it is the only one", "is answered by"
      ),
      (
        ["--config", "own.json", "--function", Workshop.bootstrap], false, true, 500,
        "--function has no effect: it needs a template with one Lambda authorizer", "is answered by"
      ),
    ]
    + (Workshop.hasNode
      ? [(["--config", "own.json", "--run-functions"], false, false, 200, isAnswered, "no program answers")]
      : [])

  @Test("this project's authorizer answers for the only one, if it has a configuration", arguments: ways)
  func standsIn(
    _ options: [String], _ isBeside: Bool, _ hasTwo: Bool, _ status: Int, _ says: String, _ not: String
  ) async throws {
    let workshop = try Workshop()
    let template = try Self.template()
    try workshop.write(hasTwo ? Self.withTwo(template) : template, to: "my-api/sam.yaml")
    try workshop.write(Self.configuration, to: isBeside ? "my-api/authorizer.json" : "own.json")
    let gateway = try ServedGateway(workshop, ["--template", "my-api/sam.yaml"] + options)
    let token = try await gateway.token("user=alice")
    let answer = try await gateway.send("GET", "/Api/orders", headers: ["Authorization": "Bearer \(token)"])
    #expect(answer.status == status, "\(answer.text)\(gateway.logText)")
    let none = try await gateway.send("GET", "/Api/orders")
    #expect(none.status == 401)
    #expect(gateway.logText.contains(says), "\(gateway.logText)")
    #expect(!gateway.logText.contains(not), "\(gateway.logText)")
  }
}
