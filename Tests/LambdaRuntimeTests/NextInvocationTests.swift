import Testing

@testable import LambdaRuntime

@Suite("Requests for the next invocation")
struct NextInvocationTests {
  @Test("the event and its metadata are read")
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
          traceID: "Root=1-5;Parent=2;Sampled=1", clientContext: "{}"))
    let recording = server.finish()
    #expect(recording.problems == [])
    #expect(
      recording.requests.map(\.raw) == [
        "GET /2018-06-01/runtime/invocation/next HTTP/1.1\r\nHost: \(server.address)\r\n"
          + "User-Agent: api-gateway-authorizer\r\n\r\n"
      ])
  }

  @Test("an event needs only an ID")
  func nextWithoutFields() throws {
    let server = try #require(ScriptedServer([[.takeRequest, .send(Answers.event())]]))
    var api = try RuntimeAPI(server)
    let invocation = try api.next()
    #expect(invocation.context == InvocationContext(requestID: "r-1"))
    #expect(invocation.invocationID == nil)
    #expect(server.finish().problems == [])
  }

  static let nextRefusals: [(status: Int, error: RuntimeAPIError)] = [
    (403, .invalidState(.next, Answers.refusalDetail)), (500, .containerError(.next, Answers.refusalDetail)),
    (202, .unexpectedStatus(.next, status: 202, Answers.refusalDetail)),
    (301, .unexpectedStatus(.next, status: 301, Answers.refusalDetail)),
    (400, .unexpectedStatus(.next, status: 400, Answers.refusalDetail)),
    (404, .unexpectedStatus(.next, status: 404, Answers.refusalDetail)),
    (410, .unexpectedStatus(.next, status: 410, Answers.refusalDetail)),
    (503, .unexpectedStatus(.next, status: 503, Answers.refusalDetail)),
  ]

  @Test("any status of /next except 200 and 204 ends the runtime", arguments: nextRefusals)
  func nextRefused(_ status: Int, _ error: RuntimeAPIError) throws {
    let server = try #require(ScriptedServer([[.takeRequest, .send(Answers.refusal(status))]]))
    var api = try RuntimeAPI(server)
    #expect(RuntimeAPIError.thrown { () throws(RuntimeAPIError) in _ = try api.next() } == error)
    #expect(server.finish().requests.count == 1)
  }

  @Test("after 204 the request is repeated on the same connection")
  func nextWithoutEvent() throws {
    let empty = ScriptedServer.Step.send(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))
    let server = try #require(
      ScriptedServer([[.takeRequest, empty, .takeRequest, empty, .takeRequest, .send(Answers.event())]]))
    var api = try RuntimeAPI(server)
    let invocation = try api.next()
    #expect(invocation.context.requestID == "r-1")
    #expect(server.finish().connections.map(\.count) == [3])
  }

  @Test("a server that always answers 204 does not cause an endless loop")
  func nextSpins() throws {
    let limit = RuntimeAPI.emptyAnswerLimit
    let once: [ScriptedServer.Step] = [.takeRequest, .send(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))]
    let server = try #require(ScriptedServer([Array(repeating: once, count: limit).flatMap(\.self)]))
    var api = try RuntimeAPI(server)
    let error = RuntimeAPIError.thrown { () throws(RuntimeAPIError) in _ = try api.next() }
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

  @Test("an unreadable answer ends the runtime", arguments: brokenAnswers)
  func nextBroken(_ bytes: [UInt8], _ failure: TransportFailure) throws {
    let server = try #require(ScriptedServer([[.takeRequest, .send(bytes)]]))
    var api = try RuntimeAPI(server)
    #expect(
      RuntimeAPIError.thrown { () throws(RuntimeAPIError) in _ = try api.next() }
        == .transport(.next, failure))
    #expect(server.finish().requests.count == 1)
  }

  @Test(
    "a request ID that could change the request is refused",
    arguments: [
      "../../2018-06-01/runtime/init", "a/b", "a b", "a?b", "a#b", "a%2Fb", "a\tb", "a\\b", "..", ".", "ü",
      String(repeating: "x", count: 257),
    ])
  func hostileRequestID(_ id: String) throws {
    let server = try #require(ScriptedServer([[.takeRequest, .send(Answers.event(id: id))]]))
    var api = try RuntimeAPI(server)
    #expect(RuntimeAPIError.thrown { () throws(RuntimeAPIError) in _ = try api.next() } == .invalidRequestID)
  }

  @Test("a line break in a request ID makes the header invalid", arguments: ["a\nX: y", "a\rX: y", "a\u{0}"])
  func brokenRequestID(_ id: String) throws {
    let server = try #require(ScriptedServer([[.takeRequest, .send(Answers.event(id: id))]]))
    var api = try RuntimeAPI(server)
    let error = RuntimeAPIError.thrown { () throws(RuntimeAPIError) in _ = try api.next() }
    #expect(error == .transport(.next, .malformedAnswer(.fieldLine)))
  }

  @Test(
    "an event without a request ID cannot be answered", arguments: [[], ["Lambda-Runtime-Aws-Request-Id:  "]])
  func missingRequestID(_ fields: [String]) throws {
    let server = try #require(
      ScriptedServer([[.takeRequest, .send(Answers.answer(200, fields: fields, body: "{}"))]]))
    var api = try RuntimeAPI(server)
    #expect(RuntimeAPIError.thrown { () throws(RuntimeAPIError) in _ = try api.next() } == .missingRequestID)
  }

  @Test(
    "an invocation ID that could change the request is refused",
    arguments: ["a b", "ü", String(repeating: "x", count: 257)])
  func hostileInvocationID(_ id: String) throws {
    let event = Answers.event(fields: ["Lambda-Runtime-Invocation-Id: \(id)"])
    let server = try #require(ScriptedServer([[.takeRequest, .send(event)]]))
    var api = try RuntimeAPI(server)
    #expect(
      RuntimeAPIError.thrown { () throws(RuntimeAPIError) in _ = try api.next() } == .invalidInvocationID)
  }
}
