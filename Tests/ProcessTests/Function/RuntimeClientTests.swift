import LambdaEmulator
import Foundation
import JSON
import Testing
import TestSupport

/// AWS's Python runtime client (`awslambdaric`) under our Runtime API.
@Suite(.enabled(if: Clients.areInstalled, Clients.why), .hangLimit)
struct RuntimeClientTests {
  static func value(_ result: InvocationResult) throws -> JSONValue {
    try JSONDocument(parsing: result.payload, limits: .event).root
  }

  @Test func handlerReceivesTheSameContextAsOnLambda() async throws {
    let (first, second) = try await Clients.run { pool in
      let context = InvocationContext(
        qualifier: "live", clientContext: #"{"custom":{"plan":"gold"},"client":{"app_title":"x"}}"#,
        traceID: "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Sampled=0", waitsForReport: true)
      let first = try await pool.invoke(Array(#"{"do":"tell"}"#.utf8), context: context)
      return (first, try await pool.invoke(Array(#"{"do":"tell"}"#.utf8)))
    }
    let seen = try Self.value(first)
    #expect(seen["event"]?["do"]?.text == "tell")
    #expect(seen["arn"]?.text == "arn:aws:lambda:us-east-1:123456789012:function:python:live")
    #expect(seen["name"]?.text == "python")
    #expect(seen["memory"]?.text == "256")
    #expect(seen["version"]?.text == "$LATEST")
    #expect(seen["request"]?.text == first.requestID)
    #expect(seen["custom"]?["plan"]?.text == "gold")
    #expect(seen["trace"]?.text == "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Sampled=0")
    #expect(seen["variable"]?.text == "a=b=c")
    let remaining = try #require(seen["remaining"]?.number?.integer)
    // The time since the deadline was set depends on the machine.
    #expect(remaining > 60_000 && remaining <= HangLimit.milliseconds, "\(remaining)")
    #expect(first.report?.initializationNanoseconds != nil)
    #expect((first.report?.peakMemoryMegabytes ?? 0) > 10)
    #expect(first.cloudLog.contains("doing tell"))
    // A warm process answers the second, without a client context.
    let warm = try Self.value(second)
    #expect(warm["process"]?.number?.integer == seen["process"]?.number?.integer)
    #expect(warm["custom"]?.kind == .null)
    #expect(warm["arn"]?.text == "arn:aws:lambda:us-east-1:123456789012:function:python")
  }

  @Test func exceptionIsAFunctionErrorWithItsType() async throws {
    let result = try await Clients.run { try await $0.invoke(Array(#"{"do":"fail"}"#.utf8)) }
    #expect(result.isFunctionError)
    let document = try Self.value(result)
    #expect(document["errorType"]?.text == "ValueError")
    #expect(document["errorMessage"]?.text == "no such thing")
    #expect(document["stackTrace"]?.elements.contains { _ in true } == true)
  }

  @Test(arguments: [
    ("exit", "Error: Runtime exited with error: exit status 3"),
    ("crash", "Error: Runtime exited with error: signal: segmentation fault"),
  ]) func reportsAndRestartsAnEndedProcess(_ what: String, _ reason: String) async throws {
    let (end, next) = try await Clients.run { pool in
      let end = try await pool.invoke(Array("{\"do\":\"\(what)\"}".utf8))
      return (end, try await pool.invoke(Array(#"{"do":"tell"}"#.utf8)))
    }
    #expect(try Self.value(end)["errorType"]?.text == "Runtime.ExitError")
    #expect(try Self.value(end)["errorMessage"]?.text?.hasSuffix(reason) == true)
    #expect(!next.isFunctionError)
  }

  @Test func missingHandlerFailsTheInitialization() async throws {
    var settings = Clients.function
    settings.arguments = ["-m", "awslambdaric", "nowhere.run"]
    settings.handler = "nowhere.run"
    let function = settings
    let result = try await Clients.run(function) {
      try await $0.invoke(Array("{}".utf8), context: InvocationContext(waitsForReport: true))
    }
    #expect(try Self.value(result)["errorType"]?.text == "Runtime.ImportModuleError")
    #expect(result.report?.status == .error(type: "Runtime.ImportModuleError"))
    #expect(result.cloudLog.contains { $0.hasPrefix("INIT_REPORT") && $0.contains("Phase: invoke") })
  }

  @Test func reportsATooLargeAnswerAndContinues() async throws {
    let (large, next) = try await Clients.run { pool in
      let large = try await pool.invoke(Array(#"{"do":"large","bytes":6291600}"#.utf8))
      return (large, try await pool.invoke(Array(#"{"do":"tell"}"#.utf8)))
    }
    #expect(try Self.value(large)["errorType"]?.text == "Function.ResponseSizeTooLarge")
    #expect(!next.isFunctionError)
  }

  @Test func manyEnvironmentsLoseNoAnswer() async throws {
    var settings = Clients.function
    settings.concurrency = 3
    let function = settings
    let answers = try await Clients.run(function) { pool in
      try await withThrowingTaskGroup(of: (Int64?, Int64).self) { group in
        for number in 0..<60 {
          group.addTask {
            let event = Array("{\"do\":\"tell\",\"number\":\(number)}".utf8)
            let answer = try Self.value(try await pool.invoke(event))
            return (answer["event"]?["number"]?.number?.integer, Int64(number))
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    #expect(answers.count == 60)
    #expect(answers.allSatisfy { $0.0 == $0.1 })
  }
}
