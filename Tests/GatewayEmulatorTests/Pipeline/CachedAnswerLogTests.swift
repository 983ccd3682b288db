@testable import GatewayEmulator
@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import LambdaEmulator
@testable import Text
import JSON
import Testing

/// The log of cached answers.
@Suite struct CachedAnswerLogTests {
  private static let prefix =
    "arn:aws:execute-api:us-east-1:123456789012:\(StableIdentifier.text(of: "Api"))/prod/"

  struct Row: Sendable, CustomTestStringConvertible {
    let effect: String
    let resource: String
    let second: String
    let status: Int
    let isWarned: Bool
    var testDescription: String { "\(effect) \(resource), then \(second)" }

    init(_ effect: String, _ resource: String, then second: String, _ status: Int, warned: Bool) {
      self.effect = effect
      self.resource = resource
      self.second = second
      self.status = status
      isWarned = warned
    }
  }

  /// A policy for only the first requested ARN is probably a mistake; a policy for more is not.
  @Test(arguments: [
    Row("Allow", prefix + "GET/pets", then: "/prod/pets/7", 403, warned: true),
    Row("Allow", prefix + "GET/pets", then: "/prod/pets", 200, warned: false),
    Row("Allow", prefix + "GET/pets*", then: "/prod/pets/7", 200, warned: false),
    Row("Allow", prefix + "*/pets", then: "/prod/pets/7", 403, warned: false),
    Row("Allow", prefix + "GET/other", then: "/prod/pets/7", 403, warned: false),
    Row("Allow", prefix + "GET/pets\",\"" + prefix + "GET/other", then: "/prod/pets/7", 403, warned: false),
    Row("Deny", prefix + "GET/pets", then: "/prod/pets/7", 403, warned: false),
    Row("Deny", "*", then: "/prod/pets/7", 403, warned: false),
  ]) func warnsAboutAPolicyForOneRoute(_ row: Row) throws {
    let resource = row.resource.contains("\"") ? "[\"\(row.resource)\"]" : "\"\(row.resource)\""
    var stage = try GatewayStage(AuthorizerCacheTests.rest) { _ in
      .response(
        Array(
          (#"{"principalId":"u","policyDocument":{"Version":"2012-10-17","Statement":[{"Action":"#
            + #""execute-api:Invoke","Effect":"\#(row.effect)","Resource":\#(resource)}]}}"#).utf8))
    }
    #expect(stage.send("GET", "/prod/pets").record.warning == nil)
    let second = stage.send("GET", row.second)
    #expect(second.record.origin == .fromCache)
    #expect(second.response.status == row.status)
    #expect((second.record.warning != nil) == row.isWarned, "\(second.record.line)")
  }

  /// A function with decision lines allows every route of the token, so its policy for one route is no mistake.
  @Test(arguments: [(false, true), (true, false)])
  func doesNotWarnAboutThisProjectsOwnPolicy(_ hasDecisionLine: Bool, _ isWarned: Bool) throws {
    var stage = try GatewayStage(AuthorizerCacheTests.rest) { _ in
      GatewayStage.policy(resource: Self.prefix + "GET/pets")
    }
    stage.hasDecisionLine = hasDecisionLine
    #expect(stage.send("GET", "/prod/pets").response.status == 200)
    let second = stage.send("GET", "/prod/pets/7")
    #expect(second.record.origin == .fromCache)
    #expect(second.response.status == 403)
    #expect((second.record.warning != nil) == isWarned, "\(second.record.line)")
  }

  /// The function's reason applies only to the ARN of its event.
  @Test func logsTheReasonOnlyForTheSameRequest() throws {
    var stage = try GatewayStage(AuthorizerCacheTests.rest) { _ in GatewayStage.policy("Deny") }
    stage.reason = "insufficientScope(admin)"
    _ = stage.send("GET", "/prod/pets")
    let again = stage.send("GET", "/prod/pets").record
    #expect(again.origin == .fromCache)
    #expect(again.line.hasSuffix(#"decision="denied by Statement[0]" reason=insufficientScope(admin)"#))
    #expect(stage.send("GET", "/prod/pets/7").record.reason == nil)
    #expect(stage.calls == 1)
  }

  @Test func aCachedUnauthorizedHasItsReason() throws {
    var settings = Assumptions()
    #expect(settings.assume("returned-unauthorized-cached=yes") == nil)
    var stage = try GatewayStage(AuthorizerCacheTests.rest, settings: settings) { _ in
      .response(Array(#"{"errorMessage":"Unauthorized"}"#.utf8))
    }
    stage.reason = "expired"
    _ = stage.send("GET", "/prod/pets")
    let again = stage.send("GET", "/prod/pets/7").record
    #expect(again.origin == .fromCache)
    #expect(again.reason == "expired")
  }

  @Test(arguments: [
    (#""reason":"insufficientScope","requiredScope":"admin""#, "insufficientScope(admin)"),
    (#""reason":"noRule""#, "noRule"), (#""reason":"insufficientScope""#, "insufficientScope"),
  ]) func logsTheMissingScope(_ members: String, _ reason: String) {
    let line = #"{"message":"decision","requestId":"r-1","outcome":"forbidden",\#(members)}"#
    let result = InvocationResult(
      requestID: "r-1", answer: GatewayStage.policy("Deny"), microseconds: 1,
      lines: [FunctionLogLine(stream: .standardOutput, text: line)], peakMemoryKiB: nil)
    #expect(result.reason == reason)
  }
}
