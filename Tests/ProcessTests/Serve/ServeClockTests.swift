@testable import LambdaEmulator
import Foundation
import JSON
import Testing
import TestSupport

/// Gateway, issuer and function share one clock.
@Suite(.needsBootstrap, .serialized, .hangLimit)
struct ServeClockTests {
  static func me(_ gateway: ServedGateway, _ token: String) async throws -> Int {
    try await gateway.send("GET", "/RestApi/prod/me", headers: ["Authorization": "Bearer \(token)"]).status
  }

  static func move(_ gateway: ServedGateway, _ distance: String) async throws -> ServedGateway.Answer {
    try await gateway.send("POST", "/dev/clock", body: #"{"move":"\#(distance)"}"#)
  }

  /// The gateway caches the authorizer's answer for 300 s.
  @Test func rejectsATokenAfterItsExpiryAndTheCacheTTL() async throws {
    let workshop = try Workshop()
    let gateway = try ServeTests.gateway(workshop)
    let token = try await gateway.token("user=alice&expires=%2B2m")
    #expect(try await Self.me(gateway, token) == 200)
    let moved = try await Self.move(gateway, "+181s")
    #expect(moved.status == 200)
    #expect(moved.json?["unmovedFunctions"] == .array([]))
    #expect(try await Self.me(gateway, token) == 200)
    #expect(gateway.logText.contains("answer=cache"))
    #expect(try await Self.move(gateway, "+120s").status == 200)
    #expect(try await Self.me(gateway, token) == 401)
    #expect(gateway.logText.contains("reason=expired"))
    #expect(try await Self.me(gateway, try await gateway.token("user=alice&expires=%2B2m")) == 200)
    // After moving the clock back, the token is valid again, and a token from the future is not.
    let future = try await gateway.token("user=bob")
    #expect(try await Self.move(gateway, "-301s").status == 200)
    #expect(try await gateway.send("POST", "/dev/cache/flush").status == 200)
    #expect(try await Self.me(gateway, token) == 200)
    #expect(try await Self.me(gateway, future) == 401)
  }

  @Test(arguments: ["+1h", "-1h"]) func clockOptionMovesTheFunctionsClock(_ distance: String)
    async throws
  {
    let workshop = try Workshop()
    let gateway = try ServeTests.gateway(workshop, ["--clock=\(distance)"])
    #expect(try await Self.me(gateway, try await gateway.token("user=alice")) == 200)
    #expect(gateway.logText.contains("the clock of gateway, issuer and function is"))
    #expect(!gateway.logText.contains("uses this machine's clock"))
  }

  @Test func reportsThatAFunctionWithRealKeysKeepsItsClock() async throws {
    let workshop = try Workshop()
    let gateway = try ServeTests.gateway(workshop, ["--clock", "+1h", "--real-keys"])
    let clock = try await gateway.send("GET", "/dev/clock")
    #expect(clock.json?["unmovedFunctions"] == .array([.string("AuthorizerFunction")]))
    #expect(gateway.logText.contains("AuthorizerFunction uses this machine's clock"))
  }

  /// The function with the variables of a deployment.
  @Test(arguments: [nil, "0"] as [String?]) func deployedFunctionRefusesAClockOffset(_ mode: String?)
    async throws
  {
    var variables = [
      "AUTHORIZER_ISSUER": "apple", "AUTHORIZER_AUDIENCE": "com.example.app",
      "AUTHORIZER_CLOCK_OFFSET_SECONDS": "-86400",
    ]
    variables["AUTHORIZER_DEVELOPMENT"] = mode
    let function = RecordedFunction(Workshop.bootstrap, in: URL(filePath: "/tmp"), variables)
    let answer = try await function.run {
      await $0.invoke(event: Array("{}".utf8)).answer
    }
    guard case .initializationFailed(.reported(let report)) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(report.headerType == "Function.InvalidConfiguration")
    #expect(
      String(decoding: report.document, as: UTF8.self).contains(
        "AUTHORIZER_CLOCK_OFFSET_SECONDS: moves the clock, which requires AUTHORIZER_DEVELOPMENT=1"))
  }
}
