@testable import GatewayModel
@testable import GatewayEmulator
import HTTPTypes
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

  @Test func aHeaderWithALineBreakIsNotSent() async {
    let request = BackendRequest(
      method: "GET", address: "http://127.0.0.1:9/", headers: [.init("A", "1\r\nHost: x")], body: [],
      authorizer: nil)
    guard case .unreachable = await HTTPBackend.answer(to: request, milliseconds: 1000) else {
      Issue.record("it was sent")
      return
    }
  }

  @Test(arguments: [
    ("http://h/a/b", false), ("http://h/a/../b", true), ("http://h/a/./b", true), ("http://h/..", true),
    ("http://h/a/%2e%2E/b", true), ("http://h/a/..b/.c", false), ("http://h/a?x=/../b", false),
    ("http://h.../a", false), ("http://h", false),
  ]) func findsDotSegments(_ address: String, _ expected: Bool) {
    #expect(HTTPBackend.hasDotSegments(address) == expected)
  }
}
