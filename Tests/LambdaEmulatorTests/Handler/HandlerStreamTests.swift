@testable import EmulatorTestSupport
@testable import LambdaEmulator
import JSON
import Synchronization
import TestSupport
import Testing

/// Handlers that stream (`awslambda.streamifyResponse`), as Lambda's own client runs them.
@Suite(.needs(.node), .hangLimit)
struct HandlerStreamTests {
  private static let source = """
    import { once } from "node:events";
    import { pipeline } from "node:stream/promises";
    import { Readable } from "node:stream";

    const from = awslambda.HttpResponseStream.from;
    const pause = () => new Promise((resolve) => setImmediate(resolve));
    let calls = 0;
    export const handler = awslambda.streamifyResponse(async (event, stream, context) => {
      calls += 1;
      switch (event.do) {
        case "tell":
          stream.setContentType("text/plain");
          stream.write("ä");
          stream.write({ calls, request: typeof context.awsRequestId });
          return stream.end("!");
        case "metadata":
          stream = from(stream, { statusCode: 201 });
          stream.write("a");
          return stream.end("b");
        case "pipeline": return pipeline(Readable.from(["x", "y"]), from(stream, {}));
        case "only end":
          from(stream, {});
          return stream.end("lost");
        case "return":
          stream.end("streamed");
          return "ignored";
        case "early": throw new TypeError("early");
        case "late":
          stream.write("begin");
          await pause();
          throw new RangeError("läte");
        case "source": return pipeline(Readable.from((function* () { yield "q"; throw new Error("of the source"); })()), stream);
        case "after the end":
          stream.end("whole");
          await pause();
          throw new Error("after the end");
        case "type":
          stream.write("x");
          return stream.setContentType("a/b");
        case "destroy":
          stream.write("x");
          return stream.destroy();
        case "no end": return undefined;
        case "uncaught":
          stream.write("x");
          setImmediate(() => { throw new SyntaxError("in a timer"); });
          return new Promise(() => {});
        case "hang":
          stream.write("x");
          return new Promise(() => {});
        case "large": return pipeline(Readable.from((function* () {
          for (let i = 0; i < event.megabytes; i++) yield Buffer.alloc(1 << 20, "a");
        })()), stream);
        case "endless":
          for (const block = Buffer.alloc(1 << 20, "a");;) if (!stream.write(block)) await once(stream, "drain");
      }
    });
    export const plain = awslambda.streamifyResponse((event, stream) => stream.end("x"));
    """

  private static func results(
    _ events: [String], symbol: String = "handler", acceptsStream: Bool = false,
    timeout: (milliseconds: Int, clock: LambdaClock)? = nil
  ) async throws -> [InvocationResult] {
    let workplace = try HandlerWorkplace(["app.mjs": source])
    var settings = try workplace.settings("app.mjs", symbol)
    if let timeout { settings.timeoutMilliseconds = timeout.milliseconds }
    return try await FunctionPool.run(
      settings, inheriting: HandlerWorkplace.shell.filter { ["PATH", "LANG"].contains($0.key) },
      clock: timeout?.clock ?? .longTimeouts, logger: .silent
    ) { pool in
      var results: [InvocationResult] = []
      for event in events {
        let context = InvocationContext(acceptsStream: acceptsStream, waitsForReport: true)
        results.append(try await pool.invoke(Array(#"{"do":"\#(event)"}"#.utf8), context: context))
      }
      return results
    }
  }

  /// What a handler does, and the bytes of its response.
  static let responses = [
    ("tell", #"ä{"calls":1,"request":"string"}!"#), ("metadata", "{\"statusCode\":201}\0\0\0\0\0\0\0\0ab"),
    ("pipeline", "{}\0\0\0\0\0\0\0\0xy"), ("return", "streamed"), ("after the end", "whole"),
    // As on Lambda: the first `write` writes the metadata.
    ("only end", "lost"),
  ]

  @Test(
    "a stream is the payload, whether the caller takes a stream or not", arguments: responses, [true, false])
  func response(_ row: (event: String, payload: String), _ acceptsStream: Bool) async throws {
    let results = try await Self.results([row.event, "tell"], acceptsStream: acceptsStream)
    #expect(results[0].answer == .response(Array(row.payload.utf8)), "\(results[0].text)")
    // The process goes on.
    #expect(results[1].text == #"ä{"calls":2,"request":"string"}!"#)
  }

  /// What a handler does, the error, and a part of its message.
  static let failures = [
    ("early", "TypeError", "early"), ("late", "RangeError", "läte"), ("source", "Error", "of the source"),
    ("type", "Runtime.InvalidStreamingOperation", "too late"), ("destroy", "Error", "stream is not finished"),
    ("no end", "Runtime.NodeJsExit", "nothing is left"),
  ]

  @Test(
    "an error is the answer also after the beginning, and the next event is answered", arguments: failures)
  func failure(_ row: (event: String, type: String, message: String)) async throws {
    let results = try await Self.results([row.event, "tell"], acceptsStream: true)
    #expect(results[0].isFunctionError)
    let document = try JSONTree(parsing: results[0].payload)
    #expect(document["errorType"] == .string(row.type), "\(results[0].text)")
    #expect(results[0].text.contains(row.message), "\(results[0].text)")
    #expect(results[0].cloudLog.contains { $0.contains(row.message) })
    #expect(results[1].text == #"ä{"calls":2,"request":"string"}!"#)
  }

  @Test("an exception in a timer ends the process, and not the stream") func uncaught() async throws {
    let results = try await Self.results(["uncaught", "tell"], acceptsStream: true)
    #expect(
      try JSONTree(parsing: results[0].payload)["errorType"] == .string("SyntaxError"), "\(results[0].text)")
    #expect(results[1].text.contains(#""calls":1"#))
  }

  @Test("a handler must be async") func plain() async throws {
    let result = try #require(try await Self.results(["x"], symbol: "plain").first)
    #expect(result.text.contains("Streaming does not support non-async handlers."))
  }

  @Test("a stream without an end is killed after the timeout") func hang() async throws {
    // Only the first event's time is short, so that the second one has enough on every machine.
    let milliseconds = 899_000
    let timeouts = Mutex(0)
    let clock = LambdaClock(
      now: LambdaClock.system.now,
      wait: { wait in
        let isShort =
          wait == milliseconds
          && timeouts.withLock {
            $0 += 1
            return $0 == 1
          }
        try await LambdaClock.system.wait(isShort ? 1000 : wait)
      })
    let results = try await Self.results(
      ["hang", "tell"], acceptsStream: true, timeout: (milliseconds, clock))
    #expect(results[0].answer == .timedOut(milliseconds: milliseconds))
    #expect(results[1].text.contains(#""calls":1"#))
  }

  /// The megabytes, whether the caller takes a stream, and whether they arrive.
  @Test("a buffered call keeps its limit", arguments: [(5, false, true), (7, false, false), (7, true, true)])
  func large(_ megabytes: Int, _ acceptsStream: Bool, _ arrives: Bool) async throws {
    let result = try #require(
      try await Self.results([#"large","megabytes":\#(megabytes),"x":""#], acceptsStream: acceptsStream).first
    )
    if arrives {
      #expect(result.answer.response?.count == megabytes << 20)
    } else {
      #expect(result.errorType == "Function.ResponseSizeTooLarge")
    }
  }

  @Test("an endless stream ends at its limit, and the next event is answered") func endless() async throws {
    let results = try await Self.results(["endless", "tell"], acceptsStream: true)
    #expect(results[0].errorType == "Function.ResponseSizeTooLarge")
    #expect(results[0].text.contains("(209715200 bytes)"))
    #expect(results[1].text.hasPrefix("ä"))
  }
}
