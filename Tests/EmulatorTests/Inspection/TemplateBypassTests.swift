import Testing

@testable import Emulator

/// Ways past an authorizer, and pages that act for their visitors.
@Suite struct TemplateBypassTests {
  typealias Exposure = TemplateExposureTests

  /// An address of its own leads to a function past every authorizer.
  @Test(arguments: [("NONE", 1), ("AWS_IAM", 0)])
  func anOpenAddressIsFound(_ type: String, _ count: Int) throws {
    let more = "      LoggingConfig: { LogFormat: JSON }\n      FunctionUrlConfig: { AuthType: \(type) }"
    let findings = TemplateResourceInspection(parsing: Exposure.function(more), isUnderstood: true).findings
    #expect(findings.map(\.code) == Array(repeating: .authorizerBypassed, count: count))
    let plain =
      Exposure.function("      LoggingConfig: { LogFormat: JSON }")
      + "\n  Address:\n    Type: AWS::Lambda::Url\n    Properties: { TargetFunctionArn: !GetAtt Backend.Arn, AuthType: \(type) }"
    let others = TemplateResourceInspection(parsing: plain, isUnderstood: false).findings
    #expect(others.map(\.code) == Array(repeating: .authorizerBypassed, count: count))
  }

  /// A header that is sent back names whoever asks.
  @Test(
    arguments: [
      ("method.request.header.Origin", "'true'", 1), ("method.request.header.origin", "'true'", 1),
      ("method.request.header.Origin", "'false'", 0), ("'https://app.example.com'", "'true'", 0),
    ])
  func anOriginThatIsSentBackIsEveryOrigin(_ origin: String, _ credentials: String, _ count: Int) throws {
    let headers =
      "\(Exposure.bearer), Access-Control-Allow-Origin: \"\(origin)\", "
      + "Access-Control-Allow-Credentials: \"\(credentials)\""
    let codes = try Exposure.codes(Exposure.rest(Exposure.responses(401, headers)))
    #expect(codes.count { $0 == .credentialsForAnyOrigin } == count, "\(codes)")
  }
}
