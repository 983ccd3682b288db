@testable import EmulatorTestSupport
@testable import DeploymentChecks
@testable import Templates
import Testing

/// Findings about APIs whose authorizer checks proofs of possession.
@Suite struct TemplateProofTests {
  typealias Code = DeploymentFinding.Code

  static func codes(_ template: String, _ proofs: Set<DeployedConfiguration.Proof>) throws -> [Code] {
    let configuration = DeployedConfiguration(cache: .off, proofs: proofs)
    let own: Set<Code> = [
      .proofNotCarried, .proofCached, .proofHeaderNotAllowed, .certificateNotRequested, .defaultEndpointOpen,
      .cacheExpectedOff,
    ]
    return try TemplateInspectionTests.codes(template, configuration).filter { own.contains($0) }
  }

  static let tls = "MutualTlsAuthentication: { TruststoreUri: s3://b/k }"

  static func domain(_ more: String) -> String {
    TemplateInspectionTests.responses
      + "\n      Domain: { DomainName: a.example, CertificateArn: arn:aws:acm:us-east-1:123456789012:certificate/a\(more) }"
  }

  static let closed = "\n      DisableExecuteApiEndpoint: true"
  static let uncached = TemplateInspectionTests.uncached
  static let cached = TemplateInspectionTests.cached
  static let token = TemplateInspectionTests.identity("Header: Authorization, ReauthorizeEvery: 0")

  @Test(
    arguments: [([.dpop], "tokens that are not bound never"), ([], "which the function does not read")]
      as [(Set<DeployedConfiguration.Proof>, String)])
  func namesTheHeaderOfProofsAsAnIdentitySource(
    _ proofs: Set<DeployedConfiguration.Proof>, _ words: String
  ) throws {
    let sources = TemplateInspectionTests.identity("Headers: [Authorization, DPoP], ReauthorizeEvery: 0")
    let template = try GatewayTemplate(parsing: TemplateInspectionTests.http(sources))
    let configuration = DeployedConfiguration(cache: .off, proofs: proofs)
    let findings = TemplateInspection(
      template, TemplateInspectionTests.configurations(of: template, configuration)
    ).findings
    #expect(findings.filter { $0.code == .sourceUnread }.map { $0.problem.contains(words) } == [true])
  }

  @Test(
    arguments: [
      (TemplateInspectionTests.rest(uncached), [.dpop], []),
      (TemplateInspectionTests.http(uncached), [.dpop], []),
      (TemplateInspectionTests.rest(cached), [], [.cacheExpectedOff]),
      (TemplateInspectionTests.rest(cached), [.dpop], [.proofCached]),
      (
        TemplateInspectionTests.http(cached), [.certificate, .dpop],
        [.proofCached, .certificateNotRequested, .defaultEndpointOpen]
      ),
      (TemplateInspectionTests.rest(token, type: "TOKEN"), [.dpop], [.proofNotCarried]),
      (
        TemplateInspectionTests.rest(uncached, extra: domain(", \(tls)") + closed), [.certificate], []
      ),
      (
        TemplateInspectionTests.rest(uncached, extra: domain("") + closed), [.certificate],
        [.certificateNotRequested]
      ),
      (
        TemplateInspectionTests.rest(uncached, extra: domain(", MutualTlsAuthentication: {}") + closed),
        [.certificate], [.certificateNotRequested]
      ),
      (
        TemplateInspectionTests.rest(uncached, extra: domain(", \(tls)")), [.certificate],
        [.defaultEndpointOpen]
      ),
      (TemplateInspectionTests.rest(uncached, extra: domain("")), [.dpop], []),
      (
        TemplateInspectionTests.rest(
          uncached,
          extra: TemplateInspectionTests.responses
            + "\n      Cors: { AllowOrigin: \"'https://a.example'\", AllowHeaders: \"'Authorization'\" }"),
        [.dpop], [.proofHeaderNotAllowed]
      ),
      (
        TemplateInspectionTests.rest(
          uncached,
          extra: TemplateInspectionTests.responses
            + "\n      Cors: { AllowOrigin: \"'https://a.example'\", AllowHeaders: \"'Authorization, dpop'\" }"
        ),
        [.dpop], []
      ),
    ] as [(String, Set<DeployedConfiguration.Proof>, [Code])])
  func reportsWhatKeepsProofsFromTheAuthorizer(
    _ template: String, _ proofs: Set<DeployedConfiguration.Proof>, _ codes: [Code]
  ) throws {
    #expect(try Self.codes(template, proofs) == codes)
  }
}
