import TestSupport
import Testing

@testable import Authorizer

/// Random rules, tokens and routes. Compares the policy with a direct evaluation of the rules, which is a second
/// implementation that shares no code with the authorizer.
@Suite("Rules, with random cases")
struct RulePropertyTests {
  static let configurations = 250
  static let tokens = 3
  static let routes = 8

  @Test("one token has the same policy on every route, and IAM's decision equals the rules' decision")
  func policyIsRules() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    var seen: [Bool: Int] = [:]
    for _ in 0..<Self.configurations {
      let rules = RuleModels(&random)
      var authorizer = try TestRules.authorizer(
        rules.json + #","routeArnIsConcrete":true"#, partner: #","requiredScopes":["use"]"#)
      for _ in 0..<Self.tokens {
        let bearer = Bearer(&random)
        let token = try bearer.token()
        let kind = EventKind.allCases.randomElement(using: &random) ?? .restToken
        let stage = ["dev", "$default", "v1.2"].randomElement(using: &random) ?? "dev"
        let prefix = "arn:aws:execute-api:eu-west-1:123456789012:abc/\(stage)/"
        var policies: Set<[UInt8]> = []
        for _ in 0..<Self.routes {
          let route = rules.route(bearer, &random)
          // `$connect` makes the event a WebSocket event.
          let event = TestEvent.bytes(
            route == "$connect" ? .webSocket : kind, arn: prefix + route, token: token)
          let decision = authorizer.decide(on: event, at: TestIssuers.now)
          guard case .response(let bytes) = decision.answer else {
            Issue.record("seed \(seed): no policy, \(String(describing: decision.reason))")
            continue
          }
          policies.insert(bytes)
          let expected = rules.permit(route, bearer)
          seen[expected, default: 0] += 1
          let context = "seed \(seed): \(route), \(bearer.claims), \(rules.json)"
          #expect(try PolicyReading(bytes).allows(prefix + route) == expected, "\(context)")
          #expect(decision.outcome == (expected ? .allowed : .forbidden), "\(context)")
          #expect((decision.reason == nil) == expected)
        }
        #expect(policies.count == 1, "seed \(seed)")
      }
    }
    #expect(seen.values.reduce(0, +) == Self.configurations * Self.tokens * Self.routes)
    // A generator that only ever allowed or denied would prove nothing.
    #expect((seen[true] ?? 0) > 500 && (seen[false] ?? 0) > 500, "\(seen)")
  }
}

/// The caller.
struct Bearer {
  let subject: String
  let scopes: [String]
  let team: String?

  init(_ random: inout SeededGenerator) {
    let subjects = [
      "u1", "u2", "u-1.x~y_z", "a/b", "*", "?", ".", "..", "a..b", "${sub}", "u1/*", "me", "U1", "%2e",
      "\u{202E}u1", "u 1",
    ]
    subject = subjects.randomElement(using: &random) ?? "u1"
    let all = ["use", "admin", "read"]
    scopes = all.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
    team = [nil, "red", "blue", "*", "a/b"].randomElement(using: &random) ?? nil
  }

  var claims: String {
    let team = team.map { #","team":"\#($0)""# } ?? ""
    let list = scopes.map { "\"\($0)\"" }.joined(separator: ",")
    return #""sub":"\#(subject)","scp":[\#(list)]\#(team)"#
  }

  func token() throws -> String { try TestRules.partnerToken(claims) }

  func value(_ claim: String) -> String? { claim == "sub" ? subject : team }
}

/// The rules as data.
struct RuleModels {
  struct Rule {
    let verb: String
    let segments: [Segment]
    let scope: String?
    let needsRed: Bool
  }

  enum Segment {
    case text(String)
    /// Text followed by anything.
    case open(String)
    /// A whole segment that is a variable of API Gateway.
    case variable
    /// Text followed by the value of a claim.
    case claim(prefix: String, String)
  }

  let deniesByDefault: Bool
  let rules: [Rule]

  init(_ random: inout SeededGenerator) {
    let denies = Bool.random(using: &random)
    deniesByDefault = denies
    rules = (0..<Int.random(in: 1...4, using: &random)).map { _ in Self.rule(denies, &random) }
  }

  private static let words = ["users", "me", "a", "admin", "caf%C3%A9", "x:y", "Users"]
  private static let verbs = ["GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"]

  private static func rule(_ denies: Bool, _ random: inout SeededGenerator) -> Rule {
    let verb = ["*", "GET", "POST", "ANY", "$connect"].randomElement(using: &random) ?? "*"
    var segments: [Segment] = []
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let word = words.filter { denies || !$0.contains("%") }.randomElement(using: &random) ?? "a"
      switch Int.random(in: 0..<8, using: &random) {
      case 0: segments.append(.open(""))
      case 1: segments.append(.open(word))
      case 2: segments.append(.variable)
      case 3 where denies: segments.append(.claim(prefix: "", "sub"))
      case 4 where denies: segments.append(.claim(prefix: "t-", "team"))
      default: segments.append(.text(word))
      }
    }
    let needsRed = Int.random(in: 0..<4, using: &random) == 0
    // A restriction without a requirement is refused at start.
    let scope = ["admin", "read", nil].randomElement(using: &random) ?? nil
    return Rule(
      verb: verb, segments: segments, scope: denies || needsRed ? scope : scope ?? "admin", needsRed: needsRed
    )
  }

  /// Returns the members of the configuration.
  var json: String {
    let entries = rules.map { rule in
      var require: [String] = []
      if let scope = rule.scope { require.append(#""scopes":["\#(scope)"]"#) }
      if rule.needsRed { require.append(#""claims":{"team":"red"}"#) }
      let requirement = require.isEmpty ? "" : #","require":{\#(require.joined(separator: ","))}"#
      return #"{"routes":["\#(Self.text(rule))"]\#(deniesByDefault ? #","allow":true"# : "")\#(requirement)}"#
    }
    return #""default":"\#(deniesByDefault ? "deny" : "allow")","rules":[\#(entries.joined(separator: ","))]"#
  }

  static func text(_ rule: Rule) -> String {
    guard rule.verb != "$connect" else { return "$connect" }
    let path = rule.segments.map { segment in
      switch segment {
      case .text(let text): text
      case .open(let text): text + "*"
      case .variable: "{id}"
      case .claim(let prefix, let claim): "\(prefix)${\(claim)}"
      }
    }
    return "\(rule.verb) /\(path.joined(separator: "/"))"
  }
}

extension RuleModels {
  /// Returns the decision according to the rules.
  func permit(_ route: String, _ bearer: Bearer) -> Bool {
    guard bearer.scopes.contains("use") else { return false }
    let relevant = rules.filter { rule in isMet(rule, bearer) == deniesByDefault }
    let shapes = relevant.flatMap { Self.shapes($0, bearer) }
    let isOpen = deniesByDefault ? shapes.contains { $0.contains("*") } : !shapes.isEmpty
    let escapes = ["..", "%2e", "%2E", "%25", "%00"].contains { route.contains($0) }
    if isOpen, escapes { return false }
    return shapes.contains { Self.fits(Array($0)[...], Array(route)[...]) } == deniesByDefault
  }

  private func isMet(_ rule: Rule, _ bearer: Bearer) -> Bool {
    (rule.scope.map(bearer.scopes.contains) ?? true) && (!rule.needsRed || bearer.team == "red")
  }

  /// Returns the route for all its verbs, with the bearer's values, and a second time without `/*` at its end.
  static func shapes(_ rule: Rule, _ bearer: Bearer) -> [String] {
    guard rule.verb != "$connect" else { return ["$connect"] }
    var paths = [""]
    for (index, segment) in rule.segments.enumerated() {
      let isLast = index == rule.segments.count - 1
      switch segment {
      case .text(let text): paths = paths.map { $0 + "/" + text }
      case .open(""): paths = paths.flatMap { isLast && index > 0 ? [$0 + "/*", $0] : [$0 + "/*"] }
      case .variable: paths = paths.map { $0 + "/*" }
      case .open(let text): paths = paths.map { $0 + "/" + text + "*" }
      case .claim(let prefix, let claim):
        let legal = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        guard let value = bearer.value(claim), value.allSatisfy(legal.contains), value != ".",
          !value.contains("..")
        else { return [] }
        paths = paths.map { $0 + "/" + prefix + value }
      }
    }
    if rule.segments.isEmpty { paths = ["/"] }
    let verbs = rule.verb == "*" || rule.verb == "ANY" ? verbs : [rule.verb]
    return verbs.flatMap { verb in paths.map { verb + $0 } }
  }

  /// Tries all possible matches of `*` by recursion.
  static func fits(_ shape: ArraySlice<Character>, _ text: ArraySlice<Character>) -> Bool {
    guard let first = shape.first else { return text.isEmpty }
    if first == "*" {
      return fits(shape.dropFirst(), text) || (!text.isEmpty && fits(shape, text.dropFirst()))
    }
    return text.first == first && fits(shape.dropFirst(), text.dropFirst())
  }

  /// Returns a random request: a route of the rules with filled gaps, a modified one, or an unrelated one.
  func route(_ bearer: Bearer, _ random: inout SeededGenerator) -> String {
    guard let rule = rules.randomElement(using: &random), rule.verb != "$connect" else { return "$connect" }
    var verb = rule.verb
    if verb.count > 4 || verb == "*" || verb == "ANY" || Int.random(in: 0..<5, using: &random) == 0 {
      verb = Self.verbs.randomElement(using: &random) ?? "GET"
    }
    let fillers = [
      "", "x", "x/y", "u1", "u2", bearer.subject, "..", "%2e%2e", "%252e", "a%00", "a%2Fb", "*", "?",
      "\u{E9}", "{id}",
    ]
    var segments = rule.segments.map { segment in
      switch segment {
      case .text(let text): text
      case .open(let text): text + (fillers.randomElement(using: &random) ?? "")
      case .variable: fillers.randomElement(using: &random) ?? ""
      case .claim(let prefix, let claim):
        prefix + (Int.random(in: 0..<4, using: &random) == 0 ? "u1" : bearer.value(claim) ?? "u2")
      }
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: segments.append(fillers.randomElement(using: &random) ?? "x")
    case 1: if !segments.isEmpty { segments.removeLast() }
    case 2: segments.insert("", at: Int.random(in: 0...segments.count, using: &random))
    case 3:
      if let index = segments.indices.randomElement(using: &random) {
        segments[index] = segments[index].uppercased()
      }
    default: break
    }
    return verb + "/" + segments.joined(separator: "/")
  }
}
