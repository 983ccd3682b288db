@testable import GatewayModel
@testable import EmulatorTestSupport
@testable import Templates
@testable import Text
import Testing

/// Which property a misspelled one means.
@Suite struct NearestNameTests {
  static let known = ["Auth", "DefaultAuthorizer", "ApiKeyRequired", "Identity", "Authorizers", "Limit"]

  @Test(
    arguments: [
      ("DefaultAuthoriser", "DefaultAuthorizer"), ("defaultAuthorizer", "DefaultAuthorizer"),
      ("ApiKeyRequire", "ApiKeyRequired"), ("Identiy", "Identity"), ("Idnetiyt", "Identity"),
      ("Idnetiytt", nil), ("Limitt", "Limit"), ("Autth", "Auth"),
      ("Cors", nil), ("A", nil), ("", nil), ("Identification", nil),
      (String(repeating: "a", count: 65), nil),
    ] as [(String, String?)])
  func similarNames(_ name: String, _ meant: String?) {
    #expect(NearestName.of(name, among: Self.known) == meant)
  }

  @Test func aTemplateWithAMisspelledGuardNamesTheProperty() {
    let text = SAMTemplate.text(
      events: SAMTemplate.event("get", "/a"),
      resources: SAMTemplate.rest(
        "Auth: { DefaultAuthoriser: L, Authorizers: { L: { FunctionArn: !GetAtt Guard.Arn } } }"))
    let error = #expect(throws: TemplateError.self) { try GatewayTemplate(parsing: text) }
    #expect(error?.findings.map(\.cure) == ["did you mean DefaultAuthorizer?"])
  }
}
