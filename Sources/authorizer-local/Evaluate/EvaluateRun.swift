internal import AuthorizerContract
internal import IAMPolicy
internal import Text
internal import JSON

/// One run of `evaluate`: the decisions of a policy, and what the lint finds in it.
struct EvaluateRun {
  let command: EvaluateCommand
  /// The time of the request in Unix seconds.
  let time: Int64
  /// The lint to make; `nil` for none.
  let lint: PolicyLint?
  let machine: Machine

  /// - Throws: `CommandFailure` if the policy cannot be evaluated, and `CommandExit` if the answer is no.
  func run() throws {
    let bytes = try machine.files.bytes(at: command.policy)
    let findings = lint?.findings(in: bytes, resource: command.arn.first)
    var rulings: [PolicyRuling] = []
    if !command.arn.isEmpty { rulings = try self.rulings(bytes) }
    machine.terminal.answer(
      json: PolicyRuling.json(rulings, findings: findings), if: command.json,
      else: rulings.flatMap { $0.lines(namesARN: command.arn.count > 1, verbose: command.verbose) }
        + (findings.map { $0.isEmpty ? ["no findings"] : $0.flatMap(LintText.lines) } ?? []))
    if rulings.contains(where: { !$0.decision.isAllowed }) || findings?.isEmpty == false {
      throw CommandExit.unmet
    }
  }

  private func rulings(_ bytes: [UInt8]) throws(CommandFailure) -> [PolicyRuling] {
    let (name, action, context) = (command.policy, command.action, try requestContext())
    do {
      let root = try JSONDocument(parsing: bytes, limits: .event).root
      if let failure = configurationFailure(root) { throw failure }
      let value = root["policyDocument"] ?? root
      let evaluator = PolicyEvaluator(try PolicyDocument(value))
      return try command.arn.map { arn in
        PolicyRuling(
          arn: arn, decision: try evaluator.decision(for: arn, action: action, in: context),
          // The decision needs no findings. A later statement may need a key that is not known.
          findings: (try? evaluator.findings(for: arn, action: action, in: context)) ?? [], policy: value)
      }
    } catch let failure as CommandFailure {
      throw failure
    } catch let error as JSONError {
      throw CommandFailure(.usage, "\(name) is not JSON: \(error.description(in: bytes))")
    } catch let error as PolicyError {
      throw CommandFailure(
        .usage, "the policy cannot be evaluated: \(error.description)", hint: LintText.cure(of: error))
    } catch let error as UndecidedPolicy {
      throw CommandFailure(
        .usage, "the policy cannot be evaluated: \(error.description)",
        hint: "give --context \(ShellWord.assignment(error.key, "VALUE")), or --context"
          + " \(ShellWord.quoted(error.key, or: "NAME")) if the request does not have it")
    } catch {
      throw CommandFailure(.usage, "\(name): \(error)")
    }
  }

  /// The failure for a configuration, which has issuers and no statement.
  private func configurationFailure(_ root: JSONValue) -> CommandFailure? {
    guard root["Statement"] == nil, root["issuers"] != nil else { return nil }
    return CommandFailure(
      .usage, "\(command.policy) is a configuration, not a policy",
      hint:
        "check it with authorizer-local config check \(ShellWord.path(command.policy, or: "FILE"));"
        + " authorizer-local explain shows what it decides about a token")
  }

  private func requestContext() throws(CommandFailure) -> ConditionContext {
    var known = ConditionContext(at: time)
    var given: [(name: String, values: [String])] = []
    for pair in command.context {
      let parts = pair.splitBytes(at: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
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
