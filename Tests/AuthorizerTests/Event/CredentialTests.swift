import JSON
import Testing

@testable import Authorizer

@Suite("Credentials in headers")
struct CredentialTests {
  /// The value of `Authorization` is read in the same way for every kind of event.
  static let values: [(value: JSONTree, finding: Finding)] = [
    (.string("Bearer a.b-c_d"), .token("a.b-c_d")),
    (.string("bearer a"), .token("a")), (.string("BEARER a"), .token("a")),
    (.string("bEaReR a"), .token("a")),
    // Absent or blank.
    (.null, .refused(.missingToken)), (.string(""), .refused(.missingToken)),
    (.string(" "), .refused(.missingToken)), (.string("\t \t"), .refused(.missingToken)),
    // One space, and no white space around the token.
    (.string("Bearer  a"), .refused(.malformedToken)), (.string("Bearer\ta"), .refused(.malformedToken)),
    (.string("Bearer \ta"), .refused(.malformedToken)), (.string("Bearer a "), .refused(.malformedToken)),
    (.string("Bearer a\t"), .refused(.malformedToken)), (.string(" Bearer a"), .refused(.malformedToken)),
    (.string("Bearer\u{A0}a"), .refused(.malformedToken)),
    (.string("Bearer a\r\n"), .refused(.malformedToken)),
    (.string("Bearer a b"), .refused(.malformedToken)),
    (.string("Bearer Bearer a"), .refused(.malformedToken)),
    (.string("Bearer"), .refused(.malformedToken)), (.string("Bearer "), .refused(.malformedToken)),
    // A token contains visible ASCII only.
    (.string("Bearer a\u{0}"), .refused(.malformedToken)),
    (.string("Bearer a\u{7F}"), .refused(.malformedToken)),
    (.string("Bearer \u{E9}"), .refused(.malformedToken)),
    // No scheme, another scheme, almost the scheme.
    (.string("a.b.c"), .refused(.malformedToken)), (.string("Basic YTpi"), .refused(.malformedToken)),
    (.string("Bearera a"), .refused(.malformedToken)), (.string("Bearer: a"), .refused(.malformedToken)),
    (.string("Token a"), .refused(.malformedToken)), (.string("DPoP a"), .refused(.malformedToken)),
    (.string("\u{FF22}earer a"), .refused(.malformedToken)), (.string("Bearer=a"), .refused(.malformedToken)),
    (.string("\"Bearer a\""), .refused(.malformedToken)),
    // Two headers joined into one.
    (.string("Bearer a, Bearer b"), .refused(.ambiguousToken)),
    (.string("Bearer a,Bearer b"), .refused(.ambiguousToken)),
    (.string("Bearer a, Bearer a"), .refused(.ambiguousToken)),
    (.string("Bearer a,\tbearer b"), .refused(.ambiguousToken)),
    (.string("Bearer a, , BEARER b"), .refused(.ambiguousToken)),
    (.string("Bearer a, b, Bearer c"), .refused(.ambiguousToken)),
    (.string("Bearer a, b"), .refused(.malformedToken)), (.string("Bearer a,b"), .refused(.malformedToken)),
    (.string("Bearer a,"), .refused(.malformedToken)),
    (.string("Bearer a, Basic b"), .refused(.malformedToken)),
    (.string("Basic a, Bearer b"), .refused(.malformedToken)),
    // Present but not a string: never treated as absent.
    (.number("7"), .refused(.malformedToken)), (.boolean(true), .refused(.malformedToken)),
    (.object([]), .refused(.malformedToken)),
  ]

  @Test("Bearer in any case, one space, one token", arguments: EventKind.allCases, values)
  func value(kind: EventKind, row: (value: JSONTree, finding: Finding)) throws {
    #expect(try Finding(in: TestEvent.bytes(kind, authorization: row.value)) == row.finding)
  }

  static let requestKinds = EventKind.allCases.filter { $0 != .restToken }

  @Test(
    "the header name matches in any case", arguments: requestKinds,
    ["authorization", "Authorization", "AUTHORIZATION", "aUTHORIZATION"])
  func nameCase(kind: EventKind, name: String) throws {
    let header = TestEvent.object("headers", [TestEvent.text(name, "Bearer a")])
    #expect(try Finding(in: TestEvent.bytes(kind, [header])) == .token("a"))
    let list = TestEvent.object("multiValueHeaders", [TestEvent.list(name, ["Bearer a"])])
    #expect(try Finding(in: TestEvent.bytes(kind, [list])) == .token("a"))
  }

  static let headers: [(members: String, finding: Finding)] = [
    ("", .refused(.missingToken)),
    (#""headers":null"#, .refused(.missingToken)), (#""headers":[]"#, .refused(.missingToken)),
    (#""headers":"Bearer a""#, .refused(.missingToken)), (#""headers":{}"#, .refused(.missingToken)),
    (#""headers":{"X-Authorization":"Bearer a"}"#, .refused(.missingToken)),
    (#""headers":{"Authorization ":"Bearer a"}"#, .refused(.missingToken)),
    (#""headers":{"authori\u017Aation":"Bearer a"}"#, .refused(.missingToken)),
    // A TOKEN event's member has no meaning in other kinds.
    (#""authorizationToken":"Bearer a","identitySource":["Bearer a"]"#, .refused(.missingToken)),
    // Repeated headers, which `headers` hides.
    (
      #""headers":{"Authorization":"Bearer b"},"multiValueHeaders":{"Authorization":["Bearer a","Bearer b"]}"#,
      .refused(.ambiguousToken)
    ),
    (#""multiValueHeaders":{"Authorization":["Bearer a","Bearer a"]}"#, .refused(.ambiguousToken)),
    (
      #""multiValueHeaders":{"Authorization":["Bearer a"],"authorization":["Bearer b"]}"#,
      .refused(.ambiguousToken)
    ),
    (
      #""headers":{"Authorization":"Bearer a","authorization":"Bearer a"}"#,
      .refused(.ambiguousToken)
    ),
    (#""headers":{"Authorization":null,"authorization":"Bearer a"}"#, .token("a")),
    (#""multiValueHeaders":{"Authorization":["","Bearer a"]}"#, .refused(.ambiguousToken)),
    (#""multiValueHeaders":{"Authorization":["Bearer a, Bearer b"]}"#, .refused(.ambiguousToken)),
    // One value.
    (
      #""headers":{"Authorization":"Bearer a"},"multiValueHeaders":{"Authorization":["Bearer a"]}"#,
      .token("a")
    ),
    // The two members disagree, and a backend may read the other one.
    (
      #""headers":{"Authorization":"Bearer b"},"multiValueHeaders":{"Authorization":["Bearer a"]}"#,
      .refused(.ambiguousToken)
    ),
    (
      #""headers":{"Authorization":"Bearer a","authorization":"Bearer a"},"multiValueHeaders":{"Authorization":["Bearer a"]}"#,
      .refused(.ambiguousToken)
    ),
    (
      #""headers":{"Authorization":7},"multiValueHeaders":{"Authorization":["Bearer a"]}"#,
      .refused(.ambiguousToken)
    ),
    (#""headers":{"Authorization":"Bearer a"},"multiValueHeaders":{}"#, .token("a")),
    (#""headers":{"Authorization":"Bearer a"},"multiValueHeaders":null"#, .token("a")),
    (#""headers":{"Authorization":"Bearer a"},"multiValueHeaders":{"Authorization":[]}"#, .token("a")),
    (#""headers":{"Authorization":"Bearer a"},"multiValueHeaders":{"Authorization":null}"#, .token("a")),
    // Present but not a string.
    (#""multiValueHeaders":{"Authorization":[7]}"#, .refused(.malformedToken)),
    (#""multiValueHeaders":{"Authorization":[["Bearer a"]]}"#, .refused(.malformedToken)),
    (#""multiValueHeaders":{"Authorization":7}"#, .refused(.malformedToken)),
    (#""multiValueHeaders":{"Authorization":[null]}"#, .refused(.missingToken)),
    (#""headers":{"Authorization":["Bearer a"]}"#, .refused(.malformedToken)),
  ]

  @Test("exactly one header is accepted", arguments: requestKinds, headers)
  func oneHeader(kind: EventKind, row: (members: String, finding: Finding)) throws {
    #expect(try Finding(in: TestEvent.bytes(kind, parsing: row.members)) == row.finding)
  }

  @Test("a TOKEN event uses its own member and ignores other sources")
  func tokenEvent() throws {
    let members = [
      TestEvent.object("headers", [TestEvent.text("Authorization", "Bearer b")]),
      TestEvent.object("queryStringParameters", [TestEvent.text("token", "c")]),
    ]
    let token = [TestEvent.text("authorizationToken", "Bearer a")]
    for source in [TokenSource.header("authorization"), .header("x-token"), .cookie("c"), .query("token")] {
      #expect(try Finding(in: TestEvent.bytes(.restToken, token + members), [source]) == .token("a"))
      #expect(try Finding(in: TestEvent.bytes(.restToken, members), [source]) == .refused(.missingToken))
    }
  }

  @Test("another header can be configured as the source", arguments: requestKinds)
  func otherHeader(kind: EventKind) throws {
    let members = #""headers":{"Authorization":"Basic YTpi","X-Forwarded-Authorization":"Bearer a"}"#
    let event = try TestEvent.bytes(kind, parsing: members)
    #expect(try Finding(in: event, [.header("x-forwarded-authorization")]) == .token("a"))
  }
}
