/// Plain CloudFormation: REST APIs.
extension MutationSamples {
  /// A REST API of single resources, with every form of access; the authorizer of one method is elsewhere.
  static let plain = [
    """
    Resources:
    \(function("Guard"))
    \(function("Backend"))
      Pool:
        Type: AWS::Cognito::UserPool
      Rest:
        Type: AWS::ApiGateway::RestApi
        Properties:
          Name: rest
          ApiKeySourceType: HEADER
      Token:
        Type: AWS::ApiGateway::Authorizer
        Properties:
          Name: token
          RestApiId: !Ref Rest
          Type: TOKEN
          IdentitySource: method.request.header.X-Token
          AuthorizerResultTtlInSeconds: 0
          AuthorizerUri: !Sub arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Guard.Arn}/invocations
      Users:
        Type: AWS::ApiGateway::Authorizer
        Properties:
          Name: users
          RestApiId: !Ref Rest
          Type: COGNITO_USER_POOLS
          IdentitySource: method.request.header.Authorization
          ProviderARNs:
            - !GetAtt Pool.Arn
      Jwt:
        Type: AWS::ApiGateway::Authorizer
        Properties:
          Name: jwt
          RestApiId: !Ref Rest
          Type: JWT
          IdentitySource: method.request.header.Authorization
          JwtConfiguration:
            DefaultAlgorithms:
              - RS256
              - ES256
            Issuers:
              - Issuer: https://issuer.example
                Audiences:
                  - one
                  - two
                AdditionalClaims:
                  - ClaimName: org
                    Format: SINGLE_STRING
                    ExpectedValues:
                      - acme
                    Required: true
                  - ClaimName: tenant
                    Format: SINGLE_STRING
              - Issuer: https://other.example/
                Audiences:
                  - three
    \(path("Bearer", "POST", "AuthorizationType: JWT", "AuthorizerId: !Ref Jwt", "AuthorizationScopes:", "  - read"))
    \(path("Lambda", "GET", "AuthorizationType: CUSTOM", "AuthorizerId: !Ref Token"))
    \(path(
      "Account", "ANY", "AuthorizationType: COGNITO_USER_POOLS", "AuthorizerId: !Ref Users", "AuthorizationScopes:",
      "  - read"))
    \(path("Signed", "PUT", "AuthorizationType: AWS_IAM"))
    \(path("Keyed", "GET", "AuthorizationType: NONE", "ApiKeyRequired: true"))
    \(path("Elsewhere", "GET", "AuthorizationType: CUSTOM", "AuthorizerId: !ImportValue Elsewhere"))
      Deployment:
        Type: AWS::ApiGateway::Deployment
        Properties:
          RestApiId: !Ref Rest
      Stage:
        Type: AWS::ApiGateway::Stage
        Properties:
          RestApiId: !Ref Rest
          DeploymentId: !Ref Deployment
          StageName: prod
          MethodSettings:
            - HttpMethod: GET
              ResourcePath: /lambda
              ThrottlingRateLimit: 5
              ThrottlingBurstLimit: 6
      Key:
        Type: AWS::ApiGateway::ApiKey
        Properties:
          Enabled: true
          Value: a-value-of-twenty-characters
      Plan:
        Type: AWS::ApiGateway::UsagePlan
        Properties:
          ApiStages:
            - ApiId: !Ref Rest
              Stage: !Ref Stage
              Throttle:
                /keyed/GET:
                  RateLimit: 1
                  BurstLimit: 2
          Throttle:
            RateLimit: 10
            BurstLimit: 10
          Quota:
            Limit: 100
            Period: DAY
      PlanKey:
        Type: AWS::ApiGateway::UsagePlanKey
        Properties:
          KeyId: !Ref Key
          KeyType: API_KEY
          UsagePlanId: !Ref Plan
    """
  ]
}
