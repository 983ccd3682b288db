@testable import EmulatorTestSupport
@testable import IssuerEmulator
@testable import LambdaEmulator
@testable import Mapping
@testable import Templates
@testable import Text
import TestSupport
import TestTokens
@testable import AuthorizerContract
@testable import GatewayEmulator
@testable import GatewayModel
@testable import IAMPolicy
import JSON
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
      report: "dherault/serverless-offline#1191", mistake: "a pattern matches a part of the text",
      statements: allow("dev/GET/organizations"), path: "dev/GET/organizations/0000", isAllowed: false),
    Bug(
      report: "dherault/serverless-offline#340", mistake: "a star matches nothing or too much",
      statements: allow("dev/*/users/*"), path: "dev/GET/users/1/books", isAllowed: true),
    Bug(
      report: "dherault/serverless-offline#523", mistake: "a star in the stage is not a wildcard",
      statements: allow("*/GET/pets"), path: "prod/GET/pets", isAllowed: true),
    Bug(
      report: "dherault/serverless-offline#560", mistake: "a colon in the path ends the ARN",
      statements: allow("prod/GET/users/a:b"), path: "prod/GET/users/a", isAllowed: false),
    Bug(
      report: "aws/chalice#1775", mistake: "a colon in the path grants the path before it",
      statements: allow("prod/GET/users/a:*"), path: "prod/GET/users/a:b/c", isAllowed: true),
    Bug(
      report: "dherault/serverless-offline#1586", mistake: "path parameters are compared as templates",
      statements: allow("prod/GET/users/{id}"), path: "prod/GET/users/7", isAllowed: false),
    Bug(
      report: "dherault/serverless-offline#1794", mistake: "arn:…:* crashes the emulator",
      statements:
        #"{"Effect":"Allow","Action":"*","Resource":"arn:aws:execute-api:eu-west-1:123456789012:*"}"#,
      path: "prod/GET/pets", isAllowed: true),
    Bug(
      report: "dherault/serverless-offline#1797", mistake: "a bare star crashes the emulator",
      statements: #"{"Effect":"Allow","Action":"*","Resource":"*"}"#, path: "prod/GET/pets", isAllowed: true),
    Bug(
      report: "aws/aws-sam-cli#5777", mistake: "a star is never empty",
      statements: allow("prod/GET/pets*"), path: "prod/GET/pets", isAllowed: true),
    Bug(
      report: "aws/aws-sam-cli#5072", mistake: "a Resource that is not an array is refused",
      statements: allow("prod/GET/pets"), path: "prod/GET/pets", isAllowed: true),
    Bug(
      report: "sam local", mistake: "an explicit Deny is ignored",
      statements: "\(allow("*")),\(deny("prod/GET/pets"))", path: "prod/GET/pets", isAllowed: false),
    Bug(
      report: "sam local", mistake: "actions are compared as exact texts",
      statements: allow("*", action: "execute-api:*"), path: "prod/GET/pets", isAllowed: true),
    Bug(
      report: "sam local", mistake: "a dot matches any character, as in a regular expression",
      statements: allow("prod/GET/p.ts"), path: "prod/GET/pets", isAllowed: false),
    Bug(
      report: "sam local", mistake: "a plus does not match itself",
      statements: allow("prod/GET/a+b"), path: "prod/GET/a+b", isAllowed: true),
    Bug(
      report: "sam local", mistake: "a Condition is ignored",
      statements:
        #"{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"Bool":{"aws:SecureTransport":"false"}}}"#,
      path: "prod/GET/pets", isAllowed: false),
    Bug(
      report: "sam local", mistake: "NotResource makes a policy invalid",
      statements: #"{"Effect":"Allow","Action":"*","NotResource":"\#(api)prod/*/admin/*"}"#,
      path: "prod/GET/pets", isAllowed: true),
    Bug(
      report: "sam local", mistake: "NotAction makes a policy invalid",
      statements: #"{"Effect":"Allow","NotAction":"execute-api:*","Resource":"*"}"#, path: "prod/GET/pets",
      isAllowed: false),
    Bug(
      report: "serverless-offline", mistake: "the action is ignored",
      statements: allow("*", action: "execute-api:ManageConnections"), path: "prod/GET/pets", isAllowed: false
    ),
    Bug(
      report: "ministackorg/ministack", mistake: "s3:* counts as an action of API Gateway",
      statements: allow("*", action: "s3:*"), path: "prod/GET/pets", isAllowed: false),
    Bug(
      report: "cdk-local", mistake: "a star does not cross a slash",
      statements: allow("prod/*"), path: "prod/GET/users/1/books", isAllowed: true),
    Bug(
      report: "aws-powertools/powertools-lambda-python#5800", mistake: "two stars reach $connect",
      statements: allow("prod/*/*"), path: "prod/$connect", isAllowed: false),
    Bug(
      report: "aws-powertools/powertools-lambda-python#5800", mistake: "one star does not reach $connect",
      statements: allow("prod/*"), path: "prod/$connect", isAllowed: true),
    Bug(
      report: "auth0-samples/jwt-rsa-aws-custom-authorizer#8",
      mistake: "a cached policy of one route is used for all",
      statements: allow("prod/GET/pets"), path: "prod/GET/dogs", isAllowed: false),
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
    #expect(error.code == code)
  }
}
