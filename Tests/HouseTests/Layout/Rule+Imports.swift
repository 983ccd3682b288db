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
      ],
      good: package([
        "Sources/A/A.swift": "import Foundation\n// import B\n", "Sources/B/B.swift": "public import A\n",
        "Tests/ATests/Part/PartTests.swift": "@testable import A\nimport Testing\n",
        "Tests/Fixtures/tool/main.swift": "import A\n",
      ])
    ) { repository in
      let targets = PackageTarget.all(in: repository.files["Package.swift"] ?? "")
      let modules = Set(targets.map(\.name))
      return targets.flatMap { target in
        repository.swift(under: target.folder).flatMap { file in
          file.code.lines.compactMap(importedModule).filter {
            modules.contains($0) && $0 != target.name && !target.dependencies.contains($0)
          }.map { "\(file.path): \($0)" }
        }
      }
    }
  ]

  /// The module that a line imports; `nil` for another line.
  private static func importedModule(_ line: Substring) -> String? {
    let words = line.split(separator: " ")
    guard let place = words.firstIndex(of: "import"), place + 1 < words.count else { return nil }
    let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "let", "var", "typealias"]
    let name = words[(place + 1)...].first { !kinds.contains($0) }
    return name?.split(separator: ".").first.map(String.init)
  }

  /// A package of four targets with these files.
  private static func package(_ files: [String: String]) -> [String: String] {
    files.merging([
      "Package.swift": """
      let targets = [
        functionModule("A", ["C"]),
        .target(name: "B", dependencies: ["A"]),
        .executableTarget(name: "tool", dependencies: ["A"], path: "Tests/Fixtures/tool"),
        tests("ATests", ["A", .product(name: "B", package: "other")]),
      ]
      """
    ]) { $1 }
  }
}
