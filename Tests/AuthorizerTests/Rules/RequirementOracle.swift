import JSON

/// One question for a second evaluator: a requirement of a rule, and everything that its value depends on.
struct RequirementCase: Sendable {
  /// The value of `require`, or of a member of `any`, or of `not`.
  let requirement: JSONTree
  /// All claims of the token.
  let claims: JSONTree
  /// The configured name of the token's issuer.
  let issuer: String
  /// The claims that are text and count as booleans, by the issuers that can meet the rule.
  let booleanTexts: Set<String>
  /// Unix seconds.
  let now: Int64
  let leewaySeconds: Int64
}

/// The answer: the value, and the code of the reason if it is not met.
struct RequirementAnswer: Equatable, Sendable {
  var truth: ExpectedTruth
  var reason: String?
}

/// A second evaluator of requirements, which shares no code with the authorizer.
typealias RequirementOracle = @Sendable (RequirementCase) -> RequirementAnswer

/// All second evaluators, by name. Each must agree with the authorizer on every random case that it covers.
enum RequirementOracles {
  static let all: [NamedOracle] = [
    NamedOracle(name: "tables of values", answer: PlainRequirements.answer),
    NamedOracle(
      name: "parts in order", answer: TableRequirements.answer,
      covers: { !mixesKinds($0) }, namesReasonOfUnknown: false),
  ]

  /// A second evaluator, and the cases that it leaves open.
  struct NamedOracle: Sendable {
    let name: String
    let answer: RequirementOracle
    /// Whether it covers a requirement.
    var covers: @Sendable (JSONTree) -> Bool = { _ in true }
    /// Whether the reason of an `any` that is unknown, too, is that of its first member.
    var namesReasonOfUnknown = true

    /// Whether it and the authorizer agree on a case with these rules.
    func agrees(_ reason: String?, _ expected: String?, _ rules: String) -> Bool {
      reason == expected
        || !namesReasonOfUnknown && expected == "claimNotAllowed" && reason != nil
          && rules.contains("\"any\"")
    }
  }

  /// Whether a list of values has several kinds, or `contains` has a list.
  private static func mixesKinds(_ tree: JSONTree) -> Bool {
    switch tree {
    case .object(let members):
      return members.contains { member in
        if case .array = member.value, member.name == "contains" { return true }
        return mixesKinds(member.value)
      }
    case .array(let elements):
      return Set(elements.map(kind)).count > 1 || elements.contains(where: mixesKinds)
    case .string, .number, .boolean, .null: return false
    }
  }

  private static func kind(_ tree: JSONTree) -> Int {
    switch tree {
    case .string: 0
    case .number: 1
    case .boolean: 2
    case .object, .array, .null: 3
    }
  }
}

/// Evaluates by lists of the values of all parts.
enum PlainRequirements {
  @Sendable static func answer(_ one: RequirementCase) -> RequirementAnswer {
    // In the order of reasons.
    var parts: [RequirementAnswer] = []
    if let names = elements(one.requirement["issuers"]) {
      parts.append(part(names.contains(.string(one.issuer)) ? .met : .isFalse))
    }
    parts += conditions(one.requirement["claims"]).map { path, condition in
      part(value(of: condition, at: path, one))
    }
    parts += (elements(one.requirement["scopes"]) ?? []).map { scope($0, one.claims) }
    if case .number(let text)? = one.requirement["authenticatedWithinSeconds"], let limit = Int64(text) {
      let date = one.claims["auth_time"].flatMap(wholeNumber)
      let isRecent = date.map { $0 >= one.now - limit && $0 <= one.now + one.leewaySeconds } ?? false
      parts.append(isRecent ? part(.met) : RequirementAnswer(truth: .isFalse, reason: "authenticationTooOld"))
    }
    if let members = elements(one.requirement["any"]) {
      let answers = members.map { answer(within($0, one)) }
      let truths = answers.map(\.truth)
      let truth: ExpectedTruth =
        truths.contains(.met) ? .met : truths.contains(.unknown) ? .unknown : .isFalse
      parts.append(RequirementAnswer(truth: truth, reason: truth == .met ? nil : answers[0].reason))
    }
    if let denied = one.requirement["not"] {
      let truth = answer(within(denied, one)).truth
      parts.append(part(truth == .met ? .isFalse : truth == .isFalse ? .met : .unknown))
    }
    let truths = parts.map(\.truth)
    return RequirementAnswer(
      truth: truths.contains(.isFalse) ? .isFalse : truths.contains(.unknown) ? .unknown : .met,
      reason: parts.first { $0.truth != .met }?.reason)
  }

  private static func part(_ truth: ExpectedTruth) -> RequirementAnswer {
    RequirementAnswer(truth: truth, reason: truth == .met ? nil : "claimNotAllowed")
  }

  private static func within(_ requirement: JSONTree, _ one: RequirementCase) -> RequirementCase {
    RequirementCase(
      requirement: requirement, claims: one.claims, issuer: one.issuer, booleanTexts: one.booleanTexts,
      now: one.now, leewaySeconds: one.leewaySeconds)
  }

  private static func elements(_ tree: JSONTree?) -> [JSONTree]? {
    if case .array(let elements)? = tree { return elements }
    return nil
  }

  private static func scope(_ wanted: JSONTree, _ claims: JSONTree) -> RequirementAnswer {
    guard case .string(let wanted) = wanted else { return part(.unknown) }
    var held: [String] = []
    var isMalformed = false
    for name in ["scope", "scp", "permissions", "cognito:groups"] {
      switch claims[name] {
      case nil, .null?: break
      case .string(let text)?: held += text.split(separator: " ").map(String.init)
      case .array(let list)?:
        let texts = list.compactMap { if case .string(let text) = $0 { text } else { nil } }
        if texts.count == list.count { held += texts } else { isMalformed = true }
      default: isMalformed = true
      }
    }
    if held.contains(wanted) { return part(.met) }
    return isMalformed ? part(.unknown) : RequirementAnswer(truth: .isFalse, reason: "insufficientScope")
  }

  private static func conditions(_ claims: JSONTree?) -> [(path: [[String]], condition: JSONTree)] {
    if case .object(let members)? = claims {
      // A name with dots is one name, or else several.
      return members.map { ([[$0.name], $0.name.split(separator: ".").map(String.init)], $0.value) }
    }
    return (elements(claims) ?? []).map { entry in
      let names = (elements(entry["path"]) ?? []).map { if case .string(let name) = $0 { name } else { "" } }
      return ([names], entry["is"] ?? .null)
    }
  }

  private static func value(of condition: JSONTree, at paths: [[String]], _ one: RequirementCase)
    -> ExpectedTruth
  {
    let found = paths.lazy.compactMap { path in
      path.reduce(Optional(one.claims)) { value, name in value.flatMap { $0[name] } }
    }.first
    let takesText = paths[0].count == 1 && one.booleanTexts.contains(paths[0][0])
    if case .object = condition {
      if case .boolean(let isThere)? = condition["exists"] {
        return (found != nil && found != .null) == isThere ? .met : .isFalse
      }
      if let wanted = condition["contains"] {
        guard let list = elements(found) else { return .unknown }
        let values = list.map { compare($0, elements(wanted) ?? [wanted], takesText) }
        return values.contains(.met) ? .met : values.contains(.unknown) ? .unknown : .isFalse
      }
      guard case .string(let text)? = found else { return .unknown }
      if case .string(let start)? = condition["prefix"] {
        return Array(text.utf8).starts(with: Array(start.utf8)) ? .met : .isFalse
      }
      guard case .string(let end)? = condition["suffix"] else { return .unknown }
      return Array(text.utf8.reversed()).starts(with: Array(end.utf8.reversed())) ? .met : .isFalse
    }
    return found.map { compare($0, elements(condition) ?? [condition], takesText) } ?? .unknown
  }

  private static func compare(_ value: JSONTree, _ wanted: [JSONTree], _ takesText: Bool) -> ExpectedTruth {
    let results = wanted.compactMap { wanted -> Bool? in
      switch (wanted, value) {
      case (.string(let left), .string(let right)): return left == right
      case (.boolean(let left), .boolean(let right)): return left == right
      case (.boolean(let left), .string(let right)) where takesText && ["true", "false"].contains(right):
        return left == (right == "true")
      case (.number, .number):
        guard let right = wholeNumber(value) else { return nil }
        return wholeNumber(wanted) == right
      default: return nil
      }
    }
    return results.contains(true) ? .met : results.isEmpty ? .unknown : .isFalse
  }

  /// Whole numbers with a point or an exponent are only those of the tests.
  private static func wholeNumber(_ tree: JSONTree) -> Int64? {
    guard case .number(let text) = tree else { return nil }
    return ["1.0": 1, "1e0": 1, "2.0": 2][text] ?? Int64(text)
  }
}
