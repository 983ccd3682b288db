import Foundation
import Testing

/// `serve` with an issuer whose secret is only a reference in the template.
@Suite(.needsBootstrap, .serialized)
struct ServedSecretTests {
  static let reference = "{{resolve:secretsmanager:partner:SecretString:secret}}"
  static let repetition = String(repeating: "abcd", count: 16)
  /// 66 bytes of zero in base64.
  static let zeros = String(repeating: "A", count: 88)
  static let own = "a secret of at least 32 bytes, for tests"

  /// Returns a template whose authorizer has this `secret`, this variable `SECRET`, and the route `GET /me`.
  static func template(_ secret: String, variable: String) -> String {
    """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Authorizer:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: provided.al2023
          Handler: bootstrap
          Environment:
            Variables:
              SECRET: '\(variable)'
              AUTHORIZER_CONFIG: '{"issuers":[{"issuer":"https://id.example.com","audiences":["api"],"algorithms":["HS512"],"keys":{"secret":\(secret)}}]}'
      Backend:
        Type: AWS::Serverless::Function
        Properties: { Runtime: nodejs22.x, Handler: index.handler, Events: { Me: { Type: HttpApi, Properties: { Path: /me, Method: GET, ApiId: !Ref Api } } } }
      Api:
        Type: AWS::Serverless::HttpApi
        Properties:
          Auth:
            DefaultAuthorizer: Bearer
            Authorizers:
              Bearer:
                FunctionArn: !GetAtt Authorizer.Arn
                AuthorizerPayloadFormatVersion: "2.0"
                EnableSimpleResponses: false
                Identity: { Headers: [Authorization], ReauthorizeEvery: 0 }

    """
  }

  /// Returns the status for a token signed with this secret.
  static func status(_ gateway: ServedGateway, _ workshop: borrowing Workshop, signedWith secret: String)
    async throws -> Int
  {
    try workshop.write(
      #"{"t":{"preset":"oidc:https://id.example.com","secret":"\#(secret)","algorithm":"HS512","claims":{"aud":"api"}}}"#,
      to: "tokens.json")
    let token = try await workshop.run(["token", "t"]).output.trimmingCharacters(in: .newlines)
    return try await gateway.send("GET", "/Api/me", headers: ["Authorization": "Bearer \(token)"]).status
  }

  @Test(
    "the text of a reference and a repetitive secret are replaced",
    arguments: [
      (#"{"environment":"SECRET"}"#, reference), (#"{"environment":"SECRET"}"#, "${PARTNER_SECRET}"),
      (#"{"environment":"SECRET","encoding":"base64"}"#, reference), (#"{"file":"secret.txt"}"#, "unused"),
      // Fewer than 6 different bytes, which the function refuses too.
      (#"{"environment":"SECRET"}"#, repetition), (#"{"environment":"SECRET","encoding":"base64"}"#, zeros),
    ])
  func replacesAReference(_ secret: String, _ variable: String) async throws {
    let workshop = try Workshop()
    try workshop.write(Self.template(secret, variable: variable), to: "t.yaml")
    let padded = " " + Self.reference + String(repeating: " ", count: 64)
    try workshop.write(padded, to: "secret.txt")
    let gateway = try ServedGateway(workshop, ["--template", "t.yaml", "--function", Workshop.bootstrap])
    try await gateway.untilLog("a random one is used")
    for secret in [variable, Self.reference, padded, Self.own] {
      #expect(try await Self.status(gateway, workshop, signedWith: secret) == 401, "\(gateway.logText)")
    }
  }

  @Test("--env sets the secret")
  func usesTheSecretOfTheCommandLine() async throws {
    let workshop = try Workshop()
    try workshop.write(Self.template(#"{"environment":"SECRET"}"#, variable: Self.reference), to: "t.yaml")
    let secret = "etuG1qnQ4rUuCW8gQKV7jDVwO9slUJUPP/zBrVRaRuFHMIF49G0J2HhgmH0V4xv2zO23xuqUf4AgxFIO"
    let gateway = try ServedGateway(
      workshop, ["--template", "t.yaml", "--function", Workshop.bootstrap, "--env", "SECRET=" + secret])
    #expect(try await Self.status(gateway, workshop, signedWith: secret) == 200, "\(gateway.logText)")
    #expect(try await Self.status(gateway, workshop, signedWith: Self.reference) == 401)
  }

  /// Under the name that the template gives it, a loader or a library could read it.
  @Test(
    "a secret of the template reaches the function under another name", arguments: ["SECRET", "LD_PRELOAD"])
  func usesTheSecretOfTheTemplate(_ name: String) async throws {
    let workshop = try Workshop()
    let secret = "etuG1qnQ4rUuCW8gQKV7jDVwO9slUJUPP/zBrVRaRuFHMIF49G0J2HhgmH0V4xv2zO23xuqUf4AgxFIO"
    let text = Self.template(#"{"environment":"\#(name)"}"#, variable: secret)
    try workshop.write(text.replacing("SECRET:", with: "\(name):"), to: "t.yaml")
    let gateway = try ServedGateway(workshop, ["--template", "t.yaml", "--function", Workshop.bootstrap])
    #expect(try await Self.status(gateway, workshop, signedWith: secret) == 200, "\(gateway.logText)")
    #expect(!gateway.logText.contains("runs without"), "\(gateway.logText)")
  }
}
