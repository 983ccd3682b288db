import Foundation
import JSON
import TestSupport
import Testing

/// `serve` with a function that has tenant isolation.
@Suite(.needsPython, .needsNode, .serialized, .hangLimit)
struct ServeTenantTests {
  private static let uri =
    "!Sub 'arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Tenants.Arn}/invocations'"

  private static let template = """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Guard:
        Type: AWS::Serverless::Function
        Properties: { Runtime: python3.11, Handler: app.handler, CodeUri: guard/, MemorySize: 256 }
      Tenants:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: nodejs20.x
          Handler: index.handler
          CodeUri: backend/
          MemorySize: 256
          TenancyConfig: { TenantIsolationMode: PER_TENANT }
      Api:
        Type: AWS::Serverless::Api
        Properties:
          StageName: prod
          Auth:
            DefaultAuthorizer: Own
            Authorizers: { Own: { FunctionArn: !GetAtt Guard.Arn, Identity: { ReauthorizeEvery: 0 } } }
          DefinitionBody:
            openapi: 3.0.1
            info: { title: a, version: '1' }
            paths:
              /mapped:
                get:
                  x-amazon-apigateway-integration:
                    type: aws_proxy
                    httpMethod: POST
                    uri: \(uri)
                    requestParameters: { integration.request.header.X-Amz-Tenant-Id: context.authorizer.tenant }
              /unmapped:
                get:
                  x-amazon-apigateway-integration: { type: aws_proxy, httpMethod: POST, uri: \(uri) }
    """

  private static let guardSource = """
    def handler(event, context):
        statement = {"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": "*"}
        answer = {"principalId": "kim", "policyDocument": {"Version": "2012-10-17", "Statement": [statement]}}
        tenant = event["authorizationToken"].removeprefix("Bearer ")
        return answer if tenant == "none" else answer | {"context": {"tenant": tenant}}
    """

  private static let backendSource = """
    const tenants = [];
    exports.handler = async (event, context) => {
      tenants.push(context.tenantId);
      return { statusCode: 200, body: JSON.stringify({ tenants, header: event.headers["X-Amz-Tenant-Id"] }) };
    };
    """

  @Test("the tenant of the authorizer reaches the function, and no other") func tenants() async throws {
    let workshop = try Workshop()
    try workshop.write(Self.template, to: "their/template.yaml")
    try workshop.write(Self.guardSource, to: "their/guard/app.py")
    try workshop.write(Self.backendSource, to: "their/backend/index.js")
    let gateway = try ServedGateway(workshop, ["--template", "their/template.yaml", "--run-functions"])
    for token in ["one", "one", "two", "two", "one"] {
      let answer = try await gateway.send(
        "GET", "/Api/prod/mapped", headers: ["Authorization": "Bearer \(token)", "X-Amz-Tenant-Id": "three"])
      #expect(answer.status == 200, "\(answer.text)\n\(gateway.logText)")
      // A process never serves two tenants. It may be a new one, if the last one has not come to rest.
      let tenants = try #require(answer.json?["tenants"]?.elements, "\(answer.text)")
      #expect(!tenants.isEmpty && tenants.allSatisfy { $0 == .string(token) }, "\(answer.text)")
      // What the client sends reaches the event, and not Lambda.
      #expect(answer.json?["header"] == .string("three"))
    }
    let refusal =
      #"{"message":"The invoked function is enabled with tenancy configuration. Add a valid tenant ID in your request and try again."}"#
    for (path, token) in [("mapped", "none"), ("mapped", #""one""#), ("mapped", "a,b"), ("unmapped", "one")] {
      let answer = try await gateway.send(
        "GET", "/Api/prod/\(path)", headers: ["Authorization": "Bearer \(token)"])
      #expect(answer.status == 400)
      #expect(answer.text == refusal)
    }
  }
}
