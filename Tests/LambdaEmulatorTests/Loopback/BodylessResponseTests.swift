@testable import LambdaEmulator
import Dispatch
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import TestSupport
import Testing

/// A response that has no body for its client sends none, or its bytes would be the next response.
@Suite(.hangLimit) struct BodylessResponseTests {
  @Test(arguments: [("GET", 204, 1), ("GET", 304, 1), ("HEAD", 200, 1), ("GET", 200, 2)])
  func noBodyIsSent(_ method: String, _ status: Int, _ heads: Int) async throws {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let text = try await LoopbackServer.run(
      { _, _ in
        let body = ResponseBody(byteBuffer: ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n"))
        return Response(status: .init(code: status), body: body)
      }, logger: logger
    ) { port in
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<String, any Error>) in
        DispatchQueue.global().async {
          continuation.resume(
            with: Result {
              try RawConnection(port: port).exchange(
                last: "\(method) / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            })
        }
      }
    }
    #expect(text.ranges(of: "HTTP/1.1 ").count == heads, "\(text)")
  }
}
