/// Plain CloudFormation: HTTP and WebSocket APIs.
extension MutationSamples {
  /// An HTTP API and a WebSocket API of single resources.
  static let version2 = [
    """
    Resources:
    \(function("Guard"))
      Http:
        Type: AWS::ApiGatewayV2::Api
        Properties:
          Name: http
          ProtocolType: HTTP
      Jwt:
        Type: AWS::ApiGatewayV2::Authorizer
        Properties:
          Name: jwt
          ApiId: !Ref Http
          AuthorizerType: JWT
          IdentitySource:
            - $request.header.Authorization
          JwtConfiguration:
            Issuer: https://issuer.example
            Audience:
              - one
              - two
      Lambda:
        Type: AWS::ApiGatewayV2::Authorizer
        Properties:
          Name: lambda
          ApiId: !Ref Http
          AuthorizerType: REQUEST
          AuthorizerPayloadFormatVersion: "2.0"
          EnableSimpleResponses: true
          AuthorizerResultTtlInSeconds: 0
          IdentitySource:
            - $request.header.X-One
          AuthorizerUri: !Sub arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Guard.Arn}/invocations
      Backend:
        Type: AWS::ApiGatewayV2::Integration
        Properties:
          ApiId: !Ref Http
          IntegrationType: HTTP_PROXY
          IntegrationMethod: ANY
          IntegrationUri: https://a.example/
          PayloadFormatVersion: "1.0"
    \(route("JwtRoute", "GET /jwt", "AuthorizationType: JWT", "AuthorizerId: !Ref Jwt", "AuthorizationScopes:", "  - read"))
    \(route("LambdaRoute", "ANY /lambda/{id}", "AuthorizationType: CUSTOM", "AuthorizerId: !Ref Lambda"))
    \(route("SignedRoute", "PUT /signed", "AuthorizationType: AWS_IAM"))
      Stage:
        Type: AWS::ApiGatewayV2::Stage
        Properties:
          ApiId: !Ref Http
          StageName: live
          AutoDeploy: true
          DefaultRouteSettings:
            ThrottlingRateLimit: 5
            ThrottlingBurstLimit: 6
          RouteSettings:
            GET /jwt:
              ThrottlingRateLimit: 1
              ThrottlingBurstLimit: 2
    """,
    """
    Resources:
    \(function("Guard"))
      Socket:
        Type: AWS::ApiGatewayV2::Api
        Properties:
          Name: socket
          ProtocolType: WEBSOCKET
          RouteSelectionExpression: $request.body.action
      Lambda:
        Type: AWS::ApiGatewayV2::Authorizer
        Properties:
          Name: lambda
          ApiId: !Ref Socket
          AuthorizerType: REQUEST
          IdentitySource:
            - route.request.header.X-One
          AuthorizerUri: !Sub arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Live}/invocations
      Live:
        Type: AWS::Lambda::Alias
        Properties:
          Name: live
          FunctionName: !Ref Guard
          FunctionVersion: !GetAtt First.Version
      First:
        Type: AWS::Lambda::Version
        Properties:
          FunctionName: !Ref Guard
      Acl:
        Type: AWS::WAFv2::WebACLAssociation
        Properties:
          ResourceArn: !Sub arn:aws:apigateway:us-east-1::/apis/${Socket}/stages/live
      Mock:
        Type: AWS::ApiGatewayV2::Integration
        Properties:
          ApiId: !Ref Socket
          IntegrationType: MOCK
          IntegrationUri: ""
      Connect:
        Type: AWS::ApiGatewayV2::Route
        Properties:
          ApiId: !Ref Socket
          RouteKey: $connect
          Fn::Transform:
            Name: AWS::Include
            Parameters:
              Location: guard.yaml
      Default:
        Type: AWS::ApiGatewayV2::Route
        Properties:
          ApiId: !Ref Socket
          RouteKey: $default
          Target: !Sub integrations/${Mock}
      Stage:
        Type: AWS::ApiGatewayV2::Stage
        Properties:
          ApiId: !Ref Socket
          StageName: live
          AutoDeploy: true
    """,
  ]
}
