@testable import DeploymentChecks
@testable import Templates
import Testing

/// Tests of bypassed authorizers, and of CORS with credentials.
@Suite struct TemplateBypassTests {
  typealias Exposure = TemplateExposureTests

  /// A function URL bypasses every authorizer.
  @Test(arguments: [("NONE", 1), ("AWS_IAM", 0)])
  func findsAnOpenFunctionURL(_ type: String, _ count: Int) throws {
    let more = "      LoggingConfig: { LogFormat: JSON }\n      FunctionUrlConfig: { AuthType: \(type) }"
    let findings = TemplateResourceInspection(
      ParsedTemplate(TemplateLogTests.function(more)).survey, isUnderstood: true
    ).findings
    #expect(findings.map(\.code) == Array(repeating: .authorizerBypassed, count: count))
    let plain =
      TemplateLogTests.function("      LoggingConfig: { LogFormat: JSON }")
      + "\n  Address:\n    Type: AWS::Lambda::Url\n    Properties: { TargetFunctionArn: !GetAtt Backend.Arn, AuthType: \(type) }"
    let others = TemplateResourceInspection(ParsedTemplate(plain).survey, isUnderstood: false).findings
    #expect(others.map(\.code) == Array(repeating: .authorizerBypassed, count: count))
  }

  /// A reflected Origin header allows every origin.
  @Test(
    arguments: [
      ("method.request.header.Origin", "'true'", 1), ("method.request.header.origin", "'true'", 1),
      ("method.request.header.Origin", "'false'", 0), ("'https://app.example.com'", "'true'", 0),
    ])
  func aReflectedOriginCountsAsAnyOrigin(_ origin: String, _ credentials: String, _ count: Int) throws {
    let headers =
      "\(Exposure.bearer), Access-Control-Allow-Origin: \"\(origin)\", "
      + "Access-Control-Allow-Credentials: \"\(credentials)\""
    let codes = try Exposure.codes(Exposure.rest(Exposure.responses(401, headers)))
    #expect(codes.count { $0 == .credentialsForAnyOrigin } == count, "\(codes)")
  }
}
