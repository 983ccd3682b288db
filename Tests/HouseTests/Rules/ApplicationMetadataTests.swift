import Foundation
import Testing

@Suite("template/sar.yaml")
struct ApplicationMetadataTests {
  private static let template = Repository.root.appending(path: "template/sar.yaml")

  private static func text() throws -> String { try String(contentsOf: template, encoding: .utf8) }

  private static func problems(_ text: String) throws -> [String] {
    let source = Repository.root.appending(path: "Sources/authorizer-local/AuthorizerLocal.swift")
    let release = try String(contentsOf: source, encoding: .utf8)
    let version = try #require(release.split(separator: "static let version = \"").dropFirst().first)
    return ApplicationMetadata(template: text).problems(version: String(version.prefix { $0 != "\"" })) {
      path in
      let file = template.deletingLastPathComponent().appending(path: path)
      return try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize
    }
  }

  @Test("The metadata follow the rules of the repository")
  func metadata() throws {
    let text = try Self.text()
    #expect(try Self.problems(text) == [])
    #expect(ApplicationMetadata(template: text).labels.count == 10)
  }

  @Test("The license is the one of the project")
  func license() throws {
    let license = try String(contentsOf: Repository.root.appending(path: "LICENSE"), encoding: .utf8)
    #expect(license.contains("Apache License") && license.contains("Version 2.0"))
  }

  @Test(
    "A violated rule is found",
    arguments: [
      ("Name: api-gateway-authorizer", "Name: api_gateway", "Name"),
      ("Name: api-gateway-authorizer", "Name: " + String(repeating: "a", count: 141), "Name"),
      ("    Description: ", "    Description: " + String(repeating: "a", count: 256), "Description"),
      ("    Description: ", "    Details: ", "Description"),
      ("Author: api-gateway-authorizer", "Author: API", "Author"),
      ("Author: api-gateway-authorizer", "Author: a--b", "Author"),
      ("Author: api-gateway-authorizer", "Author: -a", "Author"),
      ("Author: api-gateway-authorizer", "Author: a-", "Author"),
      ("Author: api-gateway-authorizer", "Author: " + String(repeating: "a", count: 128), "Author"),
      ("Apache-2.0", "Apache 2.0", "SpdxLicenseId"), ("../LICENSE", "../LICENCE", "LicenseUrl"),
      ("ReadmeUrl: sar.md", "ReadmeUrl: none.md", "ReadmeUrl"),
      ("Labels: [", "Labels: [one-more, ", "Labels"), ("Labels: [", "Labels: [a b, ", "Labels"),
      ("SemanticVersion: ", "SemanticVersion: 1", "SemanticVersion"),
      ("SemanticVersion: 0", "SemanticVersion: v0", "SemanticVersion"),
      ("    Labels: ", "    Tags: [a]\n    Labels: ", "Tags"),
      ("Author: api", "Author: !Ref api", "intrinsic function"),
      ("Name: api-gateway-authorizer", "Name: ${AWS::StackName}", "intrinsic function"),
      ("  AWS::ServerlessRepo::Application:", "  Other:", "Name"),
    ])
  func violation(old: String, new: String, problem: String) throws {
    let text = try Self.text()
    #expect(text.contains(old))
    #expect(try Self.problems(text.replacing(old, with: new)).contains(problem))
  }
}
