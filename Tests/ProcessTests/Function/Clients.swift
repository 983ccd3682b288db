import LambdaEmulator
import Foundation
import JSON
import Logging
import Testing
import TestSupport

/// Third-party programs in the virtual environment that `make check-clients` creates.
enum Clients {
  static let environment = Workshop.packageRoot.appendingPathComponent(".build/clients")
  static let python = environment.appendingPathComponent("bin/python3").path
  static let areInstalled = FileManager.default.isExecutableFile(atPath: python)
  /// An environment of an earlier version of the script has no WebSocket client.
  static let haveWebSockets =
    (try? String(contentsOf: environment.appendingPathComponent("packages"), encoding: .utf8))?
    .contains(" websockets ") == true
  static let why: Comment = "the clients are not installed: make check-clients"

  static let scripts = Workshop.packageRoot.appendingPathComponent("Tests/Clients")
  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// AWS's Python runtime client with a handler of the tests. The time limit is long, because Python may start slowly
  /// on a busy machine.
  static var function: FunctionSettings {
    var settings = FunctionSettings(
      name: "python", executable: python, arguments: ["-m", "awslambdaric", "handler.run"],
      taskRoot: scripts.path,
      variables: ["PYTHONPATH": scripts.path, "PYTHONDONTWRITEBYTECODE": "1", "OPTIONS": "a=b=c"])
    settings.handler = "handler.run"
    settings.memoryMegabytes = 256
    settings.timeoutMilliseconds = HangLimit.milliseconds
    settings.initializationMilliseconds = HangLimit.milliseconds
    return settings
  }

  static func run<Result: Sendable>(
    _ settings: FunctionSettings = function, _ body: @escaping @Sendable (FunctionPool) async throws -> Result
  ) async throws -> Result {
    try await FunctionPool.run(
      settings, inheriting: ProcessInfo.processInfo.environment, logger: logger, body)
  }

  /// Runs a body with the endpoint of an Invoke API in front of the function.
  static func serve<Result: Sendable>(
    _ settings: FunctionSettings = function, _ body: @escaping @Sendable (String) async throws -> Result
  ) async throws -> Result {
    try await run(settings) { pool in
      let api = InvokeAPI(functions: [pool], logger: logger)
      return try await LoopbackServer.run({ request, _ in await api.respond(to: request) }, logger: logger) {
        try await body("http://127.0.0.1:\($0)")
      }
    }
  }

  /// Returns the output of a program of the virtual environment.
  static func output(_ program: String, _ arguments: [String], in folder: URL? = nil) async throws -> String {
    let process = Process()
    process.executableURL = environment.appendingPathComponent("bin/\(program)")
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging([
      "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1",
      "AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/nonexistent", "AWS_PAGER": "",
      "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent", "NO_PROXY": "127.0.0.1",
    ]) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    return try await withCheckedThrowingContinuation { continuation in
      // Not on a thread of the pool, because this one blocks.
      Thread.detachNewThread {
        do {
          try process.run()
          let data = pipe.fileHandleForReading.readDataToEndOfFile()
          process.waitUntilExit()
          continuation.resume(returning: String(decoding: data, as: UTF8.self))
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }

  /// Returns the result of a boto3 call.
  static func boto3(_ endpoint: String, _ call: String) async throws -> JSONValue {
    let script = scripts.appendingPathComponent("call.py").path
    let output = try await output("python3", [script, endpoint, call])
    return try #require(
      try? JSONDocument(parsing: Array(output.utf8), limits: .event).root, "call.py wrote: \(output)")
  }
}
