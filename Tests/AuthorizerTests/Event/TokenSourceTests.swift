import JSON
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

  struct Case: CustomTestStringConvertible {
    let kind: EventKind
    let members: String
    let finding: Finding
    var testDescription: String { "\(kind) \(members)" }
  }

  static let cookies = [
    // Payload 2.0 has a list.
    Case(kind: .http2, members: #""cookies":["session=a"]"#, finding: .token("a")),
    Case(kind: .http2, members: #""cookies":["x=1","session=a.b.c","y=2"]"#, finding: .token("a.b.c")),
    Case(kind: .http2, members: #""cookies":["session=a","session=b"]"#, finding: .refused(.ambiguousToken)),
    Case(kind: .http2, members: #""cookies":["session=a","session=a"]"#, finding: .refused(.ambiguousToken)),
    Case(kind: .http2, members: #""cookies":["session=a; session=b"]"#, finding: .refused(.ambiguousToken)),
    Case(kind: .http2, members: #""cookies":["session="]"#, finding: .refused(.missingToken)),
    Case(kind: .http2, members: #""cookies":["session"]"#, finding: .refused(.missingToken)),
    Case(kind: .http2, members: #""cookies":["Session=a"]"#, finding: .refused(.missingToken)),
    Case(kind: .http2, members: #""cookies":["xsession=a","sessionx=b"]"#, finding: .refused(.missingToken)),
    Case(kind: .http2, members: #""cookies":["x=session=a"]"#, finding: .refused(.missingToken)),
    // Parsers of backends trim names and strip quotes. Two cookies with one name for any of them are ambiguous.
    Case(
      kind: .http2, members: #""cookies":["session =evil","session=good"]"#,
      finding: .refused(.ambiguousToken)),
    Case(
      kind: .http2, members: #""cookies":["\tsession=evil; session=good"]"#,
      finding: .refused(.ambiguousToken)),
    Case(
      kind: .restRequest, members: #""headers":{"Cookie":"session\t=evil; session=good"}"#,
      finding: .refused(.ambiguousToken)),
    Case(
      kind: .http1, members: #""headers":{"cookie":"\"session\"=evil; session=good"}"#,
      finding: .refused(.ambiguousToken)),
    Case(
      kind: .http1, members: #""headers":{"cookie":"x=1,session=evil; session=good"}"#,
      finding: .refused(.ambiguousToken)),
    Case(
      kind: .http1, members: #""headers":{"cookie":"x=1,session=evil"}"#, finding: .refused(.malformedToken)),
    // Python's SimpleCookie ends a value at a blank; JavaScript's trim strips Unicode blanks.
    Case(
      kind: .http1, members: #""headers":{"cookie":"session=good; x=1 session=evil"}"#,
      finding: .refused(.ambiguousToken)),
    Case(
      kind: .http2, members: #""cookies":["session=good","x=1\tsession = evil"]"#,
      finding: .refused(.ambiguousToken)),
    Case(
      kind: .http2, members: #""cookies":["session=good session=evil"]"#, finding: .refused(.ambiguousToken)),
    Case(
      kind: .http2, members: #""cookies":["session=good","\u00A0session=evil"]"#,
      finding: .refused(.ambiguousToken)),
    Case(
      kind: .http2, members: #""cookies":["session=good","\uFEFFsession=evil"]"#,
      finding: .refused(.ambiguousToken)),
    Case(
      kind: .http2, members: #""cookies":["session=good","session\u2003=evil"]"#,
      finding: .refused(.ambiguousToken)),
    Case(kind: .http2, members: #""cookies":["\u00A0session=evil"]"#, finding: .refused(.malformedToken)),
    Case(kind: .http2, members: #""cookies":["x=1 session=evil"]"#, finding: .refused(.malformedToken)),
    Case(kind: .http2, members: #""cookies":["x=/a?session=b","session=a"]"#, finding: .token("a")),
    Case(kind: .http2, members: #""cookies":["x=1 xsession=b","session=a"]"#, finding: .token("a")),
    // Two in one view are ambiguous, independent of the other view.
    Case(
      kind: .restRequest,
      members: #""headers":{"Cookie":"session=a; session=a"},"multiValueHeaders":{"Cookie":["session=a"]}"#,
      finding: .refused(.ambiguousToken)),
    Case(kind: .http2, members: #""cookies":["session =a"]"#, finding: .token("a")),
    Case(kind: .http2, members: #""cookies":["session= a "]"#, finding: .token("a")),
    Case(kind: .http2, members: #""cookies":["session=\"a\""]"#, finding: .token("a")),
    Case(kind: .http2, members: #""cookies":["session=\"\""]"#, finding: .refused(.missingToken)),
    Case(kind: .http2, members: #""cookies":["session=\"a"]"#, finding: .token("\"a")),
    Case(kind: .http2, members: #""cookies":["ses sion=a"]"#, finding: .refused(.missingToken)),
    // Two views of one request that disagree.
    Case(
      kind: .http2, members: #""cookies":["session=a"],"headers":{"cookie":"session=b"}"#,
      finding: .refused(.ambiguousToken)),
    Case(
      kind: .http2, members: #""cookies":["session=a"],"headers":{"cookie":"session=a"}"#,
      finding: .token("a")),
    Case(
      kind: .restRequest,
      members: #""headers":{"Cookie":"session=b"},"multiValueHeaders":{"Cookie":["session=a"]}"#,
      finding: .refused(.ambiguousToken)),
    Case(
      kind: .restRequest,
      members: #""headers":{"Cookie":"x=1"},"multiValueHeaders":{"Cookie":["session=a","x=1"]}"#,
      finding: .token("a")),
    Case(kind: .http2, members: #""cookies":[]"#, finding: .refused(.missingToken)),
    Case(kind: .http2, members: #""cookies":[7,null,"session=a"]"#, finding: .token("a")),
    Case(kind: .http2, members: "", finding: .refused(.missingToken)),
    // The other kinds have the header.
    Case(kind: .restRequest, members: #""headers":{"Cookie":"session=a"}"#, finding: .token("a")),
    Case(kind: .http1, members: #""headers":{"cookie":"x=1; session=a; y=2"}"#, finding: .token("a")),
    Case(kind: .webSocket, members: #""headers":{"COOKIE":"x=1;session=a"}"#, finding: .token("a")),
    Case(
      kind: .restRequest, members: #""headers":{"Cookie":"session=a; session=b"}"#,
      finding: .refused(.ambiguousToken)),
    Case(
      kind: .restRequest, members: #""multiValueHeaders":{"Cookie":["session=a","session=b"]}"#,
      finding: .refused(.ambiguousToken)),
    Case(
      kind: .restRequest, members: #""multiValueHeaders":{"Cookie":["x=1","session=a"]}"#,
      finding: .token("a")),
    Case(kind: .restRequest, members: #""headers":{"Cookie":""}"#, finding: .refused(.missingToken)),
    Case(kind: .restRequest, members: #""headers":{"Cookie":7}"#, finding: .refused(.missingToken)),
    // A token contains visible ASCII and no comma.
    Case(kind: .http2, members: #""cookies":["session=a b"]"#, finding: .refused(.malformedToken)),
    Case(kind: .http2, members: #""cookies":["session=a,b"]"#, finding: .refused(.malformedToken)),
    Case(kind: .http2, members: #""cookies":["session=a\u007F"]"#, finding: .refused(.malformedToken)),
    // The cookie contains the bare token; the header is ignored.
    Case(
      kind: .restRequest, members: #""headers":{"Authorization":"Bearer a"}"#,
      finding: .refused(.missingToken)),
  ]

  @Test("a cookie contains the bare token, under its exact name, once", arguments: cookies)
  func cookie(_ row: Case) throws {
    let event = try TestEvent.bytes(row.kind, parsing: row.members)
    #expect(try Finding(in: event, [.cookie("session")]) == row.finding)
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
