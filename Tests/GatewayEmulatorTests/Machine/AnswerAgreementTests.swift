@testable import EmulatorTestSupport
@testable import AuthorizerContract
@testable import GatewayModel
import JSON
import Testing

/// `serve` and its console, `invoke`, `test` and `bench` interpret one answer alike.
@Suite struct AnswerAgreementTests {
  /// A gateway with one API of a kind, whose only route has an authorizer without a cache.
  private static func stage(_ kind: EventKind, _ sample: AnswerSample) throws -> GatewayStage {
    let sources = [IdentitySource.header("Authorization")]
    let form: GatewayAuthorizer.Form =
      switch kind {
      case .restToken: .token(header: "Authorization", nil)
      case .restRequest: .restRequest(sources)
      case .http1: .http1(sources)
      case .http2: .http2(sources, simpleAnswers: sample.isSimple)
      case .webSocket: .webSocket(sources)
      }
    let authorizer = GatewayAuthorizer(name: "Guard", function: "Guard", form: form, timeToLiveSeconds: 0)
    let api =
      kind == .webSocket
      ? try WebSocketStage.api(
        [WebSocketStage.route("$connect", .webSocketMock, access: .lambda(authorizer))], stage: "prod")
      : GatewayStage.api(
        [try GatewayStage.route("GET /pets", access: .lambda(authorizer))],
        isREST: kind == .restToken || kind == .restRequest)
    return GatewayStage([api], settings: try behaviors(sample)) { _ in sample.answer }
  }

  private static func behaviors(_ sample: AnswerSample) throws -> UnsettledBehaviors {
    var behaviors = UnsettledBehaviors()
    for text in sample.assumptions { #expect(behaviors.assume(text) == nil) }
    return behaviors
  }

  private static func outcome(ofStatus status: Int) -> Outcome? {
    [200: .allowed, 101: .allowed, 403: .forbidden, 401: .unauthorized, 500: .failure][status]
  }

  @Test(arguments: AnswerSample.all) func everyCommandInterpretsAnAnswerAlike(_ sample: AnswerSample) throws {
    for kind in sample.kinds {
      let expected = sample.outcome(for: kind)
      var stage = try Self.stage(kind, sample)
      let path = [.http1, .http2].contains(kind) ? "/pets" : kind == .webSocket ? "/prod" : "/prod/pets"
      let served = stage.send(
        "GET", path, connectionID: kind == .webSocket ? WebSocketStage.identifier : nil)
      let status = served.record.status
      #expect(Self.outcome(ofStatus: status) == expected, "serve, \(kind): \(served.record.line)")

      let event = try #require(stage.events.last).bytes()
      let rules = AnswerRules(
        takesSimpleAnswers: sample.isSimple, assumptions: try Self.behaviors(sample))
      let found = Evaluation(of: sample.answer, to: event, by: rules, at: stage.now / 1000)
      #expect(found.outcome == expected, "test, \(kind): \(found.explanation)")
      #expect(found.explanation == served.record.decision, "\(kind)")
      // The console shows the evaluation of `serve`.
      if let shown = served.exchange?.evidence?.evaluation { #expect(shown == found, "console, \(kind)") }
    }
  }
}
