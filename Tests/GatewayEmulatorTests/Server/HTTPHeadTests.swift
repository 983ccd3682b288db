@testable import GatewayModel
@testable import GatewayEmulator
import HTTPTypes
import Mapping
import Testing

/// What functions, templates and backends may put into an answer.
@Suite struct HTTPHeadTests {
  @Test(arguments: [
    (Int.min, 500), (-1, 500), (0, 500), (99, 500), (100, 500), (101, 500), (199, 500), (200, 200),
    (404, 404),
    (599, 599), (600, 500), (999, 500), (1000, 500), (5000, 500), (.max, 500),
  ]) func aStatusIsThatOfAFinalResponse(_ code: Int, _ status: Int) {
    #expect(HTTPHead.status(code).code == status)
  }

  @Test func invalidHeadersAreLeftOut() {
    let fields = HTTPHead.fields([
      .init("A", "1"), .init("B", "1\r\nX: 2"), .init("C C", "1"), .init("Content-Length", "7"),
      .init("D", "é"),
    ])
    #expect(fields.map(\.name.rawName) == ["A", "D"])
  }

  @Test(arguments: [
    ("GET", "", "1\r\nHost: x"), ("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET", "", "1"), ("GET", "\0", "1"),
    ("GET", "\r\nHost: x", "1"),
  ]) func aRequestWithALineBreakIsNotSent(_ method: String, _ path: String, _ value: String) async {
    let request = BackendRequest(
      method: method, address: "http://127.0.0.1:9/" + path, headers: [.init("A", value)], body: [],
      authorizer: nil)
    #expect(HTTPBackend.lines(of: request) == nil)
    guard case .unreachable = await HTTPBackend.answer(to: request, for: "GET /", milliseconds: 1000) else {
      Issue.record("it was sent")
      return
    }
  }

  @Test func libcurlAddsOnlyTheEncodingsThatItDecodes() {
    let request = BackendRequest(
      method: "GET", address: "http://127.0.0.1:9/",
      headers: [
        .init("Accept-Encoding", "zstd"), .init("Connection", "keep-alive"), .init("X-Empty", ""),
        .init("Expect", "100-continue"), .init("X-A", "1"), .init("x-a", "2"),
        .init("Transfer-Encoding", "chunked"),
        .init("ACCEPT", "*/*"),
      ], body: [], authorizer: nil)
    #expect(
      HTTPBackend.lines(of: request) == [
        "X-Empty;", "X-A: 1", "x-a: 2", "ACCEPT: */*", "Content-Type:", "Expect:",
      ])
  }

  @Test func anAnswerIsItsLastHeadWithoutTrailers() {
    var answer = HTTPAnswer()
    for line in [
      "HTTP/1.1 103 Early Hints", "Link: </a>", "", "HTTP/1.1 200 OK", "Set-Cookie: a=1, b",
      "set-cookie:b=2 ",
      "No colon", "Content-Encoding: gzip", "", "Trailer: 1",
    ] {
      let isTaken = answer.take(line: Array((line + "\r\n").utf8))
      #expect(isTaken)
    }
    let isTaken = answer.take(piece: Array("body".utf8))
    #expect(isTaken)
    #expect(answer.response?.status == 200)
    #expect(answer.response?.headers == [.init("Set-Cookie", "a=1, b"), .init("set-cookie", "b=2")])
    #expect(answer.response?.body == Array("body".utf8))
    let isTooLarge = !answer.take(piece: [UInt8](repeating: 0, count: GatewayQuota.payloadBytes))
    #expect(isTooLarge)
    #expect(HTTPAnswer().response == nil)
  }
}
