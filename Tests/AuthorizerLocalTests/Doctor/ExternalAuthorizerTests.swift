import Foundation
import TestSupport
import Testing

@testable import authorizer_local

/// `doctor` and `config check` on a template whose authorizer is in another one, as in the guide "In front of your API".
@Suite struct ExternalAuthorizerTests {
  /// The template of the guide.
  private static func template() throws -> String {
    let text = try Checkout.text("docs/guides/in-front-of-your-api.md")
    let start = try #require(
      text.components(separatedBy: "Write `my-api/sam.yaml`:\n\n```yaml\n").dropFirst().first)
    return try #require(start.components(separatedBy: "```").first)
  }

  private static let open = #"{"issuers":[{"preset":"apple","audiences":["a"]}]}"#
  private static let ruled =
    #"{"issuers":[{"preset":"apple","audiences":["a"]}],"default":"deny","rules":[{"routes":["GET /other"],"allow":true}]}"#

  private static let permission = "Principal: apigateway.amazonaws.com"

  /// What is replaced in the template, the configuration, and lines of the report.
  static let rows: [(change: (String, String)?, configuration: String?, exit: Int32, lines: [String])] = [
    (
      nil, open, 0, ["authorizer: AuthorizerFunctionArn, outside of the template, examined as this project's"]
    ),
    (nil, nil, 0, ["note authorizerForeign: AuthorizerFunctionArn: it is outside of the template"]),
    ((permission, "Principal: s3.amazonaws.com"), nil, 0, ["note authorizerForeign: "]),
    (
      (permission, "Principal: s3.amazonaws.com"), open, 1,
      [
        "warning permissionElsewhere: AuthorizerFunctionArn: it is outside of the template, where no permission"
      ]
    ),
    (("[Authorization]", "[X-Tenant]"), open, 1, ["error cacheWithoutToken: Api.Bearer: "]),
    // Another template may have the route of the rule.
    (nil, ruled, 1, ["warning routeWithoutRule: Api GET /orders: ", "errors: 0, warnings: 1"]),
  ]

  @Test("the authorizer is examined with the configuration that is given for it", arguments: rows)
  func doctor(
    _ row: (change: (String, String)?, configuration: String?, exit: Int32, lines: [String])
  ) async throws {
    var text = try Self.template()
    if let (old, new) = row.change {
      #expect(text.contains(old))
      text = text.replacing(old, with: new)
    }
    for option in row.configuration == nil ? [""] : [" --config own.json", ""] {
      let recorded = try RecordedMachine()
      try recorded.write(text, to: "my-api/sam.yaml")
      if let configuration = row.configuration {
        try recorded.write(configuration, to: option.isEmpty ? "my-api/authorizer.json" : "own.json")
      }
      let exit = await recorded.run(words: "doctor --template my-api/sam.yaml" + option)
      #expect(exit == row.exit, "\(recorded.answer)\(recorded.notes)")
      for line in row.lines { #expect(recorded.answer.contains(line), "\(recorded.answer)") }
    }
  }

  @Test func configCheckComparesItsRulesWithTheTemplate() async throws {
    let recorded = try RecordedMachine()
    try recorded.write(try Self.template(), to: "my-api/sam.yaml")
    try recorded.write(Self.ruled, to: "own.json")
    #expect(await recorded.run(words: "config check own.json --template my-api/sam.yaml") == 0)
    #expect(recorded.answer.contains("valid, 1 warning\n"), "\(recorded.answer)")
    #expect(recorded.answer.contains("Api GET /orders: every token gets 403"), "\(recorded.answer)")
  }
}
