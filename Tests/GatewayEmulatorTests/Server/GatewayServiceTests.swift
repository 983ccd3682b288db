@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import LambdaEmulator
@testable import Templates
import Synchronization
import Testing

/// The running gateway with functions and a clock of the test.
@Suite struct GatewayServiceTests {
  /// A function that does not answer until it is released.
  final class Stalled: FunctionInvoking {
    private let (release, releaser) = AsyncStream.makeStream(of: Void.self)

    func outcome(of _: [UInt8]) async -> FunctionOutcome {
      for await _ in release {}
      return FunctionOutcome(answer: .died(.status(1)))
    }

    func finish() { releaser.finish() }
  }

  struct Fixed: FunctionInvoking {
    let answer: InvocationAnswer
    func outcome(of _: [UInt8]) async -> FunctionOutcome { FunctionOutcome(answer: answer, reason: "noRule") }
  }

  /// A function with a clock.
  final class Clocked: FunctionInvoking {
    let offsets = Mutex<[Int64]>([])
    func outcome(of _: [UInt8]) async -> FunctionOutcome { FunctionOutcome(answer: GatewayStage.policy()) }
    func setClockOffset(seconds: Int64) -> Bool {
      offsets.withLock { $0.append(seconds) }
      return true
    }
  }

  @Test func functionsFollowTheClockAndOthersAreListed() throws {
    let clocked = Clocked()
    let service = GatewayService(
      gateway: Gateway(
        try GatewayTemplate(parsing: StatusTemplates.rest).served, settings: Assumptions()),
      functions: ["Authorizer": clocked, "Backend": Fixed(answer: .response([]))], clockOffsetSeconds: 60)
    #expect(service.unmovedFunctions == ["Backend"])
    #expect(service.moveClock(bySeconds: 40))
    #expect(!service.moveClock(bySeconds: .max))
    #expect(service.moveClock(bySeconds: -100))
    #expect(clocked.offsets.withLock { $0 } == [60, 100, 0])
    #expect(service.unmovedFunctions == [])
  }

  static func service(
    _ template: String, _ functions: [String: any FunctionInvoking], clock: LambdaClock = .longTimeouts,
    onRecord: @escaping @Sendable (AccessRecord) -> Void = { _ in }
  ) throws -> GatewayService {
    GatewayService(
      gateway: Gateway(try GatewayTemplate(parsing: template).served, settings: Assumptions()),
      functions: functions, clock: clock, onRecord: onRecord)
  }

  static func answer(_ service: GatewayService, _ path: String) async -> GatewayAnswer {
    await service.answer(
      GatewayRequest(method: "GET", path: path, headers: GatewayStage.bearer), to: service.gateway.apis[0])
  }

  @Test(arguments: [
    (StatusTemplates.rest, "/prod/pets", 29_000, #"{"message":null}"#),
    (StatusTemplates.http(), "/pets", 10_000, #"{"message":"Internal Server Error"}"#),
  ]) func anAuthorizerThatTakesTooLongIsA500(
    _ template: String, _ path: String, _ milliseconds: Int, _ body: String
  ) async throws {
    let waits = Mutex<[Int]>([])
    let clock = LambdaClock(
      now: LambdaClock.system.now, wait: { waited in waits.withLock { $0.append(waited) } })
    let stalled = Stalled()
    let service = try Self.service(template, ["Authorizer": stalled], clock: clock)
    let answer = await Self.answer(service, path)
    stalled.finish()
    #expect(answer.response.status == 500)
    #expect(answer.text == body)
    #expect(answer.record.decision == "the function did not answer within \(milliseconds / 1000) s")
    #expect(waits.withLock { $0 } == [milliseconds])
    #expect(service.keptAnswers == 0)
  }

  /// aws-sam-cli allowed requests if the authorizer's function was missing.
  @Test func anAuthorizerWithoutAFunctionFailsEachRequest() async throws {
    let service = try Self.service(StatusTemplates.rest, [:])
    let answer = await Self.answer(service, "/prod/pets")
    #expect(answer.response.status == 500)
    #expect(answer.record.decision.contains("no command for Authorizer"))
  }

  @Test func recordsEachRequestWithTheFunctionsReason() async throws {
    let records = Mutex<[AccessRecord]>([])
    let service = try Self.service(
      StatusTemplates.rest, ["Authorizer": Fixed(answer: GatewayStage.policy("Deny"))],
      onRecord: { record in records.withLock { $0.append(record) } })
    _ = await Self.answer(service, "/prod/pets")
    _ = await Self.answer(service, "/prod/nothing")
    let seen = records.withLock { $0 }
    #expect(seen.map(\.status) == [403, 403])
    #expect(seen[0].reason == "noRule")
    #expect(seen[0].line.hasSuffix(#"decision="denied by Statement[0]" reason=noRule"#))
    #expect(seen[1].authorizer == nil)
  }

  /// The caller of a sign-in route without an authorizer receives a 401 or a 500; only the log has the reason.
  @Test(arguments: [
    (
      InvocationAnswer.response(Array(#"{"statusCode":401}"#.utf8)), 401,
      #"reason=noRule backend="Backend: noRule""#
    ),
    (.response(Array("not json".utf8)), 502, #"backend="Backend: its answer is malformed""#),
    (
      .error(
        FunctionErrorReport(
          headerType: "Function.InvalidConfiguration",
          document: RuntimeReply.errorBody(message: "store: missing", type: "Function.InvalidConfiguration"))),
      502, #"backend="Backend: function error Function.InvalidConfiguration: store: missing""#
    ),
  ]) func logsWhyTheFunctionBehindARouteRefuses(
    _ answer: InvocationAnswer, _ status: Int, _ end: String
  ) async throws {
    let service = try Self.service(
      StatusTemplates.rest,
      ["Authorizer": Fixed(answer: GatewayStage.policy()), "Backend": Fixed(answer: answer)])
    let record = await Self.answer(service, "/prod/pets").record
    #expect(record.status == status)
    #expect(record.line.hasSuffix(end))
  }

  struct Backend: Sendable {
    let answer: String
    let rest: Int
    let http2: Int

    init(_ answer: String, rest: Int, http2: Int) {
      self.answer = answer
      self.rest = rest
      self.http2 = http2
    }
  }

  @Test(arguments: [
    Backend(#"{"statusCode":201,"body":"x","headers":{"A":"b","N":7}}"#, rest: 201, http2: 201),
    Backend(#"{"statusCode":"204"}"#, rest: 204, http2: 204),
    Backend(#"{"statusCode":200,"body":"aGk=","isBase64Encoded":true}"#, rest: 200, http2: 200),
    // LocalStack recorded these on AWS (`test_lambda_aws_proxy_response_format`): no member is required, and no other
    // member is accepted.
    Backend(#"{"hello":1}"#, rest: 502, http2: 200),
    Backend(#"{"statusCode":200,"wrongValue":"value"}"#, rest: 502, http2: 200),
    Backend(#"{"headers":{"test-header":"value"}}"#, rest: 200, http2: 200),
    Backend("{}", rest: 200, http2: 200), Backend(#""text""#, rest: 502, http2: 200),
    Backend(#"{"statusCode":99}"#, rest: 502, http2: 500), Backend("not json", rest: 502, http2: 500),
    Backend(#"{"statusCode":200,"body":{}}"#, rest: 502, http2: 500),
    Backend(#"{"statusCode":200,"body":"?","isBase64Encoded":true}"#, rest: 200, http2: 500),
    Backend(#"{"statusCode":200,"headers":{"a":[]}}"#, rest: 502, http2: 500),
  ]) func interpretsBackendAnswersLikeAWS(_ backend: Backend) async throws {
    let functions: [String: any FunctionInvoking] = [
      "Authorizer": Fixed(answer: GatewayStage.policy()),
      "Backend": Fixed(answer: .response(Array(backend.answer.utf8))),
    ]
    let rest = await Self.answer(try Self.service(StatusTemplates.rest, functions), "/prod/pets")
    #expect(rest.response.status == backend.rest)
    if backend.rest == 502 { #expect(rest.text == #"{"message":"Internal server error"}"#) }
    let http = await Self.answer(try Self.service(StatusTemplates.http(), functions), "/pets")
    #expect(http.response.status == backend.http2)
  }
}
