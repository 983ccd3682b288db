import DynamoDB
import Foundation
import TestSupport
import Testing

@Suite("call-dynamodb: command line and environment")
struct CallDynamoDBTests {
  struct Wrong: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let changes: [String: String?]
    let text: String

    init(_ changes: [String: String?], _ text: String) {
      testDescription = changes.keys.sorted().joined(separator: " ")
      self.changes = changes
      self.text = text
    }
  }

  static let wrong: [Wrong] = [
    Wrong(["AWS_REGION": nil], "AWS_REGION is not set"),
    Wrong(["AWS_REGION": "eu-central-1.evil.example"], "AWS_REGION is not a valid region"),
    Wrong(["AWS_REGION": "-"], "AWS_REGION is not a valid region"),
    Wrong(["AWS_ACCESS_KEY_ID": nil], "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set"),
    Wrong(["AWS_SECRET_ACCESS_KEY": nil], "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set"),
    Wrong(
      ["AWS_SESSION_TOKEN": "a\r\nX-Evil: b"],
      "AWS_ACCESS_KEY_ID or AWS_SESSION_TOKEN contains invalid bytes"),
    Wrong(
      ["AWS_ENDPOINT_URL_DYNAMODB": "http://dynamodb.example.com"],
      "AWS_ENDPOINT_URL_DYNAMODB is not a valid endpoint (keyAddressPlainHTTP)"),
    Wrong(
      ["AWS_ENDPOINT_URL_DYNAMODB": "https://secretuser@host"],
      "AWS_ENDPOINT_URL_DYNAMODB is not a valid endpoint (keyAddressUserinfo)"),
    Wrong(
      ["AWS_ENDPOINT_URL_DYNAMODB": "dynamodb.example.com"],
      "AWS_ENDPOINT_URL_DYNAMODB is not a valid endpoint (keyAddressScheme)"),
  ]

  @Test(
    "Problems of the environment are reported in each answer, without values", arguments: wrong,
    Executables.all)
  func environment(_ wrong: Wrong, executable: String) throws {
    let server = try ScriptedEndpoint([.ok()])
    defer { server.stop() }
    var caller = Caller(executable, port: server.port, changes: wrong.changes)
    for _ in 0..<2 { #expect(caller.get() == .failure(CallFailure(.configuration, wrong.text))) }
    #expect(server.requests.isEmpty)
  }

  @Test("Plain http requires the option", arguments: Executables.all)
  func plainHTTP(executable: String) throws {
    let server = try ScriptedEndpoint([.ok()])
    defer { server.stop() }
    var caller = Caller(
      executable, endpoint: "http://127.0.0.1:\(server.port)", allowsLoopbackHTTP: false)
    #expect(caller.get().failure?.kind == .configuration)
    #expect(server.requests.isEmpty)
  }

  @Test("The default endpoint is the region's", arguments: Executables.all)
  func regionalEndpoint(executable: String) throws {
    for (region, host) in [
      ("ap-northeast-1", "dynamodb.ap-northeast-1.amazonaws.com"),
      ("us-gov-west-1", "dynamodb.us-gov-west-1.amazonaws.com"),
      ("cn-north-1", "dynamodb.cn-north-1.amazonaws.com.cn"),
    ] {
      let proxy = try ScriptedEndpoint([.ok(status: "403 Forbidden")])
      defer { proxy.stop() }
      var caller = Caller(
        executable, endpoint: nil, allowsLoopbackHTTP: false, proxy: "http://127.0.0.1:\(proxy.port)",
        changes: ["AWS_REGION": nil, "AWS_DEFAULT_REGION": region])
      #expect(caller.get().failure?.kind == .transfer)
      let head = try #require(proxy.requests.first).head
      #expect(head.hasPrefix("CONNECT \(host):443 HTTP/1.1\r\n"))
      #expect(!head.contains("AKIDEXAMPLE"))
    }
  }

  #if os(Linux)
    @Test("Without a usable libcurl the error names the package", arguments: Executables.all)
    func libcurlMissing(executable: String) throws {
      let folder = try TemporaryFolder()
      // ld.so(8) looks there first, and stops at a file that is not a library.
      try folder.write("this is no library", to: "libcurl.so.4")
      var caller = Caller(executable, endpoint: nil, changes: ["LD_LIBRARY_PATH": folder.path])
      let failure = try #require(caller.get().failure)
      #expect(failure.kind == .libraryMissing)
      #expect(failure.text.contains("libcurl4"))
    }
  #endif

  /// Runs call-dynamodb with these bytes on standard input until it ends.
  private static func run(_ executable: String, _ arguments: [String] = [], input: [UInt8] = []) throws -> (
    status: Int32, output: [UInt8], errors: String
  ) {
    let folder = try TemporaryFolder()
    let paths = ["input", "output", "errors"].map { URL(filePath: folder.path($0)) }
    for (path, bytes) in zip(paths, [input, [], []]) { try Data(bytes).write(to: path) }
    let process = Process()
    process.executableURL = URL(filePath: executable)
    process.arguments = arguments
    process.environment = [:]
    process.standardInput = try FileHandle(forReadingFrom: paths[0])
    process.standardOutput = try FileHandle(forWritingTo: paths[1])
    process.standardError = try FileHandle(forWritingTo: paths[2])
    try process.run()
    process.waitUntilExit()
    let errors = try String(contentsOf: paths[2], encoding: .utf8)
    return (process.terminationStatus, Array(try Data(contentsOf: paths[1])), errors)
  }

  private static func frame(operation: String = "GetItem", body: String = "{}", milliseconds: Int64 = 1000)
    -> [UInt8]
  {
    CallFrame.request(
      DynamoDBCall(
        operation: operation, body: Array(body.utf8), connectMilliseconds: milliseconds,
        totalMilliseconds: milliseconds))
  }

  @Test("It ends when standard input ends", arguments: Executables.all)
  func endsWithInput(executable: String) throws {
    let idle = try Self.run(executable)
    #expect(idle.status == 0)
    #expect(idle.output.isEmpty)
    let busy = try Self.run(executable, input: Self.frame() + Self.frame())
    #expect(busy.status == 0)
    let answer = CallFrame.answer(.configuration, body: Array("AWS_REGION is not set".utf8))
    #expect(busy.output == answer + answer)
    #expect(busy.errors.isEmpty)
  }

  struct Malformed: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]

    init(_ testDescription: String, _ bytes: [UInt8]) {
      self.testDescription = testDescription
      self.bytes = bytes
    }
  }

  static let malformed: [Malformed] = [
    Malformed("half a head", Array(frame().prefix(7))), Malformed("half a target", Array(frame().prefix(20))),
    Malformed("half a body", frame().dropLast()), Malformed("another version", [2] + frame().dropFirst()),
    Malformed("no target", [1, 0] + frame().dropFirst(2)),
    Malformed("a reserved byte", [1, 25, 1] + frame().dropFirst(3)),
    Malformed("no time", frame(milliseconds: 0)), Malformed("too much time", frame(milliseconds: 900_001)),
    Malformed("another line", frame(operation: "GetItem\r\nX-Evil: a")),
    Malformed("no operation", frame(operation: "")),
    Malformed("a body too large", frame(body: String(repeating: "a", count: (512 << 10) + 1))),
    Malformed("text", Array("GET / HTTP/1.1\r\n\r\n".utf8)),
  ]

  @Test("A malformed request ends it", arguments: malformed, Executables.all)
  func malformedRequest(_ malformed: Malformed, executable: String) throws {
    let run = try Self.run(executable, input: malformed.bytes)
    #expect(run.status == 65)
    #expect(run.output.isEmpty)
    #expect(run.errors == "call-dynamodb: standard input is not a request of this version\n")
  }

  @Test(
    "Wrong arguments are refused",
    arguments: [
      ["-x"], ["GetItem"], ["--ca-file"], ["--ca-file", ""], ["--proxy", "proxy:3128"],
      ["--proxy", "http://user@proxy:3128"], ["--proxy", "http://proxy"],
    ])
  func wrongArguments(_ arguments: [String]) throws {
    let run = try Self.run(Executables.built, arguments)
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors.hasPrefix("call-dynamodb: ") && run.errors.contains("\nhint: "))
  }

  @Test("It prints its version and its help", arguments: Executables.all)
  func versionAndHelp(executable: String) throws {
    let version = try Self.run(executable, ["--version"])
    #expect(version.status == 0)
    #expect(String(decoding: version.output, as: UTF8.self).hasPrefix("call-dynamodb with libcurl/"))
    let help = try Self.run(executable, ["--help"])
    #expect(help.status == 0)
    let lines = String(decoding: help.output, as: UTF8.self).split(separator: "\n")
    #expect(lines.first == "usage: call-dynamodb [OPTIONS]")
    #expect(lines.allSatisfy { $0.count <= 120 })
  }
}
