import Foundation
import Testing
import TestSupport

@testable import authorizer_local

/// A temporary folder for one test, in which commands of `authorizer-local` run.
struct Workshop: ~Copyable {
  let folder: URL

  /// The root of this package.
  static let packageRoot = Checkout.root

  /// The folder of the programs under test: `dist`, or that of `make check-arm64`.
  static let programs =
    emulated.map { URL(fileURLWithPath: $0) } ?? packageRoot.appendingPathComponent("dist")

  /// Whether the programs may run in an emulator, whose memory is then measured instead of theirs.
  static let isEmulated = emulated != nil

  private static let emulated = ProcessInfo.processInfo.environment["PROGRAMS_UNDER_TEST"]

  /// Path of the release function.
  static let bootstrap = programs.appendingPathComponent("bootstrap").path

  static let hasBootstrap = FileManager.default.isExecutableFile(atPath: bootstrap)

  /// Path of the identity function.
  static let identity = programs.appendingPathComponent("identity").path

  static let hasIdentity = FileManager.default.isExecutableFile(atPath: identity)

  /// Address of a local DynamoDB; `make check-moto` starts one.
  static let localDynamoDB = ProcessInfo.processInfo.environment["MOTO_ENDPOINT"]

  static let hasNode = FileManager.default.isExecutableFile(atPath: "/usr/bin/node")

  static let hasCurl = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")

  static let python = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// The executable of the same build, in the folder of the test bundle.
  static var tool: URL { Checkout.built("authorizer-local") }

  /// - Parameter hasDevelopmentKeys: whether the folder already contains development keys.
  init(hasDevelopmentKeys: Bool = true) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("workshop-\(UUID().uuidString)")
    // Looks like a repository, so that the program does not search the folders above.
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent(".git"), withIntermediateDirectories: true)
    if hasDevelopmentKeys { try SharedKeys.write(to: folder.appendingPathComponent(".development")) }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Writes a file and creates its folders.
  func write(_ text: String, to path: String) throws {
    let url = folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  /// Writes an executable program and creates its folders.
  func write(program text: String, to path: String) throws {
    let url = folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try TestProgram.write(text, to: url.path)
  }

  /// The exit code and output of a command.
  struct Answer {
    let exit: Int32
    let output: String
    let errors: String
  }

  /// The factor on the timeouts of Lambda and API Gateway: 10 s become `HangLimit`. No test depends on these timeouts unless
  /// it gives `--timeout`.
  static let timeoutFactor = HangLimit.seconds / 10
  static let timeoutFactorVariable = ["AUTHORIZER_LOCAL_TIMEOUT_FACTOR": "\(timeoutFactor)"]

  /// Returns a command that has not been started. Another `tool` is a copy of the executable.
  func process(
    _ arguments: [String], environment: [String: String] = [:], in place: URL? = nil, tool: URL? = nil
  ) -> Process {
    let process = Process()
    process.executableURL = tool ?? Self.tool
    process.arguments = arguments
    process.currentDirectoryURL = place ?? folder
    process.environment = variables(environment)
    return process
  }

  private func variables(_ more: [String: String]) -> [String: String] {
    ["PATH": "/usr/bin:/bin", "HOME": folder.path].merging(Self.timeoutFactorVariable) { $1 }.merging(more) {
      $1
    }
  }

  /// Removes the folders of handlers and packages at the end of this process.
  private static let removal: Void = { _ = atexit { FunctionPackage.removeAll() } }()

  /// Runs a command to its end, without a process of its own. New development keys are the shared ones. The folder of a
  /// function's command line would be that of this process: `execute` starts those.
  func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:], in place: URL? = nil
  ) async throws -> Answer {
    _ = Self.removal
    let path = folder.appendingPathComponent(".git/\(UUID().uuidString).in")
    try Data(input.utf8).write(to: path)
    var files = FileSystem(currentDirectory: (place ?? folder).resolvingSymlinksInPath().path)
    files.standardInput = try FileHandle(forReadingFrom: path)
    let (output, errors) = (RecordedOutput(), RecordedOutput())
    let machine = Machine(
      files: files, environment: variables(environment),
      terminal: Terminal(output: .init(write: output.add), errors: .init(write: errors.add)),
      executable: Self.tool.path, program: Self.tool.path, generateKeys: SharedKeys.all)
    let exit = await AuthorizerLocal.end(of: arguments, on: machine)
    return Answer(exit: exit, output: output.text, errors: errors.text)
  }

  /// Runs a command to its end as a process: for functions, packages and other copies of the tool, and for what only a
  /// process has or leaves.
  func execute(
    _ arguments: [String], input: String = "", environment: [String: String] = [:], in place: URL? = nil,
    tool: URL? = nil
  ) throws -> Answer {
    let process = process(arguments, environment: environment, in: place, tool: tool)
    // Files, unlike pipes, never block the writer.
    let name = UUID().uuidString
    let paths = ["in", "out", "err"].map { folder.appendingPathComponent(".git/\(name).\($0)") }
    try Data(input.utf8).write(to: paths[0])
    for path in paths[1...] { try Data().write(to: path) }
    process.standardInput = try FileHandle(forReadingFrom: paths[0])
    process.standardOutput = try FileHandle(forWritingTo: paths[1])
    process.standardError = try FileHandle(forWritingTo: paths[2])
    try process.run()
    process.waitUntilExit()
    return Answer(
      exit: process.terminationStatus, output: try String(contentsOf: paths[1], encoding: .utf8),
      errors: try String(contentsOf: paths[2], encoding: .utf8))
  }
}

/// A custom runtime in Python. The member `do` of an event selects its reaction.
enum ScriptedRuntime {
  static let path = "function.py"

  static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(source, to: path)
    return workshop
  }

  /// Returns `--function` with the script, and optionally its action before the first `/next`.
  static func arguments(start: String = "") -> [String] {
    ["--function", "\(Workshop.python ?? "python3") -I -u \(path) \(start)"]
  }

  static func event(_ act: String, more: String = "") -> String {
    #"{"type":"TOKEN","methodArn":"arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets","do":"\#(act)"\#(more)}"#
  }

  static let source = """
    import http.client, json, os, signal, sys, time
    connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
    def call(method, path, body=None):
        connection.request(method, "/2018-06-01/runtime" + path, body)
        answer = connection.getresponse()
        return answer, answer.read()
    def policy(effect):
        statement = {"Action": "execute-api:Invoke", "Effect": effect, "Resource": "*"}
        return {"principalId": "u", "policyDocument": {"Version": "2012-10-17", "Statement": [statement]}}
    def hang():
        print("hangs as", os.getpid(), file=sys.stderr)
        while True: signal.pause()
    start = sys.argv[1] if len(sys.argv) > 1 else ""
    if start == "crash": sys.exit(7)
    if start == "report":
        call("POST", "/init/error", json.dumps({"errorMessage": "no keys", "errorType": "Function.NoKeys"}))
        sys.exit(1)
    while True:
        answer, body = call("GET", "/invocation/next")
        if answer.status != 200: sys.exit(9)
        request = "/invocation/" + answer.getheader("Lambda-Runtime-Aws-Request-Id")
        deadline = int(answer.getheader("Lambda-Runtime-Deadline-Ms"))
        left = deadline - int(time.time() * 1000)
        event = json.loads(body)
        do = event["do"]
        if do in ("Allow", "Deny"): call("POST", request + "/response", json.dumps(policy(do)))
        elif do == "environment":
            answer = policy("Allow")
            answer["context"] = {name: value for name, value in os.environ.items() if name.startswith("AUTHORIZER")}
            answer["context"]["root"] = os.environ["LAMBDA_TASK_ROOT"]
            answer["context"]["pid"] = os.getpid()
            answer["context"]["left"] = left
            answer["context"]["deadline"] = deadline
            call("POST", request + "/response", json.dumps(answer))
        elif do == "simple": call("POST", request + "/response", json.dumps({"isAuthorized": True}))
        elif do == "garbage": call("POST", request + "/response", "<html>")
        elif do == "exit": sys.exit(3)
        elif do == "hang": hang()
        else: call("POST", request + "/error", json.dumps({"errorMessage": do, "errorType": "T"}))
    """
}
