import Foundation

extension Rule {
  static let all =
    layout + folders + safety + bytes + tests + material + documents + contributing + reference
    + scripts
    + terraform + platforms

  private static let layout: [Rule] = [
    Rule(
      "no group of options contains another one, which debug builds of the parser check four times each time",
      bad: [["Sources/A.swift": "struct A: ParsableArguments {\n  @OptionGroup var b: B\n}\n"]],
      good: [
        "Sources/A.swift": "struct A: ParsableArguments {\n  @Option var b = 1\n}\n",
        "Sources/B.swift": "struct B: ParsableCommand {\n  @OptionGroup var a: A\n}\n",
      ]
    ) { repository in
      repository.swift(under: "Sources/").filter { file in
        [": ParsableArguments", "@OptionGroup"].allSatisfy { file.code.text.holds($0) }
      }.map(\.path)
    },
    Rule(
      "no Swift file of Sources and Tests is longer than 400 lines",
      bad: [["Sources/A/Long.swift": String(repeating: "\n", count: 401)]],
      good: ["Sources/A/Short.swift": String(repeating: "\n", count: 400)]
    ) { repository in
      repository.files(under: "Sources/", "Tests/").compactMap { file in
        let lines = file.path.hasSuffix(".swift") ? file.text.lineEndCount : 0
        return lines > 400 ? "\(file.path): \(lines) lines" : nil
      }
    },
    Rule(
      "no function is longer than 70 lines",
      bad: [
        [
          "Sources/A/F.swift": "func f(_ g: () -> Void = {}) {\n" + String(repeating: "  g()\n", count: 69)
            + "}\n"
        ],
        [
          "Tests/A/F.swift": "  init() throws(E) {\n" + String(repeating: "  if a { b() }\n", count: 70)
            + "}\n"
        ],
      ],
      good: [
        "Sources/A/F.swift": "func f() {\n" + String(repeating: "  g(\"{\")\n", count: 68) + "}\n",
        "Sources/A/P.swift": "protocol P {\n  func f()\n}\n"
          + String(repeating: "let a = { 1 }\n", count: 80),
      ]
    ) { repository in
      repository.swift(under: "Sources/", "Tests/").flatMap { file in
        file.code.functions.filter { $0.lineCount > 70 }.map {
          "\(file.path):\($0.line): \($0.lineCount) lines"
        }
      }
    },
    Rule(
      "files in a function's executable target have at most 60 lines",
      bad: ["bootstrap", "identity-function"].map {
        ["Sources/\($0)/main.swift": String(repeating: "\n", count: 61)]
      },
      good: ["Sources/bootstrap/main.swift": String(repeating: "\n", count: 60)]
    ) { repository in
      repository.files(under: "Sources/bootstrap/", "Sources/identity-function/").compactMap { file in
        let lines = file.text.lineEndCount
        return lines > 60 ? "\(file.path): \(lines) lines" : nil
      }
    },
    Rule(
      "each document has one title",
      bad: [["docs/a.md": "# One\n\n# Two\n"], ["README.md": "No title\n\n```sh\n# a comment\n```\n"]],
      good: ["docs/a.md": "# One\n\n## Part\n\n```sh\n# a comment\n```\n"]
    ) { repository in
      repository.files(under: "").filter { $0.path.hasSuffix(".md") }.compactMap { file in
        let titles = file.text.linesOutsideFences.filter { $0.hasPrefix("# ") }.count
        return titles == 1 ? nil : "\(file.path): \(titles) titles"
      }
    },
  ]

  private static let safety: [Rule] = [
    Rule.words(
      [
        "import Foundation", "import FoundationEssentials", "import Dispatch", "import NIOCore",
        "import Logging",
      ],
      stayOutOf: functionFolders,
      "the function is linked without Foundation, Dispatch, NIO and logging packages",
      bad: functionFolders.map { ["\($0)A.swift": "internal import Foundation\n"] },
      good: [
        "Sources/JSON/A.swift": "// never import Foundation\n",
        "Sources/Templates/A.swift": "import Foundation\n",
      ]),
    Rule.words(
      ["async", "await", "actor", "Task"], stayOutOf: functionFolders,
      "the function is linked without the concurrency runtime",
      bad: functionFolders.map { ["\($0)A.swift": "func f() async {}\n"] },
      good: ["Sources/JOSE/A.swift": "let asynchronous = \"await\"\n"]),
    Rule.words(
      ["unsafe"], stayOutOf: ["Sources/"], except: filesWithUnsafe,
      "unsafe code is only in the listed files",
      bad: [["Sources/JSON/A.swift": "let a = unsafe b\n"], ["Sources/A/B.swift": "@unsafe func f() {}\n"]],
      good: ["Sources/JSON/A.swift": "/* unsafe */ let unsafely = \"unsafe\"\n"]),
    Rule.words(
      ["@unchecked"], stayOutOf: ["Sources/"], except: filesWithUncheckedSendable,
      "unchecked sendability is only in the listed files",
      bad: [["Sources/A/B.swift": "final class C: @unchecked Sendable {}\n"]]),
    Rule(
      "the function's modules compare text with literals as bytes",
      bad: [
        ["Sources/Authorizer/A.swift": "if name == \"aud\" {}\n"],
        ["Sources/identity-function/A.swift": "let a = \"aud\" != name\n"],
      ],
      good: [
        "Sources/Authorizer/A.swift":
          "// name == \"aud\"\nlet a = name.utf8.elementsEqual(\"aud\".utf8) == true\n",
        "Sources/Templates/A.swift": "if name == \"aud\" {}\n",
        "Sources/LambdaRuntime/RuntimeEndpoint.swift": "if $0 == \"/\" {}\n",
      ]
    ) { repository in
      let signs = ["== \"", "!= \"", "\" ==", "\" !="]
      // The code has no literals and the text has comments, so both must contain the comparison.
      let texts = Dictionary(
        uniqueKeysWithValues: repository.files(under: "Sources/").map { ($0.path, $0.text) })
      return functionFolders.flatMap { repository.swift(under: $0) }
        .filter { !filesComparingWords.contains($0.path) }.flatMap { file in
          let compared = Set(file.code.text.lines(holding: ["==", "!="]).map(\.number))
          let lines = compared.isEmpty ? [] : (texts[file.path] ?? "").lines(holding: signs)
          return lines.filter { compared.contains($0.number) }.map { "\(file.path):\($0.number)" }
        }
    },
    Rule(
      "names of members that are constants are plain ASCII: they are written without escapes",
      bad: [
        ["Sources/Authorizer/A.swift": #"writer.name("a\"b")"# + "\n"],
        ["Sources/Authorizer/A.swift": #"line.member("tab\tb", 1)"# + "\n"],
        ["Sources/Identity/A.swift": "self.name(\"café\")\n"],
        ["Sources/DynamoDB/A.swift": "static let name: StaticString = \"日\"\n"],
        ["Sources/FunctionHost/A.swift": #"label("\(name)")"# + "\n"],
      ],
      good: [
        "Sources/Authorizer/A.swift":
          #"writer.name("http://a.example/b c#d")"# + "\n" + #"writer.string("\n")"# + "\n"
      ]
    ) { repository in
      repository.files(under: "Sources/").filter { $0.path.hasSuffix(".swift") }.flatMap { file in
        ["name(", "member(", "label(", ": StaticString = "].flatMap { beginning in
          file.text.lines(holding: beginning + "\"").flatMap { _, line in
            line.literals(after: beginning).filter { !$0.isPlainASCII }.map { "\(file.path): \($0)" }
          }
        }
      }
    },
    Rule(
      "Sources contain no explicit traps",
      bad: ["try! f()", "fatalError()", "a as! B", "preconditionFailure()"].map {
        ["Sources/A/B.swift": "\($0)\n"]
      },
      good: [
        "Sources/A/B.swift": "// try! fatalError( as!\nlet a = \"fatalError(\"; let b = try? f() as? C\n"
      ]
    ) { repository in
      let traps = ["try!", "as!", "fatalError(", "preconditionFailure("]
      return repository.swift(under: "Sources/").flatMap { file in
        file.code.text.lines(holding: traps).map { "\(file.path):\($0.number): \($0.line)" }
      }
    },
  ]

  private static let tests: [Rule] = [
    Rule.words(
      [
        "ContinuousClock", "SuspendingClock", "asyncAfter", "sleep", "usleep", "nanosleep",
        "timeIntervalSinceNow",
        "SO_RCVTIMEO", "SO_SNDTIMEO",
      ],
      stayOutOf: ["Tests/"], except: filesWithRealTime,
      "tests wait for events, with HangLimit as the only time limit",
      bad: [
        ["Tests/A/B.swift": "let end = ContinuousClock.now + .seconds(5)\n"],
        ["Tests/A/B.swift": "try await Task.sleep(for: .milliseconds(10))\n"],
      ],
      good: ["Tests/A/B.swift": "let limit = HangLimit.date // no sleep\nlet command = \"sleep 60\"\n"]),
    Rule(
      "a suite's time limit is HangLimit's",
      bad: [["Tests/A/B.swift": "@Suite(.timeLimit(.minutes(1))) struct B {}\n"]],
      good: ["Tests/A/B.swift": "@Suite(.timeLimit(.minutes(HangLimit.minutes))) struct B {}\n"]
    ) { repository in
      repository.swift(under: "Tests/").flatMap { file in
        file.code.text.lines(holding: ".timeLimit(.").filter { _, line in
          line.replacing(".minutes(HangLimit.minutes)", with: "").contains(".timeLimit(.")
        }.map { "\(file.path):\($0.number)" }
      }
    },
    Rule(
      "TestProgram writes all programs that tests start",
      bad: [
        ["Tests/A/B.swift": "try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)\n"]
      ],
      good: ["Tests/A/B.swift": "try TestProgram.write(text, to: path)\n"]
    ) { repository in
      repository.swift(under: "Tests/").flatMap { file in
        file.code.text.lines(holding: "setAttributes([.posixPermissions: 0o755]").filter { _, line in
          !line.contains("folder.url.path")
        }.map { "\(file.path):\($0.number)" }
      }
    },
  ]

  private static let material: [Rule] = [
    // The words are concatenated, so that this file follows the two rules too.
    Rule(
      "no open tasks in texts",
      bad: [["Sources/A/B.swift": "// TO" + "DO: more\n"], ["README.md": "FIX" + "ME\n"]],
      good: ["README.md": "mastodons\n"]
    ) { repository in
      repository.findings(ofWords: ["TO" + "DO", "FIX" + "ME", "XX" + "X"])
    },
    Rule(
      "no path of a particular machine",
      bad: ["work", "root", "home", "Users"].map { ["Tests/A/B.swift": "let a = \"/" + $0 + "/x\"\n"] },
      good: ["README.md": "../shared/vectors and `LAMBDA_TASK_ROOT` /var/task/\n"]
    ) { repository in
      let folders = ["work", "root", "home", "Users"].map { "/" + $0 + "/" }
      return repository.files(under: "").flatMap { file in
        folders.filter { file.text.holds($0) }.map { "\(file.path): \($0)" }
      }
    },
    Rule(
      "each sample event has an expectation, and each expectation an event",
      bad: [["events/a.json": "{}"], ["events/a.expected.json": "{}"]],
      good: [
        "events/a.json": "{}", "events/a.expected.json": "{}", "events/tokens.json": "{}",
        "events/authorizer.json": "{}", "events/rules/authorizer.json": "{}",
        "events/authorizer.schema.json": "{}", "events/rules/revocations.json": "{}",
      ]
    ) { repository in
      let paths = Set(repository.files(under: "events/").map(\.path))
      let expectations = paths.filter { $0.hasSuffix(".expected.json") }
      let reserved = ["tokens", "authorizer", "authorizer.schema", "revocations"].map { "/\($0).json" }
      let events = paths.subtracting(expectations).filter { path in !reserved.contains { path.hasSuffix($0) }
      }
      let wanted = Set(events.map { String($0.dropLast(".json".count)) + ".expected.json" })
      return wanted.symmetricDifference(expectations).sorted()
    },
    Rule(
      "a test or an event covers each reason code that the code uses",
      bad: [
        ["Sources/JOSE/R.swift": "throw .expired(a)\n", "Tests/A/B.swift": "// not .expired\n"],
        ["Sources/Authorizer/R.swift": "return .invalidEvent\n", "events/a.json": "\"invalidEvent\""],
      ],
      good: [
        "Sources/JOSE/R.swift": "throw .expired; throw .tooOld\n", "Tests/A/B.swift": "f(.expired)\n",
        "events/a.expected.json": "\"tooOld\"", "Sources/A/ReasonCode.swift": "case .noRule:\n",
      ]
    ) { repository in
      // The list of codes itself contains every code, also unused ones.
      let code = repository.swift(under: "Sources/").filter {
        !$0.path.hasSuffix("/ReasonCode.swift")
      }
      .map(\.code.text)
      let tests = repository.swift(under: "Tests/").map(\.code.text)
      let events = repository.files(under: "events/").filter { $0.path.hasSuffix(".expected.json") }.map(
        \.text)
      return reasonCodes.filter { reason in
        let given = code.contains { $0.holdsWord("." + reason) }
        return given && !tests.contains { $0.holdsWord(reason) } && !events.contains { $0.holdsWord(reason) }
      }
    },
  ]
}

extension Repository {
  fileprivate func findings(ofWords words: [String]) -> [String] {
    files(under: "").flatMap { file in
      words.filter { file.text.holdsWord($0) }.map { "\(file.path): \($0)" }
    }
  }
}

extension String {
  var linesOutsideFences: [Substring] {
    var isFenced = false
    return allLines.filter { line in
      if line.hasPrefix("```") { isFenced.toggle() }
      return !isFenced
    }
  }
}

extension Substring {
  /// The texts of the literals directly after each `beginning`, as they are written.
  fileprivate func literals(after beginning: String) -> [String] {
    components(separatedBy: beginning + "\"").dropFirst().map { rest in
      var isEscaped = false
      return String(
        rest.prefix { character in
          defer { isEscaped = character == "\\" && !isEscaped }
          return character != "\"" || isEscaped
        })
    }
  }
}

extension String {
  /// Whether this text of a literal is visible ASCII and spaces, without an escape.
  fileprivate var isPlainASCII: Bool { utf8.allSatisfy { 0x20..<0x7F ~= $0 && $0 != 0x5C } }
}
