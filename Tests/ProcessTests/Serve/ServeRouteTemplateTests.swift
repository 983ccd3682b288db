import Foundation
import Testing

/// An HTTP API whose rules have wildcards, without any setting, under both assumptions on `routeArn`.
@Suite(.needsBootstrap, .serialized)
struct ServeRouteTemplateTests {
  static let configuration = """
    {"issuers":[{"preset":"apple","audiences":["com.example.app"]}],"default":"deny",
     "rules":[{"routes":["GET /public/*","GET /me"],"allow":true}]}
    """
  static let template = """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Articles:
        Type: AWS::Serverless::Function
        Properties:
          Events:
            Me: { Type: HttpApi, Properties: { ApiId: !Ref Api, Method: GET, Path: /me } }
            Public: { Type: HttpApi, Properties: { ApiId: !Ref Api, Method: GET, Path: "/public/{proxy+}" } }
          Runtime: nodejs24.x
          Handler: index.handler
          CodeUri: .
      AuthorizerFunction:
        Type: AWS::Serverless::Function
        Properties: { CodeUri: ., Handler: bootstrap, Runtime: provided.al2023, Timeout: 10 }
      Api:
        Type: AWS::Serverless::HttpApi
        Properties:
          StageName: prod
          Auth:
            DefaultAuthorizer: A
            Authorizers:
              A:
                FunctionArn: !GetAtt AuthorizerFunction.Arn
                AuthorizerPayloadFormatVersion: "2.0"
                EnableFunctionDefaultPermissions: true
                Identity: { Headers: [Authorization], ReauthorizeEvery: 300 }
    """

  /// The paths in the order of the requests; the policy of `/me` is cached for the one after it.
  static let requests: [(assumption: String, paths: [(path: String, status: Int)])] = [
    ("concrete", [("/public/a", 200), ("/me", 200), ("/public/b", 200), ("/public/{b}", 403)]),
    ("template", [("/public/a", 500), ("/me", 200), ("/public/b", 403)]),
  ]

  @Test(
    "a wildcard grant works where ARNs contain paths, and is closed where they contain templates",
    arguments: requests)
  func answers(_ row: (assumption: String, paths: [(path: String, status: Int)])) async throws {
    let workshop = try Workshop()
    try workshop.write(Self.configuration, to: "authorizer.json")
    try workshop.write(Self.template, to: "template.yaml")
    let gateway = try ServedGateway(
      workshop,
      [
        "--template", "template.yaml", "--config", "authorizer.json", "--function", Workshop.bootstrap,
        "--assume", "http-route-arn=\(row.assumption)",
      ])
    let token = try await gateway.token("user=alice")
    for request in row.paths {
      let answer = try await gateway.send(
        "GET", "/Api/prod" + request.path, headers: ["Authorization": "Bearer \(token)"])
      #expect(answer.status == request.status, "\(request.path) \(answer.text) \(gateway.logText)")
    }
    #expect(gateway.logText.contains("reason=invalidConfiguration") == (row.assumption == "template"))
  }
}
