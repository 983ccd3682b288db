@testable import AuthorizerContract
@testable import GatewayModel
@testable import IAMPolicy
@testable import LambdaEmulator
import TestSupport
import Testing

@Suite struct EvaluationTests {
  static let arn = "arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets"
  static let events: [EventKind: String] = [
    .restToken: #"{"type":"TOKEN","methodArn":"\#(arn)","authorizationToken":"Bearer x"}"#,
    .restRequest: #"{"type":"REQUEST","methodArn":"\#(arn)","requestContext":{}}"#,
    .http1: #"{"type":"REQUEST","version":"1.0","methodArn":"\#(arn)"}"#,
    .http2: #"{"type":"REQUEST","version":"2.0","routeArn":"\#(arn)"}"#,
    .webSocket: #"{"type":"REQUEST","methodArn":"arn:aws:execute-api:r:1:api/prod/$connect"}"#,
  ]

  static func evaluation(_ kind: EventKind, _ answer: String) -> Evaluation {
    Evaluation(of: .response(Array(answer.utf8)), to: Array((events[kind] ?? "").utf8))
  }

  static func policy(
    _ effect: String, resource: String = "*", principal: String = #""principalId":"u","#, more: String = ""
  ) -> String {
    #"{\#(principal)"policyDocument":{"Version":"2012-10-17","Statement":[{"Action":"execute-api:Invoke","#
      + #""Effect":"\#(effect)","Resource":"\#(resource)"}]}\#(more)}"#
  }

  @Test(arguments: EventKind.allCases) func evaluatesThePolicyForTheEventsRoute(_ kind: EventKind) {
    let allowed = Self.evaluation(kind, Self.policy("Allow"))
    #expect(allowed.outcome == .allowed)
    #expect(allowed.decision == .allowed(statement: 0))
    #expect(Self.evaluation(kind, Self.policy("Deny")).outcome == .forbidden)
    #expect(Self.evaluation(kind, Self.policy("Allow", resource: "arn:other")).decision == .implicitlyDenied)
  }

  @Test(arguments: EventKind.allCases) func detectsTheKind(_ kind: EventKind) {
    #expect(AuthorizerEvent(Array((Self.events[kind] ?? "").utf8))?.kind == kind)
  }

  /// `EnableSimpleResponses` is in the template, not in the event.
  @Test(
    arguments: [
      (nil, #"{"isAuthorized":true}"#, "isAuthorized is true, which needs EnableSimpleResponses: true"),
      (nil, #"{"isAuthorized":false}"#, "isAuthorized is false, which needs EnableSimpleResponses: true"),
      (nil, policy("Allow"), "allowed by Statement[0]"), (false, policy("Deny"), "denied by Statement[0]"),
      (true, #"{"isAuthorized":true}"#, "isAuthorized is true"),
      (
        false, #"{"isAuthorized":true}"#,
        "malformed answer: it has isAuthorized, but EnableSimpleResponses of the authorizer is false"
      ),
      (
        true, policy("Allow"),
        "malformed answer: it has policyDocument, but EnableSimpleResponses of the authorizer is true"
      ),
      (nil, "{}", "malformed answer: policyDocument or isAuthorized is missing"),
      (true, "{}", "malformed answer: isAuthorized is missing"),
      (false, "{}", "malformed answer: policyDocument is missing"),
      (
        nil, policy("Allow", more: #","isAuthorized":true"#),
        "malformed answer: isAuthorized and policyDocument in one answer: AWS does not define which applies"
      ),
    ] as [(Bool?, String, String)])
  func anUnknownSettingAcceptsBothForms(_ isSimple: Bool?, _ answer: String, _ explanation: String) {
    var rules = AnswerRules(takesSimpleAnswers: isSimple)
    rules.assumptions.bothAnswerForms = isSimple == nil ? .configured : .refused
    let event = Array((Self.events[.http2] ?? "").utf8)
    let found = Evaluation(of: .response(Array(answer.utf8)), to: event, by: rules)
    #expect(found.explanation == explanation)
  }

  @Test func acceptsSimpleAnswersOnlyForPayloadFormatTwo() {
    #expect(
      Self.evaluation(.http2, #"{"isAuthorized":true,"context":{"a":[1,{"b":null}]}}"#).outcome == .allowed)
    #expect(Self.evaluation(.http2, #"{"isAuthorized":false}"#).outcome == .forbidden)
    for kind in EventKind.allCases where kind != .http2 {
      #expect(
        Self.evaluation(kind, #"{"isAuthorized":true}"#).failure == .malformedAnswer(.simpleAnswerTo(kind)))
    }
  }

  /// lambda_authorizer#1: `AuthorizerConfigurationException` without a reason.
  @Test(arguments: [
    (EventKind.restToken, "not json", "notJSON"), (.restToken, "[]", "wrongType"),
    (.restToken, "{}", "missing"),
    (.restToken, policy("Allow", principal: ""), "missing"),
    (.restToken, policy("Allow", principal: #""principalId":"","#), "empty"),
    (.restToken, policy("Allow", principal: #""principalId":7,"#), "wrongType"),
    (.restToken, policy("Allow", principal: #""PrincipalId":"u","#), "wrongCase"),
    (.restToken, #"{"principalId":"u","PolicyDocument":{}}"#, "wrongCase"),
    (.restToken, #"{"principalId":"u","policyDocument":{"Statement":[]}}"#, "policy.empty"),
    (.restToken, #"{"principalId":"u","policyDocument":{"statement":[]}}"#, "policy.wrongCase"),
    (.restToken, #"{"principalId":"u","policyDocument":null}"#, "policy.wrongType"),
    (.restToken, policy("allow"), "policy.wrongType"),
    (.restToken, policy("Allow", more: #","context":{"a":{"b":1}}"#), "wrongType"),
    (.restRequest, policy("Allow", more: #","context":{"a":[1]}"#), "wrongType"),
    (.http1, policy("Allow", more: #","context":{"a":null}"#), "wrongType"),
    (.webSocket, policy("Allow", more: #","context":[]"#), "wrongType"),
    (
      .webSocket, policy("Allow", more: #","context":{"a":"\#(String(repeating: "x", count: 8192))"}"#),
      "tooLarge"
    ),
    (.restToken, policy("Allow", more: #","usageIdentifierKey":null"#), "wrongType"),
    (.http2, #"{"isAuthorized":"false"}"#, "wrongType"), (.http2, #"{"isauthorized":true}"#, "wrongCase"),
    (.http2, #"{"isAuthorised":true}"#, "misspelled"), (.http1, #"{"isAuthorised":true}"#, "missing"),
    (.restToken, #"{"principalId":"u","policyDocumnet":{}}"#, "misspelled"),
    (.restToken, policy("Allow", principal: #""principleId":"u","#), "misspelled"),
    (.http2, policy("Allow", more: #","isAuthorized":true"#), "bothForms"),
    (.restToken, #"{"errorMessage":"Unauthorised"}"#, "errorAsResponse"),
    (.restToken, #"{"errorMessage":"unauthorized"}"#, "errorAsResponse"),
  ]) func malformedAnswerIsAFailureWithACode(_ kind: EventKind, _ answer: String, _ code: String) {
    let evaluation = Self.evaluation(kind, answer)
    #expect(evaluation.outcome == .failure)
    guard case .malformedAnswer(let error)? = evaluation.failure else {
      Issue.record("\(evaluation)")
      return
    }
    let cause = if case .policy(let inner) = error { "." + caseName(inner.problem) } else { "" }
    #expect(caseName(error) + cause == code)
  }

  @Test func explainsANullCondition() {
    let answer = Self.policy("Allow").replacing(#""Effect""#, with: #""Condition":null,"Effect""#)
    let text = "malformed answer: Statement[0].Condition is null, which API Gateway refuses; leave it out"
    #expect(Self.evaluation(.restToken, answer).explanation == text)
  }

  @Test(arguments: [
    ("Unauthorized", Outcome.unauthorized), ("unauthorized", .failure), ("Unauthorized.", .failure),
    ("Unauthorized ", .failure), ("keysUnavailable: no keys", .failure),
  ]) func onlyTheExactMessageIsA401(_ message: String, _ outcome: Outcome) {
    let report = FunctionErrorReport(
      headerType: "Function.X", document: Array(#"{"errorMessage":"\#(message)","errorType":"T"}"#.utf8))
    let event = Array((Self.events[.restToken] ?? "").utf8)
    #expect(Evaluation(of: .error(report), to: event).outcome == outcome)
    let returned = Self.evaluation(.http1, #"{"errorMessage":"\#(message)"}"#)
    #expect(returned.outcome == outcome)
  }

  @Test(arguments: [
    "{}", "[]", "not json", #"{"type":"TOKEN"}"#, #"{"type":"REQUEST"}"#,
    #"{"type":"REQUEST","methodArn":1}"#,
    #"{"methodArn":"a"}"#, #"{"version":"2.0","routeArn":"a"}"#,
  ]) func refusesEventsThatNoGatewaySends(_ event: String) {
    #expect(AuthorizerEvent(Array(event.utf8)) == nil)
    let evaluation = Evaluation(of: .response(Array(Self.policy("Allow").utf8)), to: Array(event.utf8))
    #expect(evaluation.failure == .notAuthorizerEvent)
  }

  /// Conditions use the request data of the event; without the needed data there is no evaluation.
  @Test(arguments: [
    (
      EventKind.restRequest,
      #""requestContext":{"identity":{"sourceIp":"10.0.0.7"}},"headers":{"User-Agent":"curl"}"#,
      #"{"IpAddress":{"aws:SourceIp":"10.0.0.0/8"},"StringEquals":{"aws:UserAgent":"curl"},"Null":{"aws:Referer":"true"}}"#,
      Outcome.allowed
    ),
    (
      .http2, #""requestContext":{"http":{"sourceIp":"2001:db8::1"}},"headers":{"referer":"https://a/"}"#,
      #"{"IpAddress":{"aws:SourceIp":"2001:db8::/32"},"StringLike":{"aws:Referer":"https://a/*"}}"#, .allowed
    ),
    (
      .restRequest, #""requestContext":{"identity":{"vpceId":"vpce-1"}},"headers":{}"#,
      #"{"StringEquals":{"aws:SourceVpce":"vpce-1"},"Null":{"aws:SourceVpc":"true"}}"#, .allowed
    ),
    (.http2, #""headers":{}"#, #"{"DateLessThan":{"aws:CurrentTime":"2026-11-22"}}"#, .allowed),
    (.http2, #""headers":{}"#, #"{"DateLessThan":{"aws:CurrentTime":"2026-11-20"}}"#, .forbidden),
    (.restToken, #""authorizationToken":"x""#, #"{"IpAddress":{"aws:SourceIp":"10.0.0.0/8"}}"#, .failure),
    (.restToken, #""authorizationToken":"x""#, #"{"Null":{"aws:UserAgent":"true"}}"#, .failure),
  ]) func readsConditionValuesFromTheEvent(
    _ kind: EventKind, _ more: String, _ condition: String, _ outcome: Outcome
  ) {
    let type = kind == .restToken ? "TOKEN" : "REQUEST"
    let event = #"{"type":"\#(type)","\#(kind == .http2 ? "routeArn" : "methodArn")":"a",\#(more)}"#
    let answer = Self.policy("Allow").replacing(#""Effect""#, with: #""Condition":\#(condition),"Effect""#)
    let evaluation = Evaluation(
      of: .response(Array(answer.utf8)), to: Array(event.utf8), at: 1_795_255_200)
    #expect(evaluation.outcome == outcome, "\(evaluation.explanation)")
  }

  @Test func detectsTheKindDespiteAForeignVersion() {
    let event =
      #"{"type":"REQUEST","version":"$LATEST","methodArn":"a","requestContext":{"eventType":"CONNECT"}}"#
    #expect(AuthorizerEvent(Array(event.utf8))?.kind == .webSocket)
  }
}
