internal import ArgumentParser
internal import Emulator
internal import Foundation

struct TestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Runs contract tests: every X.json of a folder with its X.expected.json.",
    discussion: """
      An expectation names the outcome, and where you like the reason, the exact response or the error:
        { "outcome": "unauthorized", "reason": "expired", "error": { "errorMessage": "Unauthorized" } }
      An event without an expectation fails. tokens.json and authorizer.json are not events.

      Examples:
        authorizer-local test
        authorizer-local test events --junit report.xml
        authorizer-local test events --function 'node runtime.mjs'

      Exit codes: 0 all passed, 1 a contract was not kept, 2 the function could not start its work, 3 it died or timed \
      out.
      """)

  @Argument(help: "Folder with the events.")
  var directory = "events"

  @OptionGroup var options: FunctionOptions

  @Flag(help: "Answers in JSON.")
  var json = false

  @Option(help: ArgumentHelp("Writes a JUnit report besides.", valueName: "file"))
  var junit: String?

  func run() async throws {
    let suite: ContractSuite
    do throws(ContractSuiteError) {
      suite = try ContractSuite(directory: directory)
    } catch {
      throw CommandFailure(
        .usage, error.description, hint: "an event is X.json with what is expected of it in X.expected.json")
    }
    var entries = [ContractReport.Entry?](repeating: nil, count: suite.cases.count)
    var ready: [(place: Int, contract: ContractFile, event: PreparedEvent)] = []
    let source = EventSource(options: options)
    for (place, test) in suite.cases.enumerated() {
      let configuration = try source.configuration(for: test.eventPath)
      do throws(UnreadyTest) {
        let (contract, event) = try prepare(test, from: source, configuration)
        ready.append((place, contract, event))
      } catch {
        entries[place] = ContractReport.Entry(
          name: test.name, eventKind: nil, outcome: nil, reason: nil, microseconds: nil,
          mismatches: [error.mismatch])
      }
    }
    let outcomes = try await EventRun(options: options).outcomes(of: ready.map(\.event))
    var unmet: [CommandExit] = []
    for (test, outcome) in zip(ready, outcomes) {
      let mismatches = test.contract.mismatches(verdict: outcome.verdict, result: outcome.result)
      if !mismatches.isEmpty {
        unmet.append(outcome.exitWhenUnmet)
        if !options.verbose { outcome.showLog() }
      }
      entries[test.place] = ContractReport.Entry(
        name: outcome.event.name, eventKind: outcome.verdict.eventKind, outcome: outcome.verdict.outcome,
        reason: outcome.result.decision?.reason, microseconds: outcome.result.microseconds,
        mismatches: mismatches)
    }
    let report = ContractReport(entries.compactMap { $0 })
    try show(report)
    if report.failed > 0 { throw (unmet.max { $0.rawValue < $1.rawValue } ?? .unmet).exit }
  }

  private func show(_ report: ContractReport) throws(CommandFailure) {
    if let junit { try FileSystem.write(Array(report.junit.utf8), to: junit) }
    if json {
      Terminal.answer(report.json)
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

  /// A test that cannot be run fails; the others go on.
  private struct UnreadyTest: Error {
    let mismatch: Mismatch
  }

  private func prepare(
    _ test: ContractSuite.Case, from source: EventSource, _ configuration: FunctionConfiguration
  ) throws(UnreadyTest) -> (ContractFile, PreparedEvent) {
    guard FileSystem.exists(test.eventPath) else {
      throw Self.unready("event", "\(test.name).json", "no file")
    }
    guard FileSystem.exists(test.expectationPath) else {
      throw Self.unready("expectation", "\(test.name).expected.json", "no file")
    }
    do {
      let contract = try ContractFile(parsing: try FileSystem.bytes(at: test.expectationPath))
      let body = try source.body(at: test.eventPath, name: test.name)
      return (contract, PreparedEvent(name: test.name, bytes: body, configuration: configuration))
    } catch let error as ContractError {
      throw Self.unready("expectation", "a contract", error.description)
    } catch let error as CommandFailure {
      throw Self.unready("event", "an event", error.message)
    } catch {
      throw Self.unready("event", "an event", "\(error)")
    }
  }

  private static func unready(_ subject: String, _ expected: String, _ found: String) -> UnreadyTest {
    UnreadyTest(mismatch: Mismatch(subject: subject, expected: expected, found: found, note: nil))
  }
}
