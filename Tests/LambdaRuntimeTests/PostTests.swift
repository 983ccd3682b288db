import Testing

@testable import LambdaRuntime

@Suite("POST of an answer")
struct PostTests {
  @Test(
    "a response contains the request ID, the length and, if present, the invocation ID",
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
    let lines = [
      "POST \(prefix)/2018-06-01/runtime/invocation/8476a536-e9f4-11e8-9739-2dfe598c3fcd/response HTTP/1.1",
      "Host: \(server.address)", "User-Agent: api-gateway-authorizer", "Content-Type: application/json", echo,
      "Content-Length: 8", "", "{\"ü\":1}",
    ].compactMap(\.self)
    #expect(recording.requests.last?.raw == lines.joined(separator: "\r\n"))
  }

  @Test(
    "a failure contains its type twice and, if present, the invocation ID",
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

  @Test("an initialization error is posted before any /next")
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

  /// The three POST calls.
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

    /// The steps of a server that sends `answer` to this POST.
    func script(_ answer: [UInt8]) -> [ScriptedServer.Step] {
      let next: [ScriptedServer.Step] = [.takeRequest, .send(Answers.event())]
      return (self == .initializationError ? [] : next) + [.takeRequest, .send(answer)]
    }
  }

  static let outcomes: [(status: Int, outcome: PostOutcome)] = [
    (200, .accepted), (202, .accepted), (400, .refused(Answers.refusalDetail)), (410, .stale),
    (413, .tooLarge),
  ]

  @Test("after these answers to a POST the runtime continues", arguments: outcomes, Post.allCases)
  func postOutcome(_ row: (status: Int, outcome: PostOutcome), _ post: Post) throws {
    let server = try #require(ScriptedServer([post.script(Answers.refusal(row.status))]))
    var api = try RuntimeAPI(server)
    #expect(try post.send(&api) == row.outcome)
    #expect(server.finish().problems == [])
  }

  @Test(
    "after these answers to a POST the runtime ends", arguments: [403, 500, 302, 404, 429, 503], Post.allCases
  )
  func postRefused(_ status: Int, _ post: Post) throws {
    let server = try #require(ScriptedServer([post.script(Answers.refusal(status))]))
    var api = try RuntimeAPI(server)
    let expected: RuntimeAPIError =
      switch status {
      case 403: .invalidState(post.call, Answers.refusalDetail)
      case 500: .containerError(post.call, Answers.refusalDetail)
      default: .unexpectedStatus(post.call, status: status, Answers.refusalDetail)
      }
    #expect(RuntimeAPIError.thrown { () throws(RuntimeAPIError) in _ = try post.send(&api) } == expected)
    #expect(server.finish().problems == [])
  }

  @Test("an answer to a POST that exceeds the limit is not read")
  func longPostAnswer() throws {
    let answer = Array("HTTP/1.1 202 Accepted\r\nContent-Length: 65537\r\n\r\n".utf8)
    let server = try #require(ScriptedServer([Post.response.script(answer)]))
    var api = try RuntimeAPI(server)
    let error = RuntimeAPIError.thrown { () throws(RuntimeAPIError) in _ = try Post.response.send(&api) }
    #expect(error == .transport(.response, .answerTooLarge(byteLimit: 65_536)))
    #expect(server.finish().problems == [])
  }

  @Test("a response of 6 MiB is sent completely")
  func longResponse() throws {
    let server = try #require(ScriptedServer([Post.response.script(Answers.accepted)]))
    var api = try RuntimeAPI(server)
    let body = [UInt8](repeating: UInt8(ascii: "1"), count: 6 * 1024 * 1024)
    #expect(try api.respond(to: try api.next(), with: body) == .accepted)
    #expect(server.finish().requests.last?.raw.utf8.suffix(body.count).elementsEqual(body) == true)
  }

  @Test(
    "the detail of a refusal is safe for one line of a log",
    arguments: [
      (#"{"errorMessage":"a\nb\u0007","errorType":"T"}"#, "T: a b "),
      (#"{"errorMessage":"only this"}"#, "only this"), ("plain\r\ntext", "plain  text"), ("{}", "{}"),
      ("", ""),
    ])
  func refusalDetail(_ body: String, _ words: String) {
    #expect(RefusalDetail(body: Array(body.utf8)).description == words)
  }

  @Test("a long detail of a refusal is truncated")
  func longRefusalDetail() {
    let body = [UInt8](repeating: UInt8(ascii: "x"), count: 10_000)
    #expect(RefusalDetail(body: body).description.utf8.count == RefusalDetail.byteLimit)
  }
}
