/// OpenAPI documents.
extension MutationSamples {
  /// OpenAPI documents in `Body`, with every form of access.
  static let documents = [
    """
    Resources:
    \(function("Guard"))
      Pool:
        Type: AWS::Cognito::UserPool
      Document:
        Type: AWS::ApiGateway::RestApi
        Properties:
          Body:
            openapi: 3.0.1
            info:
              title: a
              version: "1"
            paths:
              /lambda:
                get:
                  security:
                    - Token: []
    \(proxy("GET"))
              /account:
                post:
                  security:
                    - Users:
                        - read
    \(proxy("GET"))
              /token:
                delete:
                  security:
                    - Jwt:
                        - read
    \(proxy("GET"))
              /signed:
                put:
                  security:
                    - Signature: []
    \(proxy("GET"))
              /keyed:
                x-amazon-apigateway-any-method:
                  security:
                    - Key: []
    \(proxy("GET"))
            components:
              securitySchemes:
                Token:
                  type: apiKey
                  name: X-Token
                  in: header
                  x-amazon-apigateway-authtype: custom
                  x-amazon-apigateway-authorizer:
                    type: token
                    authorizerResultTtlInSeconds: 0
                    authorizerUri: !Sub arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Guard.Arn}/invocations
                Users:
                  type: apiKey
                  name: Authorization
                  in: header
                  x-amazon-apigateway-authtype: cognito_user_pools
                  x-amazon-apigateway-authorizer:
                    type: cognito_user_pools
                    providerARNs:
                      - !GetAtt Pool.Arn
                Jwt:
                  type: apiKey
                  name: Authorization
                  in: header
                  x-amazon-apigateway-authorizer:
                    type: jwt
                    identitySource: method.request.header.Authorization
                    jwtConfiguration:
                      defaultAlgorithms:
                        - RS256
                      issuers:
                        - issuer: https://issuer.example
                          audiences:
                            - one
                          additionalClaims:
                            - claimName: org
                              format: SINGLE_STRING
                              expectedValues:
                                - acme
                              required: true
                Signature:
                  type: apiKey
                  name: Authorization
                  in: header
                  x-amazon-apigateway-authtype: awsSigv4
                Key:
                  type: apiKey
                  name: x-api-key
                  in: header
    \(deployment("Deployment", of: "Document"))
    """,
    """
    Resources:
      Http:
        Type: AWS::ApiGatewayV2::Api
        Properties:
          Body:
            openapi: 3.0.1
            info:
              title: a
              version: "1"
            paths:
              /jwt:
                get:
                  security:
                    - Jwt:
                        - read
                  x-amazon-apigateway-integration:
                    type: http_proxy
                    httpMethod: GET
                    payloadFormatVersion: "1.0"
                    uri: https://a.example/
            components:
              securitySchemes:
                Jwt:
                  type: oauth2
                  x-amazon-apigateway-authorizer:
                    type: jwt
                    identitySource: $request.header.Authorization
                    jwtConfiguration:
                      issuer: https://issuer.example
                      audience:
                        - one
      Stage:
        Type: AWS::ApiGatewayV2::Stage
        Properties:
          ApiId: !Ref Http
          StageName: live
    """,
    """
    Resources:
      Document:
        Type: AWS::ApiGateway::RestApi
        Properties:
          Body:
            swagger: "2.0"
            info:
              title: a
              version: "1"
            x-amazon-apigateway-policy:
              Version: "2012-10-17"
              Statement:
                - Effect: Allow
                  Principal: "*"
                  Action: execute-api:Invoke
                  Resource: execute-api:/*
                - Effect: Deny
                  Principal: "*"
                  Action: execute-api:Invoke
                  Resource: execute-api:/*
                  Condition:
                    NotIpAddress:
                      aws:SourceIp: 10.0.0.0/8
            paths:
              /a:
                get:
    \(proxy("GET"))
    \(deployment("Deployment", of: "Document"))
    """,
    """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Guard: { Type: AWS::Serverless::Function, Properties: { Runtime: nodejs24.x } }
      Rest:
        Type: AWS::Serverless::Api
        Properties:
          StageName: prod
          Auth:
            ApiKeyRequired: true
            DefaultAuthorizer: Token
            Authorizers:
              Token:
                FunctionArn: !GetAtt Guard.Arn
                Identity:
                  ReauthorizeEvery: 0
          DefinitionBody:
            swagger: "2.0"
            paths:
              /default:
                get:
    \(proxy("GET"))
              /named:
                put:
                  security:
                    - Token: []
                    - api_key: []
    \(proxy("PUT"))
      Http:
        Type: AWS::Serverless::HttpApi
        Properties:
          Auth:
            DefaultAuthorizer: Jwt
            Authorizers:
              Jwt:
                IdentitySource: $request.header.Authorization
                JwtConfiguration:
                  issuer: https://issuer.example
                  audience:
                    - one
          DefinitionBody:
            openapi: 3.0.1
            paths:
              /event:
                get:
                  summary: the function of the event
              /own:
                post:
                  security:
                    - Own: []
                  summary: the function of the event
            components:
              securitySchemes:
                Own:
                  type: apiKey
                  name: unused
                  in: header
                  x-amazon-apigateway-authorizer:
                    type: request
                    identitySource: $request.header.X-Token
                    authorizerPayloadFormatVersion: "2.0"
                    authorizerUri: !Sub arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Guard.Arn}/invocations
      Backend:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: nodejs24.x
          Events:
            Default:
              Type: HttpApi
              Properties: { ApiId: !Ref Http, Path: /event, Method: get }
            Own:
              Type: HttpApi
              Properties:
                ApiId: !Ref Http
                Path: /own
                Method: post
    """,
  ]
}
