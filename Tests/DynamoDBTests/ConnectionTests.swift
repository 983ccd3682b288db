import DynamoDB
import Foundation
import LoopbackTLS
import Testing
import TestSupport

@Suite("call-dynamodb: connection")
struct ConnectionTests {
  @Test(
    "One connection carries all requests, each with signature and target", arguments: Executables.all)
  func keepsConnection(executable: String) throws {
    let server = try ScriptedEndpoint([.ok(#"{"a":1}"#), .ok("no", status: "400 Bad Request"), .ok()])
    defer { server.stop() }
    var caller = Caller(executable, port: server.port)
    let bodies = [Array("{}".utf8), [], [UInt8](repeating: 0x20, count: 512 << 10)]
    let answers = bodies.map { caller.get($0) }
    #expect(
      answers == [
        .success(DynamoDBAnswer(status: 200, body: Array(#"{"a":1}"#.utf8))),
        .success(DynamoDBAnswer(status: 400, body: Array("no".utf8))),
        .success(DynamoDBAnswer(status: 200, body: Array("{}".utf8))),
      ])
    #expect(server.requests.map(\.connection) == [0, 0, 0])
    #expect(Brief(server.requests.map(\.body)) == Brief(bodies))
    for request in server.requests {
      let lines = request.head.components(separatedBy: "\r\n")
      #expect(lines[0] == "POST / HTTP/1.1")
      for line in [
        "Host: 127.0.0.1:\(server.port)", "Content-Type: application/x-amz-json-1.0",
        "X-Amz-Target: DynamoDB_20120810.GetItem", "X-Amz-Security-Token: tokenvalue",
        "Accept-Encoding: identity", "User-Agent: api-gateway-authorizer",
      ] { #expect(lines.contains(line), "\(line)") }
      let authorization = try #require(lines.first { $0.hasPrefix("Authorization: ") })
      let credential =
        #/Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/\d{8}/eu-central-1/dynamodb/aws4_request, /#
      #expect(authorization.prefixMatch(of: credential) != nil)
      #expect(
        authorization.contains(
          "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, Signature="))
      #expect(!request.head.contains("secretvalue"))
      #expect(!request.head.contains("Expect:"))
    }
  }

  @Test("A connection that the server closed is replaced without an error", arguments: Executables.all)
  func replacesConnection(executable: String) throws {
    // Closed after the first answer, or at the next request before any byte of an answer.
    for steps in [
      [.answerAndClose(ScriptedEndpoint.Step.message("{}")), .ok()], [.ok(), .close, .ok()],
    ] as [[ScriptedEndpoint.Step]] {
      let server = try ScriptedEndpoint(steps)
      defer { server.stop() }
      var caller = Caller(executable, port: server.port)
      #expect(caller.get().status == 200)
      #expect(caller.get().status == 200)
      #expect(server.requests.map(\.connection) == (steps.count == 2 ? [0, 1] : [0, 0, 1]))
    }
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let step: ScriptedEndpoint.Step
    let kind: CallFailure.Kind
    var milliseconds = Int64(HangLimit.milliseconds)
  }

  static let bad: [Bad] = [
    Bad(testDescription: "silence", step: .silence, kind: .timeout, milliseconds: 250),
    Bad(testDescription: "a slow body", step: .drip, kind: .timeout, milliseconds: 250),
    Bad(testDescription: "no answer", step: .close, kind: .transfer),
    Bad(
      testDescription: "an incomplete body",
      step: .answerAndClose(Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{".utf8)), kind: .transfer),
    Bad(testDescription: "not HTTP", step: .answerAndClose(Array("{}\r\n\r\n".utf8)), kind: .transfer),
    Bad(
      testDescription: "a body too large, with Content-Length",
      step: .ok(String(repeating: " ", count: (1 << 20) + 1)), kind: .tooLarge),
    Bad(
      testDescription: "a body too large, without Content-Length",
      step: .answerAndClose(
        Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 32, count: (1 << 20) + 1)), kind: .tooLarge
    ),
    Bad(
      testDescription: "a huge header section",
      step: .ok(fields: (0..<40).map { "X-\($0): " + String(repeating: "a", count: 1000) }), kind: .tooLarge),
  ]

  @Test("A failure has its kind, and the next request succeeds", arguments: bad, Executables.all)
  func fails(_ bad: Bad, executable: String) throws {
    // Selected by the body, because a process that starts slowly may time out before it sends the request.
    let body = Array(#"{"bad":1}"#.utf8)
    let server = try ScriptedEndpoint([.ok()], special: (body, bad.step))
    defer { server.stop() }
    var caller = Caller(executable, port: server.port)
    let result = caller.get(body, milliseconds: bad.milliseconds)
    #expect(result.failure?.kind == bad.kind, "\(result)")
    #expect(caller.get().status == 200)
  }

  @Test("An answer of 1 MiB is complete", arguments: Executables.all)
  func largestAnswer(executable: String) throws {
    let body = String(repeating: "a", count: 1 << 20)
    let server = try ScriptedEndpoint([.ok(body)])
    defer { server.stop() }
    var caller = Caller(executable, port: server.port)
    #expect(Brief(try caller.get().get().body) == Brief(Array(body.utf8)))
  }

  @Test("A redirection is not followed", arguments: Executables.all)
  func doesNotFollow(executable: String) throws {
    let other = try ScriptedEndpoint([.ok()])
    defer { other.stop() }
    let server = try ScriptedEndpoint([
      .ok(status: "307 Elsewhere", fields: ["Location: http://127.0.0.1:\(other.port)/"])
    ])
    defer { server.stop() }
    var caller = Caller(executable, port: server.port)
    #expect(caller.get().status == 307)
    #expect(other.requests.isEmpty)
  }

  @Test("A refused connection and an unknown name", arguments: Executables.all)
  func unreachable(executable: String) throws {
    var caller = Caller(executable, port: try LoopbackSocket.refusingPort())
    #expect(caller.get().failure?.kind == .connect)
    // RFC 6761 §6.4: names below `invalid` never resolve.
    var nameless = Caller(executable, endpoint: "https://dynamodb.invalid")
    #expect(nameless.get().failure?.kind == .nameResolution)
  }

  @Test(
    "Proxy variables of the environment are ignored, and the option --proxy is used",
    arguments: Executables.all)
  func proxies(executable: String) throws {
    let trap = try ScriptedEndpoint([.ok("trap")])
    defer { trap.stop() }
    let server = try ScriptedEndpoint([.ok()])
    defer { server.stop() }
    // ProcessTransport does not pass these on, so a script sets them for the child.
    let variables = ["http_proxy", "HTTPS_PROXY", "ALL_PROXY"].map { "\($0)=http://127.0.0.1:\(trap.port)" }
    let script = "exec env \(variables.joined(separator: " ")) '\(executable)' \"$@\""
    let folder = try TemporaryFolder()
    var caller = Caller(try folder.script(script), port: server.port)
    #expect(caller.get().status == 200)
    #expect(trap.requests.isEmpty)
    var proxied = Caller(
      executable, endpoint: "http://127.0.0.1:1", proxy: "http://127.0.0.1:\(trap.port)")
    #expect(try proxied.get().get().body == Array("trap".utf8))
    #expect(trap.requests.first?.head.hasPrefix("POST http://127.0.0.1:1/ HTTP/1.1\r\n") == true)
  }

  struct Certificate: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var form = TLSServer.Form()
    var trusts = true
    let isGood: Bool
  }

  static let certificates: [Certificate] = [
    Certificate(testDescription: "a certificate of the given CA", isGood: true),
    Certificate(testDescription: "an unknown CA", trusts: false, isGood: false),
    Certificate(
      testDescription: "another host's certificate", form: .init(names: "DNS:dynamodb.example.com"),
      isGood: false),
    Certificate(
      testDescription: "an expired certificate", form: .init(validUntil: -60), isGood: false),
  ]

  @Test("TLS requires a valid certificate", arguments: certificates, Executables.all)
  func tls(_ certificate: Certificate, executable: String) throws {
    let folder = try TemporaryFolder()
    let authority = folder.path("authority.pem")
    let server = try ScriptedEndpoint(
      [.ok()], tls: try TLSServer(certificate.form, authorityFile: authority))
    defer { server.stop() }
    var caller = Caller(
      executable, endpoint: "https://127.0.0.1:\(server.port)/", allowsLoopbackHTTP: false,
      certificateFile: certificate.trusts ? authority : nil)
    let results = [caller.get(), caller.get()]
    if certificate.isGood {
      #expect(results.map(\.status) == [200, 200])
      #expect(server.requests.map(\.connection) == [0, 0])
    } else {
      #expect(results.map(\.failure?.kind) == [.tls, .tls])
      #expect(server.requests.isEmpty)
    }
  }
}
