import Testing

@testable import LambdaRuntime

@Suite("The calls of the Runtime API")
struct RuntimeAPITests {
  // MARK: /next

  @Test("the event and what is said about it reach the runtime")
  func nextGivesEvent() throws {
    let fields = [
      "lambda-runtime-deadline-ms: 1700000000000", "LAMBDA-RUNTIME-INVOKED-FUNCTION-ARN: arn:aws:lambda:x",
      "Lambda-Runtime-Trace-Id: Root=1-5;Parent=2;Sampled=1", "Lambda-Runtime-Client-Context: {}",
      "Content-Type: application/json",
    ]
    let server = try #require(
      ScriptedServer([[.takeRequest, .send(Answers.event("{\"a\":1}", fields: fields))]]))
    var api = try RuntimeAPI(server)
    let invocation = try api.next()
    #expect(invocation.event == Array("{\"a\":1}".utf8))
    #expect(
      invocation.context
        == InvocationContext(
          requestID: "r-1", deadlineMilliseconds: 1_700_000_000_000, functionARN: "arn:aws:lambda:x",
          traceID: "Root=1-5;Parent=2;Sampled=1"))
    let recording = server.finish()
    #expect(recording.problems == [])
    #expect(
      recording.requests.map(\.raw) == [
        "GET /2018-06-01/runtime/invocation/next HTTP/1.1\r\nHost: \(server.address)\r\n"
          + "User-Agent: api-gateway-authorizer\r\n\r\n"
      ])
  }

  @Test("an id is all that an event needs")
  func nextWithoutFields() throws {
    let server = try #require(ScriptedServer([[.takeRequest, .send(Answers.event())]]))
    var api = try RuntimeAPI(server)
    let invocation = try api.next()
    #expect(invocation.context == InvocationContext(requestID: "r-1"))
    #expect(invocation.invocationID == nil)
    #expect(server.finish().problems == [])
  }

  static let detail = RefusalDetail(body: Array(#"{"errorMessage":"said so","errorType":"Refused"}"#.utf8))

  static let nextRefusals: [(status: Int, error: RuntimeAPIError)] = [
    (403, .invalidState(.next, detail)), (500, .containerError(.next, detail)),
    (202, .unexpectedStatus(.next, status: 202, detail)),
    (301, .unexpectedStatus(.next, status: 301, detail)),
    (400, .unexpectedStatus(.next, status: 400, detail)),
    (404, .unexpectedStatus(.next, status: 404, detail)),
    (410, .unexpectedStatus(.next, status: 410, detail)),
    (503, .unexpectedStatus(.next, status: 503, detail)),
  ]

  @Test("any status of /next but 200 and 204 ends the runtime", arguments: nextRefusals)
  func nextRefused(_ status: Int, _ error: RuntimeAPIError) throws {
    let server = try #require(ScriptedServer([[.takeRequest, .send(Answers.refusal(status))]]))
    var api = try RuntimeAPI(server)
    #expect(Self.error { () throws(RuntimeAPIError) in _ = try api.next() } == error)
    #expect(server.finish().requests.count == 1)
  }

  @Test("204 means ask again, on the same connection")
  func nextWithoutEvent() throws {
    let empty = ScriptedServer.Step.send(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))
    let server = try #require(
      ScriptedServer([[.takeRequest, empty, .takeRequest, empty, .takeRequest, .send(Answers.event())]]))
    var api = try RuntimeAPI(server)
    let invocation = try api.next()
    #expect(invocation.context.requestID == "r-1")
    #expect(server.finish().connections.map(\.count) == [3])
  }

  @Test("a server that has nothing but 204 does not keep the runtime spinning")
  func nextSpins() throws {
    let limit = RuntimeAPI.emptyAnswerLimit
    let once: [ScriptedServer.Step] = [.takeRequest, .send(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))]
    let server = try #require(ScriptedServer([Array(repeating: once, count: limit).flatMap(\.self)]))
    var api = try RuntimeAPI(server)
    let error = Self.error { () throws(RuntimeAPIError) in _ = try api.next() }
    #expect(error == .noInvocation(emptyAnswers: limit))
    #expect(server.finish().requests.count == limit)
  }

  static let brokenAnswers: [(bytes: [UInt8], failure: TransportFailure)] = [
    ([], .connectionLost(errorNumber: 0)),
    (Array("HTTP/1.1 200 OK\r\nContent-".utf8), .connectionLost(errorNumber: 0)),
    (Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}".utf8), .connectionLost(errorNumber: 0)),
    (Array("SSH-2.0-OpenSSH\r\n\r\n".utf8), .malformedAnswer(.statusLine)),
    (
      Array("HTTP/1.1 200 OK\r\nContent-Length: \(RuntimeAPI.eventByteLimit + 1)\r\n\r\n".utf8),
      .answerTooLarge(byteLimit: 6_291_556)
    ),
    (
      Array(("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 40_000)).utf8),
      .headTooLarge(byteLimit: 32_768)
    ),
  ]

  @Test("an answer that cannot be read ends the runtime", arguments: brokenAnswers)
  func nextBroken(_ bytes: [UInt8], _ failure: TransportFailure) throws {
    let server = try #require(ScriptedServer([[.takeRequest, .send(bytes)]]))
    var api = try RuntimeAPI(server)
    #expect(Self.error { () throws(RuntimeAPIError) in _ = try api.next() } == .transport(.next, failure))
    #expect(server.finish().requests.count == 1)
  }

  // MARK: Ids

  @Test(
    "a request id that could change the request is refused",
    arguments: [
      "../../2018-06-01/runtime/init", "a/b", "a b", "a?b", "a#b", "a%2Fb", "a\tb", "a\\b", "..", ".", "ü",
      String(repeating: "x", count: 257),
    ])
  func hostileRequestID(_ id: String) throws {
    let server = try #require(ScriptedServer([[.takeRequest, .send(Answers.event(id: id))]]))
    var api = try RuntimeAPI(server)
    #expect(Self.error { () throws(RuntimeAPIError) in _ = try api.next() } == .invalidRequestID)
  }

  @Test("a line break in a request id is no header any more", arguments: ["a\nX: y", "a\rX: y", "a\u{0}"])
  func brokenRequestID(_ id: String) throws {
    let server = try #require(ScriptedServer([[.takeRequest, .send(Answers.event(id: id))]]))
    var api = try RuntimeAPI(server)
    let error = Self.error { () throws(RuntimeAPIError) in _ = try api.next() }
    #expect(error == .transport(.next, .malformedAnswer(.fieldLine)))
  }

  @Test(
    "an event without a request id cannot be answered", arguments: [[], ["Lambda-Runtime-Aws-Request-Id:  "]])
  func missingRequestID(_ fields: [String]) throws {
    let server = try #require(
      ScriptedServer([[.takeRequest, .send(Answers.answer(200, fields: fields, body: "{}"))]]))
    var api = try RuntimeAPI(server)
    #expect(Self.error { () throws(RuntimeAPIError) in _ = try api.next() } == .missingRequestID)
  }

  @Test(
    "an invocation id that could change the request is refused",
    arguments: ["a b", "ü", String(repeating: "x", count: 257)])
  func hostileInvocationID(_ id: String) throws {
    let event = Answers.event(fields: ["Lambda-Runtime-Invocation-Id: \(id)"])
    let server = try #require(ScriptedServer([[.takeRequest, .send(event)]]))
    var api = try RuntimeAPI(server)
    #expect(Self.error { () throws(RuntimeAPIError) in _ = try api.next() } == .invalidInvocationID)
  }

  // MARK: Posts

  @Test(
    "a response is one message with the id, the length and the invocation id where there is one",
    arguments: [nil, "attempt-2"], ["", "/.rt"])
  func responseBytes(_ invocationID: String?, _ prefix: String) throws {
    let echo = invocationID.map { "Lambda-Runtime-Invocation-Id: \($0)" }
    let event = Answers.event(id: "8476a536-e9f4-11e8-9739-2dfe598c3fcd", fields: echo.map { [$0] } ?? [])
    let server = try #require(
      ScriptedServer([[.takeRequest, .send(event), .takeRequest, .send(Answers.accepted)]]))
    var api = try RuntimeAPI(server, prefix: prefix)
    let outcome = try api.respond(to: try api.next(), with: Array("{\"ü\":1}".utf8))
    #expect(outcome == .accepted)
    let recording = server.finish()
    #expect(recording.problems == [])
    #expect(recording.requests.first?.line == "GET \(prefix)/2018-06-01/runtime/invocation/next HTTP/1.1")
    #expect(
      recording.requests.last?.raw
        == "POST \(prefix)/2018-06-01/runtime/invocation/8476a536-e9f4-11e8-9739-2dfe598c3fcd/response HTTP/1.1\r\n"
        + "Host: \(server.address)\r\nUser-Agent: api-gateway-authorizer\r\nContent-Type: application/json\r\n"
        + (echo.map { $0 + "\r\n" } ?? "") + "Content-Length: 8\r\n\r\n{\"ü\":1}")
  }

  @Test(
    "a failure carries its type twice and the invocation id where there is one",
    arguments: [nil, "attempt-2"])
  func failureBytes(_ invocationID: String?) throws {
    let echo = invocationID.map { "Lambda-Runtime-Invocation-Id: \($0)" }
    let event = Answers.event(id: "r:1", fields: echo.map { [$0] } ?? [])
    let server = try #require(
      ScriptedServer([[.takeRequest, .send(event), .takeRequest, .send(Answers.accepted)]]))
    var api = try RuntimeAPI(server)
    let document = ErrorDocument(type: .function("unauthorized"), message: "Unauthorized")
    #expect(try api.fail(try api.next(), with: document) == .accepted)
    let post = try #require(server.finish().requests.last)
    #expect(post.line == "POST /2018-06-01/runtime/invocation/r:1/error HTTP/1.1")
    #expect(post.values("Lambda-Runtime-Function-Error-Type") == ["Function.Unauthorized"])
    #expect(post.values("Lambda-Runtime-Invocation-Id") == (invocationID.map { [$0] } ?? []))
    #expect(post.body == #"{"errorMessage":"Unauthorized","errorType":"Function.Unauthorized"}"#)
    #expect(post.values("Content-Length") == ["\(post.body.utf8.count)"])
  }

  @Test("a failure to start is posted before any /next")
  func initializationFailureBytes() throws {
    let server = try #require(ScriptedServer([[.takeRequest, .send(Answers.accepted)]]))
    var api = try RuntimeAPI(server)
    let document = ErrorDocument(type: .function("invalidConfiguration"), message: "two problems")
    #expect(try api.reportInitializationFailure(document) == .accepted)
    let post = try #require(server.finish().requests.first)
    #expect(post.line == "POST /2018-06-01/runtime/init/error HTTP/1.1")
    #expect(post.values("Lambda-Runtime-Function-Error-Type") == ["Function.InvalidConfiguration"])
    #expect(post.body == #"{"errorMessage":"two problems","errorType":"Function.InvalidConfiguration"}"#)
  }

  /// The three posts.
  enum Post: CaseIterable, Sendable {
    case response, error, initializationError

    var call: RuntimeCall {
      switch self {
      case .response: .response
      case .error: .error
      case .initializationError: .initializationError
      }
    }

    func send(_ api: inout RuntimeAPI) throws(RuntimeAPIError) -> PostOutcome {
      let document = ErrorDocument(type: .function("invalidEvent"), message: "no event")
      return switch self {
      case .response: try api.respond(to: try api.next(), with: [])
      case .error: try api.fail(try api.next(), with: document)
      case .initializationError: try api.reportInitializationFailure(document)
      }
    }

    /// The steps of a server that answers this post with `answer`.
    func script(_ answer: [UInt8]) -> [ScriptedServer.Step] {
      let next: [ScriptedServer.Step] = [.takeRequest, .send(Answers.event())]
      return (self == .initializationError ? [] : next) + [.takeRequest, .send(answer)]
    }
  }

  static let outcomes: [(status: Int, outcome: PostOutcome)] = [
    (200, .accepted), (202, .accepted), (400, .refused(detail)), (410, .stale), (413, .tooLarge),
  ]

  @Test("after these answers to a post the runtime goes on", arguments: outcomes, Post.allCases)
  func postOutcome(_ row: (status: Int, outcome: PostOutcome), _ post: Post) throws {
    let server = try #require(ScriptedServer([post.script(Answers.refusal(row.status))]))
    var api = try RuntimeAPI(server)
    #expect(try post.send(&api) == row.outcome)
    #expect(server.finish().problems == [])
  }

  @Test(
    "after these answers to a post the runtime ends", arguments: [403, 500, 302, 404, 429, 503], Post.allCases
  )
  func postRefused(_ status: Int, _ post: Post) throws {
    let server = try #require(ScriptedServer([post.script(Answers.refusal(status))]))
    var api = try RuntimeAPI(server)
    let expected: RuntimeAPIError =
      switch status {
      case 403: .invalidState(post.call, Self.detail)
      case 500: .containerError(post.call, Self.detail)
      default: .unexpectedStatus(post.call, status: status, Self.detail)
      }
    #expect(Self.error { () throws(RuntimeAPIError) in _ = try post.send(&api) } == expected)
    #expect(server.finish().problems == [])
  }

  @Test("a long answer to a post is not read")
  func longPostAnswer() throws {
    let answer = Array("HTTP/1.1 202 Accepted\r\nContent-Length: 65537\r\n\r\n".utf8)
    let server = try #require(ScriptedServer([Post.response.script(answer)]))
    var api = try RuntimeAPI(server)
    let error = Self.error { () throws(RuntimeAPIError) in _ = try Post.response.send(&api) }
    #expect(error == .transport(.response, .answerTooLarge(byteLimit: 65_536)))
    #expect(server.finish().problems == [])
  }

  @Test("a response of 6 MiB goes out whole")
  func longResponse() throws {
    let server = try #require(ScriptedServer([Post.response.script(Answers.accepted)]))
    var api = try RuntimeAPI(server)
    let body = [UInt8](repeating: UInt8(ascii: "1"), count: 6 * 1024 * 1024)
    #expect(try api.respond(to: try api.next(), with: body) == .accepted)
    #expect(server.finish().requests.last?.raw.utf8.suffix(body.count).elementsEqual(body) == true)
  }

  // MARK: Words

  @Test(
    "what the Runtime API says of a refusal fits one line of a log",
    arguments: [
      (#"{"errorMessage":"a\nb\u0007","errorType":"T"}"#, "T: a b "),
      (#"{"errorMessage":"only this"}"#, "only this"), ("plain\r\ntext", "plain  text"), ("{}", "{}"),
      ("", ""),
    ])
  func refusalDetail(_ body: String, _ words: String) {
    #expect(RefusalDetail(body: Array(body.utf8)).description == words)
  }

  @Test("what the Runtime API says of a refusal is cut off")
  func longRefusalDetail() {
    let body = [UInt8](repeating: UInt8(ascii: "x"), count: 10_000)
    #expect(RefusalDetail(body: body).description.utf8.count == RefusalDetail.byteLimit)
  }

  /// What `call` throws; nil where it does not.
  static func error(of call: () throws(RuntimeAPIError) -> Void) -> RuntimeAPIError? {
    do throws(RuntimeAPIError) { try call() } catch { return error }
    return nil
  }
}
