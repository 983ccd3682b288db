import Foundation
import JSON
import TestSupport
import TestTokens
import Testing

/// `smoke` with real keys, over HTTPS and a proxy, against `serve`: what something between the API and the client changes
/// is found and named in words, and nothing else is.
@Suite(.needsFetchingFunction, .hangLimit)
struct SmokeProxyTests {
  /// A changed answer: to a request with this credential to an API.
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let api: String
    let credential: String
    let code: String
    /// A part of the sentence.
    let words: String
    let change: @Sendable (inout ChangingProxy.Message) -> Void

    init(
      _ name: String, _ place: (api: String, credential: String), _ code: String, _ words: String,
      _ change: @escaping @Sendable (inout ChangingProxy.Message) -> Void
    ) {
      (testDescription, api, credential) = (name, place.api, place.credential)
      (self.code, self.words, self.change) = (code, words, change)
    }
  }

  // MARK: Changes

  private static let own = [
    (name: "x-amzn-RequestId", value: "r"), (name: "Content-Type", value: "text/plain"),
  ]

  private static func hello(_ message: inout ChangingProxy.Message) {
    message = .init("HTTP/1.1 200 OK", own, body: "hello")
  }

  private static func rest(_ status: Int, _ type: String) -> @Sendable (inout ChangingProxy.Message) -> Void {
    { $0 = .init("HTTP/1.1 \(status) Own", own + [("x-amzn-ErrorType", type)]) }
  }

  private static func http(_ status: Int, _ text: String) -> @Sendable (inout ChangingProxy.Message) -> Void {
    {
      $0 = .init(
        "HTTP/1.1 \(status) Own", [("Apigw-Requestid", "r"), ("Content-Type", "application/json")],
        body: #"{"message":"\#(text)"}"#)
    }
  }

  private static func field(
    _ name: String, _ value: String?
  ) -> @Sendable (inout ChangingProxy.Message) -> Void { { $0[name] = value } }

  private static let none = ("Rest", "without a token")
  private static let garbage = ("Rest", "with garbage")
  private static let good = ("Rest", "with good")
  private static let reader = ("Rest", "with reader")
  private static let options = ("Rest", "OPTIONS without a token")
  private static let httpNone = ("Http", "without a token")
  private static let httpGood = ("Http", "with good")
  private static let preflight = ("Http", "OPTIONS as preflight")

  static let changes = [
    Change("a 200 without a token", none, "letsIn", "answers what serve refuses with 401", hello),
    Change("a 200 with garbage", garbage, "letsIn", "serve refuses with 401", hello),
    Change("a 200 for a forbidden role", reader, "letsIn", "serve refuses with 403", hello),
    Change("a 404 of the backend", none, "letsIn", "the backend answers") {
      $0 = .init("HTTP/1.1 404 Not Found", own)
    },
    Change("a redirect", none, "redirects", "a redirect (302) answers, which is not followed") {
      $0 = .init("HTTP/1.1 302 Found", [("Location", "https://login.example/?t=secret")])
    },
    Change("a 401", good, "refuses", "401 what serve lets through", rest(401, "UnauthorizedException")),
    Change("a 403", good, "refuses", "refuses with 403", rest(403, "AccessDeniedException")),
    Change(
      "a 403 with a link", good, "refuses", "refuses with 403",
      rest(403, "AccessDeniedException:http://a.example/")),
    Change(
      "a failing authorizer", good, "authorizerFails", "the authorizer fails (500)",
      rest(500, "AuthorizerConfigurationException")),
    Change(
      "a failing authorizer, with garbage", garbage, "authorizerFails", "serve predicts 401",
      rest(500, "AuthorizerConfigurationException")),
    Change(
      "no route", good, "unknownRoute", "knows no such route",
      rest(403, "MissingAuthenticationTokenException")),
    Change(
      "another refusal", none, "status", "is a 403, and serve predicts 401", rest(403, "ForbiddenException")),
    Change("a firewall", none, "status", "is a 403, and serve predicts 401") {
      $0 = .init("HTTP/1.1 403 Forbidden", [("Server", "x")], body: "<html>")
    },
    Change("an overload", none, "throttled", "the answer is a 429") { $0.line = "HTTP/1.1 429 Slow Down" },
    Change("another body", reader, "body", "but not the body") { $0.body += [0x20] },
    Change("a cut body", garbage, "body", "but not the body") { $0.body.removeLast() },
    Change("no error type", none, "header", "the header x-amzn-errortype", field("x-amzn-ErrorType", nil)),
    Change(
      "another error type", none, "header", "x-amzn-errortype",
      field("x-amzn-ErrorType", "ForbiddenException")),
    Change("another media type", none, "header", "content-type", field("Content-Type", "text/html")),
    Change("a challenge", none, "header", "www-authenticate", field("WWW-Authenticate", "Basic")),
    Change("a refusal cached too long", garbage, "cached", "a cache in front", field("Age", "120")),
    Change("an answer cached for all", none, "cached", "a cache in front") {
      hello(&$0)
      $0["Age"] = "7"
    },
    Change("a guarded preflight", options, "refuses", "refuses with 401", rest(401, "UnauthorizedException")),
    Change(
      "another origin", options, "header", "access-control-allow-origin",
      field("Access-Control-Allow-Origin", "https://evil.example")),
    Change(
      "no origin", options, "header", "access-control-allow-origin", field("Access-Control-Allow-Origin", nil)
    ),
    Change("a 200 without a token, HTTP", httpNone, "letsIn", "serve refuses with 401", hello),
    Change("a 401, HTTP", httpGood, "refuses", "401 what serve lets through", http(401, "Unauthorized")),
    Change("a 403, HTTP", httpGood, "refuses", "refuses with 403", http(403, "Forbidden")),
    Change(
      "a failing authorizer, HTTP", httpGood, "authorizerFails", "the authorizer fails (500)",
      http(500, "Internal Server Error")),
    Change("no route, HTTP", httpGood, "unknownRoute", "knows no such route", http(404, "Not Found")),
    Change("another body, HTTP", httpNone, "body", "but not the body", http(401, "unauthorized")),
    Change("a guarded preflight, HTTP", preflight, "refuses", "refuses with 401", http(401, "Unauthorized")),
    Change(
      "no origin, HTTP", preflight, "header", "access-control-allow-origin",
      field("Access-Control-Allow-Origin", nil)),
    Change(
      "another age, HTTP", preflight, "header", "access-control-max-age",
      field("Access-Control-Max-Age", "86400")),
  ]

  /// The changes by API, path and credential: each has a route for itself and other credentials.
  private static let places: [String: Change] = {
    var counts: [String: Int] = [:]
    var places: [String: Change] = [:]
    for change in changes {
      let number = counts[change.api + change.credential, default: 0]
      counts[change.api + change.credential] = number + 1
      places["\(change.api) /r\(number) \(change.credential)"] = change
    }
    return places
  }()

  // MARK: The run

  struct Run: Sendable {
    let exit: Int32
    let results: [String: JSONTree]
    let text: String
    let plainHeads: [String]
    let passed: Int
    let tokens: [String: String]
  }

  /// One run for all changes.
  static let run = Result { try SmokeProxyTests.makeRun() }

  private static let hosts = [
    "abc123.execute-api.us-east-1.amazonaws.com": "Rest",
    "def456.execute-api.us-east-1.amazonaws.com": "Http",
  ]

  private static func makeRun() throws -> Run {
    let workshop = try Workshop()
    let key = try SigningKey.generate(.es256, id: "live-1")
    let set = JSONTree.members(["keys": .array([key.publicJWK].compactMap { $0 })])
    try workshop.write(String(decoding: set.bytes(), as: UTF8.self), to: "keys.json")
    try workshop.write(configuration, to: "authorizer.json")
    try workshop.write(template, to: "template.yaml")
    let tokens = ["good": try token(key, scope: "read"), "reader": try token(key, scope: "none")]
    for (role, token) in tokens { try workshop.write(token + "\n", to: role + ".jwt") }
    let gateway = try ServedGateway(
      workshop, ["--template", "template.yaml", "--config", "authorizer.json", "--real-keys"])
    let authority = workshop.folder.appendingPathComponent("authority.pem").path
    let proxy = try ChangingProxy(to: gateway.port, hosts: hosts, authorityFile: authority) {
      request, answer in
      place(of: request, tokens).flatMap { places[$0] }?.change(&answer)
    }
    defer { proxy.stop() }
    let answer = try workshop.execute(
      [
        "smoke", "--template", "template.yaml", "--config", "authorizer.json", "--yes", "--json", "--rate",
        "100",
        "--url", "Rest=https://abc123.execute-api.us-east-1.amazonaws.com/prod", "--api-id", "abc123",
        "--url", "Http=https://def456.execute-api.us-east-1.amazonaws.com", "--api-id", "def456",
        "--token", "good=@good.jwt", "--token", "reader=@reader.jwt",
      ], environment: ["SSL_CERT_FILE": authority, "https_proxy": "http://127.0.0.1:\(proxy.port)"])
    guard case .array(let found)? = (try JSONTree(parsing: Array(answer.output.utf8)))["results"] else {
      throw ServedGateway.NotStarted(log: answer.errors)
    }
    let results = found.map { result in
      let route = result["route"]?.text?.split(separator: " ").last ?? ""
      let method = result["method"]?.text == "OPTIONS" ? "OPTIONS " : ""
      return ("\(result["api"]?.text ?? "") \(route) \(method)\(result["credential"]?.text ?? "")", result)
    }
    return Run(
      exit: answer.exit, results: Dictionary(results) { $1 }, text: answer.output + answer.errors,
      plainHeads: proxy.plainHeads, passed: proxy.passed, tokens: tokens)
  }

  /// The API, the path and the credential of a request.
  private static func place(of request: ChangingProxy.Message, _ tokens: [String: String]) -> String? {
    let words = request.line.split(separator: " ")
    guard words.count == 3, let api = hosts[request["Host"] ?? ""],
      let path = words[1].split(separator: "/").last
    else { return nil }
    let header = request["Authorization"]
    let role = tokens.first { header == "Bearer " + $0.value }?.key
    let credential =
      request["Origin"] != nil
      ? "as preflight" : header == nil ? "without a token" : "with \(role ?? "garbage")"
    return "\(api) /\(path) \(words[0] == "OPTIONS" ? "OPTIONS " : "")\(credential)"
  }

  private static func token(_ key: SigningKey, scope: String) throws -> String {
    let now = Int64(Date().timeIntervalSince1970)
    let claims = JSONTree.members([
      "iss": .string("https://id.example.com"), "aud": .string("api"), "sub": .string("alice"),
      "scope": .string(scope), "iat": .integer(now), "exp": .integer(now + 3600),
    ])
    func text(_ bytes: [UInt8]) -> String {
      Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
    }
    let input = text(Array(#"{"alg":"ES256","kid":"live-1"}"#.utf8)) + "." + text(claims.bytes())
    return input + "." + text(try key.signature(over: Array(input.utf8)))
  }

  private static let configuration = """
    {"issuers":[{"name":"live","issuer":"https://id.example.com","audiences":["api"],"algorithms":["ES256"],
    "keys":{"seed":"keys.json","pinned":true}}],
    "default":"deny","rules":[{"routes":["* /*"],"allow":true,"require":{"scopes":["read"]}}]}
    """

  /// Two APIs with as many routes as one credential has changes.
  private static let template: String = {
    func events(_ api: String, _ kind: String, _ reference: String) -> String {
      let paths = Set(places.keys.filter { $0.hasPrefix(api) }.map { $0.split(separator: " ")[1] }).sorted()
      return paths.map { path in
        "        \(api)\(path.dropFirst()): { Type: \(kind), Properties: { \(reference): !Ref \(api), "
          + "Path: \(path), Method: get } }"
      }.joined(separator: "\n")
    }
    return """
      Transform: AWS::Serverless-2016-10-31
      Resources:
        Guard:
          Type: AWS::Serverless::Function
          Properties: { Runtime: provided.al2023, Handler: bootstrap, CodeUri: dist/ }
        Backend:
          Type: AWS::Serverless::Function
          Properties:
            Runtime: provided.al2023
            Handler: bootstrap
            CodeUri: backend/
            Events:
      \(events("Rest", "Api", "RestApiId"))
      \(events("Http", "HttpApi", "ApiId"))
        Rest:
          Type: AWS::Serverless::Api
          Properties:
            StageName: prod
            Cors: "'*'"
            Auth:
              DefaultAuthorizer: Bearer
              AddDefaultAuthorizerToCorsPreflight: false
              Authorizers: { Bearer: { FunctionArn: !GetAtt Guard.Arn } }
        Http:
          Type: AWS::Serverless::HttpApi
          Properties:
            CorsConfiguration: { AllowOrigins: ['https://app.example'], MaxAge: 60 }
            Auth:
              DefaultAuthorizer: Bearer
              Authorizers:
                Bearer:
                  FunctionArn: !GetAtt Guard.Arn
                  AuthorizerPayloadFormatVersion: '2.0'
                  EnableSimpleResponses: false
                  EnableFunctionDefaultPermissions: true
                  Identity: { Headers: [Authorization] }
      """
  }()

  // MARK: Facts

  @Test(arguments: changes) func aChangedAnswerIsFoundAndNamed(_ change: Change) throws {
    let run = try Self.run.get()
    let place = try #require(Self.places.first { $0.value.testDescription == change.testDescription }?.key)
    let result = try #require(run.results[place], "\(place): \(run.text)")
    #expect(result["difference"]?.text == change.code, "\(result)")
    #expect(result["why"]?.text?.contains(change.words) == true, "\(result)")
  }

  @Test func nothingElseDiffers() throws {
    let run = try Self.run.get()
    let others = run.results.filter { Self.places[$0.key] == nil }
    #expect(others.count > Self.changes.count, "\(run.text)")
    for (place, result) in others { #expect(result["verdict"] == .string("same"), "\(place): \(result)") }
    #expect(run.exit == 1 && run.passed == run.results.count)
  }

  /// The proxy of the environment sees the hosts, and no output has a token or the text of an answer.
  @Test func noTokenIsInOutputOrInPlainText() throws {
    let run = try Self.run.get()
    #expect(run.plainHeads.count == run.passed)
    for head in run.plainHeads {
      #expect(Self.hosts.keys.contains { head.hasPrefix("CONNECT \($0):443 HTTP/1.1\r\n") }, "\(head)")
      #expect(!head.lowercased().contains("authorization"))
    }
    let signatures = run.tokens.values.compactMap { $0.split(separator: ".").last }
    #expect(signatures.count == 2)
    for text in [run.text] + run.plainHeads {
      #expect(!signatures.contains { text.contains($0) } && !text.contains("t=secret"))
    }
  }
}
