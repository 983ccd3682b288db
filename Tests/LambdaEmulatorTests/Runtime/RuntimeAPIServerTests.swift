@testable import EmulatorTestSupport
@testable import LambdaEmulator
import Testing
import TestSupport

/// Tests of the Runtime API over loopback, with a scripted client.
@Suite struct RuntimeAPIServerTests {
  static func event(_ bytes: [UInt8], timeout: Int = HangLimit.milliseconds) -> Invocation {
    Invocation(
      requestID: "8476a536-e9f4-11e8-9739-2dfe598c3fcd", attemptID: "7a1c", event: bytes,
      functionARN: LambdaVariables.functionARN, traceID: "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700",
      timeoutMilliseconds: timeout)
  }

  @Test(arguments: [2, 4096, 5 << 20]) func deliversEventsAndAnswersOfAnySize(_ size: Int)
    async throws
  {
    let event = Array(#""\#(String(repeating: "x", count: size - 2))""#.utf8)
    let completion = try await RuntimeAPIServer.served { server, client in
      async let completion = server.invoke(Self.event(event))
      let next = try await client.send("GET", "/runtime/invocation/next")
      #expect(next.status == 200)
      #expect(next.body.utf8.count == size)
      #expect(next.headers["lambda-runtime-invocation-id"] == "7a1c")
      #expect(next.headers["lambda-runtime-trace-id"] == "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700")
      #expect(next.headers["lambda-runtime-invoked-function-arn"] == LambdaVariables.functionARN)
      #expect(next.headers["lambda-runtime-deadline-ms"].flatMap { Int($0) } ?? 0 > 1_700_000_000_000)
      let id = try #require(next.headers["lambda-runtime-aws-request-id"])
      let posted = try await client.send(
        "POST", "/runtime/invocation/\(id)/response", body: event,
        headers: ["Lambda-Runtime-Invocation-Id": "7a1c"])
      #expect(posted.status == 202)
      #expect(posted.body == #"{"status":"OK"}"#)
      return await completion
    }
    #expect(Brief(completion.answer) == Brief(.response(event)))
    #expect(completion.microseconds > 0)
  }

  @Test func returnsErrorsAsPosted() async throws {
    let completion = try await RuntimeAPIServer.served { server, client in
      async let completion = server.invoke(Self.event([]))
      let next = try await client.send("GET", "/runtime/invocation/next")
      let id = try #require(next.headers["lambda-runtime-aws-request-id"])
      let posted = try await client.send(
        "POST", "/runtime/invocation/\(id)/error", body: Array(#"{"errorMessage":"Unauthorized"}"#.utf8),
        headers: ["Lambda-Runtime-Function-Error-Type": "Function.Unauthorized"])
      #expect(posted.status == 202)
      return await completion
    }
    let report = FunctionErrorReport(
      headerType: "Function.Unauthorized", document: Array(#"{"errorMessage":"Unauthorized"}"#.utf8))
    #expect(completion.answer == .error(report))
  }

  @Test(arguments: [
    ("/runtime/invocation/unknown/response", ["": ""], 400, "InvalidRequestID"),
    ("/runtime/invocation/unknown/error", ["": ""], 400, "InvalidRequestID"),
    ("/runtime/invocation/unknown/response", ["Lambda-Runtime-Invocation-Id": "late"], 410, "InvokeTimeout"),
    ("/runtime/init/error", ["": ""], 403, "InvalidStateTransition"),
    ("/runtime/elsewhere", ["": ""], 404, "404 page not found"),
  ]) func refusesInvalidPosts(
    _ path: String, _ headers: [String: String], _ status: Int, _ text: String
  ) async throws {
    let answer = try await RuntimeAPIServer.served { server, client in
      async let completion = server.invoke(Self.event([]))
      let next = try await client.send("GET", "/runtime/invocation/next")
      let answer = try await client.send("POST", path, headers: headers.filter { !$0.key.isEmpty })
      let id = try #require(next.headers["lambda-runtime-aws-request-id"])
      _ = try await client.send("POST", "/runtime/invocation/\(id)/response", body: Array("{}".utf8))
      _ = await completion
      return answer
    }
    #expect(answer.status == status)
    #expect(answer.body.contains(text))
  }

  @Test(arguments: [(RuntimeAPILimits.payloadBytes, 202), (RuntimeAPILimits.payloadBytes + 1, 413)])
  func limitsResponsesToSixMebibytesAndAHundredBytes(_ size: Int, _ status: Int) async throws {
    let posted = try await RuntimeAPIServer.served { server, client in
      async let completion = server.invoke(Self.event([]))
      let next = try await client.send("GET", "/runtime/invocation/next")
      let id = try #require(next.headers["lambda-runtime-aws-request-id"])
      let posted = try await client.send(
        "POST", "/runtime/invocation/\(id)/response", body: [UInt8](repeating: 0x20, count: size))
      _ = await completion
      return posted
    }
    #expect(posted.status == status)
    if status == 413 { #expect(posted.body.contains("(6291556 bytes)")) }
  }

  @Test func invocationWithoutAnAnswerTimesOut() async throws {
    let clock = HeldClock()
    let completion = try await RuntimeAPIServer.served(clock: clock.clock) { server, client in
      async let completion = server.invoke(Self.event([], timeout: 3000))
      _ = try await client.send("GET", "/runtime/invocation/next")
      await clock.advance(milliseconds: 3000)
      return await completion
    }
    #expect(completion.answer == .timedOut(milliseconds: 3000))
    #expect(completion.microseconds == 3_000_000)
  }

  @Test func serverEndsDespiteAnOpenPoll() async throws {
    let poll = try await RuntimeAPIServer.served { _, client in
      Task { try? await client.send("GET", "/runtime/invocation/next") }
    }
    let answer = await poll.value
    #expect(answer == nil || answer?.status == 500)
  }
}
