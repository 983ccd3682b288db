@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import Templates
import Foundation
import TestSupport
import Testing

/// No single mistake in a template opens a route: what was guarded stays guarded, is closed, or the template is refused,
/// unless AWS too reads the changed template as open.
@Suite struct TemplateMutationTests {
  /// The number of comparisons says that the mutations leave most routes readable; a mutation that closes an API is none.
  @Test(
    arguments: zip(
      MutationSamples.all.indices, [2500, 400, 800, 1500, 450, 100, 20, 40, 300, 900, 40, 30, 700, 60]))
  func noMistakeOpensASample(_ sample: Int, _ least: Int) throws {
    var comparison = try TemplateComparison(MutationSamples.all[sample])
    for line in comparison.allLines { comparison.check(line) }
    #expect(comparison.compared >= least)
  }

  /// The samples have every form of access, and refuse requests without a credential, or they would prove nothing.
  @Test func samplesRefuseStrangers() throws {
    var words: Set<String> = []
    for text in MutationSamples.all {
      let template = try GatewayTemplate(parsing: text, files: MutationSamples.files)
      #expect(template.closedAPIs.isEmpty)
      let gateway = Gateway(template.served, settings: Assumptions())
      for api in template.apis {
        if api.access.isPrivate { words.insert("private") }
        if !api.access.hasDefaultEndpoint { words.insert("address") }
        for route in api.routes {
          let isOpen =
            route.access.isOpen && !route.needsAPIKey && api.access.resourcePolicy == nil
            && api.access.hasDefaultEndpoint
          if case .webSocket = api.kind, route.match != .connect { continue }
          let isLet = StrangerRequest(route, api).isLet(in: gateway)
          #expect(isLet == isOpen, "\(api.name) \(route.key)")
          let kind = String("\(route.access)".prefix { $0.isLetter })
          words.insert(kind == "open" ? route.needsAPIKey ? "key" : isOpen ? "open" : "policy" : kind)
        }
      }
    }
    #expect(MutationSamples.all.count == 14)
    #expect(
      words == ["open", "key", "policy", "lambda", "token", "signature", "closed", "private", "address"])
  }

  /// The template of a nested stack, which guards routes that the API of its parent leaves open.
  @Test func noMistakeInANestedStackOpensTheAPIOfItsParent() throws {
    var comparison = try TemplateComparison(MutationSamples.nested, in: MutationSamples.parent)
    #expect(comparison.before.apis.flatMap(\.routes).count { !$0.access.isOpen } == 3)
    for line in comparison.allLines { comparison.check(line) }
    #expect(comparison.compared >= 300)
  }

  /// The templates that this project deploys.
  @Test(arguments: ["template", "simple-answers", "http-api", "websocket"])
  func noMistakeOpensADeployedTemplate(_ name: String) throws {
    let text = try TemplateSamples.deployed(name)
    var comparison = try TemplateComparison(text, ["Issuer": "apple", "Audience": "com.example.app"])
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<80 {
      guard let line = comparison.allLines.randomElement(using: &generator) else { continue }
      comparison.check(line)
    }
    #expect(comparison.compared > 200)
  }

  /// Templates of others, where a folder of them is beside the package: some lines of each, always the same ones.
  @Test(.enabled(if: !names.isEmpty, "there is no folder ../shared/templates"))
  func noMistakeOpensATemplateOfOthers() throws {
    var generator = SeededGenerator(seed: 18)
    var compared = 0
    var refused: [String] = []
    for name in Self.names {
      let text = try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
      guard var comparison = try? TemplateComparison(text, Self.parameters) else {
        refused.append(name)
        continue
      }
      for _ in 0..<12 {
        guard let line = comparison.allLines.randomElement(using: &generator) else { continue }
        comparison.check(line)
      }
      compared += comparison.compared
    }
    #expect(compared > 2500)
    // The documents of two are not beside them, and one has no stage.
    #expect(
      refused.compactMap { name in ["kinesis", "queue-based", "swagger-api"].first { name.contains($0) } }
        == ["kinesis", "queue-based", "swagger-api"])
    #expect(refused.count == 3)
  }

  private static let folder = TemplateSamples.packageRoot.appendingPathComponent("../shared/templates")
  private static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.sorted()

  /// Values for the parameters of others' templates that have no default.
  private static let parameters = [
    "UserPoolId": "pool", "UserPoolClient": "client", "pIpRangeWhitelist": "127.0.0.1/32",
    "SecretToken": "example", "LambdaRole": "role", "BucketName": "bucket", "CACertKey": "key",
    "CustomDomainCertArn": "arn", "CustomDomainName": "a.example",
    "AuthStack.Outputs.Issuer": "https://a.example", "AuthStack.Outputs.UserPoolClientId": "client",
  ]
}
