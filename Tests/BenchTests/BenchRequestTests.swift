import Testing

@testable import Bench

@Suite struct BenchRequestTests {
  static let next = "GET /2018-06-01/runtime/invocation/next HTTP/1.1\r\nHost: a\r\n\r\n"
  static let post = "POST /2018-06-01/runtime/invocation/id-1/response HTTP/1.1\r\n"

  private func requests(_ parts: [String]) throws -> [BenchRequest] {
    var reader = BenchRequestReader()
    var requests: [BenchRequest] = []
    for part in parts {
      reader.append(part.utf8)
      while let request = try reader.next() { requests.append(request) }
    }
    #expect(reader.isEmpty)
    return requests
  }

  static let sound: [(String, BenchRequest)] = [
    (next, BenchRequest(call: .next, body: [])),
    (
      post + "Content-Length: 3\r\n\r\nabc",
      BenchRequest(call: .response(id: Array("id-1".utf8)), body: Array("abc".utf8))
    ),
    (post + "content-length:0\r\n\r\n", BenchRequest(call: .response(id: Array("id-1".utf8)), body: [])),
    (
      post + "Transfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc\r\n0\r\nA: b\r\n\r\n",
      BenchRequest(call: .response(id: Array("id-1".utf8)), body: Array("abc".utf8))
    ),
    (
      "POST /2018-06-01/runtime/invocation/7/error HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
      BenchRequest(call: .error(id: Array("7".utf8)), body: Array("{}".utf8))
    ),
    (
      "POST /2018-06-01/runtime/init/error HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
      BenchRequest(call: .initializationError, body: Array("{}".utf8))
    ),
  ]

  @Test(arguments: sound)
  func `A request is the same however its bytes are split`(text: String, request: BenchRequest) throws {
    #expect(try requests([text]) == [request])
    #expect(
      try requests(text.map { String($0) }.flatMap { $0 == "\r\n" ? ["\r", "\n"] : [$0] }) == [request])
    #expect(try requests([text + text]) == [request, request])
  }

  static let refusals: [(String, String)] = [
    ("GET / HTTP/1.1\r\n\r\n", "GET / is not a call of the Runtime API"),
    (
      "POST /2018-06-01/runtime/invocation/next HTTP/1.1\r\n\r\n",
      "POST /2018-06-01/runtime/invocation/next is not a call of the Runtime API"
    ),
    ("GET\r\n\r\n", "no HTTP/1.1 request line"),
    (post + "Content-Length: x\r\n\r\n", "a Content-Length that is not a number"),
    (post + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "a Content-Length that is not a number"),
    (post + "Content-Length: 99999999\r\n\r\n", "a body of more than 6291556 bytes"),
    (post + "Transfer-Encoding: gzip\r\n\r\n", "a Transfer-Encoding other than chunked"),
    (post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", "a Transfer-Encoding other than chunked"),
    (post + String(repeating: "x", count: 70_000), "a request head of more than 65536 bytes"),
  ]

  @Test(arguments: refusals)
  func `Invalid requests are refused`(text: String, problem: String) {
    #expect(throws: BenchFault.protocolViolation(problem)) { try requests([text]) }
  }

  @Test func `A request that waits for 100 Continue is reported once`() throws {
    var reader = BenchRequestReader()
    var count = 0
    reader.append((Self.post + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n").utf8)
    #expect(try reader.next { count += 1 } == nil)
    reader.append("ab".utf8)
    #expect(try reader.next { count += 1 }?.body == Array("ab".utf8))
    #expect(count == 1)
  }
}
