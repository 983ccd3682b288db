internal import ArgumentParser
internal import Emulator
internal import Foundation

struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures how fast functions start and answer, compared with a minimal function.",
    discussion: """
      Runs each function in turns with the floor, a C program that returns a constant, under a minimal Runtime API. \
      Prints times, and each time as a multiple of the floor's:
        init          from process start until the function requests its first event
        first answer  from process start until the first answer arrived
        warm          from writing an event until its answer arrived
        CPU           processor time of the function's process for one warm invocation

      Every answer is checked: if the caller with a valid token is not allowed, no figures are printed. Functions and \
      Runtime API share one core where the system supports it, so the wake-up of a second core is not measured. The \
      output of a function goes to a pipe that is emptied between invocations, never during a measurement.

      Loads (--event): rs256 and es256 are TOKEN events; request is a REQUEST event of 4 KB with RS256; again is \
      rs256 with one token and the verdict cache on. Each of these loads has its own configuration. An event file \
      uses the nearest authorizer.json in its folder or above, and only the outcome of its answers is checked.

      Examples:
        make bench
        authorizer-local bench
        authorizer-local bench --event rs256 --log-level ERROR
        authorizer-local bench --function dist/bootstrap --function 'node runtime.mjs' --cold 20 --warm 2000
        authorizer-local bench --event events/http2-good.json --json

      Exit codes: 0 figures printed; 2 a function failed or answered wrongly; 3 it died or timed out; 64 usage \
      error; 69 the floor or a function is missing.
      """)

  @Option(
    help: ArgumentHelp("Number of cold starts: processes that answer one event each.", valueName: "count"))
  var cold = 200

  @Option(
    help: ArgumentHelp("Number of warm invocations: events that one process answers.", valueName: "count"))
  var warm = 10_000

  @Option(help: ArgumentHelp("Number of different tokens, used in turn.", valueName: "count"))
  var tokens = 200

  @Option(
    help: ArgumentHelp(
      "Measures this command instead of bootstrap: any client of the Lambda Runtime API. Repeatable.",
      valueName: "command"))
  var function: [String] = []

  @Option(
    help: ArgumentHelp("Configuration of the authorizer. Overrides the load's own.", valueName: "file"))
  var config: String?

  @Option(
    help: ArgumentHelp(
      "rs256, es256, request, again, or the path of an event. Repeatable.", valueName: "load"))
  var event: [String] = []

  @Option(help: ArgumentHelp("Sets AWS_LAMBDA_LOG_LEVEL of the functions.", valueName: "level"))
  var logLevel = "INFO"

  @Option(
    help: ArgumentHelp(
      "The floor: the program that returns a constant. Default: .build/floor, which make bench compiles.",
      valueName: "path"))
  var floor: String?

  @Flag(help: "Does not run the minimal C function, and prints times only.")
  var noFloor = false

  @Flag(
    help:
      "Runs the functions and the Runtime API on different cores. Each wait then includes the wake-up of a core."
  )
  var separateCores = false

  @Flag(help: "Prints JSON instead of text.")
  var json = false

  static let logLevels = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"]
  /// Limit of each count, chosen by us: a mistyped digit must not keep a machine busy for days.
  static let largestCount = 10_000_000

  func validate() throws {
    for (name, count) in [("--cold", cold), ("--warm", warm), ("--tokens", tokens)] {
      guard 1...Self.largestCount ~= count else {
        throw ValidationError("\(name) must be at least 1 and at most \(Self.largestCount)")
      }
    }
    guard tokens <= 10_000 else {
      throw ValidationError("--tokens must be at most 10000: each one is signed before the measurement")
    }
    guard Self.logLevels.contains(logLevel) else {
      throw ValidationError("--log-level must be one of \(Self.logLevels.joined(separator: ", "))")
    }
    guard !(noFloor && floor != nil) else {
      throw ValidationError("--floor and --no-floor cannot be combined")
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
        .usage, "there is no load \(name)",
        hint: "--event takes rs256, es256, request, again, or the path of an event"
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
      throw CommandFailure(
        .unavailable, "no such program: \(floor)", hint: "run make bench, which compiles the floor")
    }
    if let checkout = Installation.checkout, FileSystem.exists(checkout + "/.build/floor") {
      return checkout + "/.build/floor"
    }
    throw CommandFailure(
      .unavailable, ".build/floor is missing",
      hint: "run make bench in the checkout, which compiles it, or measure without it: --no-floor")
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

  /// Returns the size of the executable; `nil` for a shell command, which may run anything.
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
      hint: "authorizer-local invoke prints the whole answer to one event")
  }
}
