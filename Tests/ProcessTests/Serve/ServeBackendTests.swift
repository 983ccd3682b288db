import Foundation
import JSON
import Testing
import TestSupport

/// HTTP integrations with real backends.
@Suite(.needsBootstrap, .needsPython, .serialized, .hangLimit)
struct ServeBackendTests {
  /// A backend that returns the request that it received.
  final class Backend {
    let port: Int
    private let process = Process()

    init(_ workshop: borrowing Workshop) throws {
      try workshop.write(Self.source, to: "backend.py")
      process.executableURL = URL(fileURLWithPath: try #require(Workshop.python))
      process.arguments = ["-I", workshop.folder.appendingPathComponent("backend.py").path]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// Ends it; then no program listens on its port.
    func stop() {
      guard process.isRunning else { return }
      // It has nothing to clean up, and SIGKILL does not depend on Python's handling of SIGTERM.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }

    deinit { stop() }

    private static let source = """
      import gzip, http.server, json
      class Echo(http.server.BaseHTTPRequestHandler):
          def answer(self):
              body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
              headers = {name.lower(): value for name, value in self.headers.items()}
              seen = {"method": self.command, "path": self.path, "headers": headers, "body": body}
              seen = json.dumps(seen).encode()
              if "large" in self.path: seen = bytes((10 << 20) + 1)
              self.send_response(307 if "redirect" in self.path else 201)
              if "gzip" in self.path:
                  seen = gzip.compress(seen)
                  self.send_header("Content-Encoding", "gzip")
              self.send_header("Location", "/elsewhere")
              self.send_header("X-Seen", "yes")
              self.send_header("Set-Cookie", "a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT; Path=/")
              self.send_header("Set-Cookie", "b=2")
              self.send_header("Content-Length", str(len(seen)))
              self.end_headers()
              self.wfile.write(seen)
          do_GET = do_POST = answer
          def log_message(self, *_): pass
      server = http.server.HTTPServer(("127.0.0.1", 0), Echo)
      print(server.server_address[1], flush=True)
      server.serve_forever()
      """
  }

  static func template(_ origin: String) -> String {
    let integration =
      #"{ type: http_proxy, httpMethod: ANY, uri: "\#(origin)/animals/{id}", payloadFormatVersion: "1.0" }"#
    let rest =
      #"{ type: http_proxy, httpMethod: POST, uri: "\#(origin)/animals/{id}", requestParameters: "#
      + #"{ integration.request.path.id: method.request.path.id } }"#
    return """
      Transform: AWS::Serverless-2016-10-31
      Resources:
        Api:
          Type: AWS::Serverless::HttpApi
          Properties:
            DefinitionBody:
              openapi: 3.0.1
              paths:
                "/pets/{id}":
                  x-amazon-apigateway-any-method: { x-amazon-apigateway-integration: \(integration) }
        Rest:
          Type: AWS::Serverless::Api
          Properties:
            StageName: prod
            DefinitionBody:
              openapi: 3.0.1
              paths: { "/pets/{id}": { post: { x-amazon-apigateway-integration: \(rest) } } }
      """
  }

  static func gateway(
    _ workshop: borrowing Workshop, _ origin: String, _ backend: String, environment: [String: String] = [:]
  ) throws -> ServedGateway {
    try workshop.write(template(origin), to: "template.yaml")
    return try ServedGateway(
      workshop,
      ["--template", "template.yaml", "--backend", backend] + ServeTests.quickStart[2..<4],
      environment: environment)
  }

  /// `template` uses the URLs in the template; an origin replaces them.
  @Test(arguments: [true, false]) func sendsTheWholeRequestToTheBackend(_ usesTemplateURL: Bool) async throws
  {
    let workshop = try Workshop()
    let backend = try Backend(workshop)
    let origin = "http://127.0.0.1:\(backend.port)"
    // No program listens there: a backend on this machine is reached without it.
    let proxy = ["http_proxy": "http://127.0.0.1:1", "all_proxy": "http://127.0.0.1:1"]
    let gateway =
      usesTemplateURL
      ? try Self.gateway(workshop, origin, "template", environment: proxy)
      : try Self.gateway(workshop, "https://backend.example.com", origin, environment: proxy)
    for path in ["/Api/pets/7", "/Rest/prod/pets/7"] {
      let answer = try await gateway.send(
        "POST", path + "?a=1&b=%20x", headers: ["X-Own": "mine", "Content-Type": "text/plain"],
        body: "h\u{E9}llo")
      #expect(answer.status == 201, "\(path): \(answer.text)")
      #expect(answer.headers["x-seen"] == "yes")
      #expect(answer.headers["x-backend"] == nil)
      #expect(answer.json?["method"] == .string("POST"))
      #expect(answer.json?["path"] == .string("/animals/7?a=1&b=%20x"))
      #expect(answer.json?["body"] == .string("h\u{E9}llo"))
      #expect(answer.json?["headers"]?["x-own"] == .string("mine"))
      #expect(answer.json?["headers"]?["content-type"] == .string("text/plain"))
      #expect(answer.json?["headers"]?["host"] == .string("127.0.0.1:\(backend.port)"))
    }
  }

  @Test func reportsAnUnreachableBackendAsAGatewayError() async throws {
    let workshop = try Workshop()
    let backend = try Backend(workshop)
    let gateway = try Self.gateway(
      workshop, "https://backend.example.com", "http://127.0.0.1:\(backend.port)/")
    #expect(try await gateway.send("POST", "/Api/pets/7").status == 201)
    backend.stop()
    let http = try await gateway.send("POST", "/Api/pets/7")
    #expect(http.status == 503)
    #expect(http.text == #"{"message":"Service Unavailable"}"#)
    let rest = try await gateway.send("POST", "/Rest/prod/pets/7")
    #expect(rest.status == 504)
    #expect(
      rest.text == #"{"message": "Network error communicating with endpoint"}"#
        || rest.text == #"{"message":"Network error communicating with endpoint"}"#)
  }

  /// The backend decides what `..` is, as behind API Gateway.
  @Test(arguments: ["..", ".", "%2e%2E", "a..", "..%2fb"]) func sendsAPathAsWritten(_ segment: String) throws
  {
    let workshop = try Workshop()
    let backend = try Backend(workshop)
    let gateway = try Self.gateway(
      workshop, "https://backend.example.com", "http://127.0.0.1:\(backend.port)")
    let answer = try Self.raw(gateway, "/Api/pets/\(segment)?x=/../y", until: #""body": ""}"#)
    #expect(answer.contains(#""path": "/animals/\#(segment)?x=/../y""#), "\(answer)")
  }

  @Test func decodesWhatLibcurlAsksFor() throws {
    let workshop = try Workshop()
    let backend = try Backend(workshop)
    let gateway = try Self.gateway(
      workshop, "https://backend.example.com", "http://127.0.0.1:\(backend.port)")
    let answer = try Self.raw(gateway, "/Api/pets/gzip", until: #""body": ""}"#)
    #expect(answer.contains(#""path": "/animals/gzip""#) && answer.contains("gzip"))
    #expect(!answer.lowercased().contains("\r\ncontent-encoding:"), "\(answer)")
  }

  @Test func withoutLibcurlARouteToABackendSaysIt() async throws {
    let workshop = try Workshop()
    try workshop.write("this is not a library", to: "libcurl.so.4")
    let gateway = try Self.gateway(
      workshop, "https://backend.example.com", "http://127.0.0.1:9",
      environment: ["LD_LIBRARY_PATH": workshop.folder.path])
    for path in ["/Api/pets/7", "/Rest/prod/pets/7"] {
      let answer = try await gateway.send("POST", path)
      #expect(answer.status == 501, "\(path): \(answer.text)")
      #expect(answer.text.contains("libcurl.so.4") && answer.text.contains("apt-get install libcurl4"))
    }
    #expect(try await gateway.send("POST", "/Api/elsewhere").status == 404)
  }

  @Test func passesARedirectToTheCaller() async throws {
    let workshop = try Workshop()
    let backend = try Backend(workshop)
    let gateway = try Self.gateway(
      workshop, "https://backend.example.com", "http://127.0.0.1:\(backend.port)")
    let answer = try Self.raw(gateway, "/Api/pets/redirect")
    #expect(answer.hasPrefix("HTTP/1.1 307 "))
    #expect(answer.lowercased().contains("\r\nlocation: /elsewhere\r\n"))
  }

  @Test func keepsEachCookieOnItsLineAndSendsNoneBack() async throws {
    let workshop = try Workshop()
    let backend = try Backend(workshop)
    let gateway = try Self.gateway(
      workshop, "https://backend.example.com", "http://127.0.0.1:\(backend.port)")
    let answer = try Self.raw(gateway, "/Api/pets/7")
    #expect(answer.contains(": a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT; Path=/\r\n"))
    #expect(answer.contains(": b=2\r\n"))
    let second = try Self.raw(gateway, "/Api/pets/8", until: #""body": ""}"#)
    #expect(second.contains(#""path": "/animals/8""#) && !second.contains(#""cookie""#))
  }

  @Test func failsForAnswersOverTenMegabytes() async throws {
    let workshop = try Workshop()
    let backend = try Backend(workshop)
    let gateway = try Self.gateway(
      workshop, "https://backend.example.com", "http://127.0.0.1:\(backend.port)")
    #expect(try await gateway.send("POST", "/Api/pets/large").status == 503)
  }

  /// Returns an answer as sent on the wire; by default only its head.
  static func raw(_ gateway: ServedGateway, _ path: String, until end: String = "\r\n\r\n") throws -> String {
    try RawConnection(port: gateway.port).exchange(
      "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", until: end)
  }
}
