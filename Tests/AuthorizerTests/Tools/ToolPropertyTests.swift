import Foundation
import JSON
import TestSupport
import Testing

@testable import Authorizer

/// Random rules with names, requests and claims: the authorizer decides as a second evaluator does, and never grants a
/// tool whose rule is not met.
@Suite("Rules for tools, with random cases")
struct ToolPropertyTests {
  /// The decisions to compare. `TOOL_CASES` sets another number.
  static let cases = ProcessInfo.processInfo.environment["TOOL_CASES"].flatMap { Int($0) } ?? 10_000
  private static let callers = 30
  private static let requestsForOneConfiguration = 25

  @Test("each decision, its reason and the callable tools are those of the second evaluator")
  func agrees() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let callers = try (0..<Self.callers).map { _ in try Caller(&random) }
    var counts: [String: Int] = [:]
    var done = 0
    while done < Self.cases {
      let rules = RandomToolRules.rules(&random)
      let text = String(decoding: rules.bytes(), as: UTF8.self)
      var authorizer = try TestRules.authorizer(
        #""gatewayCache":"off","verdictCache":16,"default":"deny","rules":\#(text)"#)
      for _ in 0..<Self.requestsForOneConfiguration {
        done += 1
        let caller = callers[Int.random(in: callers.indices, using: &random)]
        let request = RandomToolRequest(&random)
        let expected = TableTools.answer(
          ToolCase(
            rules: rules, verb: request.verb, path: request.path, headers: request.shown,
            requirement: { caller.answer(to: $0) }))
        let decision = authorizer.decide(
          on: TestMCP.event(
            request.kind, on: request.verb + request.path, request.lines, token: caller.token),
          at: TestIssuers.now)
        let context = try decision.context()
        let found = ToolAnswer(
          isAllowed: decision.outcome == .allowed, reason: decision.reason?.rawValue,
          callableTools: try Self.tools(context))
        counts[found.reason ?? "allowed", default: 0] += 1
        // The lists are alike on all paths with tools, and absent on others.
        let isAlike =
          found == expected && (context["mcpToolRules"] != nil) == Self.guards(rules, request.path)
        #expect(isAlike, "seed \(seed): \(request) \(caller.claims) \(text): \(found), not \(expected)")
        if !isAlike { return }
      }
    }
    // Cases that only ever allowed, or refused for one reason, would prove nothing.
    for outcome in [
      "allowed", "noRule", "toolNotAllowed", "mcpHeaders", "claimNotAllowed", "insufficientScope",
      "authenticationTooOld",
    ] {
      #expect((counts[outcome] ?? 0) > Self.cases / 5000, "\(counts)")
    }
  }

  private static func tools(_ context: JSONTree) throws -> [String]? {
    guard case .string(let text)? = context["mcpTools"],
      case .array(let list) = try JSONTree(parsing: Array(text.utf8))
    else { return nil }
    return list.map { if case .string(let tool) = $0 { tool } else { "" } }
  }

  private static func guards(_ rules: JSONTree, _ path: String) -> Bool {
    guard case .array(let list) = rules else { return false }
    return list.contains { rule in
      guard case .array(let routes)? = rule["routes"] else { return false }
      return ["tools", "resources", "prompts"].contains { rule[$0] != nil }
        && routes.contains { if case .string(let route) = $0 { route.hasSuffix(" " + path) } else { false } }
    }
  }

  /// A caller of the partner.
  struct Caller: Sendable {
    let claims: JSONTree
    let token: String

    init(_ random: inout SeededGenerator) throws {
      let text = RandomClaims.text(&random)
      token = try RequirementProbe.token(text, isApple: false)
      claims = try JSONTree(parsing: Array(text.utf8))
    }

    func answer(to requirement: JSONTree) -> RequirementAnswer {
      PlainRequirements.answer(
        RequirementCase(
          requirement: requirement, claims: claims, issuer: "partner", booleanTexts: [], now: TestIssuers.now,
          leewaySeconds: 60))
    }
  }
}

/// Random rules on few paths and names, so that requests often meet them.
private enum RandomToolRules {
  static let paths = ["/mcp", "/mcp/x", "/a/mcp", "/plain"]
  static let names = [
    "get", "get_a", "get_a_b", "del", "a*b", "file:///a/b", "file:///a/../b", "\u{E9}x", "",
  ]
  private static let patterns = [
    "get", "get_*", "*", "*_b", "g*a*b", "a*b", "del", "file:///a/*", "file:///a/../b", "\u{E9}*", "GET",
  ]

  static func rules(_ random: inout SeededGenerator) -> JSONTree {
    .array((0..<Int.random(in: 1...5, using: &random)).map { _ in rule(&random) })
  }

  private static func rule(_ random: inout SeededGenerator) -> JSONTree {
    let verbs = ["POST", "POST", "*", "GET", "OPTIONS"]
    var routes: [String] = []
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      // Mostly one path, so that several rules share it.
      let path = Bool.random(using: &random) ? "/mcp" : paths.randomElement(using: &random) ?? "/mcp"
      routes.append("\(verbs.randomElement(using: &random) ?? "POST") \(path)")
    }
    var members: [JSONTree.Member] = [
      .init(name: "routes", value: .array(routes.map { .string($0) })),
      .init(name: "allow", value: .boolean(true)),
    ]
    for kind in ["tools", "tools", "resources", "prompts"]
    where Int.random(in: 0..<3, using: &random) == 0 && !members.contains(where: { $0.name == kind }) {
      let chosen = patterns.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
      members.append(.init(name: kind, value: .array(chosen.map { .string($0) })))
    }
    if Int.random(in: 0..<3, using: &random) > 0 {
      members.append(
        .init(name: "require", value: RandomRequirement.requirement(&random, level: 2, isDenied: false)))
    }
    return .object(members)
  }
}

/// A random request, mostly with the headers that it must have.
private struct RandomToolRequest: CustomStringConvertible {
  let kind: EventKind
  let verb: String
  let path: String
  var lines: TestMCP.Lines

  /// The lines as the gateway shows them: HTTP APIs write names in lower case.
  var shown: TestMCP.Lines { kind.isHTTP ? lines.map { ($0.name.lowercased(), $0.value) } : lines }

  var description: String { "\(kind) \(verb) \(path) \(lines)" }

  init(_ random: inout SeededGenerator) {
    func one(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
    kind = TestMCP.kinds.randomElement(using: &random) ?? .http2
    verb = one(["POST", "POST", "POST", "POST", "GET", "OPTIONS", "DELETE"])
    path = one(["/mcp", "/mcp", "/mcp", "/mcp/x", "/a/mcp", "/plain", "/MCP"])
    let method = one([
      "tools/call", "tools/call", "tools/call", "resources/read", "prompts/get", "tools/list",
    ])
    lines = TestMCP.lines(method)
    var name = one(RandomToolRules.names)
    if !name.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) || Int.random(in: 0..<5, using: &random) == 0 {
      name = "=?base64?\(Data(name.utf8).base64EncodedString())?="
    }
    if method != "tools/list" || Bool.random(using: &random) { lines.append(("Mcp-Name", name)) }
    guard Int.random(in: 0..<3, using: &random) == 0 else { return }
    for _ in 0..<Int.random(in: 1...2, using: &random) { damage(&random) }
  }

  private mutating func damage(_ random: inout SeededGenerator) {
    guard let index = lines.indices.randomElement(using: &random) else { return }
    let line = lines[index]
    let values = [
      "", ",", "=?", "=?base64?YQ=?=", "=?base64?YQ==?=", "=?base64?/w==?=", "tools/call", "Tools/Call",
      "tools/list",
      "2026-07-28", "2025-11-25", "get", "del", "\u{E9}", " get", line.value + ",get",
    ]
    let value = values.randomElement(using: &random) ?? ""
    switch Int.random(in: 0..<6, using: &random) {
    case 0: lines.remove(at: index)
    case 1: lines.append(line)
    case 2: lines[index].name = line.name.replacing("-", with: "_")
    case 3: lines.append((line.name.uppercased(), line.value))
    case 4: lines.append((line.name.replacing("-", with: "_", maxReplacements: 1), value))
    default: lines[index].value = value
    }
  }
}
