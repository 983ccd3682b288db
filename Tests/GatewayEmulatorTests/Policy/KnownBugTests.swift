@testable import AuthorizerContract
@testable import GatewayModel
@testable import IAMPolicy
import JSON
import TestSupport
import Testing

/// Policy bugs of other emulators, with the numbers of their reports.
@Suite struct KnownBugTests {
  struct Bug: Sendable, CustomTestStringConvertible {
    /// The repository and number; bugs without a number were found by running the emulator.
    let report: String
    let mistake: String
    let statements: String
    let path: String
    let isAllowed: Bool

    var testDescription: String { "\(report): \(mistake)" }

    init(
      _ report: String, _ mistake: String, _ statements: String, path: String = "prod/GET/pets",
      _ isAllowed: Bool
    ) {
      (self.report, self.mistake, self.statements) = (report, mistake, statements)
      (self.path, self.isAllowed) = (path, isAllowed)
    }
  }

  static let api = "arn:aws:execute-api:eu-west-1:123456789012:api/"

  private static func allow(_ resource: String, action: String = "execute-api:Invoke") -> String {
    #"{"Effect":"Allow","Action":"\#(action)","Resource":"\#(api)\#(resource)"}"#
  }

  private static func deny(_ resource: String) -> String {
    #"{"Effect":"Deny","Action":"execute-api:Invoke","Resource":"\#(api)\#(resource)"}"#
  }

  static let bugs: [Bug] = [
    Bug(
      "dherault/serverless-offline#1191", "a pattern matches a part of the text",
      allow("dev/GET/organizations"), path: "dev/GET/organizations/0000", false),
    Bug(
      "dherault/serverless-offline#340", "a star matches nothing or too much", allow("dev/*/users/*"),
      path: "dev/GET/users/1/books", true),
    Bug(
      "dherault/serverless-offline#523", "a star in the stage is not a wildcard", allow("*/GET/pets"), true),
    Bug(
      "dherault/serverless-offline#560", "a colon in the path ends the ARN", allow("prod/GET/users/a:b"),
      path: "prod/GET/users/a", false),
    Bug(
      "aws/chalice#1775", "a colon in the path grants the path before it", allow("prod/GET/users/a:*"),
      path: "prod/GET/users/a:b/c", true),
    Bug(
      "dherault/serverless-offline#1586", "path parameters are compared as templates",
      allow("prod/GET/users/{id}"), path: "prod/GET/users/7", false),
    Bug(
      "dherault/serverless-offline#1794", "arn:…:* crashes the emulator",
      #"{"Effect":"Allow","Action":"*","Resource":"arn:aws:execute-api:eu-west-1:123456789012:*"}"#, true),
    Bug(
      "dherault/serverless-offline#1797", "a bare star crashes the emulator",
      #"{"Effect":"Allow","Action":"*","Resource":"*"}"#, true),
    Bug("aws/aws-sam-cli#5777", "a star is never empty", allow("prod/GET/pets*"), true),
    Bug("aws/aws-sam-cli#5072", "a Resource that is not an array is refused", allow("prod/GET/pets"), true),
    Bug(
      "sam local, cdk-local", "an explicit Deny is ignored", "\(allow("*")),\(deny("prod/GET/pets"))", false),
    Bug(
      "sam local, cdk-local", "actions are compared as exact texts",
      allow("*", action: "execute-api:*"), true),
    Bug(
      "sam local", "a dot matches any character, as in a regular expression", allow("prod/GET/p.ts"), false),
    Bug("sam local", "a plus does not match itself", allow("prod/GET/a+b"), path: "prod/GET/a+b", true),
    Bug(
      "sam local, cdk-local, MiniStack", "a Condition is ignored",
      #"{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"Bool":{"aws:SecureTransport":"false"}}}"#,
      false),
    Bug(
      "sam local", "NotResource makes a policy invalid",
      #"{"Effect":"Allow","Action":"*","NotResource":"\#(api)prod/*/admin/*"}"#, true),
    Bug(
      "sam local", "NotAction makes a policy invalid",
      #"{"Effect":"Allow","NotAction":"execute-api:*","Resource":"*"}"#, false),
    Bug(
      "serverless-offline", "the action is ignored", allow("*", action: "execute-api:ManageConnections"),
      false),
    Bug(
      "ministackorg/ministack", "s3:* counts as an action of API Gateway", allow("*", action: "s3:*"), false),
    Bug("cdk-local", "a star does not cross a slash", allow("prod/*"), path: "prod/GET/users/1/books", true),
    Bug(
      "aws-powertools/powertools-lambda-python#5800", "two stars reach $connect", allow("prod/*/*"),
      path: "prod/$connect", false),
    Bug(
      "aws-powertools/powertools-lambda-python#5800", "one star does not reach $connect", allow("prod/*"),
      path: "prod/$connect", true),
    Bug(
      "auth0-samples/jwt-rsa-aws-custom-authorizer#8", "a cached policy of one route is used for all",
      allow("prod/GET/pets"), path: "prod/GET/dogs", false),
  ]

  @Test(arguments: bugs) func avoidsTheMistake(_ bug: Bug) throws {
    let text = #"{"Version":"2012-10-17","Statement":[\#(bug.statements)]}"#
    let document = try PolicyDocument(JSONDocument(parsing: Array(text.utf8), limits: .event).root)
    let decision = try PolicyEvaluator(document).decision(
      for: Self.api + bug.path, in: ConditionContext(at: nil))
    #expect(decision.isAllowed == bug.isAllowed)
  }

  /// The policy is cached, not the decision: the same answer gives a different verdict for another route
  /// (ministack#1367, cdk-local#237).
  @Test func evaluatesThePolicyForEachRoute() throws {
    let text = "{\"Statement\":[\(Self.allow("prod/GET/pets")),\(Self.deny("prod/GET/dogs"))]}"
    let evaluator = PolicyEvaluator(
      try PolicyDocument(JSONDocument(parsing: Array(text.utf8), limits: .event).root))
    #expect(try evaluator.decision(for: Self.api + "prod/GET/pets") == .allowed(statement: 0))
    #expect(try evaluator.decision(for: Self.api + "prod/GET/dogs") == .explicitlyDenied(statement: 1))
    #expect(try evaluator.decision(for: Self.api + "prod/GET/cats") == .implicitlyDenied)
  }

  /// ministack#1370: the string "false" granted access. rust-runtime#863: a null Condition is invalid. java-libs#184:
  /// members in another case. serverless-offline#533, #1376, chalice#1636: an array in the context.
  @Test(arguments: [
    (EventKind.http2, #"{"isAuthorized":"false"}"#, "wrongType"),
    (
      .restToken,
      #"{"principalId":"u","policyDocument":{"Statement":[{"Effect":"Allow","Action":"*","Resource":"*","Condition":null}]}}"#,
      "policy.nullElement"
    ),
    (.restToken, #"{"principalId":"u","policyDocument":{"statement":[]}}"#, "policy.wrongCase"),
    (
      .restToken, #"{"policyDocument":{"Statement":{"Effect":"Allow","Action":"*","Resource":"*"}}}"#,
      "missing"
    ),
    (
      .restToken,
      #"{"principalId":"u","context":{"a":[1]},"policyDocument":{"Statement":{"Effect":"Allow","Action":"*","Resource":"*"}}}"#,
      "wrongType"
    ),
  ]) func malformedAnswerGrantsNothing(_ kind: EventKind, _ answer: String, _ code: String) throws {
    let error = try #require(throws: AnswerError.self) {
      try AuthorizerAnswer(Array(answer.utf8), for: kind, by: AnswerRules())
    }
    let cause = if case .policy(let inner) = error { "." + caseName(inner.problem) } else { "" }
    #expect(caseName(error) + cause == code)
  }
}
