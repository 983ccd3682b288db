internal import ArgumentParser
internal import Emulator
internal import JSON

struct EvaluateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate",
    abstract: "Evaluates an IAM policy for a call, and shows which statement decided.",
    discussion: """
      POLICY is a policy document or an authorizer's whole answer; - reads standard input. Conditions and policy \
      variables use the time of this machine; other condition keys come from --context. A policy that cannot be \
      evaluated is refused; no part of it is ignored.

      Examples:
        authorizer-local evaluate policy.json --arn arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets
        authorizer-local evaluate policy.json --arn "$PETS" --arn "$DOGS" --verbose
        authorizer-local evaluate policy.json --arn "$ARN" --time +2h --context aws:SourceIp=203.0.113.7
        authorizer-local evaluate answer.json --lint --kind restToken

      Exit codes: 0 all allowed and no finding, 1 not allowed or a finding, 64 the policy cannot be evaluated.
      """)

  @Argument(help: "File with the policy, or - for standard input.")
  var policy: String

  @Option(
    help: """
      The requested method or route: arn:aws:execute-api:REGION:ACCOUNT:API/STAGE/VERB/PATH. Repeatable.
      """)
  var arn: [String] = []

  @Option(help: "The requested action.")
  var action = PolicyEvaluator.invoke

  @Option(
    help: ArgumentHelp(
      "A condition key of the request. Without = the request does not have the key. Repeatable.",
      valueName: "key=value"))
  var context: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Time of the request: 2026-11-21T10:00:00Z, or relative to now: +10m, -1h. Default: now.",
      valueName: "time"))
  var time: String?

  @Flag(help: "Reports what AWS refuses and what is probably a mistake.")
  var lint = false

  @OptionGroup var lintOptions: LintOptions

  @Option(
    help: ArgumentHelp(
      "Kind of the event for --lint. Default: restRequest.", valueName: "kind"),
    transform: EventKindName.parse)
  var kind = EventKind.restRequest

  @Flag(help: "Shows for each statement why it applies to the call or not.")
  var verbose = false

  @Flag(help: "Prints JSON instead of text.")
  var json = false

  func validate() throws {
    if arn.isEmpty, !lint {
      throw ValidationError("give --arn ARN (the requested method or route) or --lint")
    }
    if let time, Moment.parse(time) == nil {
      throw ValidationError("--time must be a time such as 2026-11-21T10:00:00Z or +10m, found \(time)")
    }
  }

  func run() throws {
    let bytes = try FileSystem.bytes(at: policy)
    let findings = lint ? lintOptions.lint(kind).findings(in: bytes, resource: arn.first) : []
    var rulings: [PolicyRuling] = []
    if !arn.isEmpty {
      rulings = try Self.rulings(bytes, name: policy, for: arn, action, try requestContext())
    }
    if json {
      Terminal.answer(json: PolicyRuling.json(rulings, findings: lint ? findings : nil))
    } else {
      for ruling in rulings {
        ruling.lines(namesARN: arn.count > 1, verbose: verbose).forEach { Terminal.answer($0) }
      }
      findings.flatMap(LintText.lines).forEach { Terminal.answer($0) }
      if lint, findings.isEmpty { Terminal.answer("no findings") }
    }
    if rulings.contains(where: { !$0.decision.isAllowed }) || !findings.isEmpty {
      throw CommandExit.unmet.exit
    }
  }

  private static func rulings(
    _ bytes: [UInt8], name: String, for arns: [String], _ action: String, _ context: ConditionContext
  ) throws(CommandFailure) -> [PolicyRuling] {
    do {
      let root = try JSONDocument(parsing: bytes, limits: .event).root
      let value = root["policyDocument"] ?? root
      let evaluator = PolicyEvaluator(try PolicyDocument(value))
      return try arns.map { arn in
        PolicyRuling(
          arn: arn, decision: try evaluator.decision(for: arn, action: action, in: context),
          // The decision needs no findings. A later statement may need a key that is not known.
          findings: (try? evaluator.findings(for: arn, action: action, in: context)) ?? [], policy: value)
      }
    } catch let error as JSONError {
      throw CommandFailure(.usage, "\(name) is not JSON: \(error.description(in: bytes))")
    } catch let error as PolicyError {
      throw CommandFailure(
        .usage, "the policy cannot be evaluated: \(error.description)", hint: LintText.cure(of: error))
    } catch let error as UndecidedPolicy {
      throw CommandFailure(
        .usage, "the policy cannot be evaluated: \(error.description)",
        hint: "give --context \(error.key)=VALUE, or --context \(error.key) if the request does not have it")
    } catch {
      throw CommandFailure(.usage, "\(name): \(error)")
    }
  }

  private func requestContext() throws(CommandFailure) -> ConditionContext {
    var known = ConditionContext(at: time.flatMap { Moment.parse($0) } ?? Moment.now)
    var given: [(name: String, values: [String])] = []
    for pair in context {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let name = parts.first ?? ""
      let place = given.firstIndex { $0.name.lowercased() == name.lowercased() }
      if let place {
        given[place].values += parts.dropFirst()
      } else {
        given.append((name, Array(parts.dropFirst())))
      }
    }
    for (name, values) in given {
      do throws(ConditionContextError) {
        try known.set(name, to: values)
      } catch {
        throw CommandFailure(
          .usage, "--context: \(error.description)",
          hint: "known keys: \(ConditionKey.names.joined(separator: ", "))")
      }
    }
    return known
  }
}

/// The decision of a policy for one ARN, as text and as JSON.
struct PolicyRuling {
  let arn: String
  let decision: PolicyEvaluator.Decision
  let findings: [PolicyEvaluator.Finding]
  /// The policy as JSON.
  let policy: JSONValue

  func lines(namesARN: Bool, verbose: Bool) -> [String] {
    var lines = [
      (namesARN ? arn + ": " : "") + Self.named(decision.description, findings, decision.statement)
    ]
    if verbose {
      lines += findings.map { finding in
        let sid = finding.identifier.map { " \"\($0)\"" } ?? ""
        return "  Statement[\(finding.statement)]\(sid) \(finding.effect.rawValue) "
          + (finding.applies ? "applies: " : "does not apply: ") + finding.reason
      }
    } else if !namesARN, let index = decision.statement, let text = source(of: index) {
      lines.append(text)
    }
    return lines.map(Printable.lines)
  }

  private static func named(
    _ text: String, _ findings: [PolicyEvaluator.Finding], _ index: Int?
  ) -> String {
    guard let sid = findings.first(where: { $0.statement == index })?.identifier else { return text }
    return "\(text) \"\(sid)\""
  }

  private func source(of index: Int) -> String? {
    guard let list = policy["Statement"] else { return nil }
    let statements = list.kind == .array ? Array(list.elements) : [list]
    guard statements.indices.contains(index) else { return nil }
    return String(decoding: JSONTree(statements[index]).bytes(indentedBy: 2), as: UTF8.self)
  }

  /// Returns one ruling as an object of its own; several rulings, or findings, as members of an object.
  static func json(_ rulings: [PolicyRuling], findings: [PolicyLint.Finding]?) -> [UInt8] {
    if rulings.count == 1, findings == nil, let only = rulings.first { return only.tree.bytes(indentedBy: 2) }
    var members: [JSONTree.Member] = []
    if !rulings.isEmpty { members.append(.init(name: "decisions", value: .array(rulings.map(\.tree)))) }
    if let findings { members.append(.init(name: "findings", value: LintText.tree(findings))) }
    return JSONTree.object(members).bytes(indentedBy: 2)
  }

  private var tree: JSONTree {
    let name =
      switch decision {
      case .allowed: "allowed"
      case .explicitlyDenied: "explicitlyDenied"
      case .implicitlyDenied: "implicitlyDenied"
      }
    var members: [JSONTree.Member] = [
      .init(name: "arn", value: .string(arn)), .init(name: "allowed", value: .boolean(decision.isAllowed)),
      .init(name: "decision", value: .string(name)),
    ]
    if let index = decision.statement {
      members.append(.init(name: "statement", value: .number(String(index))))
    }
    let statements = findings.map { finding in
      var members: [JSONTree.Member] = [
        .init(name: "statement", value: .number(String(finding.statement))),
        .init(name: "effect", value: .string(finding.effect.rawValue)),
        .init(name: "applies", value: .boolean(finding.applies)),
        .init(name: "reason", value: .string(finding.reason)),
      ]
      if let sid = finding.identifier { members.insert(.init(name: "sid", value: .string(sid)), at: 1) }
      return JSONTree.object(members)
    }
    members.append(.init(name: "statements", value: .array(statements)))
    return .object(members)
  }
}
