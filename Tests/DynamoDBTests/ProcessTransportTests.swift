import DynamoDB
import Foundation
import Testing
import TestSupport

@Suite("ProcessTransport")
struct ProcessTransportTests {
  /// The bytes of a request with the body `{}`: head, target, body.
  private static let requestBytes = 16 + "DynamoDB_20120810.GetItem".utf8.count + 2
  /// Shell that reads one request and answers it with status 200 and `{}`.
  private static let goodTurn =
    #"head -c \#(requestBytes) >/dev/null; printf '\001\000\000\310\000\000\000\002{}'"#

  @Test("A missing or invalid executable is an error with its path")
  func executableMissing() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("program")
    var caller = Caller(path, port: 1)
    let failure = try #require(caller.get().failure)
    #expect(failure.kind == .executable)
    #expect(failure.text == "\(path) cannot be started: No such file or directory")
    try folder.script("exit 0")
    #expect(caller.get().failure?.kind == .process)
  }

  @Test(
    "The executable is in the folder of the running executable",
    arguments: [
      ("/var/task/bootstrap", "/var/task/call-dynamodb"), ("dist/bootstrap", "dist/call-dynamodb"),
      ("./bootstrap", "./call-dynamodb"), ("bootstrap", "./call-dynamodb"), ("", "./call-dynamodb"),
    ])
  func liesBeside(running: String, executable: String) {
    #expect(ProcessTransport.executable(beside: running) == executable)
  }

  struct Script: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let failure: CallFailure
  }

  private static let ended = CallFailure(.process, "call-dynamodb has ended")
  private static let foreign = CallFailure(
    .process, "call-dynamodb has another version; deploy both programs of one build")

  private static func turn(_ bytes: String) -> String {
    #"head -c \#(requestBytes) >/dev/null; printf '\#(bytes)'"#
  }

  /// A turn that is not of this build.
  private static func refused(_ name: String, _ bytes: String) -> Script {
    Script(testDescription: name, text: turn(bytes), failure: foreign)
  }

  static let scripts: [Script] = [
    Script(testDescription: "nothing", text: "exit 0", failure: ended),
    Script(testDescription: "a signal", text: "kill -9 $$", failure: ended),
    Script(testDescription: "half a head", text: turn(#"\001\000"#), failure: ended),
    Script(testDescription: "half a body", text: turn(#"\001\000\000\310\000\000\000\002{"#), failure: ended),
    refused("another version", #"\002\000\000\310\000\000\000\002{}"#),
    refused("an unknown outcome", #"\001\011\000\000\000\000\000\000"#),
    refused("an answer without status", #"\001\000\000\000\000\000\000\000"#),
    refused("a failure with status", #"\001\002\000\310\000\000\000\000"#),
    refused("a body beyond 1 MiB", #"\001\000\000\310\000\020\000\001"#),
    refused("text", "HTTP/1.1 200 OK"),
    Script(
      testDescription: "a failure with unprintable text",
      text: turn(#"\001\002\000\000\000\000\000\007why\001\nso"#), failure: CallFailure(.connect, "whyso")),
    Script(
      testDescription: "a flood",
      text: "head -c \(requestBytes) >/dev/null; while :; do printf '%01000d' 0; done",
      failure: foreign),
  ]

  @Test("Invalid output is one failure, and the next call starts a new process", arguments: scripts)
  func oneFailure(_ script: Script) throws {
    let folder = try TemporaryFolder()
    let second = folder.path("second")
    let executable = try folder.script(
      "if [ -e '\(second)' ]; then \(Self.goodTurn); head -c 1; exit; fi; : > '\(second)'; \(script.text)")
    var caller = Caller(executable, port: 1)
    #expect(caller.get() == .failure(script.failure))
    let keepsProcess = script.failure.kind == .connect
    #expect(caller.get().status == (keepsProcess ? nil : 200))
    if keepsProcess { #expect(caller.get().status == 200) }
  }

  @Test("If a process ends between two calls, the next call fails and the one after restarts it")
  func endsBetweenCalls() throws {
    let folder = try TemporaryFolder()
    var caller = Caller(try folder.script(Self.goodTurn), port: 1)
    for _ in 0..<3 {
      #expect(caller.get().status == 200)
      #expect(caller.get().failure == Self.ended)
    }
  }

  @Test(
    "A hung process is killed at the timeout, with its children",
    arguments: [
      "echo >&3; read x < hang",
      "head -c 43 >/dev/null; printf '\\001\\000'; (echo >&3; read x < hang) & wait",
    ],
    [2, 512 << 10])
  func endsWhatHangs(_ text: String, bodyBytes: Int) throws {
    let folder = try TemporaryFolder()
    #expect(unsafe mkfifo(folder.path("hang"), 0o600) == 0)
    #expect(unsafe mkfifo(folder.path("alive"), 0o600) == 0)
    let alive = unsafe open(folder.path("alive"), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(alive) }
    let executable = try folder.script("cd \"${0%/*}\"; exec 3>alive\n\(text)")
    var caller = Caller(executable, port: 1)
    let body = [UInt8](repeating: 0x20, count: bodyBytes)
    // Until the timeout is long enough for the script to report that it runs.
    var (milliseconds, byte): (Int64, UInt8) = (200, 0)
    repeat {
      let failure = caller.get(body, milliseconds: milliseconds).failure
      #expect(failure == CallFailure(.timeout, "call-dynamodb does not answer"))
      milliseconds *= 2
    } while unsafe read(alive, &byte, 1) != 1 && milliseconds < HangLimit.milliseconds
    // All processes of the script have its writing end open, so the pipe hangs up when the last one ends.
    #expect(HangLimit.poll(alive, for: POLLIN) & POLLHUP != 0)
  }

  @Test("It gets only the variables that it needs")
  func environment() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("seen")
    let executable = try folder.script(
      "(printf '%s\\n' \"$@\"; env | grep -E '^(AWS|SSL|HOME|AUTHORIZER|LD_)' | sort) > '\(file)'")
    var caller = Caller(
      executable, endpoint: "http://localhost:1", certificateFile: "/ca.pem", proxy: "http://p:1",
      changes: ["AWS_LAMBDA_FUNCTION_NAME": "f", "AUTHORIZER_CONFIG": "c", "SSL_CERT_DIR": "/certificates"])
    #expect(caller.get().failure == Self.ended)
    #expect(
      try String(contentsOfFile: file, encoding: .utf8) == """
        --allow-loopback-http
        --ca-file
        /ca.pem
        --proxy
        http://p:1
        AWS_ACCESS_KEY_ID=AKIDEXAMPLE
        AWS_ENDPOINT_URL_DYNAMODB=http://localhost:1
        AWS_REGION=eu-central-1
        AWS_SECRET_ACCESS_KEY=secretvalue
        AWS_SESSION_TOKEN=tokenvalue
        SSL_CERT_DIR=/certificates

        """)
  }
}
