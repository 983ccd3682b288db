@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
import Testing

/// The limits of requests ("Amazon API Gateway quotas"). What AWS answers to too many headers is not documented.
@Suite struct RequestLimitTests {
  @Test(arguments: [
    (true, "/prod/a", 10_240, 200), (true, "/prod/a", 10_241, 431),
    // An HTTP API counts the request line too: `GET /a HTTP/1.1`.
    (false, "/a", 10_240 - 15, 200), (false, "/a", 10_240 - 14, 431),
  ]) func headersHaveALimit(_ isREST: Bool, _ path: String, _ bytes: Int, _ status: Int) throws {
    var stage = try RecordedExchangeTests.stage(["GET /a"], isREST: isREST)
    let half = String(repeating: "a", count: bytes / 2)
    let headers = [GatewayRequest.Header("X-A", half), .init("X-B", half + (bytes % 2 == 0 ? "" : "a"))]
    let answer = stage.send("GET", path, headers: headers)
    #expect(answer.response.status == status, "\(answer.text)")
    if status == 431 { #expect(answer.text == #"{"message":"Request Header Fields Too Large"}"#) }
  }

  @Test func aURLOfARESTAPIHasALimit() throws {
    var stage = try RecordedExchangeTests.stage(["GET /a"])
    let room = 10_240 - "/prod/a?".utf8.count
    #expect(stage.send("GET", "/prod/a", query: String(repeating: "q", count: room)).response.status == 200)
    #expect(
      stage.send("GET", "/prod/a", query: String(repeating: "q", count: room + 1)).response.status == 414)
  }

  /// Observed on AWS: plain text, and no gateway response changes it (koki-develop/lgtm-generator issue 10).
  @Test func aBodyOver10MBIsA413() throws {
    for (isREST, text) in [
      (true, "HTTP content length exceeded 10485760 bytes."),
      (false, #"{"message":"Request Entity Too Large"}"#),
    ] {
      let api = GatewayStage.api([try GatewayStage.route("POST /a")], isREST: isREST)
      let gateway = Gateway(apis: [api], location: AWSLocation(), settings: Assumptions())
      let state = Gateway.State()
      let request = GatewayRequest(
        method: "POST", path: isREST ? "/prod/a" : "/a", headers: [], isBodyTooLarge: true)
      let ids = RequestIdentity(requestID: "r", extendedRequestID: "e", traceID: "t", unixMilliseconds: 0)
      guard case .answer(let answer) = gateway.begin(ReceivedRequest(request, to: api, ids), state: state)
      else {
        Issue.record("no answer")
        continue
      }
      #expect(answer.response.status == 413)
      #expect(answer.text == text)
      #expect(answer.record.status == 413)
    }
  }

  /// The event of a body that Lambda does not accept: `REQUEST_TOO_LARGE` (the same issue).
  @Test(arguments: [(6_000_000, 200), (6_300_000, 413)])
  func anEventOver6MiBIsA413(_ bytes: Int, _ status: Int) throws {
    var stage = try RecordedExchangeTests.stage(["POST /a"])
    let answer = stage.send(
      "POST", "/prod/a", headers: [], body: [UInt8](repeating: 0x61, count: bytes),
      backend: GatewayResponse(status: 200))
    #expect(answer.response.status == status)
    guard status == 413 else { return }
    #expect(answer.text == #"{"message":"Request Too Long"}"#)
    #expect(answer.response.header("x-amzn-ErrorType") == "BadRequestException")
  }
}
