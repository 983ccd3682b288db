@testable import IAMPolicy
import JSON
import TestSupport
import Testing

/// Compares two independent evaluators with random policies and requests.
@Suite struct EvaluatorPropertyTests {
  @Test(arguments: 0..<40 as Range<UInt64>) func agreesWithTheNaiveEvaluator(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<250 {
      let statements = (0..<Int.random(in: 1...4, using: &random)).map { _ in Self.statement(&random) }
      let request = Self.request(&random)
      var context = ConditionContext.unknown
      for key in Self.keys { try context.set(key, to: request[key] ?? []) }
      let text = Self.text(statements, random: &random)
      let document = try PolicyDocument(JSONDocument(parsing: Array(text.utf8), limits: .event).root)
      let resource = "a" + WildcardPatternTests.word(of: ["a", "b", "/", ":", "."], &random)
      let action = ["a", "b", "A"].randomElement(using: &random) ?? "a"
      let expected = NaiveEvaluator(statements: statements, request: request)
        .decision(for: resource, action: action)
      let evaluator = PolicyEvaluator(document)
      let decision = try evaluator.decision(for: resource, action: action, in: context)
      #expect(decision == expected, "\(text) for \(action) on \(resource) with \(request)")
      // The findings agree with the decision.
      let findings = try evaluator.findings(for: resource, action: action, in: context)
      let applying = findings.filter(\.applies)
      #expect(
        applying.contains { $0.effect == .deny }
          == { if case .explicitlyDenied = decision { true } else { false } }())
      #expect(applying.isEmpty == (decision == .implicitlyDenied))
    }
  }

  /// The random policies must produce every kind of decision, otherwise the comparison would prove nothing.
  @Test func randomPoliciesReachEveryDecision() throws {
    var random = SeededGenerator(seed: 7)
    var counts: [String: Int] = [:]
    for _ in 0..<2000 {
      let statements = (0..<Int.random(in: 1...4, using: &random)).map { _ in Self.statement(&random) }
      let decision = NaiveEvaluator(statements: statements, request: Self.request(&random))
        .decision(for: "a" + WildcardPatternTests.word(of: ["a", "b", "/"], &random), action: "a")
      counts[decision.description.prefix { $0 != "S" }.description, default: 0] += 1
    }
    #expect(counts.count == 3)
    #expect(counts.values.allSatisfy { $0 > 100 }, "\(counts)")
  }

  private static let keys = [
    "aws:UserAgent", "aws:Referer", "aws:EpochTime", "aws:SourceIp", "aws:SecureTransport",
    "aws:PrincipalOrgPaths",
  ]

  private static func request(_ random: inout SeededGenerator) -> [String: [String]] {
    var request: [String: [String]] = [:]
    for key in keys where Int.random(in: 0..<4, using: &random) != 0 {
      switch key {
      case "aws:EpochTime": request[key] = [String(Int.random(in: 0...6, using: &random))]
      case "aws:SourceIp": request[key] = [address(&random)]
      case "aws:SecureTransport": request[key] = [Bool.random(using: &random) ? "true" : "false"]
      case "aws:PrincipalOrgPaths":
        request[key] = (0..<Int.random(in: 1...3, using: &random)).map { _ in word(&random) }
      default: request[key] = [word(&random)]
      }
    }
    return request
  }

  private static func word(_ random: inout SeededGenerator) -> String {
    WildcardPatternTests.word(of: ["a", "b", "A"], &random)
  }

  private static func address(_ random: inout SeededGenerator) -> String {
    "10.\(Int.random(in: 0...3, using: &random)).0.\(Int.random(in: 0...255, using: &random))"
  }

  private static func statement(_ random: inout SeededGenerator) -> NaiveEvaluator.Statement {
    NaiveEvaluator.Statement(
      allows: Int.random(in: 0..<3, using: &random) != 0,
      actions: [["a", "A", "*", "b", "?"].randomElement(using: &random) ?? "*"],
      invertsActions: Int.random(in: 0..<5, using: &random) == 0,
      resources: (0..<Int.random(in: 1...2, using: &random)).map { _ in
        "a" + WildcardPatternTests.word(of: ["a", "b", "/", ":", ".", "*", "*", "?"], &random)
      },
      invertsResources: Int.random(in: 0..<5, using: &random) == 0,
      conditions: conditions(&random))
  }

  /// One operator cannot have the same key twice, because it would be a duplicate JSON member.
  private static func conditions(
    _ random: inout SeededGenerator
  ) -> [(name: String, key: String, values: [String])] {
    var conditions: [(name: String, key: String, values: [String])] = []
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      let new = condition(&random)
      if !conditions.contains(where: { $0.name == new.name && $0.key == new.key }) { conditions.append(new) }
    }
    return conditions
  }

  private static func condition(_ random: inout SeededGenerator) -> (
    name: String, key: String, values: [String]
  ) {
    let key = keys.randomElement(using: &random) ?? "aws:Referer"
    if Int.random(in: 0..<8, using: &random) == 0 {
      return ("Null", key, [Bool.random(using: &random) ? "true" : "false"])
    }
    let count = Int.random(in: 1...3, using: &random)
    switch key {
    case "aws:EpochTime":
      let order = ["Equals", "NotEquals", "LessThan", "LessThanEquals", "GreaterThan", "GreaterThanEquals"]
      let family = Bool.random(using: &random) ? "Numeric" : "Date"
      return (
        family + (order.randomElement(using: &random) ?? "Equals") + ifExists(&random), key,
        (0..<count).map { _ in String(Int.random(in: 0...6, using: &random)) }
      )
    case "aws:SourceIp":
      let name = Bool.random(using: &random) ? "IpAddress" : "NotIpAddress"
      return (
        name + ifExists(&random), key,
        (0..<count).map { _ in
          address(&random) + ["", "/8", "/15", "/24", "/31", "/0"][Int.random(in: 0..<6, using: &random)]
        }
      )
    case "aws:SecureTransport":
      return ("Bool" + ifExists(&random), key, [Bool.random(using: &random) ? "true" : "false"])
    default:
      let name = stringOperators.randomElement(using: &random) ?? "StringEquals"
      let letters: [Character] = name.contains("Like") ? ["a", "b", "*", "?"] : ["a", "b", "A"]
      let values = (0..<count).map { _ in WildcardPatternTests.word(of: letters, &random) }
      guard key == "aws:PrincipalOrgPaths" else { return (name + ifExists(&random), key, values) }
      return ((Bool.random(using: &random) ? "ForAllValues:" : "ForAnyValue:") + name, key, values)
    }
  }

  private static let stringOperators = [
    "StringEquals", "StringNotEquals", "StringEqualsIgnoreCase", "StringNotEqualsIgnoreCase", "StringLike",
    "StringNotLike",
  ]

  private static func ifExists(_ random: inout SeededGenerator) -> String {
    Int.random(in: 0..<3, using: &random) == 0 ? "IfExists" : ""
  }

  /// Returns the policy in a random one of its valid forms.
  private static func text(_ statements: [NaiveEvaluator.Statement], random: inout SeededGenerator) -> String
  {
    var texts: [String] = []
    for statement in statements {
      var members = [
        "\"Effect\":\"\(statement.allows ? "Allow" : "Deny")\"",
        "\"\(statement.invertsActions ? "Not" : "")Action\":\(list(statement.actions, &random))",
        "\"\(statement.invertsResources ? "Not" : "")Resource\":\(list(statement.resources, &random))",
      ]
      // The same operator twice would be a duplicate JSON member.
      var operators: [String: [String]] = [:]
      for (name, key, values) in statement.conditions {
        operators[name, default: []].append("\"\(key)\":\(list(values, &random))")
      }
      if !operators.isEmpty {
        let lines = operators.sorted { $0.key < $1.key }.map {
          "\"\($0.key)\":{\($0.value.joined(separator: ","))}"
        }
        members.append("\"Condition\":{\(lines.joined(separator: ","))}")
      }
      members.shuffle(using: &random)
      texts.append("{\(members.joined(separator: ","))}")
    }
    let all = texts.count == 1 && Bool.random(using: &random) ? texts[0] : "[\(texts.joined(separator: ","))]"
    return "{\"Version\":\"2012-10-17\",\"Statement\":\(all)}"
  }

  private static func list(_ values: [String], _ random: inout SeededGenerator) -> String {
    let quoted = values.map { "\"\($0)\"" }
    return quoted.count == 1 && Bool.random(using: &random) ? quoted[0] : "[\(quoted.joined(separator: ","))]"
  }
}
