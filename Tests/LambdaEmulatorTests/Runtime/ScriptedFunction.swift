@testable import EmulatorTestSupport
@testable import LambdaEmulator
import Foundation
import Testing
import TestSupport

/// A small custom runtime in Python. The member `do` of each event selects its action.
struct ScriptedFunction: ~Copyable {
  let command: FunctionCommand
  private let folder: URL

  static let interpreter = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// - Parameter start: Python code that runs before the first `/next`.
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

  /// Returns the settings of this function for a pool.
  func settings(concurrency: Int = 1) -> FunctionSettings {
    var settings = FunctionSettings(
      executable: command.executable, arguments: command.arguments, taskRoot: folder.path)
    settings.concurrency = concurrency
    settings.initializationMilliseconds = HangLimit.milliseconds
    settings.timeoutMilliseconds = HangLimit.milliseconds
    return settings
  }

  /// Sends these events in sequence to one environment.
  func results(of events: [String]) async throws -> [InvocationResult] {
    var limits = ExecutionEnvironment.Limits()
    // A busy machine may start the interpreter slowly; these tests do not test time limits.
    limits.initializationMilliseconds = HangLimit.milliseconds
    limits.invocationMilliseconds = HangLimit.milliseconds
    return try await ExecutionEnvironment.run(
      command, limits: limits, clock: .longTimeouts, logger: .silent
    ) { environment in
      var results: [InvocationResult] = []
      for event in events { results.append(await environment.invoke(event: Array(event.utf8))) }
      return results
    }
  }

  private static func source(start: String) -> String {
    """
    import http.client, json, os, signal, socket, subprocess, sys
    connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
    def call(method, path, body=None, headers={}):
        connection.request(method, "/2018-06-01/runtime" + path, body, headers)
        answer = connection.getresponse()
        return answer, answer.read()
    def hang():
        while True: signal.pause()
    def once(): # whether this is the first process of its environment
        marker = os.environ["LAMBDA_TASK_ROOT"] + "/" + os.environ["AWS_LAMBDA_RUNTIME_API"]
        try: open(marker, "x").close()
        except FileExistsError: return False
        return True
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
        elif do == "post and die": # on another connection, without waiting for the response
            last, text = socket.create_connection((connection.host, connection.port)), b'{"errorMessage":"last"}'
            last.sendall(b"POST /2018-06-01/runtime/invocation/" + request.encode() + b"/error HTTP/1.1\\r\\nHost: x\\r\\n"
                + b"Lambda-Runtime-Function-Error-Type: Function.Last\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(text) + text)
            os.kill(os.getpid(), signal.SIGSEGV)
        elif do == "hang": hang()
        elif do == "answer, then hang":
            respond("{}")
            hang()
        elif do == "print after the answer":
            print("before")
            respond("{}")
            print("after")
        elif do == "headers": respond(json.dumps({name.lower(): value for name, value in answer.getheaders()}))
        elif do == "process": respond(json.dumps(os.getpid()))
        elif do == "memory":
            ballast = bytearray(event["megabytes"] << 20)
            respond(json.dumps(len(ballast)))
        elif do == "echo": respond(body)
        elif do == "child":
            child = subprocess.Popen(["/bin/sh", "-c", "while :; do read line; done"], stdin=subprocess.PIPE)
            respond(json.dumps({"child": child.pid}))
    """
  }
}

extension Trait where Self == ConditionTrait {
  static var needsScriptedFunction: Self {
    .enabled(if: ScriptedFunction.interpreter != nil, "python3 is not installed: no scripted functions")
  }
}
