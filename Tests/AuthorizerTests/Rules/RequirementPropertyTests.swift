import Foundation
import FunctionHost
import IssuerKeys
import JOSE
import JSON
import TestSupport
import Testing

@testable import Authorizer

/// Random configurations, requests and claims: the authorizer decides as each second evaluator does.
@Suite("Requirements, with random cases")
struct RequirementPropertyTests {
  /// The decisions to compare. `REQUIREMENT_CASES` sets another number.
  static let cases = ProcessInfo.processInfo.environment["REQUIREMENT_CASES"].flatMap { Int($0) } ?? 20_000
  private static let tokens = 60
  private static let tokensForOneConfiguration = 10
  private static let routes = ["GET/a", "GET/b", "GET/c"]

  @Test("each decision and its reason are those of a second evaluator")
  func agrees() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let callers = try Self.callers(&random)
    var counts: [String: Int] = [:]
    var compared: [String: Int] = [:]
    var done = 0
    while done < Self.cases {
      let model = RequirementModel(&random)
      let rules = try Self.rules(model)
      for _ in 0..<Self.tokensForOneConfiguration {
        let caller = callers[Int.random(in: callers.indices, using: &random)]
        let time = DecisionTime(now: TestIssuers.now, leewaySeconds: 60)
        let access = rules.access(for: caller.token, caller.scopes, at: time)
        for route in Self.routes {
          done += 1
          let path = Array(route.utf8)
          let reason =
            access.permits(path)
            ? nil : rules.refusal(of: path, caller.token, caller.scopes, at: time).reason.rawValue
          counts[reason ?? "allowed", default: 0] += 1
          for oracle in RequirementOracles.all where model.isCovered(by: oracle) {
            let expected = model.reason(route, caller, oracle.answer)
            let agrees = oracle.agrees(reason, expected, model.text)
            #expect(agrees, "seed \(seed), \(oracle.name): \(route), \(caller.text), \(model.text)")
            if !agrees { return }
            compared[oracle.name, default: 0] += 1
          }
        }
      }
    }
    for oracle in RequirementOracles.all {
      #expect((compared[oracle.name] ?? 0) > Self.cases / 4, "\(compared)")
    }
    // Cases that only ever allowed, or refused for one reason, would prove nothing.
    for outcome in ["allowed", "noRule", "claimNotAllowed", "insufficientScope", "authenticationTooOld"] {
      #expect((counts[outcome] ?? 0) > Self.cases / 200, "\(counts)")
    }
  }

  /// A verified token, as the authorizer and as an evaluator see it.
  struct Caller {
    let issuer: String
    let claims: JSONTree
    let token: VerifiedToken
    let scopes: ScopeSet

    var text: String { issuer + String(decoding: claims.bytes(), as: UTF8.self) }
  }

  private static func callers(_ random: inout SeededGenerator) throws -> [Caller] {
    let settings = try TestIssuers.settings()
    var verifier = CredentialVerifier(settings, ScriptedTransport(), at: TestIssuers.now)
    return try (0..<tokens).map { _ in
      let isApple = Bool.random(using: &random)
      let text = try RequirementProbe.token(RandomClaims.text(&random), isApple: isApple)
      let request = try AuthorizationRequest(parsing: TestEvent.bytes(.restToken, token: text))
      var evidence = TokenEvidence()
      let token = try verifier.verify(
        try request.credential(in: settings.places), settings,
        at: InvocationTime(unixSeconds: TestIssuers.now), &evidence)
      return Caller(
        issuer: isApple ? "apple" : "partner", claims: JSONTree(token.claims), token: token,
        scopes: ScopeSet(token.claims))
    }
  }

  private static func rules(_ model: RequirementModel) throws -> AccessRules {
    let problems = ProblemList()
    let document = try JSONDocument(parsing: Array(model.text.utf8), limits: .configuration)
    var reader = try #require(ObjectReader(document.root, path: "", problems))
    let rules = reader.accessRules(
      of: [(name: "apple", isApple: true), (name: "partner", isApple: false)], mayCache: false)
    return try #require(rules, "\(problems.problems) \(model.text)")
  }
}

/// Random rules on the routes `GET /a`, `/b` and `/c`.
struct RequirementModel {
  let deniesByDefault: Bool
  /// The paths of each rule and its `require`, if it has one.
  let rules: [(paths: [String], requirement: JSONTree?)]

  init(_ random: inout SeededGenerator) {
    let denies = Bool.random(using: &random)
    deniesByDefault = denies
    rules = (0..<Int.random(in: 1...3, using: &random)).map { _ in
      let paths = ["a", "b", "c"].filter { _ in Int.random(in: 0..<2, using: &random) == 0 }
      let isOpen = denies && Int.random(in: 0..<10, using: &random) == 0
      return (
        paths.isEmpty ? ["a"] : paths,
        isOpen ? nil : RandomRequirement.requirement(&random, level: 0, isDenied: false)
      )
    }
  }

  /// The members `default` and `rules`.
  var text: String {
    let rules = rules.map { rule in
      let routes = JSONTree.array(rule.paths.map { .string("GET /" + $0) })
      var members = [JSONTree.Member(name: "routes", value: routes)]
      if deniesByDefault { members.append(.init(name: "allow", value: .boolean(true))) }
      if let requirement = rule.requirement { members.append(.init(name: "require", value: requirement)) }
      return JSONTree.object(members)
    }
    return String(
      decoding: JSONTree.members([
        "default": .string(deniesByDefault ? "deny" : "allow"), "rules": .array(rules),
      ]).bytes(), as: UTF8.self)
  }

  func isCovered(by oracle: RequirementOracles.NamedOracle) -> Bool {
    rules.allSatisfy { $0.requirement.map(oracle.covers) ?? true }
  }

  /// Returns why a caller may not reach a route; `nil` if they may.
  func reason(
    _ route: String, _ caller: RequirementPropertyTests.Caller, _ oracle: RequirementOracle
  ) -> String? {
    let naming = rules.filter { $0.paths.contains(String(route.dropFirst(4))) }
    let answers = naming.map { rule -> RequirementAnswer in
      guard let requirement = rule.requirement else { return RequirementAnswer(truth: .met) }
      return oracle(
        RequirementCase(
          requirement: requirement, claims: caller.claims, issuer: caller.issuer, booleanTexts: [],
          now: TestIssuers.now, leewaySeconds: 60))
    }
    let first = answers.first { $0.truth != .met }
    if deniesByDefault { return answers.contains { $0.truth == .met } ? nil : first?.reason ?? "noRule" }
    return first?.reason
  }
}

/// Random requirements of few names and values, so that tokens often meet them.
enum RandomRequirement {
  static func requirement(_ random: inout SeededGenerator, level: Int, isDenied: Bool) -> JSONTree {
    var members: [JSONTree.Member] = []
    while members.isEmpty {
      if one(in: 4, &random) { members.append(.init(name: "issuers", value: .array([issuer(&random)]))) }
      if one(in: 2, &random) { members.append(.init(name: "claims", value: claims(&random))) }
      if one(in: 4, &random) { members.append(.init(name: "scopes", value: scopes(&random))) }
      if !isDenied, one(in: 8, &random) {
        members.append(.init(name: "authenticatedWithinSeconds", value: .number("900")))
      }
      guard level < Requirement.maximumLevels else { continue }
      if one(in: 4, &random) {
        let count = Int.random(in: 1...3, using: &random)
        let parts = (0..<count).map { _ in requirement(&random, level: level + 1, isDenied: isDenied) }
        members.append(.init(name: "any", value: .array(parts)))
      }
      if one(in: 4, &random) {
        members.append(.init(name: "not", value: denied(&random, level: level + 1)))
      }
    }
    return .object(members)
  }

  private static func one(in count: Int, _ random: inout SeededGenerator) -> Bool {
    Int.random(in: 0..<count, using: &random) == 0
  }

  /// One condition.
  private static func denied(_ random: inout SeededGenerator, level: Int) -> JSONTree {
    switch Int.random(in: 0..<(level < Requirement.maximumLevels ? 4 : 3), using: &random) {
    case 0: return .members(["issuers": .array([issuer(&random)])])
    case 1: return .members(["scopes": .array([.string("s")])])
    case 2: return .members(["claims": .object([claim(&random)])])
    default:
      let parts = (0..<Int.random(in: 1...2, using: &random)).map { _ in
        requirement(&random, level: level + 1, isDenied: true)
      }
      return .members(["any": .array(parts)])
    }
  }

  private static func issuer(_ random: inout SeededGenerator) -> JSONTree {
    .string(Bool.random(using: &random) ? "apple" : "partner")
  }

  private static func scopes(_ random: inout SeededGenerator) -> JSONTree {
    .array((one(in: 2, &random) ? ["s"] : ["s", "t"]).map { .string($0) })
  }

  private static func claims(_ random: inout SeededGenerator) -> JSONTree {
    guard one(in: 3, &random) else {
      let first = claim(&random)
      let second = claim(&random)
      return .object(first.name == second.name ? [first] : [first, second])
    }
    let path = [["c"], ["o", "d"], ["o.d"]].randomElement(using: &random) ?? ["c"]
    return .array([
      .members(["path": .array(path.map { .string($0) }), "is": condition(&random)])
    ])
  }

  private static func claim(_ random: inout SeededGenerator) -> JSONTree.Member {
    .init(
      name: ["c", "c", "d", "o.d"].randomElement(using: &random) ?? "c", value: condition(&random))
  }

  private static func condition(_ random: inout SeededGenerator) -> JSONTree {
    switch Int.random(in: 0..<7, using: &random) {
    case 0: .members(["exists": .boolean(Bool.random(using: &random))])
    case 1: .members(["contains": scalar(&random)])
    case 2: .members(["contains": .array([scalar(&random), scalar(&random)])])
    case 3: .members(["prefix": .string("ab")])
    case 4: .members(["suffix": .string("ab")])
    case 5: .array([scalar(&random), scalar(&random)])
    default: scalar(&random)
    }
  }

  static func scalar(_ random: inout SeededGenerator) -> JSONTree {
    let values: [JSONTree] = [
      .string("ab"), .string("abc"), .string("true"), .number("1"), .number("2"), .boolean(true),
      .boolean(false),
    ]
    return values.randomElement(using: &random) ?? .null
  }
}

/// Random claims with the names and values that requirements have, and values that they cannot have.
enum RandomClaims {
  static func text(_ random: inout SeededGenerator) -> String {
    var members: [JSONTree.Member] = []
    for name in ["c", "d", "o.d"] where Int.random(in: 0..<3, using: &random) > 0 {
      members.append(.init(name: name, value: value(&random)))
    }
    if Bool.random(using: &random) {
      let inner = JSONTree.members(["d": value(&random)])
      members.append(.init(name: "o", value: Bool.random(using: &random) ? inner : value(&random)))
    }
    for name in ["scope", "scp"] where Bool.random(using: &random) {
      let values: [JSONTree] = [
        .string("s"), .string("t s"), .string(""), .array([.string("s")]), .array([]), .null, .number("7"),
        .array([.string("s"), .null]),
      ]
      members.append(.init(name: name, value: values.randomElement(using: &random) ?? .null))
    }
    let now = TestIssuers.now
    let times = [now, now - 900, now - 901, now + 60, now + 61].map { JSONTree.number(String($0)) }
    if Bool.random(using: &random) {
      let all = times + [.string(String(now)), .null]
      members.append(.init(name: "auth_time", value: all.randomElement(using: &random) ?? .null))
    }
    return String(decoding: JSONTree.object(members).bytes(), as: UTF8.self)
  }

  private static func value(_ random: inout SeededGenerator) -> JSONTree {
    switch Int.random(in: 0..<10, using: &random) {
    case 0...4: return RandomRequirement.scalar(&random)
    case 5: return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(&random) })
    case 6: return .null
    case 7: return .members(["d": RandomRequirement.scalar(&random)])
    default:
      let values: [JSONTree] = [
        .number("1.0"), .number("1.5"), .number("99999999999999999999"), .string("xab"), .string(""),
        .string("false"),
      ]
      return values.randomElement(using: &random) ?? .null
    }
  }
}
