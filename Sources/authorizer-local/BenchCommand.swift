internal import ArgumentParser
internal import Emulator
internal import Foundation

struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures how fast functions start and answer, beside the least that a function can do.",
    discussion: """
      Starts each function under a Runtime API that costs next to nothing, in turns with a C program that answers a \
      constant (the floor), and prints times and their multiples of the floor's:
        init          from before the process is made until it asks for its first event
        first answer  from before the process is made until its first answer has come
        warm          from before an event is written until its answer has come
        CPU           processor time of the function's process for one warm invocation

      Every answer is checked: it must let in the bearer of the token, or there are no figures. Functions and Runtime \
      API take turns on one core where the system allows it, so that no core's wake-up is measured. What a function \
      writes goes into a pipe that is emptied between invocations, never while one is measured.

      Loads (--event): rs256 and es256 are TOKEN events, request is a REQUEST event of 4 KB with RS256, again \
      is rs256 with one token and the verdict cache on; each with a configuration of its own. The path of an event file goes with the authorizer.json beside it or above it, and only \
      the outcome of its answers is checked.

      Examples:
        make bench
        authorizer-local bench
        authorizer-local bench --event rs256 --log-level ERROR
        authorizer-local bench --function dist/bootstrap --function 'node runtime.mjs' --cold 20 --warm 2000
        authorizer-local bench --event events/http2-good.json --json

      Exit codes: 0 figures were printed; 2 a function failed or answered wrongly; 3 it died or timed out; 64 usage; 69 \
      the floor or a function is not there.
      """)

  @Option(help: ArgumentHelp("Processes to start for one event each.", valueName: "count"))
  var cold = 200

  @Option(help: ArgumentHelp("Events that one process answers.", valueName: "count"))
  var warm = 10_000

  @Option(help: ArgumentHelp("Different tokens, used in turn.", valueName: "count"))
  var tokens = 200

  @Option(
    help: ArgumentHelp(
      "Measures this instead of dist/bootstrap: any program that speaks the Lambda Runtime API. May be repeated.",
      valueName: "command"))
  var function: [String] = []

  @Option(
    help: ArgumentHelp("Configuration of the authorizer, in place of the load's own.", valueName: "file"))
  var config: String?

  @Option(
    help: ArgumentHelp(
      "rs256, es256, request, again, or the path of an event. May be repeated.", valueName: "load"))
  var event: [String] = []

  @Option(help: ArgumentHelp("AWS_LAMBDA_LOG_LEVEL of the functions.", valueName: "level"))
  var logLevel = "INFO"

  @Option(
    help: ArgumentHelp(
      "The program that answers a constant. Default: .build/floor, which make bench compiles.",
      valueName: "path"))
  var floor: String?

  @Flag(help: "Measures without the floor, so without multiples of it.")
  var noFloor = false

  @Flag(
    help: "Gives the functions another core than the Runtime API; adds the wake-up of a core to each wait.")
  var separateCores = false

  @Flag(help: "Answers in JSON.")
  var json = false

  static let logLevels = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"]
  /// Of each number: ours, so that a slip of a digit does not keep a machine busy for days.
  static let largestCount = 10_000_000

  func validate() throws {
    for (name, count) in [("--cold", cold), ("--warm", warm), ("--tokens", tokens)] {
      guard 1...Self.largestCount ~= count else {
        throw ValidationError("\(name) must be at least 1 and at most \(Self.largestCount)")
      }
    }
    guard tokens <= 10_000 else {
      throw ValidationError("--tokens must be at most 10000: each is signed before")
    }
    guard Self.logLevels.contains(logLevel) else {
      throw ValidationError("--log-level must be one of \(Self.logLevels.joined(separator: ", "))")
    }
    guard !(noFloor && floor != nil) else {
      throw ValidationError("--floor and --no-floor exclude each other")
    }
  }

  func run() throws {
    let plan = Benchmark.Plan(coldStarts: cold, warmInvocations: warm, usesSeparateCores: separateCores)
    let benchmark = Benchmark(plan) { Terminal.note("bench: " + $0) }
    var report = BenchReport(placement: benchmark.placement)
    for name in event.isEmpty ? BenchLoad.BuiltIn.allCases.map(\.rawValue) : event {
      let load = try load(name)
      Terminal.note("bench: " + load.summary)
      let entries = try contestants(for: load.configuration)
      do throws(Benchmark.Failure) {
        let figures = try benchmark.run(load.events, entries.map(\.contestant))
        report.add(
          load.name, summary: load.summary,
          zip(entries, figures).map {
            BenchReport.Entry($0.contestant, executableBytes: $0.bytes, figures: $1)
          })
      } catch {
        throw Self.failure(error)
      }
    }
    if json { Terminal.answer(json: report.json) } else { report.lines.forEach { Terminal.answer($0) } }
  }

  private func load(_ name: String) throws -> BenchLoad {
    if let builtIn = BenchLoad.BuiltIn(rawValue: name) {
      return try BenchLoad.builtIn(builtIn, tokens: tokens, configFile: config)
    }
    guard FileSystem.exists(name) else {
      throw CommandFailure(
        .usage, "no load \(name)", hint: "--event takes rs256, es256, request, again, or the path of an event"
      )
    }
    return try BenchLoad.file(name, tokens: tokens, configFile: config)
  }

  private func contestants(
    for configuration: FunctionConfiguration
  ) throws -> [(contestant: BenchContestant, bytes: Int?)] {
    var entries: [(contestant: BenchContestant, bytes: Int?)] = []
    if !noFloor {
      let command = try command("", configuration, executable: try floorPath())
      entries.append((BenchContestant(name: "floor", command: command, isFloor: true), size(of: command)))
    }
    for line in function.isEmpty ? [nil] : function.map(Optional.init) {
      let command = try command(line, configuration)
      let name = line.map { $0.split(separator: "/").last.map(String.init) ?? $0 } ?? "bootstrap"
      let number = entries.count { $0.contestant.name.hasPrefix(name) }
      entries.append(
        (
          BenchContestant(
            name: number > 0 ? "\(name) (\(number + 1))" : name, command: command, isFloor: false),
          size(of: command)
        ))
    }
    return entries
  }

  private func floorPath() throws(CommandFailure) -> String {
    if let floor {
      if FileSystem.exists(floor) { return FileSystem.absolute(floor) }
      throw CommandFailure(.unavailable, "no such program: \(floor)", hint: "make bench compiles the floor")
    }
    if let path = FileSystem.nearest(".build/floor", from: FileSystem.currentDirectory) { return path }
    throw CommandFailure(
      .unavailable, ".build/floor is not there",
      hint: "make bench compiles it; --no-floor measures without it")
  }

  private func command(
    _ line: String?, _ configuration: FunctionConfiguration, executable: String? = nil
  ) throws -> FunctionCommand {
    let options = try FunctionOptions.parse((executable ?? line).map { ["--function", $0] } ?? [])
    let command = try options.command(for: configuration)
    return FunctionCommand(
      executable: command.executable, arguments: command.arguments,
      environment: command.environment.merging(["AWS_LAMBDA_LOG_LEVEL": logLevel]) { $1 })
  }

  /// A command line for the shell may run anything, so its size says nothing.
  private func size(of command: FunctionCommand) -> Int? {
    guard command.arguments.isEmpty else { return nil }
    let attributes = try? FileManager.default.attributesOfItem(atPath: command.executable)
    return (attributes?[.size] as? NSNumber)?.intValue
  }

  private static func failure(_ failure: Benchmark.Failure) -> CommandFailure {
    for line in String(decoding: failure.output, as: UTF8.self).split(separator: "\n").suffix(10) {
      Terminal.note("\(failure.contestant): \(line)")
    }
    let code: CommandExit =
      switch failure.fault {
      case .notStarted: .unavailable
      case .died, .timedOut: .functionDied
      case .protocolViolation, .functionError, .initializationError, .wrongAnswer: .functionFailed
      }
    return CommandFailure(
      code, "\(failure.contestant) \(failure.fault.description)",
      hint: "authorizer-local invoke shows one event's answer whole")
  }
}
