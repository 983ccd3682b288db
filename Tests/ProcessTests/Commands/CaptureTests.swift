import Foundation
import JSON
import TestSupport
import Testing

/// `capture.mjs` and `capture.py`: what they write of an event says nothing about the caller, and can be tested.
@Suite(.needsPython, .needsNode, .hangLimit)
struct CaptureTests {
  enum Language: String, CaseIterable {
    case node = "app.mjs"
    case python = "app.py"

    /// An authorizer that throws, with the capture around it.
    var source: String {
      switch self {
      case .node:
        """
        import { captured } from "./capture.mjs";
        export const handler = captured(async (event) => { throw new Error("Unauthorized"); });
        """
      case .python:
        """
        from capture import captured
        @captured
        def handler(event, context):
            raise Exception("Unauthorized")
        """
      }
    }
  }

  /// A folder with `authorizer.json`, and with the files that `init` writes around an authorizer.
  private static func workshop() async throws -> Workshop {
    let workshop = try Workshop()
    #expect(try await workshop.run(["init", "--for", "capture", "."]).exit == 0)
    for language in Language.allCases { try workshop.write(language.source, to: language.rawValue) }
    try workshop.write(configuration, to: "authorizer.json")
    return workshop
  }

  private static let configuration = #"""
    {"issuers":[{"issuer":"https://id.example.com","audiences":["api"],"algorithms":["RS256"],
    "keys":{"url":"https://id.example.com/jwks"}}],"default":"deny",
    "rules":[{"routes":["GET /users/${sub}"],"allow":true,"require":{"scopes":["read:users"]}},
    {"routes":["GET /staff"],"allow":true,"require":{"claims":{"email":{"suffix":"@staff.example.com"}}}},
    {"routes":["GET /numbers"],"allow":true,"require":{"claims":{"level":7}}}]}
    """#

  /// Returns what the capture writes of events, in one process.
  private static func captured(
    _ events: [String], _ language: Language, in workshop: borrowing Workshop
  ) async throws -> (lines: [String], output: String) {
    for (index, event) in events.enumerated() { try workshop.write(event, to: "sent/\(index).json") }
    let names = events.indices.map { "sent/\($0).json" }
    let answer = try await workshop.run(
      ["invoke", "--raw", "--verbose", "--handler", "\(language.rawValue):handler"]
        + ["--env", "CAPTURE_KEEP=\(configuration)"] + names)
    let written = answer.errors.split(separator: "\n").compactMap { line in
      line.hasPrefix("function: ") ? String(line.dropFirst("function: ".count)) : nil
    }
    return (written.filter { $0.hasPrefix("{") || $0.hasPrefix("capture: ") }, answer.output)
  }

  // MARK: Events

  private static func encoded(_ json: String) -> String {
    Data(json.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
      .replacing("/", with: "_")
  }

  /// A token of the issuer with a signature of no key.
  private static func token(
    _ claims: String, header: String = #"{"alg":"RS256","typ":"JWT","kid":"canaryK"}"#, expires: Int = 600
  ) -> String {
    let now = Int(Date().timeIntervalSince1970)
    let payload =
      #"{"iss":"https://id.example.com","aud":"api","iat":\#(now - 60),"exp":\#(now + expires),\#(claims)}"#
    return [encoded(header), encoded(payload), encoded("canary signature")].joined(separator: ".")
  }

  private static let arn = "arn:aws:execute-api:eu-west-1:987654321098:a1b2c3d4e5/prod/GET"

  private static func tokenEvent(_ token: String, _ path: String) -> String {
    #"{"type":"TOKEN","methodArn":"\#(arn)\#(path)","authorizationToken":"Bearer \#(token)","more":"canaryM"}"#
  }

  /// Each kind of event with marks everywhere: a path that holds a claim, and another one.
  private static func marked(_ token: String) -> [String] {
    let path = "/users/canaryS%7C1/canaryP/987654321"
    let rest = #"""
      "type":"REQUEST","resource":"/users/{id}/{proxy+}","path":"\#(path)","httpMethod":"GET","canaryTop":"canaryTop",
      "headers":{"AUTHORIZATION":"Bearer \#(token)","Cookie":"a=canaryC","X-Api-Key":"canaryH","type":"canaryH"},
      "multiValueHeaders":{"AUTHORIZATION":["Bearer \#(token)"],"X":["canaryH"]},
      "queryStringParameters":{"canaryQ":"canaryQ","token":"\#(token)"},
      "multiValueQueryStringParameters":{"canaryQ":["canaryQ"]},"stageVariables":{"canaryV":"canaryV"},
      "pathParameters":{"id":"canaryS%7C1","proxy":"canaryP/987654321"},
      "requestContext":{"accountId":"987654321098","apiId":"a1b2c3d4e5","stage":"prod","resourcePath":"/users/{id}",
      "httpMethod":"GET","path":"/prod\#(path)","requestId":"canaryR","domainName":"canaryD.example.com",
      "identity":{"sourceIp":"198.51.100.7","userAgent":"canaryU","apiKey":"canaryA"}}
      """#
    return [
      tokenEvent(token, path), #"{"methodArn":"\#(arn)\#(path)",\#(rest)}"#,
      #"{"version":"1.0","methodArn":"\#(arn)\#(path)","identitySource":"Bearer \#(token)",\#(rest)}"#,
      #"""
      {"version":"2.0","type":"REQUEST","routeArn":"\#(arn)\#(path)","routeKey":"GET /users/{id}/{proxy+}",
      "identitySource":["Bearer \#(token)","canaryI"],"rawPath":"/prod\#(path)","rawQueryString":"canaryQ=canaryQ",
      "cookies":["a=canaryC"],"headers":{"authorization":"Bearer \#(token)","cookie":"canaryC"},
      "requestContext":{"accountId":"987654321098","apiId":"a1b2c3d4e5","stage":"prod","requestId":"canaryR",
      "http":{"method":"GET","path":"/prod\#(path)","sourceIp":"198.51.100.7","userAgent":"canaryU"}}}
      """#,
      #"{"methodArn":"arn:aws:execute-api:eu-west-1:987654321098:a1b2c3d4e5/prod/$connect",\#(rest)}"#,
    ]
  }

  private static let claims = #"""
    "sub":"canaryS|1","email":"canaryL@canaryN.example.org","scope":"read:users canaryW","n":987654321,"level":7,
    "nested":{"canaryX":["canaryY",987654321,{"canaryZ":true}]},"jti":"canaryJ","name":"Canary Ö 名","f":987654321.25
    """#

  // MARK: Tests

  @Test(
    "no mark of a token, header, query, cookie, claim or path is in what is written",
    arguments: Language.allCases)
  func canary(_ language: Language) async throws {
    let workshop = try await Self.workshop()
    let token = Self.token(Self.claims)
    let events = Self.marked(token)
    let found = try await Self.captured(events, language, in: workshop)
    #expect(found.lines.count == events.count, "\(found.lines)")
    for line in found.lines {
      let lower = line.lowercased()
      for mark in ["canary", "987654321", "198.51.100.7", "名", "ö"]
        + token.split(separator: ".").map({ $0.lowercased() })
      {
        #expect(!lower.contains(mark), "\(mark): \(line)")
      }
      let tree = try JSONTree(parsing: Array(line.utf8))
      // What stays: names of claims, literals of the configuration, and times.
      let claims = tree["tokens"]?["captured"]?["claims"]
      #expect(claims?["iss"] == .string("https://id.example.com") && claims?["aud"] == .string("api"))
      #expect(claims?["scope"]?.plain?.hasPrefix("read:users x") == true && claims?["level"] == .number("7"))
      #expect(claims?["exp"] == .string("+10m") || claims?["exp"] == .string("+11m"), "\(line)")
      // The same value has the same pseudonym.
      let subject = (claims?["sub"]?.plain ?? "").replacing("|", with: "%7C")
      #expect(
        subject.hasPrefix("x") && (line.contains("$connect") || line.contains("/users/\(subject)/")),
        "\(line)")
    }
  }

  @Test("a test sends the event of the same kind, route and path", arguments: Language.allCases)
  func kinds(_ language: Language) async throws {
    let workshop = try await Self.workshop()
    // What is in CAPTURE_KEEP stays.
    let marked = Self.marked(Self.token(#""sub":"a""#)).map {
      $0.replacing("canaryS%7C1/canaryP/987654321", with: "sub/scopes/7")
    }
    let found = try await Self.captured(marked, language, in: workshop)
    let arn = "arn:aws:execute-api:eu-west-1:123456789012:a1b2c3d4e5/prod/"
    let route = "/users/{id}/{proxy+}"
    let expected: [[String: String]] = [
      ["/type": "TOKEN", "/methodArn": arn + "GET/users/sub/scopes/7"],
      [
        "/type": "REQUEST", "/methodArn": arn + "GET/users/sub/scopes/7", "/resource": route,
        "/httpMethod": "GET",
        "/path": "/users/sub/scopes/7", "/requestContext/path": "/prod/users/sub/scopes/7",
        "/pathParameters/id": "sub", "/pathParameters/proxy": "scopes/7", "/requestContext/stage": "prod",
      ],
      ["/version": "1.0", "/methodArn": arn + "GET/users/sub/scopes/7", "/resource": route],
      [
        "/version": "2.0", "/routeArn": arn + "GET/users/sub/scopes/7", "/routeKey": "GET " + route,
        "/rawPath": "/prod/users/sub/scopes/7", "/pathParameters/proxy": "scopes/7",
        "/requestContext/http/method": "GET",
      ],
      ["/methodArn": arn + "$connect", "/requestContext/eventType": "CONNECT"],
    ]
    #expect(found.lines.count == expected.count)
    for (line, members) in zip(found.lines, expected) {
      try await Self.expect(members, of: line, in: workshop)
    }
  }

  @Test(
    "path and method of an HTTP API are those of the request, whatever its ARN has",
    arguments: Language.allCases)
  func pathOfHTTP(_ language: Language) async throws {
    let workshop = try await Self.workshop()
    let token = Self.token(#""sub":"a""#)
    func event(_ version: String, _ verb: String, _ path: String, _ route: String) -> String {
      #"""
      {"version":"\#(version)","type":"REQUEST","\#(version == "1.0" ? "methodArn" : "routeArn")":"\#(Self.arn
        .replacing("/GET", with: ""))/\#(verb)","routeKey":"\#(route)",
      "\#(version == "1.0" ? "path" : "rawPath")":"\#(path)","httpMethod":"DELETE","identitySource":["Bearer \#(token)"],
      "headers":{"authorization":"Bearer \#(token)"},"requestContext":{"http":{"method":"DELETE"}}}
      """#
    }
    let cases: [(event: String, members: [String: String])] = [
      (
        event("2.0", "ANY/users/{id}", "/prod/users/sub", "ANY /users/{id}"),
        [
          "/rawPath": "/prod/users/sub", "/routeKey": "ANY /users/{id}", "/pathParameters/id": "sub",
          "/requestContext/http/method": "DELETE",
        ]
      ),
      (
        event("2.0", "$default", "/users/sub", "$default"),
        ["/rawPath": "/users/sub", "/routeKey": "$default", "/requestContext/http/method": "DELETE"]
      ),
      (
        event("1.0", "DELETE/users/{id}", "/prod/users/sub", "DELETE /users/{id}"),
        ["/httpMethod": "DELETE", "/pathParameters/id": "sub", "/resource": "/users/{id}"]
      ),
    ]
    let found = try await Self.captured(cases.map(\.event), language, in: workshop)
    #expect(found.lines.count == cases.count, "\(found.lines)")
    for (line, one) in zip(found.lines, cases) { try await Self.expect(one.members, of: line, in: workshop) }
  }

  /// Checks members of the event that a test sends for a line.
  private static func expect(
    _ members: [String: String], of line: String, in workshop: borrowing Workshop
  ) async throws {
    try workshop.write(line, to: "line.json")
    let answer = try await workshop.run(["event", "render", "line.json"])
    let event = try JSONTree(parsing: Array(answer.output.utf8))
    for (pointer, value) in members {
      let found = pointer.split(separator: "/").reduce(event as JSONTree?) { $0?[String($1)] }
      #expect(found == .string(value), "\(pointer): \(answer.output)\(answer.errors)")
    }
    #expect(answer.output.contains("Bearer eyJ"), "\(answer.output)")
  }

  @Test("claims of every kind are written, and no time that no token can have", arguments: Language.allCases)
  func kindsOfClaims(_ language: Language) async throws {
    let workshop = try await Self.workshop()
    let claims =
      #""formatted":"canary\nb c","address":{"a\tb":[1e21,1e-7,-5,"\u0001"]},"auth_time":1e300,"nbf":"canary","level":7"#
    let header = #"{"alg":["canary"],"typ":["canary"]}"#
    let found = try await Self.captured(
      [Self.tokenEvent(Self.token(claims, header: header), "/users/a")], language, in: workshop)
    #expect(found.lines.count == 1 && !found.lines.joined().lowercased().contains("canary"), "\(found.lines)")
    let written = try JSONTree(parsing: Array((found.lines.first ?? "").utf8))["tokens"]?["captured"]
    let formatted = try #require(written?["claims"]?["formatted"]?.text, "\(found.lines)")
    #expect(formatted.split(separator: " ").map { $0.hasPrefix("x") } == [true, true], "\(formatted)")
    #expect(written?["claims"]?["level"] == .number("7") && written?["damage"] == .string("dropSignature"))
    try workshop.write(found.lines.first ?? "", to: "line.json")
    #expect(try await workshop.run(["event", "render", "line.json"]).exit == 0)
  }

  @Test(
    "a line that the capture does not write is refused",
    arguments: [
      #"{"captured":1,"event":{},"tokens":{}}"#, #"{"captured":1,"request":{},"tokens":{}}"#,
      #"""
      {"captured":1,"request":{"type":"TOKEN","scheme":"","route":"","method":"GET","path":"/","arn":"arn:aws:a:b:c:d/e"},
      "tokens":{}}
      """#,
    ])
  func refused(_ line: String) async throws {
    let workshop = try await Self.workshop()
    try workshop.write(line, to: "line.json")
    let answer = try workshop.execute(["invoke", "line.json"])
    #expect(
      answer.exit == 64 && answer.errors.contains("line.json is not a captured event"), "\(answer.errors)")
  }

  @Test("the files are the same in their effect", arguments: Language.allCases)
  func resigned(_ language: Language) async throws {
    let workshop = try await Self.workshop()
    let cases: [(claims: String, path: String, expires: Int, outcome: String)] = [
      (#""sub":"Ann-1.b_c","scope":"read:users other""#, "/users/Ann-1.b_c", 600, "allowed"),
      (#""sub":"Ann-1.b_c","scope":"read:users""#, "/users/Ann-2.b_c", 600, "forbidden"),
      (#""sub":"Ann-1.b_c","scope":"write:users""#, "/users/Ann-1.b_c", 600, "forbidden"),
      (#""sub":"Ann-1.b_c","scope":"read:users""#, "/users/Ann-1.b_c", -600, "unauthorized"),
      (#""sub":"b","email":"ann@staff.example.com""#, "/staff", 600, "allowed"),
      (#""sub":"b","email":"ann@other.example.com""#, "/staff", 600, "forbidden"),
      (#""sub":"c","level":7"#, "/numbers", 600, "allowed"),
      (#""sub":"c","level":8"#, "/numbers", 600, "forbidden"),
    ]
    let events = cases.map { Self.tokenEvent(Self.token($0.claims, expires: $0.expires), $0.path) }
    let found = try await Self.captured(events, language, in: workshop)
    #expect(found.lines.count == cases.count, "\(found)")
    for (index, (line, one)) in zip(found.lines, cases).enumerated() {
      try workshop.write(line, to: "events/\(10 + index).json")
      try workshop.write(#"{"outcome":"\#(one.outcome)"}"#, to: "events/\(10 + index).expected.json")
    }
    let tests = try workshop.execute(["test", "events"])
    #expect(tests.exit == 0, "\(tests.output)\(tests.errors)")
    // `invoke` and `explain` read the same files.
    #expect(try workshop.execute(["invoke", "--expect", "allowed", "events/10.json"]).exit == 0)
    #expect(try await workshop.run(["explain", "events/13.json"]).output.contains("expired"))
  }

  @Test(
    "domain and local part of an e-mail address have pseudonyms of their own", arguments: Language.allCases)
  func addresses(_ language: Language) async throws {
    let workshop = try await Self.workshop()
    let addresses = ["ann@corp.test", "bob@corp.test", "ann@else.test"]
    let events = addresses.map { Self.tokenEvent(Self.token(#""sub":"a","email":"\#($0)""#), "/mail") }
    let found = try await Self.captured(events + events, language, in: workshop)
    // The same event is written once.
    #expect(found.lines.count == addresses.count, "\(found.lines)")
    let parts = try found.lines.map { line in
      try JSONTree(parsing: Array(line.utf8))["tokens"]?["captured"]?["claims"]?["email"]?.plain?
        .split(separator: "@").map(String.init) ?? []
    }
    #expect(parts.allSatisfy { $0.count == 2 })
    guard parts.count == 3 else { return }
    #expect(parts[0][1] == parts[1][1] && parts[0][0] != parts[1][0])
    #expect(parts[0][0] == parts[2][0] && parts[0][1] != parts[2][1])
    // The key is one of the run.
    let again = try await Self.captured([events[0]], language, in: workshop)
    #expect(again.lines.count == 1 && again.lines.first != found.lines.first)
  }

  @Test("algorithm and type stay, and a signature that is none", arguments: Language.allCases)
  func headers(_ language: Language) async throws {
    let workshop = try await Self.workshop()
    let headers = [
      (#"{"alg":"ES256","typ":"at+jwt"}"#, #""algorithm":"ES256""#, #""typ":"at+jwt""#),
      (#"{"alg":"RS256"}"#, #""algorithm":"RS256""#, #""omitHeader":"typ""#),
      (#"{"alg":"none","typ":"canary"}"#, #""damage":"dropSignature""#, #""typ":"x""#),
    ]
    let events = headers.map { Self.tokenEvent(Self.token(#""sub":"a""#, header: $0.0), "/users/a") }
    let found = try await Self.captured(events, language, in: workshop)
    #expect(found.lines.count == headers.count)
    for (line, (_, algorithm, type)) in zip(found.lines, headers) {
      let compact = line.replacing(": ", with: ":")
      #expect(compact.contains(algorithm) && compact.contains(type), "\(line)")
    }
  }

  @Test("an event that cannot be written is left out, and the answer stays", arguments: Language.allCases)
  func leftOut(_ language: Language) async throws {
    let workshop = try await Self.workshop()
    let events = [
      Self.tokenEvent("canary", "/users"), Self.tokenEvent("a.b.c", "/users"),
      #"{"type":7,"headers":"canary"}"#,
      Self.tokenEvent(Self.token(#""sub":"a""#), "/users"),
    ]
    let found = try await Self.captured(events, language, in: workshop)
    #expect(found.lines.count == 4, "\(found)")
    #expect(found.lines.filter { $0 == "capture: an event was left out" }.count >= 2, "\(found.lines)")
    #expect(!found.lines.joined().contains("canary"), "\(found.lines)")
    #expect(found.output.ranges(of: " unauthorized ").count == 3, "\(found.output)")
  }

  @Test("init writes the files beside an authorizer, and takes no issuer for them")
  func files() async throws {
    let workshop = try Workshop()
    try workshop.write("", to: "old/index.mjs")
    let answer = try await workshop.run(["init", "--for", "capture", "old"])
    #expect(answer.exit == 0, "\(answer.errors)")
    #expect(
      answer.output
        == "wrote what writes the events of another authorizer to old:\n  capture.mjs\n  capture.py\n",
      "\(answer.output)")
    let refused = try await workshop.run(["init", "--for", "capture", "--issuer", "apple", "other"])
    #expect(refused.exit == 64 && refused.errors.contains("omit --issuer"), "\(refused.errors)")
  }
}
