@testable import DeploymentChecks
import Testing

/// Findings about APIs whose authorizer allows requests without a token.
@Suite struct TemplateGuestTests {
  typealias Code = DeploymentFinding.Code

  static func codes(_ template: String, hasGuests: Bool) throws -> [Code] {
    let configuration = DeployedConfiguration(cache: .off, hasGuests: hasGuests)
    let own: Set<Code> = [.guestsNotCarried, .guestsCached, .cacheExpectedOff, .sourceUnread]
    return try TemplateInspectionTests.codes(template, configuration).filter { own.contains($0) }
  }

  static let bare = TemplateInspectionTests.identity("ReauthorizeEvery: 0")
  static let token = TemplateInspectionTests.identity("Header: Authorization, ReauthorizeEvery: 0")
  static let query = TemplateInspectionTests.identity("QueryStrings: [token], ReauthorizeEvery: 0")

  @Test(
    arguments: [
      (TemplateInspectionTests.rest(bare), true, []), (TemplateInspectionTests.http(bare), true, []),
      (TemplateInspectionTests.http(""), true, []),
      (TemplateInspectionTests.rest(TemplateInspectionTests.uncached), true, [.guestsNotCarried]),
      (TemplateInspectionTests.http(TemplateInspectionTests.uncached), true, [.guestsNotCarried]),
      (TemplateInspectionTests.rest(query), true, [.sourceUnread, .guestsNotCarried]),
      (
        TemplateInspectionTests.rest(TemplateInspectionTests.cached), true,
        [.guestsNotCarried, .guestsCached]
      ),
      (TemplateInspectionTests.rest(token, type: "TOKEN"), true, [.guestsNotCarried]),
      // Without guests none of this matters.
      (TemplateInspectionTests.rest(TemplateInspectionTests.uncached), false, []),
      (TemplateInspectionTests.rest(TemplateInspectionTests.cached), false, [.cacheExpectedOff]),
      (TemplateInspectionTests.rest(token, type: "TOKEN"), false, []),
    ] as [(String, Bool, [Code])])
  func guestsMustReachTheAuthorizer(_ template: String, _ hasGuests: Bool, _ codes: [Code]) throws {
    #expect(try Self.codes(template, hasGuests: hasGuests) == codes)
  }
}
