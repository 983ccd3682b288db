import TestSupport
import Foundation
import JSON
import Testing

/// All parts together: template, gateway, function process, development issuer.
@Suite(.needsBootstrap, .serialized)
struct ServeTests {
  static let quickStart: [String] = [
    "--template", Workshop.packageRoot.appendingPathComponent("template/template.yaml").path,
    "--config", Workshop.packageRoot.appendingPathComponent("docs/harness/quick-start.json").path,
    "--function", Workshop.bootstrap,
  ]

  static func gateway(_ workshop: borrowing Workshop, _ more: [String] = []) throws -> ServedGateway {
    try ServedGateway(workshop, quickStart + more)
  }

  @Test func shortFormOfATemplateUsesTheDevelopmentKeys() async throws {
    let workshop = try Workshop()
    let template = Workshop.packageRoot.path + "/template/template.yaml"
    let gateway = try ServedGateway(
      workshop,
      [
        "--template", template, "--parameter", "Issuer=apple", "--parameter", "Audience=com.example.app",
        "--function", Workshop.bootstrap,
      ])
    let token = try await gateway.token("user=alice")
    for (path, status) in [
      ("/RestApi/prod/me", 200), ("/RestApi/prod/me/request", 200), ("/HttpApi/me", 200),
    ] {
      let answer = try await gateway.send("GET", path, headers: ["Authorization": "Bearer \(token)"])
      #expect(answer.status == status, "\(path) \(gateway.logText)")
    }
  }

  @Test func firstScreenOfTheReadmeWorks() async throws {
    let workshop = try Workshop()
    let gateway = try Self.gateway(workshop)
    let token = try await gateway.token("user=alice")
    let allowed = try await gateway.send(
      "GET", "/RestApi/prod/me", headers: ["Authorization": "Bearer \(token)"])
    #expect(allowed.status == 200)
    #expect(allowed.json == .object([.init(name: "principalId", value: .string("alice"))]))
    let missing = try await gateway.send("GET", "/RestApi/prod/me")
    #expect(missing.status == 401)
    #expect(missing.headers["www-authenticate"] == "Bearer")
    let other = try await gateway.token(#"{"user":"bob","claims":{"email_verified":false}}"#)
    let denied = try await gateway.send(
      "GET", "/RestApi/prod/me", headers: ["Authorization": "Bearer \(other)"])
    #expect(denied.status == 403)
    #expect(denied.text == #"{"error":{"code":"Forbidden","message":"Access denied"}}"#)
    let expired = try await gateway.token("user=alice&expires=-1h")
    let late = try await gateway.send(
      "GET", "/RestApi/prod/me", headers: ["Authorization": "Bearer \(expired)"])
    #expect(late.status == 401)

    let log = gateway.logText
    #expect(log.contains("status=200 authorizer=Bearer answer=called("))
    #expect(
      log.contains(
        "status=401 authorizer=Bearer answer=not-called decision=\"header Authorization is missing\" reason=missingToken "
      ))
    #expect(log.contains("reason=expired"))
    for secret in [token, other, expired] { #expect(!log.contains(secret)) }
  }

  @Test func backendOfAnHTTPAPIReceivesTheCaller() async throws {
    let workshop = try Workshop()
    let gateway = try Self.gateway(workshop)
    let token = try await gateway.token("user=alice")
    let headers = ["Authorization": "Bearer \(token)", "Origin": "https://app.example.com"]
    let first = try await gateway.send("GET", "/HttpApi/me?secret=geheim", headers: headers)
    #expect(first.status == 200)
    #expect(first.headers["x-backend"] == "echo")
    #expect(first.headers["access-control-allow-origin"] == "https://app.example.com")
    #expect(first.json?["requestContext"]?["authorizer"]?["principalId"] == .string("alice"))
    let second = try await gateway.send("GET", "/HttpApi/me", headers: headers)
    #expect(second.status == 200)
    #expect(gateway.logText.contains("answer=cache"))
    #expect(!gateway.logText.contains("geheim"))
    // After the TTL the authorizer is invoked again.
    #expect(try await gateway.send("POST", "/dev/clock", body: #"{"move":"+301s"}"#).status == 200)
    _ = try await gateway.send("GET", "/HttpApi/me", headers: headers)
    #expect(gateway.logText.split(separator: "\n").filter { $0.contains("answer=called(") }.count == 2)
  }

  @Test func invokeAPICallsTheSameFunction() async throws {
    let workshop = try Workshop()
    let gateway = try Self.gateway(workshop)
    let answer = try await gateway.send(
      "POST", "/2015-03-31/functions/AuthorizerFunction/invocations", body: "{}")
    #expect(answer.status == 200)
    #expect(answer.headers["x-amz-function-error"] == "Unhandled")
  }

  @Test func rejectsForeignHosts() async throws {
    let workshop = try Workshop()
    let gateway = try Self.gateway(workshop)
    for (path, method) in [("/dev/token", "POST"), ("/RestApi/prod/me", "GET"), ("/dev/cache/flush", "POST")]
    {
      let request =
        "\(method) \(path) HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
      let answer = try RawConnection(port: gateway.port).exchange(request, until: "\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(answer)")
    }
  }

  @Test func rejectsInvocationsFromForeignPages() async throws {
    let workshop = try Workshop()
    let gateway = try Self.gateway(workshop)
    for (origin, status) in [("https://evil.example", 403), ("null", 403), ("http://localhost:3000", 200)] {
      let answer = try await gateway.send(
        "POST", "/2015-03-31/functions/AuthorizerFunction/invocations", headers: ["Origin": origin],
        body: "{}")
      #expect(answer.status == status, "\(origin)")
    }
  }

  @Test(arguments: ["/dev/clock", "/2015-03-31/x", "/.well-known/jwks.json"])
  func hostOfAnAPIServesOnlyThatAPI(_ path: String) throws {
    let workshop = try Workshop()
    let gateway = try Self.gateway(workshop)
    let answer = try RawConnection(port: gateway.port).exchange(
      "GET \(path) HTTP/1.1\r\nHost: RestApi.localhost\r\nConnection: close\r\n\r\n", until: "}")
    #expect(answer.hasSuffix(#"{"message":"Forbidden"}"#), "\(answer)")
  }

  @Test(arguments: [
    "GET /RestApi/prod/me HTTP/1.1\r\nHost: a\r\nAuthorization : b\r\n\r\n",
    "GET /RestApi/prod/me HTTP/1.1\r\nHost: a\r\nAuthorization: b\r\n c\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 90_000))\r\n\r\n",
  ]) func answers400ToMalformedHTTP(_ request: String) throws {
    let workshop = try Workshop()
    let gateway = try Self.gateway(workshop)
    let answer = try RawConnection(port: gateway.port).exchange(request, until: "\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
  }

  // MARK: WebSocket

  /// Java's HTTP client offers HTTP/2 on the first request of a connection.
  @Test(arguments: [
    "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n",
    "Upgrade: h2c\r\n",
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
  ]) func answersARequestWithAnUnsupportedUpgrade(_ headers: String) throws {
    let workshop = try Workshop()
    let gateway = try Self.gateway(workshop)
    let answer = try RawConnection(port: gateway.port).exchange(
      "POST /dev/token HTTP/1.1\r\nHost: 127.0.0.1\r\n\(headers)Content-Length: 10\r\n\r\nuser=alice",
      until: "id_token")
    #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
  }

  @Test(arguments: [
    ("GET", "Sec-WebSocket-Version: 13\r\n"),
    ("GET", "Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"),
    ("GET", "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n"),
    ("POST", "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"),
  ]) func answers426ToAnInvalidHandshake(_ method: String, _ headers: String) throws {
    let workshop = try Workshop()
    let gateway = try Self.gateway(workshop)
    let answer = try RawConnection(port: gateway.port).exchange(
      "\(method) /WebSocketApi/live HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
        + "Connection: Upgrade\r\n\(headers)\r\n", until: "send an upgrade request")
    #expect(answer.hasPrefix("HTTP/1.1 426 "), "\(answer)")
  }

  static func handshake(_ port: Int, _ token: String?) -> String {
    let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    return "GET /WebSocketApi/live HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUpgrade: websocket\r\n"
      + "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
      + authorization + "\r\n"
  }

  @Test func opensAWebSocketForAValidTokenAndAnswersPings() async throws {
    let workshop = try Workshop()
    let gateway = try Self.gateway(workshop)
    let token = try await gateway.token("user=alice")
    let connection = try RawConnection(port: gateway.port)
    let answer = try connection.exchange(Self.handshake(gateway.port, token), until: "\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 101 "))
    // The answer to the sample key of RFC 6455 section 1.3.
    #expect(answer.lowercased().contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo="))
    // A masked ping "hi", and a close with 1000.
    let pong = try connection.exchange(bytes: [0x89, 0x82, 0, 0, 0, 0, 0x68, 0x69], count: 4)
    #expect(pong == [0x8A, 0x02, 0x68, 0x69])
    let close = try connection.exchange(bytes: [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8], count: 4)
    #expect(close == [0x88, 0x02, 0x03, 0xE8])
  }

  @Test func refusesAHandshakeBeforeThe101() async throws {
    let workshop = try Workshop()
    let gateway = try Self.gateway(workshop)
    let unverified = try await gateway.token(#"{"user":"bob","claims":{"email_verified":false}}"#)
    for (token, status, body) in [
      (nil, 401, #"{"message":"Unauthorized"}"#), ("a.b.c", 401, #"{"message":"Unauthorized"}"#),
      (unverified, 403, #"{"message":"Forbidden"}"#),
    ] {
      let answer = try RawConnection(port: gateway.port).exchange(
        Self.handshake(gateway.port, token), until: body)
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
      #expect(answer.hasSuffix(body))
    }
  }

  // MARK: Load

  @Test(
    .enabled(
      if: ConcurrentClients.raisesFileLimit(to: 4096), "this process is not allowed to open 4,096 files"))
  func answersAThousandRequestsAtOnceWithTheirOwnPrincipal() async throws {
    let workshop = try Workshop()
    // The template's own throttles would refuse most of them, as on AWS.
    let template = try String(
      contentsOf: Workshop.packageRoot.appendingPathComponent("template/template.yaml"), encoding: .utf8)
    try workshop.write(
      template.replacing("ThrottlingBurstLimit: 200", with: "ThrottlingBurstLimit: 2000"), to: "t.yaml")
    let gateway = try ServedGateway(
      workshop, ["--template", "t.yaml"] + Self.quickStart.dropFirst(2) + ["--concurrency", "4"])
    var requests: [String] = []
    for index in 0..<1000 {
      let token = try await gateway.token("user=user-\(index)")
      requests.append(
        "GET \(index.isMultiple(of: 2) ? "/RestApi/prod/me" : "/HttpApi/me") HTTP/1.1\r\n"
          + "Host: 127.0.0.1:\(gateway.port)\r\nAuthorization: Bearer \(token)\r\nConnection: close\r\n\r\n")
    }
    let answers = try await ConcurrentClients.answers(to: requests, port: gateway.port)
    #expect(answers.count == 1000)
    let wrong = answers.indices.filter { index in
      let answer = answers[index].replacing("\": \"", with: "\":\"")
      return !answer.hasPrefix("HTTP/1.1 200 ") || !answer.contains(#""principalId":"user-\#(index)""#)
    }
    #expect(wrong.isEmpty, "\(wrong.count), the first: \(wrong.first.map { answers[$0] } ?? "")")
    let log = gateway.logText
    #expect(log.split(separator: "\n").filter { $0.contains("status=200") }.count == 1000)
  }

  /// Kept-alive connections and open WebSockets do not delay the restart.
  @Test func restartsForAChangedTemplate() async throws {
    let workshop = try Workshop()
    let template = try String(
      contentsOf: Workshop.packageRoot.appendingPathComponent("template/template.yaml"), encoding: .utf8)
    try workshop.write(template, to: "t.yaml")
    let gateway = try ServedGateway(
      workshop, ["--template", "t.yaml"] + Self.quickStart.dropFirst(2) + ["--verbose"])
    let token = try await gateway.token("user=alice")
    let socket = try RawConnection(port: gateway.port)
    _ = try socket.exchange(Self.handshake(gateway.port, token), until: "\r\n\r\n")
    try workshop.write(template.replacing("StageName: prod", with: "StageName: test"), to: "t.yaml")
    _ = try gateway.nextPort()
    #expect(try await gateway.send("GET", "/RestApi/test/me").status == 401)
  }

  // MARK: Start

  @Test(arguments: [
    (["--template", "none.yaml"], Int32(64), "cannot read none.yaml"),
    (["--assume", "nope=1"], 64, "unknown setting nope"),
    (["--clock", "soon"], 64, "--clock must be a time"),
    (["--clock", "-soon"], 64, "--clock must be a time such as 2026-11-21T10:00:00Z or +10m, found -soon"),
    (["--clock", "-1h", "--port", "70000"], 64, "--port must be"),
    (["--parameter", "Nope=1"], 64, "is set, but not declared"),
    (["--run", "Nope=true"], 64, "no function Nope"),
    (["--backend", "ftp://x"], 64, "--backend must be echo"), (["--port", "70000"], 64, "--port must be"),
  ]) func reportsProblemsOfServe(_ arguments: [String], _ exit: Int32, _ words: String) async throws {
    let workshop = try Workshop()
    let given = arguments.first == "--template" ? Array(Self.quickStart.dropFirst(2)) : Self.quickStart
    let answer = try await workshop.run(["serve", "--port", "0"] + given + arguments)
    #expect(answer.exit == exit)
    #expect(answer.errors.contains(words), "\(answer.errors)")
    #expect(answer.output == "")
  }

  @Test func reportsUnsupportedPartsOfATemplateWithTheirLines() async throws {
    let workshop = try Workshop()
    try workshop.write("Resources:\n  A:\n    Type: AWS::ApiGateway::Unknown\n", to: "t.yaml")
    let answer = try await workshop.run([
      "serve", "--port", "0", "--template", "t.yaml", "--env", "AUTHORIZER_ISSUER=apple",
    ])
    #expect(answer.exit == 64)
    #expect(answer.errors.contains("t.yaml:2: Resources.A: AWS::ApiGateway::Unknown is not emulated ("))
  }
}
