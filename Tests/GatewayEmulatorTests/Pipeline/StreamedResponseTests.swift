@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import LambdaEmulator
@testable import Templates
import HTTPTypes
import Mapping
import Synchronization
import TestSupport
import Testing

/// Streamed responses of REST APIs ("Set up a Lambda proxy integration with payload response streaming in API Gateway").
@Suite struct StreamedResponseTests {
  private static let zeros = [UInt8](repeating: 0, count: 8)

  /// A template with an authorizer whose route streams, or buffers.
  private static func template(streams: Bool = true, timeout: String = "") -> String {
    let mode = streams ? "RESPONSE_STREAM" : "BUFFERED"
    return StatusTemplates.rest.replacing(
      "Path: /pets, Method: get", with: "Path: /pets, Method: get, ResponseTransferMode: \(mode)\(timeout)")
  }

  /// A function that records how it is called.
  private final class Function: FunctionInvoking {
    let answer: InvocationAnswer
    let contexts = Mutex<[InvocationContext]>([])
    init(_ answer: InvocationAnswer) { self.answer = answer }
    func outcome(of event: [UInt8]) async -> FunctionOutcome { FunctionOutcome(answer: answer) }
    func outcome(of event: [UInt8], in context: InvocationContext) async -> FunctionOutcome {
      contexts.withLock { $0.append(context) }
      return FunctionOutcome(answer: answer)
    }
  }

  private static func answer(
    _ bytes: [UInt8], streams: Bool = true, allows: Bool = true
  ) async throws -> (answer: GatewayAnswer, calls: [InvocationContext]) {
    let backend = Function(.response(bytes))
    let policy = GatewayStage.policy(allows ? "Allow" : "Deny")
    let service = try GatewayServiceTests.service(
      template(streams: streams), ["Authorizer": Function(policy), "Backend": backend])
    let answer = await GatewayServiceTests.answer(service, "/prod/pets")
    return (answer, backend.contexts.withLock { $0 })
  }

  @Test func theMetadataAndTheBodyAreTheAnswer() async throws {
    let metadata =
      #"{"statusCode":201,"headers":{"X-A":"1","Content-Length":"7"},"multiValueHeaders":{"X-B":["2","3"]},"cookies":["c=1","d=2"]}"#
    // The body begins after the first eight zero bytes, and may be any bytes.
    let (answer, calls) = try await Self.answer(Array(metadata.utf8) + Self.zeros + [0, 0xFF, 0])
    #expect(answer.response.status == 201)
    #expect(answer.response.body == [0, 0xFF, 0])
    let expected = [("X-A", "1"), ("X-B", "2"), ("X-B", "3"), ("Set-Cookie", "c=1"), ("Set-Cookie", "d=2")]
    for (name, value) in expected {
      #expect(answer.response.values(ofHeader: name).contains(value), "\(name)")
    }
    #expect(answer.response.values(ofHeader: "Content-Length") == [])
    #expect(answer.response.values(ofHeader: "x-amzn-Remapped-Content-Length") == [])
    #expect(answer.response.header("Content-Type") == "application/json")
    #expect(calls.map(\.acceptsStream) == [true])
  }

  /// The beginning of a stream, without its zero bytes, and the status.
  @Test(arguments: [
    ("{}", 200), (#"{"statusCode":"204"}"#, 204), (#"{"statusCode":599}"#, 599), (" {} ", 200),
    ("", 500), ("[]", 500), ("1", 500), ("not json", 500), ("{", 500), (#"{"statusCode":99}"#, 500),
    (#"{"statusCode":100}"#, 500), (#"{"statusCode":600}"#, 500), (#"{"statusCode":-1}"#, 500),
    (#"{"statusCode":{}}"#, 500), (#"{"headers":{"a":[]}}"#, 500), (#"{"multiValueHeaders":{"a":"b"}}"#, 500),
    // Not among the members that AWS supports.
    (#"{"body":"a"}"#, 500), (#"{"isBase64Encoded":true}"#, 500), (#"{"StatusCode":200}"#, 500),
  ]) func theMetadataIsChecked(_ metadata: String, _ status: Int) async throws {
    let (answer, _) = try await Self.answer(Array(metadata.utf8) + Self.zeros + Array("body".utf8))
    #expect(answer.response.status == status)
    #expect((answer.text == "body") == (status != 500))
    if status == 500 {
      #expect(answer.text.contains("Internal server error"))
      #expect(answer.record.line.contains("its stream has no valid metadata"))
    }
  }

  /// Where the delimiter is. It must appear within the first 16 KB.
  @Test(arguments: [
    (16_384, 8, 200), (16_385, 8, 500), (100, 7, 500), (100, 0, 500), (5_000_000, 8, 500),
  ]) func theDelimiterIsWithinTheFirst16Kilobytes(_ end: Int, _ zeros: Int, _ status: Int) async throws {
    let padding = end - zeros - #"{"headers":{"a":""}}"#.utf8.count
    let metadata = #"{"headers":{"a":"\#(String(repeating: "x", count: padding))"}}"#
    let bytes = Array(metadata.utf8) + [UInt8](repeating: 0, count: zeros) + [0x61]
    #expect(try await Self.answer(bytes).answer.response.status == status)
  }

  /// The buffered form is no stream: "API Gateway invokes your Lambda function and return a 500 error response".
  @Test func aFunctionThatDoesNotStreamIsA500() async throws {
    let (answer, calls) = try await Self.answer(Array(#"{"statusCode":200,"body":"secret"}"#.utf8))
    #expect(answer.response.status == 500)
    #expect(!answer.text.contains("secret"))
    #expect(calls.count == 1)
  }

  /// "API Gateway returns the HTTP headers and status code but not the response body."
  @Test func aStreamThatIsCalledBufferedLosesItsBody() async throws {
    let (answer, calls) = try await Self.answer(
      Array(#"{"statusCode":201,"headers":{"X-A":"1"}}"#.utf8) + Self.zeros + Array("body".utf8),
      streams: false)
    #expect(answer.response.status == 201)
    #expect(answer.response.body == [])
    #expect(answer.response.header("X-A") == "1")
    #expect(calls.map(\.acceptsStream) == [false])
  }

  /// A line break would make the client see other headers, or another answer.
  @Test(arguments: ["a\\r\\nSet-Cookie: b=c", "a\\nb", "a\\u0000b"]) func aHeaderIsOneLine(_ value: String)
    async throws
  {
    let metadata = #"{"headers":{"X-A":"\#(value)","X-B":"b"},"cookies":["\#(value)"]}"#
    let (answer, _) = try await Self.answer(Array(metadata.utf8) + Self.zeros)
    let fields = HTTPHead.fields(answer.response.headers)
    #expect(fields.contains { $0.name.rawName == "X-B" })
    #expect(!fields.contains { ["X-A", "Set-Cookie"].contains($0.name.rawName) })
  }

  @Test(arguments: [
    InvocationAnswer.error(FunctionErrorReport(headerType: "Runtime.Error", document: [])),
    .error(RuntimeStateMachine.tooLargeReport(RuntimeAPILimits.streamBytes)), .died(.status(1)),
    .timedOut(milliseconds: 3000),
  ]) func aFunctionThatFailsIsA500(_ failure: InvocationAnswer) async throws {
    let service = try GatewayServiceTests.service(
      Self.template(), ["Authorizer": Function(GatewayStage.policy()), "Backend": Function(failure)])
    #expect(await GatewayServiceTests.answer(service, "/prod/pets").response.status == 500)
  }

  // MARK: The authorizer

  @Test(arguments: [true, false]) func theAuthorizerDecidesBeforeAStream(_ streams: Bool) async throws {
    let body = Array("{}".utf8) + Self.zeros + Array("body".utf8)
    let (denied, calls) = try await Self.answer(body, streams: streams, allows: false)
    #expect(denied.response.status == 403)
    #expect(!denied.text.contains("body"))
    #expect(calls == [])
    let service = try GatewayServiceTests.service(
      Self.template(streams: streams), ["Authorizer": Function(GatewayStage.policy())])
    let stranger = GatewayRequest(method: "GET", path: "/prod/pets", headers: [])
    #expect(await service.answer(stranger, to: service.gateway.apis[0]).response.status == 401)
  }

  // MARK: Limits

  /// 29 s by default, up to 15 minutes.
  @Test(arguments: [(nil, 29_000), (900_000, 900_000), (50, 50)] as [(Int?, Int)])
  func aStreamHasTheTimeoutOfTheTemplate(_ timeout: Int?, _ milliseconds: Int) throws {
    let function = RESTFunction("F", tenant: nil, isStreamed: true, timeoutMilliseconds: timeout)
    var http = HTTPIntegration(method: nil, address: "https://a", changes: [])
    http.timeoutMilliseconds = timeout
    for integration in [GatewayIntegration.restFunction(function), .http(http)] {
      let gateway = Gateway(
        apis: [GatewayStage.api([try GatewayStage.route("GET /a", integration: integration)])],
        location: AWSLocation(), settings: Assumptions())
      let ids = RequestIdentity(
        requestID: "r", extendedRequestID: "e", traceID: "Root=1-a", unixMilliseconds: 0)
      let request = GatewayRequest(method: "GET", path: "/prod/a", headers: [])
      guard
        case .integrate(let call) = gateway.begin(
          ReceivedRequest(request, to: gateway.apis[0], ids), state: Gateway.State())
      else {
        Issue.record("not integrated")
        continue
      }
      #expect(call.timeoutMilliseconds == milliseconds)
    }
  }

  @Test(arguments: [GatewayQuota.payloadBytes, RuntimeAPILimits.streamBytes])
  func anHTTPAnswerHasTheLimitOfItsMode(_ bytes: Int) {
    var answer = HTTPAnswer(maximumBytes: bytes)
    let isHead = answer.take(line: Array("HTTP/1.1 200 OK\r\n".utf8))
    #expect(isHead)
    let piece = [UInt8](repeating: 0, count: bytes / 4)
    for _ in 0..<4 {
      let isPiece = answer.take(piece: piece)
      #expect(isPiece)
    }
    let isMore = answer.take(piece: [0])
    #expect(!isMore)
  }

  /// The backend is the Runtime API: its event is the answer.
  @Test(arguments: [("STREAM", 200), ("BUFFERED", 504)])
  func aStreamOfAnHTTPBackendMayExceedTheQuota(_ mode: String, _ status: Int) async throws {
    let template = BackendFailureTests.rest.replacing(
      "type: http_proxy", with: "type: http_proxy, responseTransferMode: \(mode)")
    let gateway = Gateway(try GatewayTemplate(parsing: template).served, settings: Assumptions())
    let answer = try await RuntimeAPIServer.served { server, _ in
      let service = GatewayService(
        gateway: gateway, functions: [:], backend: .origin("http://\(server.address)"), clock: .longTimeouts)
      let event = Invocation(
        requestID: "r", attemptID: "a",
        event: [UInt8](repeating: 0x61, count: GatewayQuota.payloadBytes + 1), functionARN: "f", traceID: "t",
        timeoutMilliseconds: HangLimit.milliseconds)
      async let abandoned = server.invoke(event)
      let answer = await service.answer(
        GatewayRequest(method: "GET", path: "/prod/pets", headers: []), to: gateway.apis[0])
      _ = try await LoopbackClient(base: "http://\(server.address)/2018-06-01").send(
        "POST", "/runtime/invocation/r/response", body: [])
      _ = await abandoned
      return answer
    }
    #expect(answer.response.status == status)
    #expect((answer.response.body.count == GatewayQuota.payloadBytes + 1) == (status == 200))
  }
}
