@testable import EmulatorTestSupport
@testable import DeploymentChecks
@testable import Templates
import Foundation
import TestSupport
import Testing

@Suite struct TemplateInspectionTests {
  typealias Code = DeploymentFinding.Code

  static func codes(_ template: String, _ configuration: DeployedConfiguration?) throws -> [Code] {
    let template = try GatewayTemplate(parsing: template)
    return TemplateInspection(template, configurations(of: template, configuration)).findings.map(\.code)
  }

  static func configurations(
    of template: GatewayTemplate, _ configuration: DeployedConfiguration?
  ) -> [String: DeployedConfiguration] {
    guard let configuration else { return [:] }
    return Dictionary(uniqueKeysWithValues: template.authorizerFunctions.map { ($0, configuration) })
  }

  static func rest(
    _ more: String, type: String = "REQUEST", function: String = "      Timeout: 10",
    extra: String = responses
  ) -> String {
    let auth = TemplateSamples.requestAuth("            FunctionPayloadType: \(type)\n" + more)
    return TemplateSamples.rest(auth: auth, extra: extra, function: function)
  }

  static func http(_ more: String, simple: Bool = false) -> String {
    let version = #"            AuthorizerPayloadFormatVersion: "2.0""#
    let permission = "            EnableFunctionDefaultPermissions: true"
    let simple = "            EnableSimpleResponses: \(simple)"
    return TemplateSamples.http(
      auth: TemplateSamples.requestAuth([version, permission, simple, more].joined(separator: "\n")))
  }

  static let responses = """
          GatewayResponses:
            UNAUTHORIZED: { StatusCode: 401, ResponseParameters: { Headers: { WWW-Authenticate: "'Bearer'" } } }
            ACCESS_DENIED: { StatusCode: 403 }
    """

  static func identity(_ words: String) -> String { "            Identity: { \(words) }" }

  static let cached = identity("Headers: [Authorization], ReauthorizeEvery: 300")
  static let uncached = identity("Headers: [Authorization], ReauthorizeEvery: 0")

  @Test func deployedTemplateHasNoFindingsWithTheDefaults() throws {
    let template = try GatewayTemplate(parsing: TemplateSamples.deployed())
    let findings = TemplateInspection(
      template, Self.configurations(of: template, DeployedConfiguration(fetchMilliseconds: 3000))
    ).findings
    #expect(findings.filter { $0.severity != .note } == [])
  }

  static let off = DeployedConfiguration(cache: .off)
  static let two = DeployedConfiguration(
    tokenSources: [.header("authorization"), .cookie("session")], cache: .off)
  static let simpleRules = DeployedConfiguration(isSimple: true, hasRules: true)
  static let byQuery = DeployedConfiguration(tokenSources: [.query("token")])

  @Test(
    arguments: [
      (rest(cached), DeployedConfiguration(), []), (rest(uncached), DeployedConfiguration(), [.cacheUnused]),
      (rest(uncached), off, []), (rest(cached), off, [.cacheExpectedOff]),
      (rest(cached), two, [.cacheWithSeveralSources]),
      (rest(uncached), two, []),
      (rest(cached), DeployedConfiguration(cache: .tokenAndRoute), [.routeNotInCacheKey]),
      (
        rest(identity("Headers: [authorization], Context: [path], ReauthorizeEvery: 60")),
        DeployedConfiguration(cache: .tokenAndRoute), []
      ),
      (
        rest(identity("Headers: [X-Tenant], ReauthorizeEvery: 60")), DeployedConfiguration(),
        [.cacheWithoutToken]
      ),
      (rest(identity("Headers: [X-Tenant], ReauthorizeEvery: 0")), off, [.sourceUnread]),
      (rest(identity("QueryStrings: [token], ReauthorizeEvery: 60")), byQuery, [.queryTokenRefused]),
      (rest(identity("QueryStrings: [Token], ReauthorizeEvery: 60")), byQuery, [.cacheWithoutToken]),
      (
        rest(identity("Headers: [Cookie], ReauthorizeEvery: 60")),
        DeployedConfiguration(tokenSources: [.cookie("s")]), []
      ),
      (rest(identity("Header: X-Token, ReauthorizeEvery: 60"), type: "TOKEN"), DeployedConfiguration(), []),
      (http(cached), DeployedConfiguration(isSimple: true), [.simpleAnswersMismatch]),
      (http(cached, simple: true), DeployedConfiguration(), [.simpleAnswersMismatch]),
      (http(cached, simple: true), DeployedConfiguration(isSimple: true), []),
      (http(cached, simple: true), simpleRules, [.simpleAnswersCached]),
      (http(cached), DeployedConfiguration(hasRules: true, allowsByDefault: true), [.greedyPathUnderAllow]),
      (rest(cached, extra: ""), DeployedConfiguration(), [.gatewayResponseMissing, .gatewayResponseMissing]),
      (
        rest(cached, extra: responses + "\n      Cors: \"'*'\""), DeployedConfiguration(),
        [.preflightGuarded, .anyOrigin, .originMissing, .originMissing]
      ),
      (rest(cached, function: "      Timeout: 30"), DeployedConfiguration(), [.timeoutAbovePatience]),
      (
        rest(cached, function: "      Timeout: 3"), DeployedConfiguration(fetchMilliseconds: 3000),
        [.timeoutBelowFetch]
      ),
      (rest(cached, function: "      Timeout: 4"), DeployedConfiguration(fetchMilliseconds: 3000), []),
      (rest(uncached, extra: ""), nil, [.gatewayResponseMissing, .gatewayResponseMissing]),
    ] as [(String, DeployedConfiguration?, [Code])])
  func comparesTemplateAndConfiguration(
    _ template: String, _ configuration: DeployedConfiguration?, _ codes: [Code]
  ) throws {
    #expect(try Self.codes(template, configuration).filter { $0 != .templateNote } == codes)
  }

  @Test func reportsAnotherRuntime() throws {
    let template = Self.rest(Self.cached).replacing("provided.al2023", with: "provided.al2")
    #expect(try Self.codes(template, nil) == [.wrongRuntime])
  }

  @Test func reportsAnAPIWithoutAuthorizers() throws {
    let template = TemplateSamples.rest(auth: TemplateSamples.tokenAuth).replacing(
      "DefaultAuthorizer: Bearer", with: "AddDefaultAuthorizerToCorsPreflight: true")
    #expect(try Self.codes(template, nil) == [.authorizerMissing])
  }

  @Test func reportsMixedAnswerFormats() throws {
    let one = Self.http(Self.cached)
    let api = try #require(one.range(of: "  Api:\n"))
    let second = one[api.lowerBound...].replacing("  Api:\n", with: "  Other:\n").replacing(
      "EnableSimpleResponses: false", with: "EnableSimpleResponses: true")
    let backend = """
      \n  More:
          Type: AWS::Serverless::Function
          Properties:
            Runtime: provided.al2023
            Events:
              Pets: { Type: HttpApi, Properties: { ApiId: !Ref Other, Path: /pets, Method: get } }
      """
    let codes = try Self.codes(one + "\n" + second + backend, DeployedConfiguration())
    #expect(codes.contains(.mixedAnswers) && codes.contains(.simpleAnswersMismatch), "\(codes)")
  }

  @Test func everyFindingIsDocumented() throws {
    let page = try Checkout.text("docs/doctor.md")
    for code in Code.allCases {
      #expect(page.contains("| `\(code.rawValue)` | \(code.severity.rawValue) |"), "\(code)")
    }
  }
}
