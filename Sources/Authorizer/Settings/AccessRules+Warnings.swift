import Bytes
import FunctionHost

/// Warnings on rules that are valid but may surprise their author.
extension AccessRules {
  /// Returns the warnings.
  ///
  /// - Parameter issuers: how many issuers the configuration has.
  func warnings(issuers: Int) -> [ConfigurationProblem] {
    var warnings: [ConfigurationProblem] = []
    if whenNoRule == .allow {
      warnings.append(
        ConfigurationProblem(
          path: "default",
          message:
            "\"allow\": another spelling of a path (//, %2F, letter case, a slash at"
            + " the end) may bypass its rule; \"deny\" has no such gap",
          warning: .defaultAllow))
    }
    for (index, rule) in rules.enumerated() {
      for (routeIndex, route) in rule.routes.enumerated() {
        let path = "rules[\(index)].routes[\(routeIndex)]"
        if whenNoRule == .deny, let example = route.surprisingPath {
          warnings.append(
            ConfigurationProblem(
              path: path, message: "\(route.text) crosses segments, so it also reaches \(example)",
              warning: .routeCrossesSegments))
        }
        if whenNoRule == .deny, rule.requirement.isEmpty, !route.isOwnership, route.literalPath == nil,
          let opened = requirement(under: route, of: rule)
        {
          warnings.append(
            ConfigurationProblem(
              path: path, message: "\(route.text) opens \(opened)", warning: .routeCrossesSegments))
        }
        if let warning = route.colonWarning(at: path) { warnings.append(warning) }
        if route.isOwnership, issuers > 1, rule.requirement.issuers.count != 1 {
          warnings.append(
            ConfigurationProblem(
              path: path,
              message: "two issuers may use the same value for different users; require one issuer:"
                + " \"require\": { \"issuers\": [ … ] }",
              warning: .ownershipOfSeveralIssuers))
        }
      }
    }
    return warnings + effectWarnings + openMethodWarnings
  }

  /// One warning for each tool route on which methods with a name stay open, because no rule names that kind: the author
  /// of rules for tools may think that they cover the rest of a server too.
  private var openMethodWarnings: [ConfigurationProblem] {
    (toolRoutes?.paths ?? []).compactMap { path in
      let open = MCPKind.allCases.filter { !isGuarded($0, on: path) }
      let opening = rules.firstIndex { rule in
        !rule.namesAny && rule.routes.contains { $0.literalPath == path }
      }
      guard let opening, !open.isEmpty else { return nil }
      return ConfigurationProblem(
        path: "rules[\(opening)]",
        message: open.map { $0.method }.joined(separator: " and ") + " stay open on "
          + "\(String(decoding: path, as: UTF8.self)): no rule of it names "
          + open.map { $0.rawValue }.joined(separator: " or "),
        warning: .methodsStayOpen)
    }
  }

  /// One warning for each grant that another grant makes useless: a token needs only one rule that is met, so what
  /// this one requires in addition protects nothing. Under the default allow every rule must be met.
  private var effectWarnings: [ConfigurationProblem] {
    guard whenNoRule == .deny else { return [] }
    var warnings: [ConfigurationProblem] = []
    for (index, rule) in rules.enumerated() where !rule.requirement.isEmpty {
      guard let wider = rules.firstIndex(where: { Self.isUseless(rule, beside: $0) }) else { continue }
      let how = rules[wider].requirement.isEmpty ? "without its" : "with only a part of its"
      warnings.append(
        ConfigurationProblem(
          path: "rules[\(index)]",
          message:
            "rules[\(wider)] allows all routes of rules[\(index)] \(how) \"require\", so rules[\(index)] has no"
            + " effect: a route needs only one rule that is met (docs/rules.md)",
          warning: .ruleWithoutEffect))
    }
    return warnings
  }

  /// Whether another rule requires less and covers each route and name. Rules with equal requirements do not surprise.
  static func isUseless(_ rule: Rule, beside other: Rule) -> Bool {
    // Routes first: those of two rules mostly differ, and requirements may be large.
    guard rule.routes.allSatisfy({ route in other.routes.contains { $0.covers(route) } }),
      other.requirement.isImplied(by: rule.requirement),
      !rule.requirement.isImplied(by: other.requirement)
    else { return false }
    let namesAreCovered = MCPKind.allCases.allSatisfy { kind in
      rule.names(of: kind).allSatisfy { name in
        other.names(of: kind).contains { RoutePattern.matches($0, name) }
      }
    }
    return rule.namesAny == other.namesAny && namesAreCovered
  }
}

extension AnswerStyles {
  /// The warnings on answers.
  var warnings: [ConfigurationProblem] {
    guard hasExpiryCondition, isSimpleOnHTTP2 else { return [] }
    return [
      ConfigurationProblem(
        path: "expiryCondition",
        message: "simple answers have no condition: no effect on HTTP APIs 2.0",
        warning: .settingWithoutEffect)
    ]
  }
}

extension Route {
  /// An example of a path that a wildcard matches unexpectedly; `nil` if the only wildcard is a whole last segment,
  /// whose effect is clear.
  var surprisingPath: String? {
    let bytes = Array(text.utf8)
    guard let blank = bytes.firstIndex(of: .space) else { return nil }
    var segments: [String] = []
    var surprises = false
    let parts = bytes[(blank + 1)...].dropFirst().split(separator: .slash, omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let (example, isOpen, isGreedy) = Self.example(part)
      let isWhole = part.allSatisfy { $0 == RoutePattern.wildcard } || isGreedy
      if isOpen, !(isWhole && index == parts.count - 1) { surprises = true }
      segments.append(example)
    }
    return surprises ? (verbs.first ?? "") + " /" + segments.joined(separator: "/") : nil
  }

  /// Returns a segment in which two segments replace each wildcard.
  private static func example(_ part: ArraySlice<UInt8>) -> (text: String, isOpen: Bool, isGreedy: Bool) {
    var text: [UInt8] = []
    var rest = part
    var isOpen = false
    var isGreedy = false
    while let byte = rest.first {
      let isVariable = byte == .openingBrace && text.last != .dollar
      if isVariable || byte == RoutePattern.wildcard {
        isOpen = true
        text += Array("a/b".utf8)
        let end = isVariable ? rest.firstIndex(of: .closingBrace) ?? rest.startIndex : rest.startIndex
        if end > rest.startIndex, rest[end - 1] == .plus { isGreedy = true }
        rest = rest[(end + 1)...]
      } else {
        text.append(byte)
        rest.removeFirst()
      }
    }
    return (String(decoding: text, as: UTF8.self), isOpen, isGreedy)
  }
}
