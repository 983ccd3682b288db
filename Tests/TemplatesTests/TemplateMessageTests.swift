@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Templates
import Testing

/// Messages that name the cause of a mistake and what to do, instead of what it leads to.
@Suite struct TemplateMessageTests {
  private static func lines(_ text: String) -> [String] {
    do throws(TemplateError) {
      return try GatewayTemplate(parsing: text).closures.map { $0.line(in: "t") }
    } catch {
      return error.lines(in: "t")
    }
  }

  // MARK: User pools

  /// A wrong ARN is no wrong header.
  @Test(arguments: [
    "IdentitySource: method.request.header.A, ProviderARNs: [pool]":
      "ProviderARNs: is not the ARN of a user pool: pool (write ProviderARNs: [!GetAtt POOL.Arn])",
    "IdentitySource: method.request.header.A, ProviderARNs: ['arn:aws:cognito-idp:us-east-1:1:pool/p']":
      "ProviderARNs: is not the ARN of a user pool: arn:aws:cognito-idp:us-east-1:1:pool/p (write ProviderARNs: [!GetAtt POOL.Arn])",
    "IdentitySource: method.request.header.A":
      "ProviderARNs: is missing (write ProviderARNs: [!GetAtt POOL.Arn])",
    "ProviderARNs: ['arn:aws:cognito-idp:us-east-1:1:userpool/p']":
      "IdentitySource: must be a header (write method.request.header.Authorization)",
    "IdentitySource: method.request.querystring.q, ProviderARNs: ['arn:aws:cognito-idp:us-east-1:1:userpool/p']":
      "IdentitySource: must be a header (write method.request.header.Authorization)",
  ]) func aWrongPoolIsNoWrongHeader(_ properties: String, _ message: String) {
    let text = PlainTemplateTests.rest(
      PlainTemplateTests.get + ", AuthorizationType: COGNITO_USER_POOLS, AuthorizerId: !Ref Auth",
      authorizer: "Type: COGNITO_USER_POOLS, \(properties)")
    #expect(
      Self.lines(text).map { String($0.drop { $0 != "R" }) } == ["Resources.Auth.Properties.\(message)"])
  }

  // MARK: Duplicate names

  @Test(arguments: [
    "Resources:\n  A: { Type: AWS::SNS::Topic }\n  A: { Type: AWS::SNS::Topic }": "t:2: Resources.A",
    "Resources:\n  A:\n    Type: AWS::ApiGateway::RestApi\n    Properties:\n      Body:\n        swagger: '2.0'\n        swagger: '2.0'":
      "t:6: Resources.A.Properties.Body.swagger",
    "{\n \"Resources\": {\n  \"A\": { \"Type\": \"AWS::SNS::Topic\" },\n  \"A\": { \"Type\": \"AWS::SNS::Topic\" } } }":
      "t:3: Resources.A",
    "Resources:\n  A: { Type: AWS::ApiGateway::RestApi, Properties: { Name: a,\n    Body: { swagger: '2.0', paths: {\n      /a: { },\n      /a: { } } } } }":
      "t:4: Resources.A.Properties.Body.paths./a",
  ]) func aNameThatIsThereTwice(_ text: String, _ place: String) {
    let problem =
      "is there twice: the other one is below (remove one of the two; CloudFormation takes the last)"
    let lines = Self.lines(text)
    #expect(lines.count { $0 == "\(place): \(problem)" } == 1, "\(lines)")
    #expect(!lines.contains { $0.contains("duplicate-") })
  }

  // MARK: Variables of Fn::Sub

  private static let arn = "arn:aws:lambda:us-east-1:123456789012:function:x"
  private static let start = "'arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/"

  @Test(arguments: [
    ("\(start)${Guard.Arn}/invocations'", "${AWS::Region}"),
    ("\(start)\(arn)/invocations'", "${AWS::Region}"),
    ("'${Guard.Arn}'", "${Guard.Arn}"), ("'${Guard}'", "${Guard}"),
  ]) func aTextWithoutSub(_ uri: String, _ name: String) {
    let message = "has \(name), which only Fn::Sub replaces (write !Sub before the text)"
    let rest = PlainTemplateTests.rest(
      PlainTemplateTests.get + ", AuthorizationType: CUSTOM, AuthorizerId: !Ref Auth",
      authorizer: "Type: TOKEN, IdentitySource: method.request.header.A, AuthorizerUri: \(uri)")
    #expect(Self.lines(rest).map { $0.hasSuffix(message) } == [true], "\(Self.lines(rest))")
    let integration = SAMTemplate.text(
      resources: SAMTemplate.rest(
        "DefinitionBody: { swagger: '2.0', paths: { /a: { get: { x-amazon-apigateway-integration: { type: aws_proxy, httpMethod: POST, uri: \(uri) } } } } }"
      ))
    let lines = Self.lines(integration)
    // API Gateway replaces those of AWS itself when it imports a document.
    let last = name.hasPrefix("${AWS::") ? message.replacing(name, with: "${Guard.Arn}") : message
    let expected = uri.contains(Self.arn) ? [] : [true]
    #expect(lines.map { $0.hasSuffix(last) } == expected, "\(lines)")
  }

  /// "AWS variables for OpenAPI import": API Gateway replaces them in a document.
  @Test func variablesOfADocumentAreReplaced() throws {
    let uri =
      "arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/arn:${AWS::Partition}:lambda:${AWS::Region}:${AWS::AccountId}:function:Backend/invocations"
    let body =
      "{ swagger: '2.0', paths: { /a: { get: { x-amazon-apigateway-integration: { type: aws_proxy, httpMethod: POST, uri: '\(uri)' } } } } }"
    let text = SAMTemplate.text(resources: SAMTemplate.rest("DefinitionBody: \(body)"))
    let template = try GatewayTemplate(parsing: text, region: "eu-west-1", account: "111122223333")
    #expect(template.apis.first?.routes.map(\.integration) == [.function("Backend", .rest)])
    let other = text.replacing("AWS::AccountId", with: "AWS::StackName")
    #expect(
      Self.lines(other).map { $0.contains("has ${AWS::StackName}, which only Fn::Sub replaces") } == [true])
  }
}
