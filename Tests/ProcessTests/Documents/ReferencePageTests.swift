import Foundation
import JSON
import Testing

/// The generated pages of `docs/reference` match the program. `make docs` writes them.
@Suite(.serialized)
struct ReferencePageTests {
  @Test("configuration.md matches the schemas")
  func configuration() async throws {
    var files: [(name: String, schema: JSONTree)] = []
    for (name, flags) in [("authorizer.json", []), ("identity.json", ["--identity"])] {
      let answer = try await Workshop().run(["config", "schema"] + flags)
      files.append((name, try JSONTree(parsing: Array(answer.output.utf8), limits: .event)))
    }
    try Self.hold(
      "configuration.md",
      """
      # Configuration

      \(Self.origin("authorizer-local config schema"))

      Every field of `authorizer.json`, the configuration of the authorizer, and of `identity.json`, that of the
      identity function. An unknown field or an empty list is an error. `authorizer-local config check FILE` reports
      every problem with its path. Environment variables are in [environment.md](environment.md), fixed limits in
      [limits.md](limits.md).

      \(ConfigurationReference.text(files))
      """)
  }

  @Test("commands.md matches the help")
  func commands() async throws {
    let answer = try await Workshop().run(["--experimental-dump-help"])
    let dump = try JSONTree(parsing: Array(answer.output.utf8), limits: .event)
    try Self.hold(
      "commands.md",
      """
      # Commands

      \(Self.origin("authorizer-local --help"))

      `authorizer-local COMMAND --help` prints the options of a command, examples and exit codes. Expectations are described in [harness/tests.md](../harness/tests.md), `tokens.json` in
      [tokens.md](tokens.md).

      \(CommandReference.text(dump))
      """)
  }

  /// Fields of a schema without a description, a default or a limit would be incomplete on the page.
  @Test(
    "every member of the schemas has a description, every number has limits and every switch has a default")
  func completeness() async throws {
    for flags in [[], ["--identity"]] {
      let answer = try await Workshop().run(["config", "schema"] + flags)
      let schema = try JSONTree(parsing: Array(answer.output.utf8), limits: .event)
      #expect(Self.gaps(schema, path: "") == [])
    }
  }

  @Test("the schema and the function have the same limits", .needsBootstrap)
  func limits() async throws {
    let answer = try await Workshop().run(["config", "schema"])
    let schema = try JSONTree(parsing: Array(answer.output.utf8), limits: .event)
    let numbers = Self.numbers(schema, path: [])
    #expect(numbers.count >= 15)
    for number in numbers {
      for (value, isGood) in [
        (number.minimum - 1, false), (number.minimum, true), (number.maximum, true),
        (number.maximum + 1, false),
      ] {
        let problems = try await Self.problems(setting: number.path, to: value)
        let isRefused = problems.contains(number.path.last ?? "")
        #expect(isRefused != isGood, "\(number.path) \(value): \(problems)")
      }
    }
  }

  // MARK: Means

  private static func origin(_ command: String) -> String {
    "`make docs` writes this page from `\(command)`. Change the program, not the page."
  }

  /// Compares a page line by line, or writes it if `UPDATE_REFERENCE=1`.
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
    let changes = trimmed(lines).difference(from: trimmed(page)).map { change in
      switch change {
      case .insert(_, let line, _): "missing: \(line)"
      case .remove(_, let line, _): "unexpected: \(line)"
      }
    }
    #expect(
      changes.isEmpty,
      "\(name) is outdated in \(changes.count) lines, run make docs; \(changes.first ?? "")")
  }

  /// Returns members without a description, numbers without limits, and switches without a default.
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
        // If absence is a third state, the member has no default, and its description explains the absence.
        let explainsAbsence = member.value["description"]?.text?.contains(" Absent: ") == true
        if member.value["type"] == .string("boolean") || member.name == "proofOfPossession",
          member.value["default"] == nil, !explainsAbsence
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

  /// Returns the integers with limits, each with its path; `[]` is the first element of a list.
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
    if case .array(let choices)? = schema["oneOf"] {
      numbers += choices.flatMap { Self.numbers($0, path: path) }
    }
    return numbers
  }

  /// Returns the output of `config check` for a configuration with this one number.
  private static func problems(setting path: [String], to value: Int) async throws -> String {
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
    return try await workshop.run(["config", "check", "authorizer.json"]).output
  }
}
