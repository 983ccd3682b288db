@testable import AuthorizerContract
@testable import GatewayModel
import Testing

@Suite struct PolicyLintTests {
  static let arn = "arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets"
  static let stage = "arn:aws:execute-api:eu-west-1:123456789012:api/prod/*"

  static func answer(
    _ resource: String = stage, statement: String = "", principal: String = #""principalId":"u","#,
    more: String = "", version: String = #""Version":"2012-10-17","#
  ) -> String {
    #"{\#(principal)"policyDocument":{\#(version)"Statement":[{"Effect":"Allow","Action":"execute-api:Invoke","#
      + #""Resource":"\#(resource)"\#(statement)}]}\#(more)}"#
  }

  static func codes(_ answer: String, _ kind: EventKind = .restToken, ttl: Int? = nil) -> [String] {
    PolicyLint(kind: kind, timeToLiveSeconds: ttl).findings(in: Array(answer.utf8), resource: arn)
      .map(\.code.rawValue)
  }

  @Test func validAnswersHaveNoFindings() {
    for kind in EventKind.allCases { #expect(Self.codes(Self.answer(), kind) == []) }
    #expect(Self.codes(#"{"isAuthorized":true,"context":{"a":[1],"b":null}}"#, .http2) == [])
    #expect(Self.codes("no json") == [])
    #expect(Self.codes(#"{"errorMessage":"Unauthorized"}"#) == [])
  }

  static let findings =
    [
      (answer(arn), EventKind.restToken, nil, "narrowPolicy"),
      (answer(arn), .restRequest, 60, "narrowPolicy"),
      (answer(arn), .http2, 300, "narrowPolicy"), (answer("*"), .restToken, nil, "wideWildcard"),
      (answer("arn:aws:execute-api:*:*:*"), .restToken, nil, "wideWildcard"),
      (answer("arn:aws:execute-api:eu-west-1:123456789012:*/prod/*"), .http1, nil, "wideWildcard"),
      (answer("arn:aws:execute-api:*:123456789012:api/prod/*"), .http1, nil, "wideWildcard"),
      (answer("arn:aws:execute-api:eu-west-1:123456789012:other/prod/*"), .restToken, nil, "otherAPI"),
      (answer(stage + String(repeating: "a", count: 500)), .restToken, nil, "resourceTooLong"),
      (
        answer(more: #","context":{"a":"\#(String(repeating: "x", count: 8192))"}"#), .webSocket, nil,
        "answerTooLarge"
      ),
      (answer(principal: ""), .restToken, nil, "principalMissing"),
      (answer(principal: #""principalId":"","#), .restToken, nil, "principalEmpty"),
      (answer(statement: #","Condition":null"#), .restToken, nil, "conditionNull"),
      (answer(stage + "${aws:username}", version: ""), .restToken, nil, "literalVariable"),
      (
        answer(statement: #","Condition":{"ForAllValues:StringLike":{"aws:UserAgent":"curl*"}}"#), .restToken,
        nil, "setOperatorOnOneValue"
      ),
      (answer(more: #","context":{"roles":["a"]}"#), .restToken, nil, "contextType"),
      (answer(more: #","context":{"plan":null}"#), .http1, nil, "contextType"),
      (answer(more: #","context":{"plan":{}}"#), .webSocket, nil, "contextType"),
      (answer(more: #","context":{"principalId":"x"}"#), .restToken, nil, "contextName"),
      (answer(more: #","context":{"integrationLatency":1}"#), .restRequest, nil, "contextName"),
      (answer(more: #","context":{"claims":"x"}"#), .http1, nil, "contextName"),
      (answer(more: #","context":{"verified":"false"}"#), .restToken, nil, "booleanAsText"),
      (#"{"isAuthorized":"false"}"#, .http2, nil, "booleanAsText"),
    ] as [(String, EventKind, Int?, String)]

  @Test(arguments: findings)
  func reportsEachFindingWithCodeAndCure(_ answer: String, _ kind: EventKind, _ ttl: Int?, _ code: String)
    throws
  {
    #expect(Self.codes(answer, kind, ttl: ttl) == [code])
    #expect(try #require(PolicyLint.Code(rawValue: code)).cure.isEmpty == false)
  }

  /// A narrow policy is valid if it is not cached, or if it depends on the token.
  @Test func allowsNarrowPoliciesWithoutACache() {
    #expect(Self.codes(Self.answer(Self.arn), ttl: 0) == [])
    #expect(Self.codes(Self.answer(Self.arn), .http2) == [])
    #expect(Self.codes(Self.answer(Self.arn), .webSocket, ttl: 300) == [])
    let two = #"{"Statement":[{"Effect":"Allow","Action":"*","Resource":["\#(Self.arn)","\#(Self.arn)s"]}]}"#
    #expect(Self.codes(two) == [])
    let deny = #"{"Statement":[{"Effect":"Deny","Action":"*","Resource":"*"}]}"#
    #expect(Self.codes(deny) == [])
  }

  @Test func testsEveryCode() {
    #expect(Set(Self.findings.map(\.3)) == Set(PolicyLint.Code.allCases.map(\.rawValue)))
  }
}
