internal import Bench
internal import ArgumentParser

struct BenchCommand: LocalCommand {
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
      rs256 with one token and the verdict cache on; dpop is request with a bound token and its proof, for runs of \
      up to six minutes. Each of these loads has its own configuration. An event file \
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

  @Option(help: ArgumentHelp("Cold starts: processes that answer one event each.", valueName: "count"))
  var cold = 200

  @Option(help: ArgumentHelp("Warm invocations: events that one process answers.", valueName: "count"))
  var warm = 10_000

  @Option(help: ArgumentHelp("Different tokens, used in turn.", valueName: "count"))
  var tokens = 200

  @Option(
    help: ArgumentHelp(
      "Measures this command instead of bootstrap: any client of the Lambda Runtime API. Repeatable.",
      valueName: "command"))
  var function: [String] = []

  @Option(
    help: ArgumentHelp(
      "Measures this function of a Python or JavaScript file, such as app.py:handler, with your rights. Repeatable.",
      valueName: "path:function"))
  var handler: [String] = []

  @Option(
    help: ArgumentHelp("Configuration of the authorizer. Overrides the load's own.", valueName: "file"),
    completion: .file())
  var config: String?

  @Option(
    help: ArgumentHelp(
      "rs256, es256, request, again, dpop, rules, or the path of an event. Repeatable.", valueName: "load"))
  var event: [String] = []

  @Option(help: ArgumentHelp("Sets AWS_LAMBDA_LOG_LEVEL of the functions.", valueName: "level"))
  var logLevel = "INFO"

  @Option(
    help: ArgumentHelp(
      "The minimal function, a program that returns a constant. Default: .build/floor, which make bench compiles.",
      valueName: "path"))
  var floor: String?

  @Flag(help: "Prints times only, without the minimal function.")
  var noFloor = false

  @Flag(help: "Runs functions and Runtime API on different cores: each wait includes the wake-up of a core.")
  var separateCores = false

  @Flag(help: "Prints JSON instead of text.")
  var json = false

  static let logLevels = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"]
  /// Limit of each count, chosen by us: a mistyped digit must not keep a machine busy for days.
  static let largestCount = 10_000_000

  func run(on machine: Machine) throws {
    for (name, count) in [("--cold", cold), ("--warm", warm), ("--tokens", tokens)] {
      guard 1...Self.largestCount ~= count else {
        throw CommandFailure(options: "\(name) must be at least 1 and at most \(Self.largestCount)")
      }
    }
    guard tokens <= 10_000 else {
      throw CommandFailure(
        options: "--tokens must be at most 10000: each one is signed before the measurement")
    }
    guard Self.logLevels.contains(logLevel) else {
      throw CommandFailure(options: "--log-level must be one of \(Self.logLevels.joined(separator: ", "))")
    }
    guard !(noFloor && floor != nil) else {
      throw CommandFailure(options: "--floor and --no-floor cannot be combined")
    }
    try BenchRun(command: self, handlers: try HandlerOption.all(handler), machine: machine).run()
  }

  var plan: Benchmark.Plan {
    Benchmark.Plan(coldStarts: cold, warmInvocations: warm, usesSeparateCores: separateCores)
  }

  /// Names of built-in loads, and paths of events.
  var loads: [String] { event.isEmpty ? BenchLoad.BuiltIn.allCases.map(\.rawValue) : event }
}
