import FunctionHost
import IssuerKeys
import JOSE
import JSON
import KeyFetcher
import TestTokens
import Testing

@testable import Identity

@Suite("Configuration of receivers")
struct ReceiverSettingsTests {
  static let receiver: [String: String] = [
    "name": "\"idp\"", "issuer": "\"https://id.example.com\"", "algorithms": #"["RS256"]"#,
    "audiences": #"["client"]"#, "accept": #"["back-channel-logout"]"#,
    "keys": #"{"url":"https://id.example.com/jwks"}"#,
  ]

  static func read(_ changes: [String: String] = [:], more: String = "") throws -> IdentitySettings {
    let members = receiver.merging(changes) { $1 }.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
    let text = "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    var source = InMemorySource()
    source.variables = [
      "EMPTY": "", "VALUE": "Bearer 0123", "REFERENCE": "{{resolve:ssm:x}}", "LINE": "a\nb",
    ]
    source.variables["IDENTITY_CONFIG"] =
      #"{"receivers":[\#(text)\#(more)],"store":{"sqlite":{"path":"users.sqlite"}}}"#
    return try IdentitySettings(reading: source)
  }

  @Test("a receiver needs no audiences of Apple, and ends the users of its issuer by default")
  func least() throws {
    let settings = try Self.read()
    #expect(settings.apple == nil)
    let receiver = try #require(settings.receivers.first)
    #expect(receiver.users == ["https://id.example.com"])
    #expect(receiver.logout != nil)
    #expect(receiver.events == nil)
    #expect(receiver.authorization == nil)
    #expect(receiver.keys.address?.text == "https://id.example.com/jwks")
  }

  @Test("all members")
  func everything() throws {
    let receiver = try #require(
      try Self.read([
        "users": #"["https://a","https://b/"]"#, "authorization": #"{"environment":"VALUE"}"#,
        "accept": #"["back-channel-logout","security-event-token"]"#,
      ]).receivers.first)
    #expect(receiver.users == ["https://a", "https://b/"])
    #expect(receiver.events != nil)
    #expect(receiver.authorization?.equals(Array("Bearer 0123".utf8)) == true)
  }

  static let manyUsers: String = {
    let users = (0...10).map { number in "\"https://\(number)\"" }
    return "[" + users.joined(separator: ",") + "]"
  }()

  typealias Wrong = (member: String, value: String, problem: String)

  @Test(
    "a wrong member is a problem with its path and what to do",
    arguments: [
      ("name", "", "name: missing: the name in the routes /signals/NAME/…"),
      ("name", "\"a/b\"", "name: 1 to 64 letters, digits and -._~ are expected, which a path has unencoded"),
      ("issuer", "", "issuer: missing: the exact value of iss in the sender's tokens"),
      ("users", "[]", "users: a non-empty list of non-empty strings is expected"),
      ("users", #"["https://a","https://a/"]"#, "users[1]: duplicate, also with another slash at the end"),
      (
        "users", manyUsers,
        "users: at most 10 issuers are possible"
      ),
      (
        "algorithms", "",
        #"algorithms: missing: the algorithms that the sender signs with, such as ["RS256"]"#
      ),
      (
        "algorithms", #"["HS256"]"#,
        "algorithms: HMAC is not possible: everyone who verifies could end users; use public keys"
      ),
      ("audiences", "", "audiences: missing: aud of the sender's tokens, such as your client ID"),
      (
        "accept", "",
        #"accept: missing: what the sender sends, "back-channel-logout" or "security-event-token""#
      ),
      ("accept", #"["logout"]"#, #"accept[0]: "back-channel-logout" or "security-event-token" is expected"#),
      ("keys", "", #"keys: missing: the "url" of the sender's key set"#),
      (
        "keys", #"{"secret":{"environment":"VALUE"}}"#,
        #"keys.secret: secrets are not possible here; use "url" or "seed""#
      ),
      ("keys", "{}", #"keys: a "url" or a pinned "seed" is expected"#),
      (
        "authorization", "{}",
        "authorization.environment: missing: the variable with the whole value of Authorization"
      ),
      (
        "authorization", #"{"environment":"EMPTY"}"#,
        "authorization.environment: the variable is unset or empty"
      ),
      (
        "authorization", #"{"environment":"REFERENCE"}"#,
        "authorization.environment: a CloudFormation dynamic reference that was not resolved"
      ),
      (
        "authorization", #"{"environment":"LINE"}"#, "authorization.environment: no value of a header"
      ),
      ("authorisation", "{}", #"authorisation: unknown member, did you mean "authorization"?"#),
    ] as [Wrong])
  func refused(member: String, value: String, problem: String) {
    let error = #expect(throws: ConfigurationError.self) { try Self.read([member: value]) }
    #expect(error?.problems.count == 1)
    #expect(error?.problems.first?.description.hasPrefix("receivers[0]." + problem) == true, "\(error!)")
  }

  @Test("names are unique, and members of Apple need its audiences")
  func together() throws {
    let other =
      "," + #"{"name":"idp","issuer":"https://b","algorithms":["RS256"],"audiences":["a"],"#
      + #""accept":["back-channel-logout"],"keys":{"url":"https://b/jwks"}}"#
    let error = #expect(throws: ConfigurationError.self) { try Self.read(more: other) }
    #expect(error?.problems.map(\.description) == ["receivers[1].name: another receiver has the name idp"])
    var source = InMemorySource()
    source.variables["IDENTITY_CONFIG"] =
      #"{"receivers":[],"maximumAgeSeconds":5,"store":{"sqlite":{"path":"a"}}}"#
    let second = #expect(throws: ConfigurationError.self) { try IdentitySettings(reading: source) }
    #expect(
      second?.problems.map(\.description) == [
        #"maximumAgeSeconds: has no effect without "audiences", which turn Sign in with Apple on; remove it"#
      ])
  }

  @Test("a flood of requests that nobody signed writes nothing, and fetches no more than the limit of keys")
  func flood() throws {
    let transport = CountingTransport(try IdentityHarness.keys().publicKeySet.bytes())
    var source = InMemorySource()
    source.variables["AUTHORIZER_DEVELOPMENT"] = "1"
    source.variables["IDENTITY_CONFIG"] =
      "{"
      + SignalHarness.receivers.replacing(
        #"{"seed":"keys.json","pinned":true}"#, with: #"{"url":"https://id.example.com/jwks"}"#)
      + #""store":{"sqlite":{"path":"users.sqlite"}}}"#
    source.variables["NONCE_SECRET"] = IdentityHarness.secret
    let store = ScriptedStore()
    let signals = try SignalHarness()
    var service = IdentityService(
      try IdentitySettings(reading: source), store: store, transport: transport,
      at: signals.service.now / 1000)
    #expect(transport.addresses == 3)
    for number in 0..<200 {
      for kind in SignalKind.allCases {
        // Unknown keys, wrong signatures, no credential, no token.
        let tokens = [
          try signals.token(kind, keyID: "k\(number)"),
          try signals.token(kind, more: #","damage":"signature""#), "x",
        ]
        for token in tokens {
          let event = ProxyEvent(
            method: "POST", path: "/signals/idp/" + (kind == .logout ? "logout" : "events"),
            body: kind == .logout ? "logout_token=" + token : token,
            contentType: kind == .logout ? "application/x-www-form-urlencoded" : "application/secevent+jwt")
          let answer = try service.answer(to: event.bytes, signals.service.inputs)
          // A key that could not be fetched may be the sender's new one: they repeat the signal after a 503.
          let statuses: Set<Int64> = token == "x" ? [400] : number > 1 ? [503] : [400, 503]
          #expect(statuses.contains(answer.status))
          #expect(answer.outcome == .refused)
        }
      }
    }
    #expect(store.writes == 0)
    #expect(store.deadlines.isEmpty)
    // A burst of two for unknown keys (TokenBucket).
    #expect(transport.addresses <= 3 + 2)
  }
}

/// A transport that always has the same keys, and counts the fetched key sets.
private final class CountingTransport: KeyTransport {
  private let body: [UInt8]
  private(set) var addresses = 0

  init(_ body: [UInt8]) { self.body = body }

  func fetch(_ addresses: [KeyAddress], milliseconds: Int64) -> KeyFetches {
    self.addresses += addresses.count
    let response = KeyFetchResult.success(KeySetResponse(body: body, maximumAgeSeconds: nil))
    return KeyFetches(results: addresses.map { _ in response }, elapsedMilliseconds: 0)
  }
}
