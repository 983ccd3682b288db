internal import AuthorizerContract
internal import GatewayEmulator
internal import LambdaEmulator
internal import Authorizer
internal import enum Authorizer.EventKind
internal import IssuerKeys
internal import JOSE
internal import JSON

/// The whole output of `explain`: the verdict, what to do about it, every check, and the rules for a valid token.
struct ExplanationReport {
  /// Whether the token is valid and, for an event, allowed on the event's route.
  var isAccepted: Bool { words.code == VerdictWords.accepted }
  private let words: VerdictWords
  /// The inputs of the explanation: time, issuer, keys.
  private let circumstances: [(name: String, value: String)]
  private let rows: [Row]
  /// The rules; only for a valid token.
  private let rules: ExplainedRules?

  /// One check, in the text and in the JSON output.
  struct Row {
    let check: String
    let title: String
    var result: String
    var reason: String?
    let expected: String
    let found: String
  }

  /// The result of checks without input. The text output lists them on one line, JSON one by one.
  static let notReached = "not reached"

  var lines: [StyledText] {
    let verdict = Printable.text("\(words.code): \(words.sentence)")
    return ["\(verdict, isAccepted ? .green : .red)"] + details.map { StyledText($0) }
  }

  private var details: [String] {
    var lines = words.hint.map { ["hint: " + Printable.text($0)] } ?? []
    lines.append("")
    let width = max(8, (circumstances.map(\.name.count).max() ?? 0) + 1)
    for (name, value) in circumstances {
      lines.append(name + String(repeating: " ", count: max(1, width - name.count)) + Printable.text(value))
    }
    lines.append("")
    var table = TextTable(columns: ["check", "result", "expected", "found"])
    for row in rows where row.result != Self.notReached {
      table.add([row.title, row.result, row.expected, row.found].map(Printable.text))
    }
    let unreached = rows.filter { $0.result == Self.notReached }.map(\.title)
    lines += table.lines
    if !unreached.isEmpty { lines += ["", "\(Self.notReached): \(unreached.joined(separator: ", "))"] }
    if let rules { lines += [""] + rules.lines.map(Printable.text) }
    return lines
  }

  /// The outcome of the answer; `nil` for a valid token without an event.
  var outcome: String? {
    rules?.outcome ?? words.outcome ?? ReasonCode(rawValue: words.code)?.outcome.rawValue
  }

  /// `{"accepted":…,"outcome":…,"reason":…,"message":…,"hint":…,"now":…,"checks":[…],"rules":{…}}`.
  var json: [UInt8] {
    let checks = rows.map { row in
      JSONTree.members([
        "check": .string(row.check), "result": .string(row.result),
        "reason": row.reason.map { .string($0) }, "expected": .string(row.expected),
        "found": .string(row.found),
      ])
    }
    let first = JSONTree.pairs([
      "accepted": .boolean(isAccepted), "outcome": outcome.map { .string($0) },
      "reason": isAccepted ? nil : .string(words.code), "message": .string(words.sentence),
      "hint": words.hint.map { .string($0) },
    ])
    let last = JSONTree.pairs(["checks": .array(checks), "rules": rules?.tree])
    let middle = circumstances.map { JSONTree.Member(name: $0.name, value: .string($0.value)) }
    return JSONTree.object(first + middle + last).bytes(indentedBy: 2)
  }
}

extension ExplanationReport {
  /// - Throws: `CommandFailure` if the configuration cannot be used.
  init(
    subject: ExplainedSubject, configuration: ExplainedConfiguration, now: Int64
  ) throws(CommandFailure) {
    var circumstances = [(name: "now", value: Moment.text(now) ?? String(now))]
    var rows: [Row] = []
    var early: VerdictWords?
    var token: [UInt8]?
    var event: [UInt8]?
    var kind: EventKind?
    switch subject {
    case .token(let text): token = text
    case .event(let bytes), .header(let bytes):
      let words = CredentialWords(bytes, settings: try configuration.reading(for: nil).settings)
      rows = words.rows
      early = words.verdict
      (token, kind) = (words.token, words.kind)
      if case .event = subject { event = bytes }
    }
    guard let token else {
      self.init(words: early ?? .nothing, circumstances: circumstances, rows: rows, rules: nil)
      return
    }
    let reading = try configuration.reading(for: token)
    let settings = reading.settings
    let profiles = settings.issuers.map(\.profile)
    let explanation = TokenExplanation(of: token, profiles: profiles, at: now) { issuer in
      reading.problem == nil ? settings[issuer].keys.deployed : nil
    }
    let explained = ExplainedToken(explanation: explanation, reading: reading, text: token, now: now)
    circumstances.append(("issuer", explained.issuerText))
    circumstances.append(("keys", explained.keysText))
    if let revocation = explained.revocationText { circumstances.append(("revocation", revocation)) }
    if event == nil, let possession = explained.possessionText { circumstances.append(("proof", possession)) }
    rows += explained.rows
    var rules: ExplainedRules?
    if early == nil, case .accepted(let good) = explanation.verdict {
      let possession = event.flatMap { ExplainedPossession(good, settings, event: $0, at: now) }
      rows += possession?.rows ?? []
      early = possession?.verdict ?? explained.withdrawalVerdict
      // The rules of a route are not asked about a caller who has proven nothing.
      rules = ExplainedRules(good, reading.settings, event: early == nil ? event : nil, kind, at: now)
      if let row = rules?.row { rows.append(row) }
    }
    self.init(
      words: early ?? rules?.verdict(explained.verdict) ?? explained.verdict, circumstances: circumstances,
      rows: rows, rules: rules)
  }

  /// The checks for the console.
  var checks: [DecisionCheck] {
    rows.map { row in
      let result: DecisionCheck.Result =
        row.result == Self.notReached ? .skipped : row.result == "passed" ? .passed : .failed
      return DecisionCheck(
        name: row.title, result: result, reason: row.reason, expected: row.expected, found: row.found)
    }
  }

  /// Who decided and why, in one sentence. It repeats what the caller sent.
  var sentence: String { rules?.sentence ?? words.sentence }

  /// What to do about a refusal, if that is known.
  var hint: String? { isAccepted ? nil : words.hint }

  /// The reason code; `nil` if the request is allowed.
  var reason: String? { isAccepted ? nil : words.code }

  /// The index of the rule that decided about the route; `nil` if the token was refused before, or no rule did.
  var rule: Int? { rules?.decidingRule }

  /// The names of what the rule, or the issuer, requires and the token lacks.
  var needs: [String] { rules?.needs ?? [] }

  /// What a valid token has of all that the rules read.
  var has: String? { rules?.has }
}

/// The first lines of an explanation.
struct VerdictWords {
  /// `accepted`, or the reason code.
  let code: String
  let sentence: String
  var hint: String?
  /// The outcome of the answer, where neither rules nor the code say it.
  var outcome: String?

  /// The code of a valid token that the rules do not refuse.
  static let accepted = "accepted"

  /// Used if the input contains no token and nothing else is wrong with it.
  static let nothing = VerdictWords(code: ReasonCode.missingToken.rawValue, sentence: "there is no token")
}
