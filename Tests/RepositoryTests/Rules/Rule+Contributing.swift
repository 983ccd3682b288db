import FoundationEssentials

/// Rules about what contributors and readers rely on.
extension Rule {
  /// The words of all English pages together. Less is read more often.
  static let maximumWords = 60_000

  static let contributing: [Rule] = [
    Rule(
      "each file of a list in CONTRIBUTING.md names the list's example",
      bad: [
        [
          "CONTRIBUTING.md": "## Add\n\nExample: `supabase`.\n\n1. `Sources/A.swift`: the case\n",
          "Sources/A.swift": "auth0",
        ],
        ["CONTRIBUTING.md": "## Add\n\n1. `Sources/A.swift`: the case\n", "Sources/A.swift": "auth0"],
        ["CONTRIBUTING.md": "## Add\n\nExample: `supabase`.\n"],
      ],
      good: [
        "CONTRIBUTING.md": "## Add\n\nExample: `supabase`. More.\n\n1. `Sources/A.swift`: the case\n",
        "Sources/A.swift": "case supabase",
      ]
    ) { repository in
      recipes(repository.files["CONTRIBUTING.md"] ?? "").flatMap { recipe in
        guard let example = recipe.example, !recipe.files.isEmpty else {
          return ["\(recipe.title): no example or files"]
        }
        return recipe.files.filter { repository.files[$0]?.contains(example) != true }.map {
          "\(recipe.title): \($0) does not name \(example)"
        }
      }
    },
    Rule(
      "a preset is named in the files of CONTRIBUTING.md only",
      bad: [
        [
          "CONTRIBUTING.md": "## Add a preset\n\nExample: `supabase`.\n\n1. `Sources/A.swift`: the case\n",
          "Sources/A.swift": "case supabase", "Sources/B.swift": "case .supabase: true",
        ]
      ],
      good: [
        "CONTRIBUTING.md": "## Add a preset\n\nExample: `supabase`.\n\n1. `Sources/A.swift`: the case\n",
        "Sources/A.swift": "case supabase",
        "Sources/B.swift": "// supabase has an example in its documentation",
      ]
    ) { repository in
      recipes(repository.files["CONTRIBUTING.md"] ?? "").filter { $0.title == "Add a preset" }.flatMap {
        recipe in
        repository.swift(under: "Sources/").filter { file in
          !recipe.files.contains(file.path)
            && file.code.text.holds(recipe.example ?? "")
        }.map { "\(recipe.title): \($0.path) is missing" }
      }
    },
    Rule(
      "all pages together have at most \(maximumWords) words",
      bad: [["docs/a.md": String(repeating: "word ", count: maximumWords + 1)]],
      good: [
        "docs/a.md": String(repeating: "word ", count: maximumWords),
        "README.ja.md": "in another language, which has no words between spaces",
      ]
    ) { repository in
      let words = repository.files.filter { $0.key.hasSuffix(".md") && !$0.key.hasSuffix(".ja.md") }
        .reduce(0) { $0 + $1.value.split { $0 == " " || $0 == "\n" }.count }
      return words > maximumWords ? ["\(words) words"] : []
    },
  ]

  private typealias Recipe = (title: String, example: String?, files: [String])

  /// The sections of a page that begin with `## Add`, each with its example and the files of its numbered list.
  private static func recipes(_ page: String) -> [Recipe] {
    page.components(separatedBy: "\n## ").flatMap { $0.hasPrefix("## ") ? [String($0.dropFirst(3))] : [$0] }
      .filter { $0.hasPrefix("Add") }.map { section in
        let lines = section.split(separator: "\n")
        let example = lines.first { $0.hasPrefix("Example: `") }?.split(separator: "`")
        let files = lines.filter { $0.first?.isNumber == true && $0.contains(". `") }
          .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        return (String(lines.first ?? ""), example.flatMap { $0.count > 1 ? String($0[1]) : nil }, files)
      }
  }
}
