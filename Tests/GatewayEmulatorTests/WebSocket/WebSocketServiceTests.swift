@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import LambdaEmulator
@testable import Templates
import JSON
import Synchronization
import Testing

/// Messages through the running gateway, with functions of the test.
@Suite struct WebSocketServiceTests {
  typealias Stage = WebSocketStage

  @Test(arguments: [
    (InvocationAnswer.response(Array(#"{"statusCode":200,"body":"hi"}"#.utf8)), "hi"),
    (GatewayStage.error("x"), "Internal server error"),
    (.response(Array("null".utf8)), "Internal server error"),
    (.timedOut(milliseconds: 3000), "Internal server error"),
  ]) func aFunctionAnswersAMessage(_ answer: InvocationAnswer, _ words: String) async throws {
    let api = try Stage.api([Stage.route("send", reply: .both)])
    let service = GatewayService(
      gateway: Stage.gateway([api]), functions: ["F": GatewayServiceTests.Fixed(answer: answer)],
      clock: .longTimeouts)
    let text = await service.answer(
      .message(identifier: "m"), Array(#"{"action":"send"}"#.utf8), of: Stage.session(api))
    #expect(String(decoding: try #require(text), as: UTF8.self).contains(words))
  }

  @Test func aFunctionThatTakesTooLongTimesOut() async throws {
    let api = try Stage.api([Stage.route("send")])
    let stalled = GatewayServiceTests.Stalled()
    let waits = Mutex<[Int]>([])
    let clock = LambdaClock(
      now: LambdaClock.system.now, wait: { waited in waits.withLock { $0.append(waited) } })
    let service = GatewayService(gateway: Stage.gateway([api]), functions: ["F": stalled], clock: clock)
    let text = await service.answer(
      .message(identifier: "m"), Array(#"{"action":"send"}"#.utf8), of: Stage.session(api))
    stalled.finish()
    #expect(String(decoding: try #require(text), as: UTF8.self).contains("Endpoint request timed out"))
    #expect(waits.withLock { $0 } == [29_000])
  }

  @Test func aMissingFunctionIsReplacedByTheEcho() async throws {
    let api = try Stage.api([Stage.route("send"), Stage.route("$disconnect")])
    let service = GatewayService(gateway: Stage.gateway([api]), functions: [:])
    let text = await service.answer(
      .message(identifier: "m"), Array(#"{"action":"send"}"#.utf8), of: Stage.session(api))
    #expect(
      try JSONTree(parsing: try #require(text)).at("event", "requestContext", "routeKey") == .string("send"))
    #expect(await service.answer(.disconnect(.lost), of: Stage.session(api)) == nil)
  }

  @Test func theAuthorizersContextStaysWithTheConnection() async throws {
    let template = try GatewayTemplate(parsing: TemplateSamples.deployed())
    let policy = GatewayStage.policy(context: #"{"sub":"alice"}"#)
    let service = GatewayService(
      gateway: Gateway(template.served, settings: Assumptions()),
      functions: ["AuthorizerFunction": GatewayServiceTests.Fixed(answer: policy)], clock: .longTimeouts)
    let api = try #require(template.apis.first { $0.name == "WebSocketApi" })
    let answer = await service.answer(
      GatewayRequest(method: "GET", path: "/live", headers: GatewayStage.bearer), to: api,
      connectionID: Stage.identifier)
    #expect(answer.response.status == 200)
    #expect(answer.authorizer?.variables["sub"] == "alice")
    #expect(answer.authorizer?.members["principalId"] == .string("user-1"))
  }

  /// Nothing checks the key, so no client gets in.
  @Test(arguments: [GatewayIntegration.webSocketMock, .function("F", .webSocket)])
  func aConnectionThatNeedsAKeyIsRefused(_ integration: GatewayIntegration) async throws {
    let api = try Stage.api([Stage.route("$connect", integration, needsAPIKey: true)])
    let answer = await GatewayService(gateway: Stage.gateway([api]), functions: [:]).answer(
      GatewayRequest(method: "GET", path: "/live", headers: [.init("x-api-key", "k")]), to: api,
      connectionID: Stage.identifier)
    #expect(answer.response.status == 403)
  }
}
