@testable import GatewayModel
import Testing

/// Cognito authorizers of REST APIs.
@Suite struct UserPoolVerdictTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let preset: String
    let members: String
    let code: String?
    var scopes: [String] = []
    var expression: String?

    init(
      _ preset: String, members: String = "", _ code: String?, scopes: [String] = [],
      expression: String? = nil
    ) {
      (self.preset, self.members, self.code) = (preset, members, code)
      (self.scopes, self.expression) = (scopes, expression)
    }

    var testDescription: String { "\(preset) \(members) \(scopes) \(expression ?? ""): \(code ?? "allowed")" }
  }

  @Test(arguments: [
    Case("cognito-id:us-east-1_Pool00001", nil), Case("cognito-id:us-east-1_Other0001", nil),
    Case("cognito-id:us-east-1_Third0001", "wrongIssuer"),
    Case("cognito-id:eu-west-1_Pool00001", "wrongIssuer"),
    Case("cognito-id:us-east-1_Pool00001", members: #","claims":{"exp":"-1s"}"#, "expired"),
    Case("cognito-id:us-east-1_Pool00001", members: #","algorithm":"RS384""#, "algorithmNotAllowed"),
    Case("cognito-id:us-east-1_Pool00001", members: #","algorithm":"ES256""#, "algorithmNotAllowed"),
    Case("cognito-id:us-east-1_Pool00001", members: #","key":"forged""#, "signatureMismatch"),
    Case("cognito-id:us-east-1_Pool00001", members: #","omit":"token_use""#, "missingClaim"),
    // Without scopes the token must be an ID token, with scopes an access token.
    Case("cognito-access:us-east-1_Pool00001", "wrongType"),
    Case("cognito-access:us-east-1_Pool00001", nil, scopes: ["email"]),
    Case("cognito-access:us-east-1_Pool00001", "insufficientScope", scopes: ["shop/read"]),
    Case(
      "cognito-access:us-east-1_Pool00001", members: #","claims":{"scope":"shop/read"}"#, nil,
      scopes: ["shop/write", "shop/read"]),
    Case(
      "cognito-id:us-east-1_Pool00001", members: #","claims":{"scope":"email"}"#, "wrongType",
      scopes: ["email"]),
    // The expression is for `aud`, which access tokens do not have.
    Case("cognito-id:us-east-1_Pool00001", nil, expression: "1example[0-9]+"),
    Case("cognito-id:us-east-1_Pool00001", "audienceNotMatching", expression: "1example"),
    Case("cognito-id:us-east-1_Pool00001", "audienceNotMatching", expression: "2example.*"),
    Case(
      "cognito-id:us-east-1_Pool00001", members: #","omit":"aud""#, "audienceNotMatching", expression: ".*"),
    Case("cognito-access:us-east-1_Pool00001", "audienceNotMatching", scopes: ["email"], expression: ".*"),
  ]) func tokens(_ test: Case) throws {
    let token = try TokenSamples.token(#"{"preset":"\#(test.preset)"\#(test.members)}"#)
    let authorizer = TokenSamples.pools(test.expression)
    #expect(try authorizer.verdict(token, scopes: test.scopes).code == test.code)
    #expect(try authorizer.verdict("Bearer " + token, scopes: test.scopes).code == test.code)
  }

  @Test(arguments: [
    "", "us-east-1_Pool00001", "arn:aws:cognito-idp:us-east-1:123456789012:userpool/",
    "arn:aws:cognito-idp:us-east-1:123456789012:userpool/us-east-1_Pool00001/x",
    "arn:aws:cognito-idp::123456789012:userpool/us-east-1_Pool00001",
    "arn:aws:cognito-idp:evil.example/:123456789012:userpool/us-east-1_Pool00001",
    "arn:aws:lambda:us-east-1:123456789012:userpool/us-east-1_Pool00001",
    "arn:aws-cn:cognito-idp:us-east-1:123456789012:userpool/us-east-1_Pool00001",
    "arn:aws:cognito-idp:us-east-1:123456789012:userpool/${stageVariables.pool}", "Pool.Arn",
  ]) func otherTextsAreNoPool(_ arn: String) throws {
    #expect(UserPool(arn: arn) == nil)
    let authorizer = TokenAuthorizer(name: "P", kind: .userPools([arn]), source: .header("Authorization"))
    let token = try TokenSamples.token(#"{"preset":"cognito-id:us-east-1_Pool00001"}"#)
    #expect(try authorizer.verdict(token).code == "wrongIssuer")
  }

  @Test func stageVariablesNamePools() throws {
    let authorizer = TokenAuthorizer(
      name: "P", kind: .userPools([TokenSamples.arn("${stageVariables.pool}")]),
      source: .header("Authorization"))
    let token = try TokenSamples.token(#"{"preset":"cognito-id:us-east-1_Pool00001"}"#)
    #expect(try authorizer.verdict(token, stageVariables: ["pool": TokenSamples.pool]).code == nil)
    #expect(try authorizer.verdict(token, stageVariables: ["pool": "x"]).code == "wrongIssuer")
  }

  /// As recorded from a REST API.
  @Test func claimsAreStrings() throws {
    let token = try TokenSamples.token(
      #"{"preset":"cognito-id:us-east-1_Pool00001","claims":{"exp":"+1h","cognito:groups":["a","b"]}}"#)
    let claims = try TokenSamples.pools().verdict(token).claims
    for (name, value) in [
      "exp": "Mon Jun 17 16:02:03 UTC 2024", "iat": "Mon Jun 17 15:02:03 UTC 2024", "auth_time": "1718636523",
      "cognito:groups": "a,b", "email_verified": "true", "token_use": "id",
    ] {
      #expect(claims["claims." + name] == value, "\(name)")
    }
  }
}
