import Foundation
import JSON
import TestSupport
import Testing

/// A WebSocket API with functions in another language, and clients that send byte by byte.
@Suite(.needsPython, .serialized, .hangLimit)
struct WebSocketServeTests {
  /// Authorizer and backend: it notes each event of the backend in a file, and answers messages with what it knows of
  /// the client.
  private static let source = """
    import http.client, json, os
    connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
    def answer(event):
        context = event["requestContext"]
        if event.get("type") == "REQUEST":
            statement = {"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": event["methodArn"]}
            return {"principalId": "p", "policyDocument": {"Version": "2012-10-17", "Statement": [statement]},
                "context": {"ticket": event["queryStringParameters"]["ticket"]}}
        with open(os.environ["EVENTS"], "a") as file:
            code = context.get("disconnectStatusCode", "")
            print(context["routeKey"], code, context.get("disconnectReason", ""), file=file, flush=True)
        if "fail" in event.get("body", ""): raise ValueError
        return {"statusCode": 200, "body": context["authorizer"]["ticket"] + " " + context["connectionId"]}
    while True:
        connection.request("GET", "/2018-06-01/runtime/invocation/next")
        next = connection.getresponse()
        event = json.loads(next.read())
        path = "/2018-06-01/runtime/invocation/" + next.getheader("Lambda-Runtime-Aws-Request-Id")
        try: body, end = json.dumps(answer(event)), "/response"
        except ValueError: body, end = '{"errorMessage":"failed","errorType":"ValueError"}', "/error"
        connection.request("POST", path + end, body)
        connection.getresponse().read()
    """

  private static let template = """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Guard:
        Type: AWS::Serverless::Function
        Properties: { Handler: f.f, Runtime: python3.13, CodeUri: ., Timeout: 20 }
      Chat:
        Type: AWS::Serverless::Function
        Properties: { Handler: f.f, Runtime: python3.13, CodeUri: ., Timeout: 20 }
      Live:
        Type: AWS::Serverless::WebSocketApi
        Properties:
          StageName: live
          RouteSelectionExpression: $request.body.action
          Auth:
            AuthType: CUSTOM
            AuthArn: !GetAtt Guard.Arn
            IdentitySource: [route.request.querystring.ticket]
          Routes:
            $connect: { FunctionArn: !GetAtt Chat.Arn }
            $disconnect: { FunctionArn: !GetAtt Chat.Arn }
            who: { FunctionArn: !GetAtt Chat.Arn, RouteResponseSelectionExpression: $default }
            quiet: { FunctionArn: !GetAtt Chat.Arn }
      Open:
        Type: AWS::ApiGatewayV2::Api
        Properties: { Name: o, ProtocolType: WEBSOCKET, RouteSelectionExpression: $request.body.action }
      OpenStage:
        Type: AWS::ApiGatewayV2::Stage
        Properties: { ApiId: !Ref Open, StageName: live }
      OpenMock:
        Type: AWS::ApiGatewayV2::Integration
        Properties: { ApiId: !Ref Open, IntegrationType: MOCK }
      OpenDefault:
        Type: AWS::ApiGatewayV2::Route
        Properties: { ApiId: !Ref Open, RouteKey: $default, Target: !Sub "integrations/${OpenMock}" }
    """

  private static func gateway(_ workshop: borrowing Workshop) throws -> ServedGateway {
    let python = try #require(Workshop.python)
    try workshop.write(source, to: "f.py")
    try workshop.write(template, to: "live.yaml")
    let program = "'\(python)' -I '\(workshop.folder.appendingPathComponent("f.py").path)'"
    return try ServedGateway(
      workshop,
      [
        "--template", "live.yaml", "--function", program,
        "--run", "Chat=env 'EVENTS=\(events(workshop).path)' \(program)",
      ])
  }

  private static func events(_ workshop: borrowing Workshop) -> URL {
    workshop.folder.appendingPathComponent("events.txt")
  }

  private static func handshake(_ port: Int, _ path: String) -> String {
    "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
  }

  /// A client that can break the protocol.
  private struct Client: ~Copyable {
    let connection: RawConnection
    private var pending: [UInt8] = []

    private init(_ connection: consuming RawConnection) { self.connection = connection }

    /// Connects, and expects the 101.
    static func open(_ gateway: ServedGateway, _ path: String) throws -> Client {
      let connection = try RawConnection(port: gateway.port)
      let answer = try connection.exchange(
        WebSocketServeTests.handshake(gateway.port, path), until: "\r\n\r\n")
      guard answer.hasPrefix("HTTP/1.1 101 ") else {
        throw RawConnection.Failed(reason: answer + gateway.logText)
      }
      return Client(connection)
    }

    /// Sends a text message, with a mask of zeros.
    func send(_ text: String) throws { try send(opcode: 1, Array(text.utf8)) }

    func send(opcode: UInt8, _ bytes: [UInt8]) throws {
      _ = try connection.exchange(
        bytes: [0x80 | opcode, 0x80 | UInt8(bytes.count), 0, 0, 0, 0] + bytes, count: 0)
    }

    /// Reads a short frame: its opcode and its payload.
    mutating func frame() throws -> (opcode: UInt8, bytes: [UInt8]) {
      let head = try take(2)
      return (head[0] & 0x0F, try take(Int(head[1])))
    }

    mutating func text() throws -> String {
      let (opcode, bytes) = try frame()
      guard opcode == 1 else { throw RawConnection.Failed(reason: "opcode \(opcode)") }
      return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func take(_ count: Int) throws -> [UInt8] {
      while pending.count < count {
        let more = try connection.exchange(bytes: [], count: 1)
        guard !more.isEmpty else { throw RawConnection.Failed(reason: "the connection ended") }
        pending += more
      }
      defer { pending.removeFirst(count) }
      return Array(pending.prefix(count))
    }
  }

  private static func lines(_ workshop: borrowing Workshop, until line: String) throws -> [String] {
    let file = events(workshop)
    var found: [String] = []
    let isThere = HangLimit.wait {
      let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      found = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      return found.contains(line)
    }
    try #require(isThere, "\(found)")
    return found
  }

  // MARK: A client that obeys

  @Test func messagesReachAFunctionAndAnswersTheClient() async throws {
    let workshop = try Workshop()
    let gateway = try Self.gateway(workshop)
    var client = try Client.open(gateway, "/Live/live?ticket=alice")
    try client.send(#"{"action":"quiet"}"#)
    try client.send(#"{"action":"who"}"#)
    let words = try client.text().split(separator: " ")
    #expect(words.first == "alice")
    let path = "/Live/live/%40connections/\(try #require(words.last).replacing("=", with: "%3D"))"

    #expect(try await gateway.send("POST", path, body: "hello").status == 200)
    #expect(try client.text() == "hello")
    #expect(try await gateway.send("GET", path).json?["identity"]?["sourceIp"] == .string("127.0.0.1"))
    let other = path.replacing("/Live/", with: "/Open/")
    #expect(try await gateway.send("POST", other, body: "hello").status == 410)
    #expect(
      try await gateway.send("POST", path, headers: ["Origin": "https://evil.example"], body: "x").status
        == 403)

    for (message, problem) in [
      ("not JSON", "Forbidden"), (#"{"action":"who","x":"fail"}"#, "Internal server error"),
    ] {
      try client.send(message)
      #expect(try client.text().hasPrefix(#"{"message": "\#(problem)", "connectionId":"\#(words[1])","#))
    }
    try client.send(opcode: 8, [0x0F, 0xA0] + Array("bye".utf8))
    #expect(try client.frame() == (8, [0x0F, 0xA0] + Array("bye".utf8)))
    #expect(
      try Self.lines(workshop, until: "$disconnect 4000 bye")
        == ["$connect", "quiet", "who", "who", "$disconnect 4000 bye"])
    #expect(try await gateway.send("POST", path, body: "hello").status == 410)
    #expect(gateway.logText.contains(#"route="who" status=200"#))
    #expect(!gateway.logText.contains("ticket=alice"))
  }

  @Test func theGatewayClosesConnections() async throws {
    let workshop = try Workshop()
    let gateway = try Self.gateway(workshop)
    var client = try Client.open(gateway, "/Live/live?ticket=bob")
    try client.send(#"{"action":"who"}"#)
    let identifier = try #require(try client.text().split(separator: " ").last)
    let path = "/Live/live/@connections/\(identifier)"
    #expect(try await gateway.send("DELETE", path).status == 204)
    #expect(try client.frame() == (8, [0x03, 0xE8] + Array("Connection Closed Normally".utf8)))
    _ = try Self.lines(workshop, until: "$disconnect 1000 Connection Closed Normally")

    var idle = try Client.open(gateway, "/Live/live?ticket=bob")
    #expect(try await gateway.send("POST", "/dev/clock", body: #"{"move":"+10m"}"#).status == 200)
    #expect(try idle.frame() == (8, [0x03, 0xE9] + Array("Going away".utf8)))
    _ = try Self.lines(workshop, until: "$disconnect 1001 Going away")
  }

  // MARK: A client that does not

  @Test func brokenFramesCloseTheConnection() async throws {
    let workshop = try Workshop()
    let gateway = try Self.gateway(workshop)
    let tables: [(String, [UInt8], UInt16)] = [
      ("no mask", [0x81, 0x02, 0x68, 0x69], 1002), ("binary", [0x82, 0x80, 0, 0, 0, 0], 1003),
      ("reserved bit", [0xC1, 0x80, 0, 0, 0, 0], 1002), ("reserved opcode", [0x83, 0x80, 0, 0, 0, 0], 1002),
      ("long ping", [0x89, 0xFE, 0, 126, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 126), 1002),
      ("ping in parts", [0x09, 0x80, 0, 0, 0, 0], 1002), ("no beginning", [0x80, 0x80, 0, 0, 0, 0], 1002),
      ("32 KB and one", [0x81, 0xFE, 0x80, 0x01, 0, 0, 0, 0], 1009),
      ("1 TB", [0x81, 0xFF, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], 1009),
      ("not UTF-8", [0x81, 0x81, 0, 0, 0, 0, 0xFF], 1007),
      ("short close", [0x88, 0x81, 0, 0, 0, 0, 3], 1002),
    ]
    for (name, bytes, code) in tables {
      var client = try Client.open(gateway, "/Open/live")
      _ = try client.connection.exchange(bytes: bytes, count: 0)
      let (opcode, payload) = try client.frame()
      #expect(opcode == 8, "\(name)")
      #expect(payload == [UInt8(code >> 8), UInt8(code & 0xFF)], "\(name)")
    }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd"), "the system has no /proc"))
  func aThousandDroppedConnectionsLeaveNothing() async throws {
    let workshop = try Workshop()
    let gateway = try Self.gateway(workshop)
    for _ in 0..<1000 { _ = try Client.open(gateway, "/Open/live") }
    let folder = "/proc/\(gateway.process.processIdentifier)/fd"
    #expect(try HangLimit.wait { try FileManager.default.contentsOfDirectory(atPath: folder).count < 100 })
    _ = try Client.open(gateway, "/Live/live?ticket=carol")
    _ = try Self.lines(workshop, until: "$disconnect 1006")
  }
}
