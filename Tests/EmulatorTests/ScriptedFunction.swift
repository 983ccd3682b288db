import Foundation
import Logging
import Testing

@testable import Emulator

/// A small custom runtime in Python: each event says in `do` what shall become of it.
struct ScriptedFunction: ~Copyable {
  let command: FunctionCommand
  private let folder: URL

  static let interpreter = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// - Parameter start: what the script does before its first `/next`, in Python.
  init(start: String = "pass") throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("emulator-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let script = folder.appendingPathComponent("function.py")
    try Self.source(start: start).write(to: script, atomically: true, encoding: .utf8)
    command = FunctionCommand(
      executable: try #require(Self.interpreter), arguments: ["-I", "-u", script.path],
      environment: LambdaVariables.all(taskRoot: folder.path, inherited: [:]))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Sends these events, one after the other, to one environment.
  func results(
    of events: [String], milliseconds: Int = 10_000, initialization: Int = 10_000
  ) async throws -> [InvocationResult] {
    var limits = ExecutionEnvironment.Limits()
    limits.invocationMilliseconds = milliseconds
    limits.initializationMilliseconds = initialization
    return try await ExecutionEnvironment.run(command, limits: limits, logger: RuntimeAPIServerTests.logger) {
      environment in
      var results: [InvocationResult] = []
      for event in events { results.append(await environment.invoke(event: Array(event.utf8))) }
      return results
    }
  }

  private static func source(start: String) -> String {
    """
    import http.client, json, os, signal, subprocess, sys
    connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
    def call(method, path, body=None, headers={}):
        connection.request(method, "/2018-06-01/runtime" + path, body, headers)
        answer = connection.getresponse()
        return answer, answer.read()
    def hang():
        while True: signal.pause()
    \(start)
    while True:
        answer, body = call("GET", "/invocation/next")
        if answer.status != 200: sys.exit(9)
        request = answer.getheader("Lambda-Runtime-Aws-Request-Id")
        attempt = {"Lambda-Runtime-Invocation-Id": answer.getheader("Lambda-Runtime-Invocation-Id")}
        event = json.loads(body)
        do = event["do"]
        def respond(data): call("POST", "/invocation/" + request + "/response", data, attempt)
        if do == "answer": respond(json.dumps({"size": len(body)}))
        elif do == "environment": respond(json.dumps(dict(os.environ)))
        elif do == "descriptors": respond(json.dumps(sorted(os.listdir("/proc/self/fd"))))
        elif do == "garbage": respond(b"\\xff<html>")
        elif do == "error":
            call("POST", "/invocation/" + request + "/error", json.dumps({"errorMessage": "Unauthorized"}),
                 dict(attempt, **{"Lambda-Runtime-Function-Error-Type": "Function.Unauthorized"}))
        elif do == "log":
            print("before the decision")
            print(json.dumps({"message": "decision", "requestId": "another", "outcome": "allowed"}))
            print(json.dumps({"message": "decision", "requestId": request, "outcome": "unauthorized",
                              "reason": "expired", "issuer": "apple", "microseconds": 184}))
            print("to the other stream", file=sys.stderr)
            respond("{}")
        elif do == "flood":
            for number in range(event["lines"]): print("line", number)
            respond("{}")
        elif do == "exit": sys.exit(event["status"])
        elif do == "signal": os.kill(os.getpid(), event["number"])
        elif do == "hang": hang()
        elif do == "child":
            child = subprocess.Popen(["/bin/sh", "-c", "while :; do read line; done"], stdin=subprocess.PIPE)
            respond(json.dumps({"child": child.pid}))
    """
  }
}
