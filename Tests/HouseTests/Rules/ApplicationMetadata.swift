import Foundation

/// The metadata with which `template/sar.yaml` is published to the AWS Serverless Application Repository, and the
/// repository's rules for them ("AWS SAM template Metadata section properties").
struct ApplicationMetadata {
  /// The values by their names, as written, without quotation marks.
  let values: [String: String]
  /// The name and value of each line.
  let text: String

  /// Reads the block of the template, whose values are on one line each.
  init(template: String) {
    let lines = template.split(separator: "\n", omittingEmptySubsequences: false)
    let start = lines.firstIndex { $0.hasPrefix("  AWS::ServerlessRepo::Application:") }
    let block = start.map { lines[($0 + 1)...].prefix { $0.hasPrefix("    ") } } ?? []
    text = block.joined(separator: "\n")
    values = Dictionary(
      block.compactMap { line in
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        return (Self.bare(parts[0]), Self.bare(parts[1]))
      }, uniquingKeysWith: { $1 })
  }

  private static func bare(_ text: Substring) -> String {
    text.trimmingCharacters(in: .whitespaces.union(["\""]))
  }

  var labels: [String] {
    (values["Labels"] ?? "").trimmingCharacters(in: ["[", "]"]).split(separator: ",").map(Self.bare)
  }

  /// Returns what the repository would refuse.
  ///
  /// - Parameters:
  ///   - version: the version of the project.
  ///   - bytes: the size of a file beside the template; `nil` if it does not exist.
  func problems(version: String, bytes: (String) -> Int?) -> [String] {
    var problems: [String] = []
    func require(_ name: String, _ condition: (String) -> Bool) {
      if values[name].map(condition) != true { problems.append(name) }
    }
    require("Name") { Self.matches($0, "[a-zA-Z0-9-]{1,140}") }
    require("Description") { (1...256).contains($0.count) }
    require("Author") { $0.count <= 127 && Self.matches($0, "[a-z0-9]+(-[a-z0-9]+)*") }
    require("SpdxLicenseId") { Self.licenses.contains($0) }
    require("LicenseUrl") { (bytes($0) ?? .max) <= 5 << 20 }
    require("ReadmeUrl") { (bytes($0) ?? .max) <= 5 << 20 }
    require("SemanticVersion") {
      $0 == version && Self.matches($0, "(0|[1-9][0-9]*)(\\.(0|[1-9][0-9]*)){2}(-[0-9A-Za-z.-]+)?")
    }
    if !(1...10).contains(labels.count)
      || !labels.allSatisfy({ Self.matches($0, "[a-zA-Z0-9+_:/@-]{1,127}") })
    {
      problems.append("Labels")
    }
    problems += Set(values.keys).subtracting(Self.names).sorted()
    if ["!", "Fn::", "Ref:", "${"].contains(where: { text.contains($0) }) {
      problems.append("intrinsic function")
    }
    return problems
  }

  private static func matches(_ text: String, _ pattern: String) -> Bool {
    text.range(of: "^(\(pattern))$", options: .regularExpression) != nil
  }

  /// SPDX identifiers of licenses that the project could have; the repository accepts all of spdx.org/licenses.
  private static let licenses: Set = ["Apache-2.0"]

  private static let names: Set = [
    "Name", "Description", "Author", "SpdxLicenseId", "LicenseUrl", "ReadmeUrl", "Labels", "HomePageUrl",
    "SemanticVersion", "SourceCodeUrl",
  ]
}
