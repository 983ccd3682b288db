internal import ArgumentParser
internal import Emulator
internal import Foundation
internal import Synchronization

struct TestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Runs contract tests: every X.json of a folder with its X.expected.json.",
    discussion: """
      An expectation contains the outcome and optionally the reason, the response or the error, exact or with matchers:
        { "outcome": "unauthorized", "reason": "expired", "error": { "errorMessage": "Unauthorized" } }
        { "outcome": "allowed", "response": { "$includes": { "principalId": { "$regex": "user-[0-9]+" } } } }
      An event without an expectation fails; --update writes it. tokens.json and authorizer.json are not events.

      Examples:
        authorizer-local test
        authorizer-local test events --junit report.xml
        authorizer-local test events --function 'node runtime.mjs'
        authorizer-local test events --zip function.zip --repeat 100 --concurrency 4
        authorizer-local test events --update

      Exit codes: 0 all passed, 1 a test failed (with --strict also a finding), 2 the function failed to initialize, \
      3 it died or timed out.
      """)

  @Argument(help: "Folder with the events.")
  var directory = "events"

  @OptionGroup var options: FunctionOptions

  @Option(help: "Number of times that every event is sent. Each answer must be as expected.")
  var `repeat` = 1

  @Option(help: "Number of parallel function processes.")
  var concurrency = 1

  @Flag(help: "Writes expectations that are missing or failed, and shows the changes. Matchers stay.")
  var update = false

  @OptionGroup var lintOptions: LintOptions

  @Flag(help: "Treats findings about an answer as failures.")
  var strict = false

  @Flag(help: "Prints JSON instead of text.")
  var json = false

  @Option(help: ArgumentHelp("Also writes a JUnit report.", valueName: "file"))
  var junit: String?

  /// Our own limit: more processes would test the machine and not the function.
  private static let maximumConcurrency = 64

  func validate() throws {
    guard self.repeat >= 1 else { throw ValidationError("--repeat must be at least 1") }
    guard (1...Self.maximumConcurrency).contains(concurrency) else {
      throw ValidationError("--concurrency must be between 1 and \(Self.maximumConcurrency)")
    }
  }

  func run() async throws {
    let suite: ContractSuite
    do throws(ContractSuiteError) {
      suite = try ContractSuite(directory: directory)
    } catch {
      throw CommandFailure(
        .usage, error.description, hint: "an event is X.json, and its expectation is X.expected.json")
    }
    var entries = [ContractReport.Entry?](repeating: nil, count: suite.cases.count)
    var ready: [ReadyTest] = []
    var reported: Set<String> = []
    let source = EventSource(options: options)
    for (place, test) in suite.cases.enumerated() {
      let configuration = try source.configuration(for: test.eventPath)
      do throws(UnreadyTest) {
        ready.append(
          try ReadyTest(test, place: place, from: source, configuration, mayBeNew: update))
      } catch {
        if let cause = error.cause, reported.insert(cause.message).inserted {
          Terminal.error(cause.message, hint: cause.hint)
        }
        entries[place] = ContractReport.Entry(
          name: test.name, eventKind: nil, outcome: nil, reason: nil, microseconds: nil,
          mismatches: [error.mismatch])
      }
    }
    let runs = try await outcomes(of: ready)
    var unmet: [CommandExit] = []
    var failedStarts: Set<FunctionConfiguration> = []
    for (test, outcomes) in zip(ready, runs) {
      let result = test.result(of: outcomes)
      entries[test.place] = result.entry
      if update, !result.entry.isPassed, try write(test, outcomes) {
        entries[test.place] = result.entry.met
      } else if let failed = result.failed {
        unmet.append(failed.exitWhenUnmet)
        if !options.verbose { failed.showLog(besides: &failedStarts) }
      }
      if strict {
        entries[test.place] = entries[test.place]?.failing(for: lintOptions.mismatches(in: outcomes))
      }
    }
    let report = ContractReport(entries.compactMap { $0 })
    try show(report)
    _ = lintOptions.note(runs.flatMap { $0 })
    options.noteRealKeys(runs.flatMap { $0 })
    if report.failed > 0 { throw (unmet.max { $0.rawValue < $1.rawValue } ?? .unmet).exit }
  }

  /// Returns every test's outcomes, one for each run.
  private func outcomes(of tests: [ReadyTest]) async throws -> [[EventOutcome]] {
    let count = tests.count * self.repeat
    let done = Mutex(0)
    var run = EventRun(options: options, concurrency: concurrency)
    run.onAnswer = {
      let number = done.withLock { done in
        done += 1
        return done
      }
      Terminal.progress(number, of: count)
    }
    // Round by round, so that the same event is never sent twice in a row.
    let all = try await run.outcomes(of: (0..<self.repeat).flatMap { _ in tests.map(\.event) })
    return tests.indices.map { index in
      stride(from: index, to: all.count, by: max(1, tests.count)).map { all[$0] }
    }
  }

  private func show(_ report: ContractReport) throws(CommandFailure) {
    if let junit { try FileSystem.write(Array(report.junit.utf8), to: junit) }
    if json {
      Terminal.answer(json: report.json)
      return
    }
    report.table.lines.forEach { Terminal.answer($0) }
    if report.failed > 0 {
      Terminal.answer("")
      report.differences.forEach { Terminal.answer($0) }
      Terminal.answer("")
    }
    Terminal.answer(report.summary)
  }

  /// Writes an expectation from the outcomes. Returns whether it was written.
  private func write(_ test: ReadyTest, _ outcomes: [EventOutcome]) throws(CommandFailure) -> Bool {
    let path = test.expectationPath
    let updates = outcomes.map {
      ContractUpdate(
        test.contract, verdict: $0.verdict, result: $0.result, tokenTimes: test.tokenTimes)
    }
    guard let first = updates.first else { return false }
    guard updates.allSatisfy({ $0 == first }) else {
      Terminal.note("unchanged \(path): the answers differ between runs; use a matcher")
      return false
    }
    switch first {
    case .keep(let reason):
      Terminal.note("unchanged \(path): \(reason)")
      return false
    case .write(let bytes):
      let old = test.contract == nil ? [] : try FileSystem.bytes(at: path)
      try FileSystem.write(bytes, to: path)
      Terminal.note("\(test.contract == nil ? "wrote" : "updated") \(path)")
      let difference = UnifiedDifference(
        expected: String(decoding: old, as: UTF8.self), found: String(decoding: bytes, as: UTF8.self))
      if test.contract != nil { difference.lines.forEach { Terminal.note("  " + Printable.text($0)) } }
      return true
    }
  }
}
