/// Rules about folders and files, so that a reader finds code by their names.
extension Rule {
  static let folders: [Rule] = [
    Rule(
      "at most \(filesOfFolder) Swift files are side by side",
      bad: ["Sources/A/", "Tests/ATests/B/"].map { crowd(filesOfFolder + 1, in: $0) },
      good: crowd(filesOfFolder, in: "Sources/A/").merging(crowd(filesOfFolder, in: "Sources/A/B/")) { $1 }
    ) { repository in
      Dictionary(grouping: repository.swift(under: "Sources/", "Tests/")) { $0.path.prefixOfParts(-1) }
        .filter { $0.value.count > filesOfFolder }.map { "\($0.key): \($0.value.count) files" }.sorted()
    },
    Rule(
      "a file is named after a type that it declares, or Type+Topic after a type that it extends",
      bad: [
        ["Sources/A/Words.swift": "struct Word {}\n"],
        ["Sources/A/Word.swift": "extension Word {}\n"],
        ["Sources/A/Word+Text.swift": "extension Words {}\n"],
        ["Tests/ATests/WordTests.swift": "// struct WordTests {}\nlet a = \"struct WordTests\"\n"],
        ["Tests/ATests/Placeholder.swift": ""],
      ],
      good: [
        "Sources/A/Word.swift": "public struct Word {}\nstruct Other {}\n",
        "Sources/A/Check.swift": "extension Command {\n  struct Check {}\n}\n",
        "Sources/A/Word+Text.swift": "extension Word {}\n",
        "Sources/A/Check+Text.swift": "extension A.Check {}\n",
        "Sources/A/main.swift": "print(1)\n", "Tests/ATests/WordTests.swift": "@Suite struct WordTests {}\n",
      ]
    ) { repository in
      repository.swift(under: "Sources/", "Tests/").compactMap { file in
        let name = file.path.split(separator: "/").last?.dropLast(".swift".count) ?? ""
        guard name != "main", let type = name.split(separator: "+").first.map(String.init) else { return nil }
        let kinds = ["struct", "class", "enum", "actor", "protocol", "typealias"]
        let isFound = file.code.text.lines(holding: type).contains { _, line in
          let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
          guard let last = words.firstIndex(of: Substring(type)), last > 0 else { return false }
          return kinds.contains(String(words[last - 1]))
            || name.contains("+") && words[..<last].contains("extension")
        }
        return isFound ? nil : "\(file.path) has no \(type)"
      }
    },
  ]

  /// The maximum number of Swift files in one folder: our choice, one look at a listing.
  private static let filesOfFolder = 25

  private static func crowd(_ count: Int, in folder: String) -> [String: String] {
    Dictionary(uniqueKeysWithValues: (1...count).map { ("\(folder)T\($0).swift", "struct T\($0) {}\n") })
  }
}

extension String {
  /// The first components of a path; with a negative number, all but the last ones.
  fileprivate func prefixOfParts(_ count: Int) -> String {
    let parts = split(separator: "/")
    return (count < 0 ? parts.dropLast(-count) : parts.prefix(count)).joined(separator: "/")
  }
}
