internal import Text
internal import AuthorizerContract
internal import Authorizer
internal import enum Authorizer.EventKind
internal import struct AuthorizerContract.TextTable
internal import IssuerKeys
internal import JOSE
internal import JSON
internal import KeyFetcher

/// The result of the rules for a valid token, and their decision on the route of an event.
struct ExplainedRules {
  private let explanation: RuleExplanation
  /// What the token has of all that the rules read, such as `scope a, but no claim role`.
  let has: String
  /// `nil` without an event, and so without a route.
  private let ruling: RouteRuling?

  /// Whether the API may write the template of the route in place of the path.
  private let mayBeTemplate: Bool

  /// - Parameters:
  ///   - event: the event that contained the token; `nil` for a token alone.
  ///   - kind: the kind of the event.
  init(_ token: VerifiedToken, _ settings: Settings, event: [UInt8]?, _ kind: EventKind?, at now: Int64) {
    has = settings.evidence(in: token).has
    explanation = RuleExplanation(of: token, settings: settings, at: now)
    let authorizer = Authorizer(settings: settings, transport: NoTransport(), at: now)
    // An event without a route was refused before its token was verified.
    ruling = event.flatMap { try? authorizer.ruling(on: $0, of: token, at: now) }
    let route = ruling?.route ?? ""
    mayBeTemplate =
      (kind == .http1 || kind == .http2)
      && (route.containsBytes(of: "{") || route.containsBytes(of: "$default") || route.hasBytePrefix("ANY "))
  }

  /// `allowed`, `forbidden` or `failure`; `nil` without an event.
  var outcome: String? { ruling?.outcome.rawValue }

  /// Returns the first lines of the answer for a valid token.
  func verdict(_ token: VerdictWords) -> VerdictWords {
    guard let ruling, let sentence else {
      guard !explanation.missing.isEmpty else { return token }
      return VerdictWords(code: token.code, sentence: "\(token.sentence). \(issuerSentence)")
    }
    if ruling.outcome == .allowed {
      return VerdictWords(code: token.code, sentence: "\(token.sentence). \(sentence)")
    }
    return VerdictWords(code: ruling.reason?.rawValue ?? token.code, sentence: sentence)
  }

  /// Why the route of the event is allowed or not, for a person who can change the rules: the rule by its number, what it
  /// requires and what the token has. `nil` without an event.
  var sentence: String? {
    guard let ruling else { return nil }
    switch ruling.outcome {
    case .allowed: return grant(ruling)
    case .forbidden, .unauthorized: return refusal(ruling)
    case .failure: return "The authorizer cannot decide on \(ruling.route): \(ruling.detail ?? "")"
    }
  }

  /// The index of the rule that decided about the route of the event; `nil` if none did.
  var decidingRule: Int? {
    guard let ruling, explanation.missing.isEmpty else { return nil }
    let rules = explanation.rules
    if ruling.outcome == .allowed {
      return ruling.own.first { rules[$0.rule].missing.isEmpty }?.rule
        ?? ruling.rules.first { rules[$0].isMet }
    }
    return ruling.rules.first { !rules[$0].missing.isEmpty }
      ?? ruling.rules.first { !rules[$0].unroutable.isEmpty } ?? owned(ruling)?.rule
  }

  /// The route of a rule that gives the requested path to another user.
  private func owned(_ ruling: RouteRuling) -> (rule: Int, route: String)? {
    guard !explanation.allowsByDefault, !mayBeTemplate, !ruling.holdsEscape else { return nil }
    return ruling.rules.lazy.flatMap { rule in explanation.rules[rule].routes.map { (rule, $0) } }
      .first { $0.1.containsBytes(of: "${") }
  }

  /// The names of what decided against the token: `admin` for a scope, `role` for a claim.
  var needs: [String] {
    guard explanation.missing.isEmpty else { return explanation.missing.map(\.name) }
    return decidingRule.map { explanation.rules[$0].missing.map(\.name) } ?? []
  }

  private func grant(_ ruling: RouteRuling) -> String {
    guard let met = decidingRule else {
      return explanation.rules.isEmpty
        ? "\(ruling.route) is allowed: the configuration has no rules, so each valid token may call each route"
        : "\(ruling.route) is allowed: no rule restricts it, and \"default\" is \"allow\""
    }
    let claims = ruling.own.first { $0.rule == met }?.claims ?? ""
    let conditions =
      (claims.isEmpty ? [] : ["the caller's own path (\(claims))"]) + explanation.rules[met].conditions
    return "rules[\(met)] allows \(ruling.subject): "
      + (conditions.isEmpty ? "any valid token" : conditions.joined(separator: ", "))
  }

  private func refusal(_ ruling: RouteRuling) -> String {
    if !explanation.missing.isEmpty { return issuerSentence }
    if ruling.reason == .mcpHeaders {
      return
        "Rules for \(ruling.route) decide by the headers of MCP, and one is wrong: \(ruling.detail ?? "")"
    }
    if let index = decidingRule {
      let rule = explanation.rules[index]
      if rule.missing.isEmpty, rule.unroutable.isEmpty, let route = owned(ruling)?.route {
        return "\(ruling.route) belongs to another user: rules[\(index)] allows \(route)"
      }
      return rule.missing.isEmpty
        ? "The claim in \(rule.unroutable[0]) (rules[\(index)]) is missing or cannot be part of a path"
        : "\(ruling.subject) needs \(rule.missing.needs) (rules[\(index)]). The token has \(rule.missing.has)."
    }
    if ruling.rules.isEmpty, !explanation.allowsByDefault {
      return ruling.reason == .toolNotAllowed
        ? "No rule names \(ruling.subject)"
        : "No rule matches \(ruling.subject), and \"default\" is \"deny\""
    }
    if ruling.holdsEscape {
      return "\(ruling.route) has .., %2e, %25 or %00, which wildcards and restrictions always deny"
    }
    return
      "\(ruling.route) is denied: it may be the template of a route, which these rules deny on an HTTP API"
  }

  private var issuerSentence: String {
    "Every token of its issuer needs \(explanation.missing.needs). The token has \(explanation.missing.has)."
  }

  /// The check of the route, after those of the token.
  var row: ExplanationReport.Row? {
    guard let ruling else { return nil }
    let isAllowed = ruling.outcome == .allowed
    let first = ruling.rules.first.map { explanation.rules[$0] }
    let missing = explanation.missing.isEmpty ? first?.missing ?? [] : explanation.missing
    let found = missing.leaves.map { "\($0.subject): \($0.found)" }.joined(separator: ", ")
    return ExplanationReport.Row(
      check: "rules", title: "rules", result: isAllowed ? "passed" : "FAILED",
      reason: ruling.reason?.rawValue, expected: "\(ruling.subject) is allowed",
      found: isAllowed ? "allowed" : found.isEmpty ? ruling.detail ?? "not allowed" : found)
  }

  // MARK: Every rule

  /// The text output: each rule, and the decision for all other routes.
  var lines: [String] {
    if !explanation.missing.isEmpty { return ["routes  none: \(issuerSentence)"] }
    if explanation.rules.isEmpty { return ["routes  all of the stage: the configuration has no rules"] }
    var table = TextTable(columns: ["routes", "allowed", "missing"])
    for rule in explanation.rules {
      let missing = Self.text(rule.missing) + Self.unroutable(rule, after: rule.missing.isEmpty ? "" : "; ")
      let names = rule.names.isEmpty ? "" : ": " + rule.names.joined(separator: ", ")
      table.add([rule.routes.joined(separator: ", ") + names, rule.isMet ? "yes" : "no", missing])
    }
    table.add(["all others", explanation.allowsByDefault ? "yes" : "no", ""])
    return table.lines
  }

  private static func unroutable(_ rule: RuleExplanation.Rule, after separator: String) -> String {
    guard !rule.unroutable.isEmpty else { return "" }
    return separator + "a claim that can be part of a path, for " + rule.unroutable.joined(separator: ", ")
  }

  /// Returns text such as `scope admin (found scope read)`.
  private static func text(_ missing: [MissingEvidence]) -> String {
    missing.map { evidence in
      guard evidence.alternatives.isEmpty else {
        return "one of " + evidence.alternatives.map { "(\(text($0)))" }.joined(separator: " or ")
      }
      let expected = evidence.subject.hasBytePrefix("scope ") ? "" : ": " + evidence.expected
      return "\(evidence.subject)\(expected) (found \(evidence.found))"
    }.joined(separator: ", ")
  }

  /// The JSON output: for `any`, `alternatives` has what each member lacks. `{"route":…,"default":…,"missing":[…],"rules":[…]}`.
  var tree: JSONTree {
    let rules = explanation.rules.map { rule in
      JSONTree.members([
        "routes": .array(rule.routes.map { .string($0) }),
        "names": rule.names.isEmpty ? nil : .array(rule.names.map { .string($0) }),
        "reached": .boolean(rule.isMet),
        "missing": Self.tree(rule.missing), "unroutable": .array(rule.unroutable.map { .string($0) }),
      ])
    }
    return .members([
      "route": ruling.map { .string($0.route) }, "call": ruling?.call.map { .string($0) },
      "default": .string(explanation.allowsByDefault ? "allow" : "deny"),
      "missing": Self.tree(explanation.missing), "rules": .array(rules),
    ])
  }

  private static func tree(_ missing: [MissingEvidence]) -> JSONTree {
    .array(
      missing.map { evidence in
        .members([
          "subject": .string(evidence.subject), "expected": .string(evidence.expected),
          "found": .string(evidence.found),
          "alternatives": evidence.alternatives.isEmpty ? nil : .array(evidence.alternatives.map(tree)),
        ])
      })
  }
}

extension RouteRuling {
  /// The route, with the call.
  fileprivate var subject: String { call.map { "\($0) on \(route)" } ?? route }
}

/// A transport that fails, because rules need no keys.
private struct NoTransport: KeyTransport {
  func fetch(_ addresses: [KeyAddress], milliseconds: Int64) -> KeyFetches {
    KeyFetches(results: addresses.map { _ in .failure(.deadlineExceeded) }, elapsedMilliseconds: 0)
  }
}
