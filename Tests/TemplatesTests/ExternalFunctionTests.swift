@testable import GatewayModel
@testable import EmulatorTestSupport
@testable import Templates
import Testing

/// Authorizers whose function is not in the template.
@Suite struct ExternalFunctionTests {
  private static func template(_ arn: String, head: String = "") -> String {
    SAMTemplate.text(
      events: SAMTemplate.event("get", "/a"),
      resources: SAMTemplate.rest(
        "Auth: { DefaultAuthorizer: A, Authorizers: { A: { FunctionArn: \(arn) } } }")
        + "\n  app: { Type: AWS::Serverless::Application }", head: head)
  }

  private static let account = "arn:aws:lambda:eu-west-1:210987654321:function:"

  /// An ARN and the name that `--run` gives a program to; `nil` if the route is closed.
  @Test(
    arguments: [
      ("\(account)oidc-authorizer", "oidc-authorizer"), ("\(account)shared:live", "shared"),
      (
        "arn:aws:apigateway:eu-west-1:lambda:path/2015-03-31/functions/\(account)shared/invocations",
        "shared"
      ),
      ("!GetAtt app.Outputs.OidcArn", "OidcArn"), ("!ImportValue Stack-AuthorizerArn", "Stack-AuthorizerArn"),
      ("!Ref AuthorizerArn", "AuthorizerArn"), ("'{{resolve:ssm:/team/authorizer}}'", "authorizer"),
      // The project's own names mean nothing here.
      ("\(account)AuthorizerFunction", "AuthorizerFunction"),
      ("\(account)IdentityFunction", "IdentityFunction"),
      // The name of a function of the template, which another account may have too.
      ("\(account)Guard", nil), ("\(account)", nil), ("guard", nil), ("!Ref Guard", nil),
      ("arn:aws:s3:::bucket", nil), ("!If [C, a, b]", nil), ("!GetAtt Nope.Arn", nil),
    ] as [(String, String?)]) func namesAFunction(_ arn: String, _ name: String?) throws
  {
    let text = Self.template(arn, head: "Parameters: { AuthorizerArn: { Type: String } }")
    guard let name else {
      let guards = SAMTemplate.guards(text)
      #expect(guards == ["": "refused"], "\(guards)")
      return
    }
    let template = try GatewayTemplate(parsing: text)
    #expect(template.apis.first?.routes.first?.authorizer?.function == name)
    let function = try #require(template.functions[name])
    #expect(function.isExternal)
    #expect(!function.signsIn)
    #expect(!function.isNamedAuthorizer)
    // No function of this project may stand in for it.
    #expect(template.authorizerFunctions == [])
    #expect(template.identityFunctions == [])
    #expect(template.notes.contains { $0.text().contains("--run \(name)=COMMAND") })
  }

  @Test func twoFunctionsNeedTwoNames() throws {
    let other = "arn:aws:lambda:eu-west-1:123456789012:function:same"
    let text = Self.template("\(Self.account)same").replacing(
      "Authorizers: { A:", with: "Authorizers: { B: { FunctionArn: '\(other)' }, A:")
    #expect(SAMTemplate.guards(text) == ["": "refused"])
    let same = text.replacing(other, with: Self.account + "same")
    #expect(SAMTemplate.guards(same) == ["Api GET /a": "A"])
  }

  /// A value of the user decides whether the function is in the template.
  @Test func takesTheGivenARN() throws {
    let text = Self.template("!GetAtt app.Outputs.Arn")
    let own = "arn:aws:lambda:us-east-1:123456789012:function:Guard"
    let template = try GatewayTemplate(parsing: text, parameters: ["app.Outputs.Arn": own])
    #expect(template.authorizerFunctions == ["Guard"])
  }

  /// A backend of another stack, whose ARN the user gives. Without it, the route has no backend.
  @Test(
    arguments: [
      ("\(account)orders", "orders"), ("\(account)orders:live", "orders"), ("\(account)Back", nil),
      (nil, nil),
      ("arn:aws:s3:::bucket", nil),
    ] as [(String?, String?)]) func aBackendIsOfAnotherStack(_ arn: String?, _ name: String?) throws
  {
    let uri =
      "!Sub ['arn:aws:apigateway:r:lambda:path/2015-03-31/functions/${A}/invocations', { A: !ImportValue o }]"
    let text = BuiltFiles.template(
      """
        Get:
          Type: AWS::ApiGateway::Method
          Properties:
            RestApiId: !Ref Api
            ResourceId: !GetAtt Api.RootResourceId
            HttpMethod: GET
            Integration: { Type: AWS_PROXY, IntegrationHttpMethod: POST, Uri: \(uri) }
      """)
    let template = try GatewayTemplate(
      parsing: text, parameters: arn.map { ["import:o": $0] } ?? [:])
    let route = template.apis.first?.routes.first { $0.key == "GET /" }
    #expect(route?.integration.function == name)
    #expect(name == nil || template.functions[name ?? ""]?.isExternal == true)
    #expect(template.calledFunctions(byAuthorizers: false).contains("Back") == false)
  }
}
