/// A rule about the manifest: a module that a target imports without naming it may be compiled after the target, so
/// that a build fails or not by chance.
extension Rule {
  static let imports: [Rule] = [
    Rule(
      "a target names each module of the package that it imports",
      bad: [
        package(["Sources/A/A.swift": "internal import B\n"]),
        package(["Tests/ATests/ATests.swift": "import A\n@testable import B\n"]),
        package(["Tests/Fixtures/tool/main.swift": "import struct B.Word\n"]),
        package(["Sources/A/A.swift": "import Foundation; import\t`B`\n"]),
        package(["Tests/ATests/ATests.swift": "@testable import a_tool\n"]),
      ],
      good: package([
        "Sources/A/A.swift": "import Foundation\n// import B\n", "Sources/B/B.swift": "public import A\n",
        "Tests/ATests/Part/PartTests.swift": "@testable import A\nimport Testing\n",
        "Tests/Fixtures/tool/main.swift": "import A\n",
      ])
    ) { repository in
      let targets = PackageTarget.all(in: repository.files["Package.swift"] ?? "")
      let modules = Dictionary(targets.map { ($0.module, $0.name) }) { first, _ in first }
      return targets.flatMap { target in
        repository.swift(under: target.folder).flatMap { file in
          file.code.lines.flatMap { $0.split(separator: ";") }.compactMap(importedModule)
            .compactMap { modules[$0] }
            .filter { $0 != target.name && !target.dependencies.contains($0) }.map { "\(file.path): \($0)" }
        }
      }
    }
  ]

  /// The module that a statement imports; `nil` for another statement.
  private static func importedModule(_ statement: Substring) -> String? {
    let words = statement.split(whereSeparator: \.isWhitespace)
    guard let place = words.firstIndex(of: "import"), place + 1 < words.count else { return nil }
    let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "let", "var", "typealias"]
    let name = words[(place + 1)...].first { !kinds.contains($0) }
    return name?.split(separator: ".").first.map { String($0.filter { $0 != "`" }) }
  }

  /// A package of five targets with these files.
  private static func package(_ files: [String: String]) -> [String: String] {
    files.merging([
      "Package.swift": """
      let targets = [
        functionModule("A", ["C"]),
        .target(name: "B", dependencies: ["A"]),
        .executableTarget(name: "tool", dependencies: ["A"], path: "Tests/Fixtures/tool"),
        .executableTarget(name: "a-tool", dependencies: ["B"]),
        // No "B" for these.
        tests(
          "ATests",
          [
            "A",
            .product(
              name: "B", package: "other", condition: .when(platforms: [.linux])),
          ], exclude: ["B"]),
      ]
      """
    ]) { $1 }
  }
}
