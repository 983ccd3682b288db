import Testing

@testable import Authorizer

@Suite("Token sources")
struct TokenSourceTests {
  static let spellings: [(text: String, source: TokenSource?)] = [
    ("header:Authorization", .header("authorization")), ("header:X-Token", .header("x-token")),
    ("cookie:session", .cookie("session")), ("cookie:__Host-session", .cookie("__Host-session")),
    ("query:token", .query("token")), ("query:Token", .query("Token")),
    ("", nil), ("header", nil), ("header:", nil), (":Authorization", nil), ("Header:Authorization", nil),
    ("header:Author ization", nil), ("header: Authorization", nil), ("header:a:b", nil),
    ("header:\u{E9}", nil), ("header:a\u{0}", nil), ("cookie:a=b", nil), ("cookie:a;b", nil),
    ("body:token", nil), ("path:token", nil),
  ]

  @Test("a source has a type and a name", arguments: spellings)
  func spelling(text: String, source: TokenSource?) {
    #expect(TokenSource(parsing: text) == source)
  }

  static let cookies: [(kind: EventKind, members: String, finding: Finding)] = [
    // Payload 2.0 has a list.
    (.http2, #""cookies":["session=a"]"#, .token("a")),
    (.http2, #""cookies":["x=1","session=a.b.c","y=2"]"#, .token("a.b.c")),
    (.http2, #""cookies":["session=a","session=b"]"#, .refused(.ambiguousToken)),
    (.http2, #""cookies":["session=a","session=a"]"#, .refused(.ambiguousToken)),
    (.http2, #""cookies":["session=a; session=b"]"#, .refused(.ambiguousToken)),
    (.http2, #""cookies":["session="]"#, .refused(.missingToken)),
    (.http2, #""cookies":["session"]"#, .refused(.missingToken)),
    (.http2, #""cookies":["Session=a"]"#, .refused(.missingToken)),
    (.http2, #""cookies":["xsession=a","sessionx=b"]"#, .refused(.missingToken)),
    (.http2, #""cookies":["x=session=a"]"#, .refused(.missingToken)),
    // Parsers of backends trim names and strip quotes. Two cookies with one name for any of them are ambiguous.
    (.http2, #""cookies":["session =evil","session=good"]"#, .refused(.ambiguousToken)),
    (.http2, #""cookies":["\tsession=evil; session=good"]"#, .refused(.ambiguousToken)),
    (.restRequest, #""headers":{"Cookie":"session\t=evil; session=good"}"#, .refused(.ambiguousToken)),
    (.http1, #""headers":{"cookie":"\"session\"=evil; session=good"}"#, .refused(.ambiguousToken)),
    (.http1, #""headers":{"cookie":"x=1,session=evil; session=good"}"#, .refused(.ambiguousToken)),
    (.http1, #""headers":{"cookie":"x=1,session=evil"}"#, .refused(.malformedToken)),
    // Python's SimpleCookie ends a value at a blank; JavaScript's trim strips Unicode blanks.
    (.http1, #""headers":{"cookie":"session=good; x=1 session=evil"}"#, .refused(.ambiguousToken)),
    (.http2, #""cookies":["session=good","x=1\tsession = evil"]"#, .refused(.ambiguousToken)),
    (.http2, #""cookies":["session=good session=evil"]"#, .refused(.ambiguousToken)),
    (.http2, #""cookies":["session=good","\u00A0session=evil"]"#, .refused(.ambiguousToken)),
    (.http2, #""cookies":["session=good","\uFEFFsession=evil"]"#, .refused(.ambiguousToken)),
    (.http2, #""cookies":["session=good","session\u2003=evil"]"#, .refused(.ambiguousToken)),
    (.http2, #""cookies":["\u00A0session=evil"]"#, .refused(.malformedToken)),
    (.http2, #""cookies":["x=1 session=evil"]"#, .refused(.malformedToken)),
    (.http2, #""cookies":["x=/a?session=b","session=a"]"#, .token("a")),
    (.http2, #""cookies":["x=1 xsession=b","session=a"]"#, .token("a")),
    // Two in one view are ambiguous, independent of the other view.
    (
      .restRequest,
      #""headers":{"Cookie":"session=a; session=a"},"multiValueHeaders":{"Cookie":["session=a"]}"#,
      .refused(.ambiguousToken)
    ),
    (.http2, #""cookies":["session =a"]"#, .token("a")),
    (.http2, #""cookies":["session= a "]"#, .token("a")),
    (.http2, #""cookies":["session=\"a\""]"#, .token("a")),
    (.http2, #""cookies":["session=\"\""]"#, .refused(.missingToken)),
    (.http2, #""cookies":["session=\"a"]"#, .token("\"a")),
    (.http2, #""cookies":["ses sion=a"]"#, .refused(.missingToken)),
    // Two views of one request that disagree.
    (.http2, #""cookies":["session=a"],"headers":{"cookie":"session=b"}"#, .refused(.ambiguousToken)),
    (.http2, #""cookies":["session=a"],"headers":{"cookie":"session=a"}"#, .token("a")),
    (
      .restRequest, #""headers":{"Cookie":"session=b"},"multiValueHeaders":{"Cookie":["session=a"]}"#,
      .refused(.ambiguousToken)
    ),
    (
      .restRequest, #""headers":{"Cookie":"x=1"},"multiValueHeaders":{"Cookie":["session=a","x=1"]}"#,
      .token("a")
    ),
    (.http2, #""cookies":[]"#, .refused(.missingToken)),
    (.http2, #""cookies":[7,null,"session=a"]"#, .token("a")),
    (.http2, "", .refused(.missingToken)),
    // The other kinds have the header.
    (.restRequest, #""headers":{"Cookie":"session=a"}"#, .token("a")),
    (.http1, #""headers":{"cookie":"x=1; session=a; y=2"}"#, .token("a")),
    (.webSocket, #""headers":{"COOKIE":"x=1;session=a"}"#, .token("a")),
    (.restRequest, #""headers":{"Cookie":"session=a; session=b"}"#, .refused(.ambiguousToken)),
    (.restRequest, #""multiValueHeaders":{"Cookie":["session=a","session=b"]}"#, .refused(.ambiguousToken)),
    (.restRequest, #""multiValueHeaders":{"Cookie":["x=1","session=a"]}"#, .token("a")),
    (.restRequest, #""headers":{"Cookie":""}"#, .refused(.missingToken)),
    (.restRequest, #""headers":{"Cookie":7}"#, .refused(.missingToken)),
    // A token contains visible ASCII and no comma.
    (.http2, #""cookies":["session=a b"]"#, .refused(.malformedToken)),
    (.http2, #""cookies":["session=a,b"]"#, .refused(.malformedToken)),
    (.http2, #""cookies":["session=a\u007F"]"#, .refused(.malformedToken)),
    // The cookie contains the bare token; the header is ignored.
    (.restRequest, #""headers":{"Authorization":"Bearer a"}"#, .refused(.missingToken)),
  ]

  @Test("a cookie contains the bare token, under its exact name, once", arguments: cookies)
  func cookie(kind: EventKind, members: String, finding: Finding) throws {
    let event = try TestEvent.bytes(kind, parsing: members)
    #expect(try Finding(in: event, [.cookie("session")]) == finding)
  }

  static let queries: [(members: String, finding: Finding)] = [
    (#""queryStringParameters":{"token":"a"}"#, .token("a")),
    (
      #""queryStringParameters":{"token":"a"},"multiValueQueryStringParameters":{"token":["a"]}"#, .token("a")
    ),
    (
      #""queryStringParameters":{"token":"b"},"multiValueQueryStringParameters":{"token":["a","b"]}"#,
      .refused(.ambiguousToken)
    ),
    (#""queryStringParameters":{"token":"a"},"multiValueQueryStringParameters":null"#, .token("a")),
    (
      #""queryStringParameters":{"token":"b"},"multiValueQueryStringParameters":{"token":["a"]}"#,
      .refused(.ambiguousToken)
    ),
    (
      #""queryStringParameters":{"token":"a"},"multiValueQueryStringParameters":{"token":null}"#,
      .token("a")
    ),
    (#""queryStringParameters":{"Token":"a"}"#, .refused(.missingToken)),
    (#""queryStringParameters":{"token":""}"#, .refused(.missingToken)),
    (#""queryStringParameters":{"token":null}"#, .refused(.missingToken)),
    (#""queryStringParameters":{"token":7}"#, .refused(.malformedToken)),
    (#""queryStringParameters":null"#, .refused(.missingToken)), ("", .refused(.missingToken)),
    // A token contains visible ASCII only.
    (#""queryStringParameters":{"token":"a b"}"#, .refused(.malformedToken)),
    (#""queryStringParameters":{"token":"a\u0000"}"#, .refused(.malformedToken)),
    (#""queryStringParameters":{"token":"\u00E9"}"#, .refused(.malformedToken)),
  ]

  @Test("a query parameter carries the token of a WebSocket connection", arguments: queries)
  func query(members: String, finding: Finding) throws {
    let event = try TestEvent.bytes(.webSocket, parsing: members)
    #expect(try Finding(in: event, [.query("token")]) == finding)
  }

  @Test(
    "elsewhere a query parameter is used only if allowed",
    arguments: [.restRequest, .http1, .http2] as [EventKind], queries)
  func queryElsewhere(kind: EventKind, row: (members: String, finding: Finding)) throws {
    let event = try TestEvent.bytes(kind, parsing: row.members)
    #expect(try Finding(in: event, [.query("token")]) == .refused(.missingToken))
    #expect(try Finding(in: event, [.query("token")], allowsQueryTokens: true) == row.finding)
  }

  @Test(
    "payload 2.0 joins repeated parameters with a comma: two credentials",
    arguments: ["a,b", "a,a", "a,", ",a", ",", "a, b"])
  func joinedQuery(value: String) throws {
    let members = [TestEvent.object("queryStringParameters", [TestEvent.text("token", value)])]
    let joined = try Finding(in: TestEvent.bytes(.http2, members), [.query("token")], allowsQueryTokens: true)
    #expect(joined == .refused(.ambiguousToken))
    // The other kinds show repetitions in another member, so the comma comes from the client.
    let own = try Finding(in: TestEvent.bytes(.webSocket, members), [.query("token")])
    #expect(own == .refused(.malformedToken))
  }

  static let several: [(members: String, finding: Finding)] = [
    (#""headers":{"Authorization":"Bearer a"}"#, .token("a")),
    (#""headers":{"Cookie":"session=b"}"#, .token("b")),
    (#""queryStringParameters":{"token":"c"}"#, .token("c")),
    (#""headers":{"Authorization":"Bearer a","Cookie":"session=b"}"#, .refused(.ambiguousToken)),
    (#""headers":{"Authorization":"Bearer a","Cookie":"session=a"}"#, .refused(.ambiguousToken)),
    (
      #""headers":{"Cookie":"session=b"},"queryStringParameters":{"token":"c"}"#, .refused(.ambiguousToken)
    ),
    (#""headers":{"Authorization":"Basic YTpi","Cookie":"session=b"}"#, .refused(.ambiguousToken)),
    (#""headers":{"Authorization":null,"Cookie":"session=b"}"#, .token("b")),
    (#""headers":{"Authorization":"Basic YTpi"}"#, .refused(.malformedToken)),
    ("", .refused(.missingToken)),
  ]

  @Test("exactly one of several sources may contain a credential", arguments: several)
  func severalSources(members: String, finding: Finding) throws {
    let sources = [TokenSource.header("authorization"), .cookie("session"), .query("token")]
    let event = try TestEvent.bytes(.webSocket, parsing: members)
    #expect(try Finding(in: event, sources) == finding)
    #expect(try Finding(in: event, sources.reversed()) == finding)
  }

  @Test("a query parameter that is not allowed is not a second credential")
  func queryIsNoCredential() throws {
    let members = #""headers":{"authorization":"Bearer a"},"queryStringParameters":{"token":"c"}"#
    let event = try TestEvent.bytes(.http2, parsing: members)
    let sources = [TokenSource.header("authorization"), .query("token")]
    #expect(try Finding(in: event, sources) == .token("a"))
    #expect(try Finding(in: event, sources, allowsQueryTokens: true) == .refused(.ambiguousToken))
  }
}
