/// Rules about references in documents.
extension Rule {
  static let documents: [Rule] = [
    Rule(
      "each link in a document has an existing target file and heading",
      bad: [
        ["README.md": "# A\n\n[b](docs/b.md)\n"],
        ["README.md": "# A\n\n[b](docs/b.md#part-two)\n", "docs/b.md": "# B\n\n## Part one\n"],
        ["docs/a.md": "# A\n\n[part](#parts)\n\n## Part\n"],
      ],
      good: [
        "README.md": "# A\n\n[b](docs/b.md#part-one-b-and-c) [there](https://example.com/#x) [docs](docs)\n",
        "docs/b.md": "# B\n\n[up](../README.md) [here](#part-one-b-and-c)\n\n## Part one: `b`, and c\n",
      ]
    ) { repository in
      repository.documents.flatMap { document in
        document.text.linkTargets.filter { !repository.has($0, from: document.path) }.map {
          "\(document.path): \($0)"
        }
      }
    },
    Rule(
      "each test named in a document exists",
      bad: [
        ["docs/a.md": "# A\n\n`KeyTests.good`\n"],
        ["docs/a.md": "# A\n\n`KeyTests.good`\n", "Tests/A/KeyTests.swift": "func goodKeys() {}\n"],
      ],
      good: [
        "docs/a.md": "# A\n\n`KeyTests.good`, `Key.good`\n",
        "Tests/A/KeyTests.swift": "@Test func good() {}\n",
      ]
    ) { repository in
      // Two modules may have suites with the same name.
      let tests = Dictionary(grouping: repository.swift(under: "Tests/")) { file in
        file.path.lastPart.dropLast(".swift".count)
      }
      return repository.documents.flatMap { document in
        document.text.namedTests.filter { name in
          let parts = name.split(separator: ".")
          return !(tests[parts[0]] ?? []).contains { file in
            file.code.text.holds("func \(parts[1])(")
          }
        }.map { "\(document.path): \($0)" }
      }
    },
    Rule(
      "each file of Sources and Tests named in a document exists",
      bad: [
        ["docs/a.md": "# A\n\n`Sources/A/B.swift`\n"],
        ["docs/a.md": "# A\n\n`A/C.swift`\n", "Sources/A/B.swift": "", "Sources/AA/C.swift": ""],
      ],
      good: [
        "docs/a.md": "# A\n\n`Sources/A/B.swift` `Sources/A` `Tests` `A/B.swift` `B.swift` `…B.swift`\n",
        "Sources/A/B.swift": "", "Tests/A.swift": "",
      ]
    ) { repository in
      repository.documents.flatMap { document in
        document.text.codeWords.filter { word in
          if word.hasPrefix("Sources/") || word.hasPrefix("Tests/") { return !repository.holds(word) }
          let end = word.hasPrefix("…") ? String(word.dropFirst()) : "/" + word
          return word.hasSuffix(".swift") && !repository.files.keys.contains { ("/" + $0).hasSuffix(end) }
        }.map { "\(document.path): \($0)" }
      }
    },
    Rule(
      "each rule of a standard names its file and its test",
      bad: [
        [
          "docs/contributing/standards.md":
            "# A\n\n- r (RFC): `KeyTests.good`\n"
        ],
        [
          "docs/contributing/standards.md":
            "# A\n\n- r (RFC): `Sources/A.swift`\n"
        ],
      ],
      good: [
        "docs/contributing/standards.md":
          "# A\n\n- r (RFC): `Sources/A.swift`, `KeyTests.good`\n"
      ]
    ) { repository in
      repository.files(under: "docs/contributing/standards.md").flatMap { document in
        document.text.linesOutsideFences.filter { line in
          line.hasPrefix("- ")
            && (String(line).namedTests.isEmpty
              || !String(line).codeWords.contains { $0.hasPrefix("Sources/") })
        }.map { "\(document.path): \($0)" }
      }
    },
  ]
}

extension Repository {
  fileprivate var documents: [(path: String, text: String)] {
    files(under: "").filter { $0.path.hasSuffix(".md") }
  }

  /// Whether a path is a file, or a folder with files.
  fileprivate func holds(_ path: String) -> Bool {
    let folder = path.hasSuffix("/") ? path : path + "/"
    return files[path] != nil || files.keys.contains { $0.hasPrefix(folder) }
  }

  fileprivate func has(_ target: String, from document: String) -> Bool {
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    var folders = document.split(separator: "/").dropLast().map(String.init)
    for part in parts[0].split(separator: "/") {
      if part == ".." { _ = folders.popLast() } else { folders.append(String(part)) }
    }
    let path = parts[0].isEmpty ? document : folders.joined(separator: "/")
    guard holds(path) else { return false }
    return parts.count < 2 || files[path]?.anchors.contains(parts[1]) == true
  }
}

extension String {
  fileprivate var lastPart: Substring { split(separator: "/").last ?? "" }

  /// The texts in backquotes outside fences.
  fileprivate var codeWords: [String] {
    linesOutsideFences.flatMap { line in
      line.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
        .map { String($0.element) }
    }
  }

  /// The names of tests such as `KeyTests.good`: a suite's file and one of its functions.
  fileprivate var namedTests: [String] {
    codeWords.filter { word in
      let parts = word.split(separator: ".", omittingEmptySubsequences: false)
      return parts.count == 2 && parts[0].hasSuffix("Tests") && !parts[1].isEmpty && parts[1] != "swift"
        && !word.contains { " /*".contains($0) }
    }
  }

  /// The targets of links within this repository.
  fileprivate var linkTargets: [String] {
    linesOutsideFences.flatMap { line in
      line.split(separator: "](", omittingEmptySubsequences: false).dropFirst()
        .compactMap { $0.split(separator: ")", omittingEmptySubsequences: false).first.map(String.init) }
    }.filter { !$0.contains("://") && !$0.isEmpty }
  }

  /// The anchors of the headings on a web page: lower case, digits, hyphens for spaces.
  fileprivate var anchors: Set<String> {
    Set(
      linesOutsideFences.filter { $0.hasPrefix("#") }.map { line in
        line.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
          .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == " " }
          .replacing(" ", with: "-")
      })
  }
}
