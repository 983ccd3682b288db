internal import Authorizer
internal import Emulator
internal import JOSE
internal import JSON

/// The whole answer of `explain`: verdict, what to do about it, and every check.
struct ExplanationReport {
  let isAccepted: Bool
  private let words: VerdictWords
  /// What the answer depends on: time, issuer, keys.
  private let circumstances: [(name: String, value: String)]
  private let rows: [Row]

  /// One check, for people and for machines.
  struct Row {
    let check: String
    let title: String
    var result: String
    var reason: String?
    let expected: String
    let found: String
  }

  /// The result of checks that had nothing to look at: one line for all of them, each its own in JSON.
  static let notReached = "not reached"

  /// - Throws: `CommandFailure` where the configuration cannot be used.
  init(
    subject: ExplainedSubject, configuration: ExplainedConfiguration, now: Int64
  ) throws(CommandFailure) {
    var circumstances = [(name: "now", value: Moment.text(now) ?? String(now))]
    var rows: [Row] = []
    var early: VerdictWords?
    var token: [UInt8]?
    switch subject {
    case .token(let text): token = text
    case .event(let event):
      let words = CredentialWords(event, settings: try configuration.reading(for: nil).settings)
      rows = words.rows
      early = words.verdict
      token = words.token
    }
    guard let token else {
      self.init(isAccepted: false, words: early ?? .nothing, circumstances: circumstances, rows: rows)
      return
    }
    let reading = try configuration.reading(for: token)
    let issuers = reading.settings.issuers
    let explanation = TokenExplanation(of: token, profiles: issuers.map(\.profile), at: now) { index in
      reading.problem == nil ? issuers[index].keys.deployed : nil
    }
    let explained = ExplainedToken(explanation: explanation, reading: reading, text: token, now: now)
    circumstances.append(("issuer", explained.issuerText))
    circumstances.append(("keys", explained.keysText))
    if let revocation = explained.revocationText { circumstances.append(("revocation", revocation)) }
    rows += explained.rows
    self.init(
      isAccepted: early == nil && explanation.isAccepted, words: early ?? explained.verdict,
      circumstances: circumstances, rows: rows)
  }

  private init(
    isAccepted: Bool, words: VerdictWords, circumstances: [(name: String, value: String)], rows: [Row]
  ) {
    self.isAccepted = isAccepted
    self.words = words
    self.circumstances = circumstances
    self.rows = rows
  }

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
    return lines + table.lines
      + (unreached.isEmpty ? [] : ["", "\(Self.notReached): \(unreached.joined(separator: ", "))"])
  }

  /// `{"accepted":…,"reason":…,"message":…,"hint":…,"now":…,"checks":[…]}`.
  var json: [UInt8] {
    var members: [JSONTree.Member] = [.init(name: "accepted", value: .boolean(isAccepted))]
    if !isAccepted { members.append(.init(name: "reason", value: .string(words.code))) }
    members.append(.init(name: "message", value: .string(words.sentence)))
    if let hint = words.hint { members.append(.init(name: "hint", value: .string(hint))) }
    members += circumstances.map { .init(name: $0.name, value: .string($0.value)) }
    let checks = rows.map { row in
      var check: [JSONTree.Member] = [
        .init(name: "check", value: .string(row.check)), .init(name: "result", value: .string(row.result)),
      ]
      if let reason = row.reason { check.append(.init(name: "reason", value: .string(reason))) }
      check.append(.init(name: "expected", value: .string(row.expected)))
      check.append(.init(name: "found", value: .string(row.found)))
      return JSONTree.object(check)
    }
    members.append(.init(name: "checks", value: .array(checks)))
    return JSONTree.object(members).bytes(indentedBy: 2)
  }
}

/// The first lines of an explanation.
struct VerdictWords {
  /// `accepted`, or the reason code.
  let code: String
  let sentence: String
  var hint: String?

  /// Stands where a subject holds no token and yet nothing was found wrong with it.
  static let nothing = VerdictWords(code: ReasonCode.missingToken.rawValue, sentence: "there is no token")
}
