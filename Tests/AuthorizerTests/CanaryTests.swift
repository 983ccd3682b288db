import JSON
import Testing

@testable import Authorizer
@testable import FunctionHost

/// Everything that a caller sends contains the word "canary". No text for a log or an operator may contain it.
@Suite("No caller data in logs and messages")
struct CanaryTests {
  static let word = Array("canary".utf8)

  static let claims =
    #""email":"canary@example.com","name":"Canary Canary","nonce":"canary-nonce","canary":"canary""#

  /// Tokens with every kind of result, each with the canary in its claims or its header.
  static let recipes = [
    #""claims":{"sub":"canary-sub",\#(claims)}"#, #""claims":{"sub":["canary"],\#(claims)}"#,
    #""claims":{"sub":"canary\u0000",\#(claims)}"#, #""omit":"sub","claims":{\#(claims)}"#,
    #""claims":{"iss":"https://canary.example.com"}"#, #""claims":{"iss":["canary"]}"#,
    #""claims":{"aud":"canary"}"#, #""claims":{"aud":["canary","canary2"]}"#,
    #""claims":{"aud":{"canary":1}}"#,
    #""claims":{"exp":"canary"}"#, #""claims":{"exp":"-1h",\#(claims)}"#,
    #""claims":{"exp":"+9d",\#(claims)}"#,
    #""claims":{"nbf":"+1h",\#(claims)}"#, #""claims":{"iat":"+1h",\#(claims)}"#,
    #""claims":{"nbf":"canary"}"#,
    #""claims":{"events":"canary"}"#, #""header":{"typ":"canary+jwt"},"claims":{\#(claims)}"#,
    #""header":{"kid":"canary-kid"},"claims":{\#(claims)}"#, #""header":{"alg":"canary"}"#,
    #""header":{"kid":["canary"]}"#, #""header":{"crit":["canary"],"canary":1}"#,
    #""header":{"cty":"canary"}"#,
    #""header":{"enc":"canary"}"#, #""key":"other","claims":{\#(claims)}"#,
    #""key":"forged","claims":{\#(claims)}"#,
    #""damage":"signature","claims":{\#(claims)}"#, #""damage":"payload","claims":{\#(claims)}"#,
    #""damage":"dropSignature","claims":{\#(claims)}"#, #""damage":"whitespace","claims":{\#(claims)}"#,
    #""damage":["extraSegment","extraSegment"],"claims":{\#(claims)}"#, #""rawPayload":"canary""#,
    #""rawPayload":"{\"canary\":1,\"canary\":2}""#, #""rawHeader":"canary""#,
    #""rawHeader":"{\"alg\":\"canary\"}""#,
    #""preset":"oidc:https://id.example.com","claims":{"aud":"api","iat":"-1h","exp":"+1h",\#(claims)}"#,
    #""claims":{"cnf":{"jkt":"canary\#(BoundTokenTests.jkt.dropFirst(6))","canary":1},\#(claims)}"#,
    #""claims":{"cnf":{"jkt":"canary"},\#(claims)}"#,
  ]

  static let values = [
    "canary", "Bearer canary", "Bearer canary, Bearer canary", "Basic canary", "Bearer  canary",
    "canary canary",
  ]

  /// Reasons that this test cannot cause; `PossessionTests.silence` causes those of proofs.
  static let unreached: Set<ReasonCode?> = [
    .revoked, .missingProof, .invalidProof, .replayedProof, .certificateMismatch,
  ]

  @Test("no log line and no failure contains a token, a claim, a header, a query value or a path")
  func everyInput() throws {
    var authorizer = try TestIssuers.authorizer()
    let tokens = try Self.recipes.map { recipe in
      try TestIssuers.token(recipe.contains("\"preset\"") ? recipe : #""preset":"apple",\#(recipe)"#)
    }
    var values = (tokens.map { "Bearer " + $0 } + Self.values).map { JSONTree?.some(.string($0)) }
    values += [.array([.string("canary")]), nil]
    var reasons: Set<ReasonCode?> = []
    var count = 0
    for kind in EventKind.allCases {
      for value in values {
        for event in Self.events(kind, value) {
          let decision = authorizer.decide(on: event, at: TestIssuers.now)
          Self.expectSilence(decision)
          reasons.insert(decision.reason)
          count += 1
        }
      }
    }
    #expect(count == 5 * 45 * 4)
    let unauthorized = Set<ReasonCode?>(ReasonCode.allCases.filter { $0.outcome == .unauthorized })
    // The canary in the identity sources is not the token.
    #expect(
      reasons
        == unauthorized.subtracting(Self.unreached)
        .union([nil, .invalidEvent, .invalidConfiguration, .answerTooLarge]))
  }

  @Test("no failure quotes the event")
  func brokenEvents() throws {
    var authorizer = try TestIssuers.authorizer()
    let texts = [
      "canary", "\"canary\"", #"{"canary":"#, #"{"canary":1,"canary":2}"#, #"{"canary":"\x"}"#,
      #"{"canary":01}"#,
      #"{"type":"canary","methodArn":"canary"}"#, #"{"type":"TOKEN","methodArn":"canary"}"#,
      #"{"type":"REQUEST","methodArn":"arn:aws:execute-api:canary:1:canary?/canary/GET/"}"#,
      #"{"type":"TOKEN","authorizationToken":"canary"}"#, #"{"canary":1}canary"#, "\u{FEFF}canary",
    ]
    for text in texts {
      let decision = authorizer.decide(on: Array(text.utf8), at: TestIssuers.now)
      #expect(decision.reason == .invalidEvent)
      Self.expectSilence(decision)
    }
  }

  /// The event unchanged, with a stage that is too long, truncated, and with trailing bytes.
  private static func events(_ kind: EventKind, _ value: JSONTree?) -> [[UInt8]] {
    let arn = TestEvent.stage + (kind == .webSocket ? "$connect" : "GET/canary/canary:canary")
    let stage = String(repeating: "s", count: 600)
    let event = bytes(kind, arn, value)
    return [
      event, bytes(kind, "arn:aws:execute-api:eu-west-1:1:abc/\(stage)/GET/canary", value),
      Array(event.dropLast(3)), event + Array("canary".utf8),
    ]
  }

  private static func bytes(_ kind: EventKind, _ arn: String, _ value: JSONTree?) -> [UInt8] {
    let isToken = kind == .restToken
    let credential = value.map {
      JSONTree.Member(name: isToken ? "authorizationToken" : "Authorization", value: $0)
    }
    let own = credential.map { [$0] } ?? []
    let headers =
      (isToken ? [] : own) + [
        TestEvent.text("X-Canary", "canary"), TestEvent.text("Cookie", "canary=canary"),
      ]
    let canary = [TestEvent.text("canary", "canary")]
    var members =
      (isToken ? own : []) + [
        TestEvent.object("headers", headers), TestEvent.object("queryStringParameters", canary),
        TestEvent.object("stageVariables", canary), TestEvent.object("pathParameters", canary),
        TestEvent.text("path", "/canary"), TestEvent.text("rawPath", "/canary"),
        TestEvent.text("rawQueryString", "canary=canary"), TestEvent.list("cookies", ["canary=canary"]),
        TestEvent.list("identitySource", ["canary"]),
      ]
    if kind != .webSocket {
      let identity = TestEvent.object("identity", [TestEvent.text("sourceIp", "canary")])
      members.append(
        TestEvent.object(
          "requestContext",
          [identity, TestEvent.text("path", "/canary"), TestEvent.text("requestId", "canary@example.com")]))
    }
    return TestEvent.bytes(kind, arn: arn, members)
  }

  private static func expectSilence(_ decision: Decision) {
    let now = TestIssuers.now * 1000
    let invocation = LoggedInvocation(
      requestID: "r-1", traceHeader: "Root=canary;canary=canary", isFirst: true)
    var text: [UInt8] = []
    for format in [LogFormat.json, .text] {
      var line = LogLine(format)
      line.write(decision, invocation, unixMilliseconds: now, microseconds: 1)
      text += line.bytes
    }
    if let settings = MetricsSettings(namespace: "Authorizer") {
      var metrics = DecisionMetrics(settings, functionName: "f", least: .info)
      metrics.set(
        decision, requestID: invocation.requestID, unixMilliseconds: now, microseconds: 1, keyFetches: 1)
      text += metrics.bytes
    }
    if case .failure(let failure) = decision.answer { text += Array(failure.errorMessage.utf8) }
    let lowerCase = text.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    #expect(lowerCase.firstRange(of: word) == nil)
    // Every header segment begins with the base64url of `{"`.
    #expect(text.firstRange(of: Array("eyJ".utf8)) == nil)
  }
}
