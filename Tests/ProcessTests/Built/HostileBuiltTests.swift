import Foundation
import TestSupport
import Testing

/// Assemblies that lead `serve` elsewhere, or lie: the code does not run, and nothing opens.
@Suite(.needsPython, .needsNode, .serialized, .hangLimit)
struct HostileBuiltTests {
  enum Attack: CaseIterable {
    case outside, link, linkInside, missing, otherAsset, damagedManifest, manifestElsewhere, hugeManifest,
      hugeArchive
  }

  /// A backend that tells that it ran.
  private static let stranger = "exports.handler = async () => ({ statusCode: 200, body: 'stranger' });"

  /// Changes the assembly, and returns what the log must say.
  private static func change(_ workshop: borrowing Workshop, by attack: Attack) throws -> String {
    let manager = FileManager.default
    let asset = try BuiltProject.asset(with: "index.js", in: workshop)
    let folder = workshop.folder.appendingPathComponent(BuiltProject.assembly + "/" + asset)
    func replace(with path: String) throws {
      // The same asset is one of all stacks.
      for file in ["Rest.template.json"] + ["Rest", "Http", "Nested"].map({ $0 + ".assets.json" }) {
        try BuiltProject.change(file, "\"\(asset)\"", to: "\"\(path)\"", in: workshop)
      }
    }
    func makeHuge(_ file: String, bytes: UInt64) throws {
      let url = workshop.folder.appendingPathComponent(BuiltProject.assembly + "/" + file)
      try Data().write(to: url)
      // A sparse file.
      try FileHandle(forWritingTo: url).truncate(atOffset: bytes)
    }
    try workshop.write(stranger, to: "other/index.js")
    switch attack {
    case .outside:
      try replace(with: "../../other")
      return "its asset ../../other is not used: it is outside of"
    case .link, .linkInside:
      try manager.removeItem(at: folder)
      let target = attack == .link ? "../../other" : "../cdk.out/../../other"
      try manager.createSymbolicLink(atPath: folder.path, withDestinationPath: target)
      return "its asset \(asset) is not used: it is outside of"
    case .missing:
      try manager.removeItem(at: folder)
      return "its asset \(asset) is not used: it does not exist"
    case .otherAsset:
      try workshop.write(stranger, to: BuiltProject.assembly + "/asset.other/index.js")
      try BuiltProject.change("Rest.assets.json", "\"\(asset)\"", to: "\"asset.other\"", in: workshop)
      return "its metadata and the asset manifests name different assets: \(asset), asset.other"
    case .damagedManifest:
      try workshop.write("{", to: BuiltProject.assembly + "/Rest.assets.json")
      return "Rest.assets.json is not JSON, or too large"
    case .manifestElsewhere:
      try BuiltProject.change(
        "manifest.json", "\"Rest.assets.json\"", to: "\"../../../../../../../etc/passwd\"", in: workshop)
      return "../../../../../../../etc/passwd is not read: it is outside of"
    case .hugeManifest:
      try makeHuge("manifest.json", bytes: 1 << 30)
      return "manifest.json has more than 16777216 bytes"
    case .hugeArchive:
      try makeHuge("huge.zip", bytes: 8 << 30)
      try replace(with: "huge.zip")
      return "huge.zip has more than 262144000 bytes"
    }
  }

  @Test(arguments: Attack.allCases) func noOtherCodeRuns(_ attack: Attack) async throws {
    let workshop = try BuiltProject.cdk()
    let reason = try Self.change(workshop, by: attack)
    let gateway = try ServedGateway(
      workshop, ["--template", BuiltProject.assembly + "/Rest.template.json", "--run-functions"])
    let log = gateway.logText
    #expect(log.contains(reason), "\(log)")
    #expect(log.contains("--handler NAME=PATH:FUNCTION") || attack == .hugeArchive, "\(log)")
    let path = "/ApiF70053CD/prod/pets"
    for token in [nil, "Bearer open-sesame"] {
      let answer = try await gateway.send(
        "GET", path, headers: token.map { ["Authorization": $0] } ?? [:])
      #expect(answer.status >= 400 && !answer.text.contains("stranger"), "\(answer.status) \(answer.text)")
    }
  }

  /// A nested stack that is not read closes the API that it would change.
  @Test(
    arguments: [
      ("outside", "its asset ../../other.json is not used: it is outside of"),
      ("missing", "is not used: it does not exist"), ("link", "is not used: it is outside of"),
      ("huge", "has more than 1048576 bytes"), ("itself", "it is nested in its own template"),
      ("malformed", "is not YAML"),
    ])
  func aNestedStackThatIsNotReadClosesItsAPI(_ attack: String, _ reason: String) async throws {
    let workshop = try BuiltProject.cdk()
    let nested = "NestedPetsFAD561B2.nested.template.json"
    let path = BuiltProject.assembly + "/" + nested
    let url = workshop.folder.appendingPathComponent(path)
    switch attack {
    case "outside":
      try workshop.write("{}", to: "other.json")
      for file in ["Nested.template.json", "Nested.assets.json"] {
        try BuiltProject.change(file, nested, to: "../../other.json", in: workshop)
      }
    case "missing": try FileManager.default.removeItem(at: url)
    case "link":
      try workshop.write("{}", to: "other.json")
      try FileManager.default.removeItem(at: url)
      try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: "../../other.json")
    case "huge": try workshop.write(String(repeating: " ", count: 1 << 20) + "{}", to: path)
    case "itself":
      // The stack within passes the API on, so what is not read could change it.
      let parent = try String(
        contentsOf: workshop.folder.appendingPathComponent(BuiltProject.assembly + "/Nested.template.json"),
        encoding: .utf8)
      let start = try #require(parent.range(of: "\"PetsNestedStackPetsNestedStackResource782AC01A\""))
      let stack = parent[start.lowerBound...].replacing(
        "\"Ref\": \"ApiF70053CD\"", with: "\"Ref\": \"referencetoNestedApi66B4699FRef\"")
      let end = try #require(stack.range(of: "\n  }"))
      let text = try String(contentsOf: url, encoding: .utf8)
      try workshop.write(
        text.replacing("\"Resources\": {\n", with: "\"Resources\": {\n" + stack[..<end.upperBound] + ",\n"),
        to: path)
    default: try workshop.write("{\"a\": [", to: path)
    }
    let answer = try await workshop.run([
      "serve", "--template", BuiltProject.assembly + "/Nested.template.json",
    ])
    #expect(answer.exit == 64, "\(answer)")
    #expect(answer.errors.contains("gets the ID of ApiF70053CD, which it may change"), "\(answer.errors)")
    #expect(answer.errors.contains(reason), "\(answer.errors)")
    #expect(answer.errors.contains("hint: "), "\(answer.errors)")
  }

  @Test func theFolderOfTheServerlessFrameworkIsTheLimit() async throws {
    let workshop = try Workshop()
    try workshop.write(BuiltProject.serverlessTemplate, to: BuiltProject.serverless)
    try workshop.write("{}", to: "other/a.txt")
    try FileManager.default.createSymbolicLink(
      atPath: workshop.folder.appendingPathComponent("their/.serverless/pets.zip").path,
      withDestinationPath: "../../other/a.txt")
    let gateway = try ServedGateway(workshop, ["--template", BuiltProject.serverless, "--run-functions"])
    #expect(gateway.logText.contains("its code is not on this machine: s3://"), "\(gateway.logText)")
    let answer = try await gateway.send(
      "GET", "/ApiGatewayRestApi/dev/pets", headers: ["Authorization": "Bearer open-sesame"])
    #expect(answer.status == 500)
  }
}
