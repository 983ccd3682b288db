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
    }
  ]
}
