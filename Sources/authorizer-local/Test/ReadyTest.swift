internal import LambdaEmulator
internal import AuthorizerContract

/// A contract test whose event and expectation have been read.
struct ReadyTest {
  let place: Int
  let name: String
  let expectationPath: String
  /// The expectation; `nil` if it does not exist yet.
  let contract: ContractFile?
  let event: PreparedEvent
  /// The claims of the event's tokens that depend on the time of minting, in seconds since 1970.
  let tokenTimes: Set<Int64>

  /// The result of all runs of the test.
  struct Result {
    let entry: ContractReport.Entry
    /// The first outcome that was not as expected.
    let failed: EventOutcome?
  }

  /// Whether a test has an expectation.
  enum Need { case required, mayBeNew, ignored }

  init(
    _ test: ContractSuite.Case, place: Int, from source: EventSource, _ configuration: FunctionConfiguration,
    expectation need: Need
  ) throws(UnreadyTest) {
    self.place = place
    name = test.name
    expectationPath = test.expectationPath
    let files = source.machine.files
    guard files.exists(test.eventPath) else {
      throw UnreadyTest("event", "\(test.name).json", "no file")
    }
    let isThere = need != .ignored && files.exists(test.expectationPath)
    guard isThere || need != .required else {
      throw UnreadyTest(
        "expectation", "\(test.name).expected.json", "no file", note: "--update writes it")
    }
    do {
      contract =
        isThere ? try ContractFile(parsing: try files.bytes(at: test.expectationPath)) : nil
      let body = try source.body(at: test.eventPath, name: test.name)
      tokenTimes = body.tokenTimes
      event = PreparedEvent(name: test.name, bytes: body.bytes, configuration: configuration)
    } catch let error as ContractError {
      throw UnreadyTest("expectation", "a contract", error.description)
    } catch let error as CommandFailure {
      if let file = error.sharedFile {
        throw UnreadyTest("event", "an event", "\(file) is invalid", cause: error)
      }
      throw UnreadyTest("event", "an event", error.message, note: error.hint)
    } catch {
      throw UnreadyTest("event", "an event", "\(error)")
    }
  }

  /// Returns the result: the first run that is not as expected, and the median time.
  ///
  /// - Parameters:
  ///   - explainsAll: whether a passed test is explained too.
  ///   - why: explains an outcome.
  func result(
    of outcomes: [EventOutcome], explainsAll: Bool, why: (EventOutcome) -> String?
  ) -> Result {
    var failed: (run: Int, outcome: EventOutcome, mismatches: [Mismatch])?
    for (index, outcome) in outcomes.enumerated() where failed == nil {
      var mismatches =
        contract?.mismatches(evaluation: outcome.evaluation, result: outcome.result)
        ?? [Mismatch(subject: "expectation", expected: "\(name).expected.json", found: "no file", note: nil)]
      // Without a start there is no answer to compare in detail.
      if outcome.hasNotStarted { mismatches = Array(mismatches.prefix(1)) }
      if !mismatches.isEmpty { failed = (index + 1, outcome, mismatches) }
    }
    let shown = failed?.outcome ?? outcomes.first
    let times = outcomes.map(\.result.microseconds).sorted()
    var mismatches = failed?.mismatches ?? []
    if outcomes.count > 1, let run = failed?.run {
      mismatches = mismatches.map { $0.noting("run \(run) of \(outcomes.count)") }
    }
    var entry = ContractReport.Entry(
      name: name, eventKind: shown?.eventKind, outcome: shown?.evaluation.outcome,
      reason: shown?.result.decision?.reason,
      microseconds: times.isEmpty ? nil : times[times.count / 2], mismatches: mismatches)
    if failed != nil || explainsAll { entry.why = shown.flatMap(why) }
    return Result(entry: entry, failed: failed?.outcome)
  }
}

/// A test that cannot be run. The other tests still run.
struct UnreadyTest: Error {
  let mismatch: Mismatch
  /// The failure of a file that other tests read too. It is reported once for all of them.
  let cause: CommandFailure?

  init(
    _ subject: String, _ expected: String, _ found: String, note: String? = nil,
    cause: CommandFailure? = nil
  ) {
    mismatch = Mismatch(subject: subject, expected: expected, found: found, note: note)
    self.cause = cause
  }
}

extension Mismatch {
  fileprivate func noting(_ more: String) -> Mismatch {
    Mismatch(
      subject: subject, expected: expected, found: found,
      note: [more, note].compactMap { $0 }.joined(separator: ", "))
  }
}
