@testable import GatewayEmulator
@testable import EmulatorTestSupport
@testable import GatewayConsole
@testable import GatewayModel
@testable import LambdaEmulator
@testable import Text
import JSON
import Testing

/// No answer of the console contains a credential, wherever a client or a function has put it.
@Suite struct ConsoleRedactionTests {
  /// A place where a credential may be.
  struct Place: Sendable, CustomTestStringConvertible {
    let name: String
    var headers: [GatewayRequest.Header] = []
    var query = ""
    var body = ""
    var path = "/prod/pets/1"
    var answer: String?
    var response: String?
    /// With routes for paths with credentials, and with stage variables.
    var apis: [GatewayAPI]?
    var testDescription: String { name }
  }

  /// The mark in a text: characters that some spellings change, and no word of any document.
  static let mark = "qZ7/k+W3=x\"9\\vT5"
  static let plain = "qZ7kW3x9vT5mN2"
  /// Shorter than what is removed by its value.
  static let short = "qZ7k"

  static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      return isPlain
        ? String(Character(Unicode.Scalar(byte)))
        : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  static func quoted(_ text: String) -> String {
    String(decoding: JSONTree.string(text).bytes(), as: UTF8.self)
  }

  static func places(_ mark: String) -> [Place] {
    func header(_ name: String, _ value: String) -> Place {
      Place(name: name, headers: [.init(name, value)])
    }
    let encoded = Self.encoded(mark)
    let json = Self.quoted(mark)
    return [
      header("Authorization", "Bearer \(mark)"), header("authorization", "DPoP \(mark)"),
      header("AUTHORIZATION", mark),
      header("Authorization", "Basic \(Base64Text.encoded(Array("ada:\(mark)".utf8)))"),
      header("Authorization", "AWS4-HMAC-SHA256 Credential=AK/x, SignedHeaders=host, Signature=\(mark)"),
      header("Authorization", "Digest username=\"ada\", response=\"\(mark)\""),
      header("Proxy-Authorization", "Bearer \(mark)"), header("Cookie", "theme=dark; session=\(mark); a=b"),
      header("DPoP", mark), header("x-api-key", mark), header("X-Identity", mark),
      header("Sec-WebSocket-Protocol", "chat, \(mark)"), header("X-Amz-Security-Token", mark),
      header("X-Auth-Token", mark), header("X-Csrf-Token", mark),
      Place(name: "access_token", query: "x=1&access_token=\(encoded)"),
      Place(name: "id_token", query: "id_token=\(encoded)&id_token=\(encoded)"),
      Place(name: "X-Amz-Signature", query: "X-Amz-Signature=\(encoded)&X-Amz-Security-Token=\(encoded)"),
      Place(name: "encoded name", query: "access%5Ftoken=\(encoded)"),
      Place(name: "JSON body", body: #"{"user":"ada","password":\#(json)}"#),
      Place(name: "nested JSON body", body: #"{"grant":{"tokens":[\#(json)]}}"#),
      Place(name: "form body", body: "grant_type=x&refresh_token=\(encoded)"),
      Place(name: "context", answer: #","context":{"accessToken":\#(json)}"#),
      Place(name: "usageIdentifierKey", answer: #","usageIdentifierKey":\#(json)"#),
      Place(
        name: "Set-Cookie",
        response: #"{"statusCode":200,"headers":{"Set-Cookie":\#(Self.quoted("sid=\(encoded); Path=/"))}}"#),
      Place(
        name: "JSON answer",
        response: #"{"statusCode":200,"body":\#(Self.quoted(#"{"access_token":\#(json)}"#))}"#),
    ]
  }

  private static func stage(_ place: Place) throws -> ConsoleStage {
    let more = place.answer ?? ""
    var backend: (@Sendable (JSONTree) -> InvocationAnswer)?
    if let response = place.response { backend = { _ in .response(Array(response.utf8)) } }
    let answer: @Sendable (JSONTree) -> InvocationAnswer = { _ in GatewayStage.policy(more: more) }
    let trial = ConsoleStage.Scripted(ConsoleStage.Events(), answer)
    return try ConsoleStage(place.apis, trials: ["Authorizer": trial], backend: backend, answer: answer)
  }

  /// Sends a request of a place and returns everything that the console says about it.
  static func everything(_ place: Place, _ stage: ConsoleStage) async throws -> [String] {
    let names = place.headers.map { $0.name.lowercased() }
    let headers = ConsoleStage.headers.filter { !names.contains($0.name.lowercased()) } + place.headers
    let method = place.body.isEmpty ? "GET" : "POST"
    let path = place.body.isEmpty ? place.path : "/prod/pets"
    await stage.call(method, path, query: place.query, headers: headers, body: Array(place.body.utf8))
    await stage.call(method, path, query: place.query, headers: headers, body: Array(place.body.utf8))
    var texts: [String] = []
    for order in ["{}", #"{"user":"bob","backend":true}"#, #"{"emptyCache":true,"clock":"+1h"}"#] {
      texts.append(try await stage.ask("/dev/decisions/1/replay", json: order).text)
    }
    let sent = JSONTree.members([
      "path": .string("/pets/1"), "query": .string(place.query),
      "headers": .object(headers.map { .init(name: $0.name, value: .string($0.value)) }),
      "body": .string(place.body),
    ])
    texts.append(try await stage.ask("/dev/send", json: String(decoding: sent.bytes(), as: UTF8.self)).text)
    for path in [
      "/dev/decisions", "/dev/decisions/1", "/dev/decisions/2", "/dev/decisions/3", "/dev/cache",
      "/dev/session",
      "/dev/keys", "/dev/matrix", "/dev/findings", "/dev/revocations",
    ] { texts.append(try await stage.ask(path).text) }
    texts.append(try await stage.ask("/dev/decisions", query: "view=summary").text)
    return texts
  }

  /// The spellings in which a text may show a value.
  static func spellings(_ mark: String) -> [String] {
    let json = String(quoted(mark).dropFirst().dropLast())
    let twice = String(quoted(json).dropFirst().dropLast())
    return [
      mark, json, twice, encoded(mark), encoded(mark).lowercased(), Base64Text.encoded(Array(mark.utf8)),
    ]
  }

  @Test(arguments: places(plain) + places(mark) + rarePlaces(plain) + rarePlaces(mark))
  func noAnswerHasACredential(_ place: Place) async throws {
    let stage = try Self.stage(place)
    for text in try await Self.everything(place, stage) {
      for spelling in Self.spellings(Self.mark) + Self.spellings(Self.plain) {
        #expect(!text.contains(spelling), "\(text)")
      }
      #expect(!text.contains("\"error\""), "\(text)")
    }
    #expect(stage.events.count > 0)
    Self.expectNoMark(in: stage.lines.texts)
  }

  static func expectNoMark(in texts: [String]) {
    #expect(!texts.isEmpty)
    for text in texts {
      for spelling in spellings(mark) + spellings(plain) { #expect(!text.contains(spelling), "\(text)") }
    }
  }

  /// A short value cannot be searched for. It is removed where it is.
  @Test(arguments: places(short).filter { !["JSON answer", "Set-Cookie"].contains($0.name) })
  func shortCredentialsAreRemovedByTheirPlace(_ place: Place) async throws {
    let stage = try Self.stage(place)
    await stage.call(
      place.body.isEmpty ? "GET" : "POST", place.body.isEmpty ? place.path : "/prod/pets", query: place.query,
      headers: [.init("X-Identity", "second-value"), .init("Authorization", "Bearer first-value")].filter {
        own in
        !place.headers.contains { $0.name.lowercased() == own.name.lowercased() }
      } + place.headers, body: Array(place.body.utf8))
    let reply = try await stage.ask("/dev/decisions/1")
    for name in ["event", "policy", "context", "curl"] {
      #expect(!reply.text(name).contains(Self.short), "\(reply.text(name))")
    }
  }

  /// A token is decoded for the reader, and nothing that could be sent remains: not its signature, not its parts.
  @Test(arguments: [
    ("Authorization", "Bearer %"), ("Authorization", "%"), ("X-Identity", "%"), ("Cookie", "a=b; token=%"),
    ("Sec-WebSocket-Protocol", "bearer, %"), ("X-Whatever", "see %"), ("Referer", "https://x/?t=%"),
  ]) func noPartOfATokenRemains(_ name: String, _ value: String) async throws {
    let stage = try ConsoleStage()
    let token = try ConsoleTokens(
      issuer: stage.connection.issuer, base: "http://x", now: 1_718_636_523
    ).token(user: "ada", scope: "read", for: nil)
    let place = Place(
      name: name, headers: [.init(name, value.replacing("%", with: token))], path: "/prod/pets/" + token)
    let parts = token.split(separator: ".").map(String.init)
    for text in try await Self.everything(place, stage) {
      for part in parts { #expect(!text.contains(part), "\(text)") }
    }
  }

  /// Searching for thousands of values would keep the gateway busy.
  @Test func nothingIsShownOfARequestWithTooManyCredentials() async throws {
    let stage = try ConsoleStage()
    let cookies = (0..<250).map { "c\($0)=\(Self.plain)\($0)" }.joined(separator: "; ")
    await stage.call(headers: ConsoleStage.headers + [.init("Cookie", cookies)])
    let reply = try await stage.ask("/dev/decisions/1")
    #expect(reply.status == 200)
    #expect(!reply.text.contains(Self.plain))
    #expect(reply.json["omitted"] == .array([.string("credentials")]))
    #expect(reply.json["event"] == .null && reply.json["test"] == .null)
    #expect(reply.text("outcome") == "allowed")
  }

  /// A function that complains about its token has the token in its error.
  @Test func errorsOfFunctionsAreRedacted() async throws {
    let stage = try ConsoleStage(answer: { event in
      guard case .string(let value)? = event["headers"]?["Authorization"] else {
        return GatewayStage.policy()
      }
      return GatewayStage.error("cannot parse \(value)", type: "Error")
    })
    await stage.call(headers: [.init("Authorization", "Bearer \(Self.plain)"), .init("X-Identity", "x")])
    let reply = try await stage.ask("/dev/decisions/1")
    #expect(reply.text("outcome") == "failure")
    #expect(reply.text("decision").contains("cannot parse redacted"))
    #expect(!reply.text.contains(Self.plain))
  }

  /// Claims are text of the caller: whatever is in them is one JSON string.
  @Test(arguments: [
    "</script><script>alert(1)</script>", "\u{202E}evil", "line\nfeed\r\n\r\ndata: x", "\u{2028}",
    "\"}],\"x\":[{",
    String(repeating: "a", count: 4000),
  ]) func hostileClaimsStayText(_ text: String) async throws {
    let stage = try ConsoleStage()
    let token = try ConsoleTokens(
      issuer: stage.connection.issuer, base: "http://x", now: 1_718_636_523
    ).token(user: text, scope: nil, for: nil)
    await stage.call(headers: [.init("Authorization", "Bearer \(token)"), .init("X-Identity", "x")])
    let reply = try await stage.ask("/dev/decisions/1")
    #expect(reply.json["token"]?["claims"]?["sub"] == .string(text))
    #expect(reply.json["user"] == .string(text))
    #expect(reply.response.header("Content-Type") == "application/json")
    let feed = try #require(stage.log.open(after: 0) {})
    defer { stage.log.close(feed) }
    let summary = JSONTree.object(DecisionText(try #require(stage.log.decision(1))).summary).bytes()
    #expect(!summary.contains(0x0A) && !summary.contains(0x0D))
  }

  @Test(arguments: [
    ("a=1&access_token=secret-1&b=2", "a=1&access_token=redacted&b=2"), ("", ""), ("a", "a"), ("&&", "&&"),
    ("code=short&state=x", "code=redacted&state=x"), ("=x", "=x"),
    ("sig=short&key=short&passengers=2", "sig=redacted&key=redacted&passengers=2"),
  ]) func queriesKeepTheirShape(_ query: String, _ expected: String) async throws {
    let stage = try ConsoleStage()
    await stage.call(query: query)
    let text = DecisionText(try #require(stage.log.decision(1)))
    #expect(text.redactor.query(query) == expected)
  }
}
