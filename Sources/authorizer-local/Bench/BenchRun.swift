internal import Text
internal import LambdaEmulator
internal import Bench
internal import Foundation

/// One run of `bench`: measures functions and prints the figures.
struct BenchRun {
  let command: BenchCommand
  /// The handlers to measure instead of this project's function.
  let handlers: [HandlerOption]
  let machine: Machine

  /// - Throws: `CommandFailure` if a function cannot be measured, or answers wrongly.
  func run() throws {
    let benchmark = Benchmark(command.plan) { machine.terminal.note("bench: " + $0) }
    var report = BenchReport(placement: benchmark.placement)
    var random = SystemRandomNumberGenerator()
    for name in command.loads {
      let load = try load(name)
      machine.terminal.note("bench: " + load.summary)
      let entries = try contestants(for: load.configuration)
      do throws(Benchmark.Failure) {
        let figures = try benchmark.run(load.events, entries.map(\.contestant), &random)
        report.add(
          load.name, summary: load.summary,
          zip(entries, figures).map {
            BenchReport.Entry($0.contestant, executableBytes: $0.bytes, figures: $1)
          })
      } catch {
        throw failure(error)
      }
    }
    machine.terminal.answer(json: report.json, if: command.json, else: report.lines)
  }

  private func load(_ name: String) throws -> BenchLoad {
    if let builtIn = BenchLoad.BuiltIn(rawValue: name) {
      return try BenchLoad.builtIn(
        builtIn, tokens: command.tokens, configFile: command.config, on: machine)
    }
    guard machine.files.exists(name) else {
      throw CommandFailure(
        .usage, "there is no load \(name)",
        hint: "--event takes rs256, es256, request, again, dpop, rules, or the path of an event"
      )
    }
    let isOurs = measured.contains { $0.needsConfiguration }
    return try BenchLoad.file(
      name, tokens: command.tokens, configFile: command.config, isOurs: isOurs, on: machine)
  }

  private func contestants(
    for configuration: FunctionConfiguration
  ) throws -> [(contestant: BenchContestant, bytes: Int?)] {
    var entries: [(contestant: BenchContestant, bytes: Int?)] = []
    if let floor = try floorPath() {
      let command = try start(FunctionOptions(function: floor), configuration)
      entries.append((BenchContestant(name: "floor", command: command, isFloor: true), size(of: command)))
    }
    for function in measured {
      let command = try start(function, configuration)
      let words = function.function ?? function.handler.map { "\($0.path):\($0.symbol)" } ?? "bootstrap"
      let name = words.splitBytes(at: "/").last.map(String.init) ?? words
      let number = entries.count { $0.contestant.name.hasBytePrefix(name) }
      entries.append(
        (
          BenchContestant(
            name: number > 0 ? "\(name) (\(number + 1))" : name, command: command, isFloor: false),
          size(of: command)
        ))
    }
    return entries
  }

  private var measured: [FunctionOptions] {
    let all =
      command.function.map { FunctionOptions(function: $0) }
      + handlers.map { FunctionOptions(handler: $0) }
    return all.isEmpty ? [FunctionOptions()] : all
  }

  private func floorPath() throws(CommandFailure) -> String? {
    if command.noFloor { return nil }
    if let floor = command.floor {
      if machine.files.exists(floor) { return machine.files.absolute(floor) }
      throw CommandFailure(
        .unavailable, "no such program: \(floor)", hint: "run make bench, which compiles the floor")
    }
    if let checkout = machine.installation.checkout, machine.files.exists(checkout + "/.build/floor") {
      return checkout + "/.build/floor"
    }
    throw CommandFailure(
      .unavailable, ".build/floor is missing",
      hint: "run make bench in the checkout, which compiles it, or measure without it: --no-floor")
  }

  private func start(
    _ function: FunctionOptions, _ configuration: FunctionConfiguration
  ) throws -> FunctionCommand {
    let program = try function.command(for: configuration, on: machine)
    return FunctionCommand(
      executable: program.executable, arguments: program.arguments,
      environment: program.environment.merging(["AWS_LAMBDA_LOG_LEVEL": command.logLevel]) { $1 })
  }

  /// Returns the size of the executable; `nil` for a shell command, which may run anything.
  private func size(of command: FunctionCommand) -> Int? {
    guard command.arguments.isEmpty else { return nil }
    return (machine.files.attributes(of: command.executable)[.size] as? NSNumber)?.intValue
  }

  private func failure(_ failure: Benchmark.Failure) -> CommandFailure {
    for line in String(decoding: failure.output, as: UTF8.self).splitBytes(at: "\n").suffix(10) {
      machine.terminal.note("\(failure.contestant): \(line)")
    }
    let code: CommandExit =
      switch failure.fault {
      case .notStarted: .unavailable
      case .died, .timedOut: .functionDied
      case .protocolViolation, .functionError, .initializationError, .wrongAnswer: .functionFailed
      }
    return CommandFailure(
      code, "\(failure.contestant) \(failure.fault.description)",
      hint: "authorizer-local invoke prints the whole answer to one event")
  }
}
