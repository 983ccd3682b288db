/// Rules that compare the reference pages with the code.
extension Rule {
  static let reference: [Rule] = [
    Rule(
      "each number in docs/reference/limits.md equals the constant named in its row",
      bad: [
        ["docs/reference/limits.md": "| token | 16 bytes | `Token.most` |\n"],
        [
          "docs/reference/limits.md": "| token | 17 bytes | `Token.most` |\n",
          "Sources/A/Token.swift": "struct Token {\n  static let most = 1 << 4\n}\n",
        ],
        [
          "docs/reference/limits.md": "| token | 1 to 300 s | `Token.most` |\n",
          "Sources/A/Token.swift": "struct Token {\n  static let most = 1...30\n}\n",
        ],
      ],
      good: [
        "docs/reference/limits.md":
          "| what | limit | constant |\n|---|---|---|\n| a | 1,024; 16 | `Token.both` |\n| b | 60 s | `Token.most` |\n",
        "Sources/A/Token.swift":
          "public struct Token {\n  static let both = Limits(bytes: 1 << 10, depth: 16)\n  static let most: Int64 = 2 * 30\n}\n",
      ]
    ) { repository in
      repository.files(under: "docs/reference/limits.md").flatMap { page in
        page.text.split(separator: "\n").filter { $0.hasPrefix("| ") && $0.contains("`") }.compactMap { row in
          let cells = row.split(separator: "|").map { String($0) }
          guard cells.count == 3, let name = cells[2].quotedWords.first else {
            return "\(row): not three cells"
          }
          guard let found = repository.numbers(ofConstant: name) else { return "\(name): no such constant" }
          let listed = cells[1].wholeNumbers
          return listed == found ? nil : "\(name): \(found), but the page has \(listed)"
        }
      }
    },
    Rule(
      "docs/reference/environment.md lists exactly the variables that the functions and authorizer-local read",
      bad: [
        ["docs/reference/environment.md": "| `AUTHORIZER_A` | a |\n"],
        [
          "docs/reference/environment.md": "# A\n",
          "Sources/Authorizer/A.swift": "let a = source.variable(\"AUTHORIZER_B\")\n",
        ],
        [
          "docs/reference/environment.md": "# A\n",
          "Sources/authorizer-local/A.swift": "let a = \"AUTHORIZER_LOCAL_B\"\n",
        ],
      ],
      good: [
        "docs/reference/environment.md": "| `AUTHORIZER_B` | a |\n| `AUTHORIZER_LOCAL_B` | a |\n",
        "Sources/Authorizer/A.swift": "let a = source.variable(\"AUTHORIZER_B\"), b = \"OTHER_B\"\n",
        "Sources/authorizer-local/A.swift": "let a = \"AUTHORIZER_LOCAL_B\", b = \"AUTHORIZER_C\"\n",
      ]
    ) { repository in
      guard let page = repository.files["docs/reference/environment.md"] else { return [] }
      let listed = Set(
        page.split(separator: "\n").filter { $0.hasPrefix("| `") }.compactMap {
          String($0.split(separator: "|")[0]).quotedWords.first
        })
      let families = [
        "AUTHORIZER_", "IDENTITY_", "AWS_", "SSL_", "LD_LIBRARY_PATH", "LAMBDA_TASK_ROOT", "_LAMBDA_",
      ]
      func variables(_ folder: String, _ families: [String]) -> [String] {
        repository.files(under: folder).flatMap { file in
          families.flatMap { family in
            file.text.offsets(of: "\"" + family).map { offset in
              file.text[file.text.index(atOffset: offset + 1)...].prefix { $0 != "\"" }
            }
          }.filter { word in
            !word.hasSuffix("_") && word.allSatisfy { $0.isUppercase || $0.isNumber || $0 == "_" }
          }.map(String.init)
        }
      }
      let read = functionFolders.flatMap { variables($0, families) }
      let own = variables("Sources/authorizer-local/", ["AUTHORIZER_LOCAL_", "XDG_"])
      return listed.symmetricDifference(read + own).sorted()
    },
    Rule(
      "the map docs/README.md links every page of docs",
      bad: [["docs/README.md": "# Map\n\n[a](a.md)\n", "docs/a.md": "# A\n", "docs/deep/b.md": "# B\n"]],
      good: [
        "docs/README.md": "# Map\n\n[a](a.md) [b](deep/b.md#part)\n", "docs/a.md": "# A\n",
        "docs/deep/b.md": "# B\n",
      ]
    ) { repository in
      guard let map = repository.files["docs/README.md"] else { return [] }
      return repository.files(under: "docs/").map(\.path).filter { path in
        let name = path.dropFirst("docs/".count)
        return path.hasSuffix(".md") && name != "README.md" && !map.contains("](\(name))")
          && !map.contains("](\(name)#")
      }
    },
  ]
}

extension Repository {
  /// The numbers in the value of `Type.name`, in order; `nil` if no file declares it.
  fileprivate func numbers(ofConstant constant: String) -> [Int]? {
    let parts = constant.split(separator: ".")
    guard parts.count == 2 else { return nil }
    let declaration = "static let \(parts[1])"
    for (_, text) in files(under: "Sources/")
    where text.holds(declaration) && text.declares(type: String(parts[0])) {
      let lines = text.split(separator: "\n")
      guard let line = lines.first(where: { $0.contains(declaration) && $0.contains("=") }),
        let value = line.split(separator: "=", maxSplits: 1).last
      else { continue }
      return String(value).evaluatedNumbers
    }
    return nil
  }
}

extension String {
  fileprivate func declares(type: String) -> Bool {
    ["struct", "enum", "class", "extension"].contains { kind in
      contains("\(kind) \(type) ") || contains("\(kind) \(type):") || contains("\(kind) \(type)<")
    }
  }

  fileprivate var quotedWords: [String] {
    split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element) }
  }

  /// `16,384 bytes; 16` is 16384 and 16.
  fileprivate var wholeNumbers: [Int] {
    filter { $0 != "," }.split { !$0.isNumber }.compactMap { Int($0) }
  }

  /// `f(a: 16 << 10, b: 2 * 3)` is 16384 and 6.
  fileprivate var evaluatedNumbers: [Int] {
    var numbers: [Int] = []
    var operation: String?
    let words = filter { $0 != "_" }.replacing("...", with: " to ").split { " (),".contains($0) }
    for word in words {
      if let number = Int(word) {
        switch (operation, numbers.last) {
        case ("<<", let left?): numbers[numbers.count - 1] = left << number
        case ("*", let left?): numbers[numbers.count - 1] = left * number
        default: numbers.append(number)
        }
        operation = nil
      } else {
        operation = String(word)
      }
    }
    return numbers
  }
}
