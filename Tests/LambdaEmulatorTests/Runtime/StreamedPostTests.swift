@testable import EmulatorTestSupport
@testable import LambdaEmulator
import Foundation
import TestSupport
import Testing

/// Posts of runtimes that stream: chunked, with trailers for an error after the beginning.
@Suite(.hangLimit)
struct StreamedPostTests {
  /// Posts chunks to `/response`, and returns the reply and the answer of the caller.
  private static func posted(
    acceptsStream: Bool = true, mode: String = "streaming", end: String = "0\r\n\r\n", _ chunks: [Chunk]
  ) async throws -> (reply: String, answer: InvocationAnswer) {
    try await RuntimeAPIServer.served { server, client in
      var invocation = RuntimeAPIServerTests.event([])
      invocation.acceptsStream = acceptsStream
      async let completion = server.invoke(invocation)
      let next = try await client.send("GET", "/runtime/invocation/next")
      let id = try #require(next.headers["lambda-runtime-aws-request-id"])
      let port = try #require(server.address.split(separator: ":").last.flatMap { Int($0) })
      let head =
        "POST /2018-06-01/runtime/invocation/\(id)/response HTTP/1.1\r\nHost: a\r\n"
        + "Transfer-Encoding: chunked\r\nLambda-Runtime-Function-Response-Mode: \(mode)\r\n\r\n"
      let reply = try await Self.blocking {
        let connection = try RawConnection(port: port)
        _ = try connection.exchange(bytes: Array(head.utf8), count: 0)
        for chunk in chunks {
          let text = Array("\(String(chunk.bytes.count, radix: 16))\r\n".utf8) + chunk.bytes + [13, 10]
          for _ in 0..<chunk.count { _ = try connection.exchange(bytes: text, count: 0) }
        }
        return try connection.exchange(end, until: "}")
      }
      return (String(reply.dropFirst("HTTP/1.1 ".count).prefix(3)), await completion.answer)
    }
  }

  /// Runs work that blocks its thread.
  private static func blocking<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Swift.Result { try work() }) }
    }
  }

  /// Some equal chunks.
  struct Chunk: Sendable {
    let bytes: [UInt8]
    var count = 1

    init(_ text: String) { bytes = Array(text.utf8) }

    /// As many mebibytes.
    init(mebibytes: Int) { (bytes, count) = ([UInt8](repeating: 0x61, count: 1_048_576), mebibytes) }
  }

  @Test(arguments: [true, false]) func chunksAreTheResponse(_ acceptsStream: Bool) async throws {
    let (reply, answer) = try await Self.posted(
      acceptsStream: acceptsStream, [Chunk("{}"), Chunk("\0\0\0\0\0\0\0\0"), Chunk("body")])
    #expect(reply == "202")
    #expect(answer == .response(Array("{}\0\0\0\0\0\0\0\0body".utf8)))
  }

  /// The trailers of an error, and the document of the caller.
  @Test(arguments: [
    ("RangeError", "eyJhIjoxfQ==", #"{"a":1}"#),
    ("Function.Late", "", #"{"errorMessage":"","errorType":"Function.Late"}"#),
    ("Function.Late", "?", #"{"errorMessage":"","errorType":"Function.Late"}"#),
  ]) func anErrorAfterTheBeginningIsTheAnswer(_ type: String, _ body: String, _ document: String) async throws
  {
    let trailers =
      "0\r\nLambda-Runtime-Function-Error-Type: \(type)\r\nlambda-runtime-function-error-body: \(body)\r\n\r\n"
    let (reply, answer) = try await Self.posted(end: trailers, [Chunk("{}\0\0\0\0\0\0\0\0begin")])
    #expect(reply == "202")
    #expect(answer == .error(FunctionErrorReport(headerType: type, document: Array(document.utf8))))
  }

  /// The next request may be read before the trailers are used.
  @Test func anErrorIsThatOfItsOwnRequest() async throws {
    let (_, answer) = try await Self.posted(
      end: "0\r\nLambda-Runtime-Function-Error-Type: Function.Late\r\n\r\n"
        + "GET /2018-06-01/ping HTTP/1.1\r\nHost: a\r\n\r\n",
      [Chunk(#"{"policyDocument":"Allow"}"#)])
    guard case .error(let report) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(report.headerType == "Function.Late")
  }

  @Test func trailersWithoutATypeAreNoError() async throws {
    let (_, answer) = try await Self.posted(
      end: "0\r\nLambda-Runtime-Function-Error-Type: \r\nX-Other: a\r\n\r\n", [Chunk("a")])
    #expect(answer == .response([0x61]))
  }

  /// Mebibytes, whether the caller takes a stream, the status, and the limit of the message.
  @Test(arguments: [
    (6, true, "202", 0), (7, true, "202", 0), (200, true, "202", 0), (7, false, "413", 6_291_556),
    (201, true, "413", 209_715_200), (300, true, "413", 209_715_200),
  ]) func aStreamHasALimitOfItsOwn(
    _ mebibytes: Int, _ acceptsStream: Bool, _ status: String, _ limit: Int
  ) async throws {
    let (reply, answer) = try await Self.posted(acceptsStream: acceptsStream, [Chunk(mebibytes: mebibytes)])
    #expect(reply == status)
    guard status == "413" else {
      #expect(answer.response?.count == mebibytes << 20)
      return
    }
    #expect(Brief(answer) == Brief(.error(RuntimeStateMachine.tooLargeReport(limit))))
  }

  /// Without the mode of streams, chunks are a buffered response.
  @Test func aBufferedResponseKeepsItsLimit() async throws {
    let (reply, _) = try await Self.posted(mode: "", [Chunk(mebibytes: 7)])
    #expect(reply == "413")
  }

  /// A function cannot make the harness read several streams at once, for one event or for several.
  @Test func onlyOneBodyHasTheLimitOfAStream() async throws {
    let (plain, stream) = (RuntimeAPILimits.payloadBytes, RuntimeAPILimits.streamBytes)
    try await RuntimeAPIServer.served { server, client in
      for (isFree, isEnded) in [(true, false), (false, true), (true, true)] {
        var invocation = RuntimeAPIServerTests.event([])
        invocation.acceptsStream = true
        let id = invocation.requestID
        async let completion = server.invoke(invocation)
        _ = try await client.send("GET", "/runtime/invocation/next")
        #expect(server.beginStream("another") == plain)
        #expect(server.beginStream(id) == (isFree ? stream : plain))
        #expect(server.beginStream(id) == plain)
        _ = try await client.send(
          "POST", "/runtime/invocation/\(id)/response", body: Array("{}".utf8))
        _ = await completion
        if isEnded { server.endStream() }
        #expect(server.beginStream(id) == plain)
      }
    }
  }

  @Test func aStreamThatIsCutIsNoResponse() async throws {
    try await RuntimeAPIServer.served { server, client in
      let invocation = RuntimeAPIServerTests.event([])
      async let completion = server.invoke(invocation)
      _ = try await client.send("GET", "/runtime/invocation/next")
      let port = try #require(server.address.split(separator: ":").last.flatMap { Int($0) })
      let head =
        "POST /2018-06-01/runtime/invocation/\(invocation.requestID)/response HTTP/1.1\r\nHost: a\r\n"
        + "Transfer-Encoding: chunked\r\nLambda-Runtime-Function-Response-Mode: streaming\r\n\r\n5\r\nbegin\r\n"
      try await Self.blocking {
        _ = try RawConnection(port: port).exchange(bytes: Array(head.utf8), count: 0)
      }
      _ = try await client.send(
        "POST", "/runtime/invocation/\(invocation.requestID)/response", body: Array("whole".utf8))
      #expect(await completion.answer == .response(Array("whole".utf8)))
    }
  }
}
