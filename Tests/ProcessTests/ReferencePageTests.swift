import Foundation
import JSON
import Testing

/// The generated pages of `docs/reference` say what the program says now. `make docs` writes them.
@Suite(.serialized)
struct ReferencePageTests {
  @Test("configuration.md is what the schemas say")
  func configuration() throws {
    let sections = try [("authorizer.json", [String]()), ("identity.json", ["--identity"])].map {
      file, flags in
      let answer = try Workshop().run(["config", "schema"] + flags)
      return ConfigurationReference.text(
        file: file, schema: try JSONTree(parsing: Array(answer.output.utf8), limits: .event))
    }
    try Self.hold(
      "configuration.md",
      """
      # Configuration

      \(Self.origin("authorizer-local config schema"))

      Every member of `authorizer.json`, which configures the authorizer, and of `identity.json`, which configures the
      function for sign-in. An unknown member is refused. `authorizer-local config check FILE` reports every problem with
      its path. The short form and all other variables are in [environment.md](environment.md). What does not depend on
      the configuration is in [limits.md](limits.md).

      `–` in the column *default* means none, unless the meaning says another. `–` in the column *limits* means none of its own.

      \(sections.joined(separator: "\n"))
      """)
  }

  @Test("commands.md is what the help says")
  func commands() throws {
    let answer = try Workshop().run(["--experimental-dump-help"])
    let dump = try JSONTree(parsing: Array(answer.output.utf8), limits: .event)
    try Self.hold(
      "commands.md",
      """
      # Commands

      \(Self.origin("authorizer-local --help"))

      Every command of `authorizer-local`, with its arguments. `--help` prints the same for one command. The format of
      expectations is in [harness/tests.md](../harness/tests.md), that of `tokens.json` in [tokens.md](tokens.md).

      \(CommandReference.text(dump))
      """)
  }

  /// A schema without a default or a limit would make a page without them.
  @Test("every member of the schemas has a meaning, every number its limits and every switch its default")
  func completeness() throws {
    for flags in [[], ["--identity"]] {
      let answer = try Workshop().run(["config", "schema"] + flags)
      let schema = try JSONTree(parsing: Array(answer.output.utf8), limits: .event)
      #expect(Self.gaps(schema, path: "") == [])
    }
  }

  @Test(
    "the limits of the schema are those of the function",
    .enabled(if: Workshop.hasBootstrap, "make bootstrap builds dist/bootstrap"))
  func limits() throws {
    let answer = try Workshop().run(["config", "schema"])
    let schema = try JSONTree(parsing: Array(answer.output.utf8), limits: .event)
    let numbers = Self.numbers(schema, path: [])
    #expect(numbers.count >= 13)
    for number in numbers {
      for (value, isGood) in [
        (number.minimum - 1, false), (number.minimum, true), (number.maximum, true),
        (number.maximum + 1, false),
      ] {
        let problems = try Self.problems(setting: number.path, to: value)
        let isRefused = problems.contains(number.path.last ?? "")
        #expect(isRefused != isGood, "\(number.path) \(value): \(problems)")
      }
    }
  }

  // MARK: Means

  private static func origin(_ command: String) -> String {
    "`make docs` writes this page from `\(command)`. Change the program, not the page."
  }

  /// Compares a page line by line, or writes it where `UPDATE_REFERENCE=1` asks for that.
  private static func hold(_ name: String, _ text: String) throws {
    let file = Workshop.packageRoot.appendingPathComponent("docs/reference/\(name)")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if ProcessInfo.processInfo.environment["UPDATE_REFERENCE"] == "1" {
      try Data((text.trimmingCharacters(in: .newlines) + "\n").utf8).write(to: file)
      return
    }
    let page = try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    func trimmed(_ lines: [String]) -> [String] { Array(lines.reversed().drop { $0.isEmpty }.reversed()) }
    for change in trimmed(lines).difference(from: trimmed(page)) {
      switch change {
      case .insert(_, let line, _): Issue.record("\(name) lacks, make docs writes: \(line)")
      case .remove(_, let line, _): Issue.record("\(name) has what the program does not say: \(line)")
      }
    }
  }

  /// Members without a meaning, numbers without limits, and words and switches without a default.
  private static func gaps(_ schema: JSONTree, path: String) -> [String] {
    var gaps: [String] = []
    if case .object(let members)? = schema["properties"] {
      for member in members {
        let place = path + "." + member.name
        let isReference = member.value["$ref"] != nil
        let isMatcher = ["exists", "contains"].contains(member.name)
        let isKindOfEvent = ["rest", "http1", "http2", "webSocket"].contains(member.name)
        guard !isReference, !isMatcher, !isKindOfEvent else { continue }
        if member.value["description"] == nil { gaps.append(place + " has no description") }
        if member.value["type"] == .string("integer"),
          member.value["minimum"] == nil || member.value["maximum"] == nil
        {
          gaps.append(place + " has no limits")
        }
        // Where absence is a third state, no value of the member is its default, and the description tells of it.
        let tellsOfAbsence = member.value["description"]?.text?.contains(" Absent: ") == true
        if member.value["type"] == .string("boolean") || member.name == "proofOfPossession",
          member.value["default"] == nil, !tellsOfAbsence
        {
          gaps.append(place + " has no default")
        }
      }
    }
    switch schema {
    case .object(let members):
      gaps += members.flatMap { member in
        Self.gaps(member.value, path: member.name == "properties" ? path : path + "/" + member.name)
      }
    case .array(let elements): gaps += elements.flatMap { Self.gaps($0, path: path) }
    default: break
    }
    return gaps
  }

  private struct Number {
    let path: [String]
    let minimum: Int
    let maximum: Int
  }

  /// Whole numbers with limits, each with the names that lead to it; `[]` is the first element of a list.
  private static func numbers(_ schema: JSONTree, path: [String]) -> [Number] {
    var numbers: [Number] = []
    if let least = schema["minimum"], let most = schema["maximum"], case .number(let low) = least,
      case .number(let high) = most, let minimum = Int(low), let maximum = Int(high)
    {
      numbers.append(Number(path: path, minimum: minimum, maximum: maximum))
    }
    if case .object(let members)? = schema["properties"] {
      numbers += members.flatMap { Self.numbers($0.value, path: path + [$0.name]) }
    }
    if let items = schema["items"] { numbers += Self.numbers(items, path: path + ["[]"]) }
    return numbers
  }

  /// What `config check` says about a configuration with this one number.
  private static func problems(setting path: [String], to value: Int) throws -> String {
    let workshop = try Workshop()
    var issuer = #"{"preset":"apple","audiences":["a"]}"#
    var text = ""
    let wrapped = path.reversed().reduce("\(value)") { inner, name in
      name == "[]" ? inner : "{\"\(name)\":\(inner)}"
    }
    if path.first == "issuers" {
      let member = wrapped.dropFirst(#"{"issuers":{"#.utf8.count).dropLast(2)
      issuer = #"{"preset":"apple","audiences":["a"],\#(member)}"#
      text = #"{"issuers":[\#(issuer)]}"#
    } else {
      text = #"{"issuers":[\#(issuer)],\#(wrapped.dropFirst().dropLast())}"#
    }
    try workshop.write(text, to: "authorizer.json")
    return try workshop.run(["config", "check", "authorizer.json"]).output
  }
}
