import Foundation

/// Rules about the scripts.
extension Rule {
  static let scripts: [Rule] = [
    Rule(
      "a text that a check counts with grep -cF in the output of a program occurs in Sources",
      bad: [
        [
          "scripts/check-a": "starts=$(grep -cF 'an old text' \"$2\")\n",
          "Sources/A/A.swift": "let text = \"a new text\"\n",
        ]
      ],
      good: [
        "scripts/check-a": "starts=$(grep -cF 'a new text' \"$2\")\ngrep -q 'another text' log\n",
        "Sources/A/A.swift": "let text = \"this is a new text\"\n",
      ]
    ) { repository in
      let sources = repository.files(under: "Sources/")
      return repository.files(under: "scripts/check-").flatMap { script in
        script.text.components(separatedBy: "grep -cF '").dropFirst().compactMap { rest -> String? in
          let text = rest.prefix { $0 != "'" }
          return sources.contains { $0.text.contains(text) } ? nil : "\(script.path): \(text)"
        }
      }
    },
    Rule(
      "each package of the manifest is pinned in its version, and no version is a range",
      bad: [
        [
          "Package.swift": ".package(url: \"https://github.com/a/B\", exact: \"1.2.3\"),\n",
          "scripts/packages.pins": "# a/B 1.2.3 -\na/B 1.2.4 -\n",
        ],
        ["Package.swift": ".package(url: \"https://github.com/a/B\", exact: \"1.2.3\")\n"],
        [
          "Package.swift": ".package(url: \"https://github.com/a/B\", from: \"1.2.3\"),\n",
          "scripts/packages.pins": "a/B 1.2.3 -\n",
        ],
      ],
      good: [
        "Package.swift": """
        .package(url: "https://github.com/a/B", exact: "1.2.3", traits: []),
        .package(url: "https://github.com/a/c.git", exact: "2.0.0"),
        """, "scripts/packages.pins": "# Pins\n\na/B 1.2.3 0123\na/c 2.0.0 -\na/d 1.0.0 -\n",
      ]
    ) { repository in
      let pins = (repository.files["scripts/packages.pins"] ?? "").split(separator: "\n")
      let packages = (repository.files["Package.swift"] ?? "").matches(
        of: /\.package\(url: "https:\/\/github\.com\/([^"]+?)(?:\.git)?", (\w+): "([^"]+)"/)
      return packages.filter { package in
        package.2 != "exact" || !pins.contains { $0.hasPrefix("\(package.1) \(package.3) ") }
      }.map { String($0.0) }
    },
  ]
}
