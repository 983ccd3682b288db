@testable import Templates

/// Templates in block style with every form of access, for tests that change them.
enum MutationSamples {
  static let all = serverless + plain + version2 + guarded + documents + [parent]

  /// The files of the samples.
  static let files = files(nested: nested)

  /// The file that a sample includes, and a template of its nested stack.
  static func files(nested: String) -> TemplateFiles {
    TemplateFiles { name in
      switch name {
      case "guard.yaml": .success("AuthorizationType: CUSTOM\nAuthorizerId: { Ref: Lambda }")
      case "nested.yaml": .success(nested)
      default: .failure(.missing)
      }
    }
  }

  /// SAM.
  static let serverless = [
    """
    Transform: AWS::Serverless-2016-10-31
    Globals:
      Function:
        Runtime: nodejs24.x
      Api:
        Auth:
          DefaultAuthorizer: Token
          AddDefaultAuthorizerToCorsPreflight: true
          ApiKeyRequired: true
          UsagePlan:
            CreateUsagePlan: PER_API
          Authorizers:
            Token:
              FunctionArn: !GetAtt Guard.Arn
              Identity:
                Header: X-Token
                ValidationExpression: "a.*"
                ReauthorizeEvery: 60
            Request:
              FunctionArn: !GetAtt Other.Arn
              FunctionPayloadType: REQUEST
              Identity:
                Headers:
                  - X-One
                QueryStrings:
                  - two
            Users:
              UserPoolArn: !GetAtt Pool.Arn
              AuthorizationScopes:
                - read
                - write
    Resources:
      Pool:
        Type: AWS::Cognito::UserPool
      Guard:
        Type: AWS::Serverless::Function
        Properties:
          Handler: a
      Other:
        Type: AWS::Serverless::Function
        Properties:
          Handler: a
      Rest:
        Type: AWS::Serverless::Api
        Properties:
          StageName: prod
          Cors: "'*'"
          EndpointConfiguration:
            Type: REGIONAL
      Backend:
        Type: AWS::Serverless::Function
        Properties:
          Handler: a
          Events:
            Default:
              Type: Api
              Properties:
                RestApiId: !Ref Rest
                Path: /default
                Method: get
            Request:
              Type: Api
              Properties:
                RestApiId: !Ref Rest
                Path: /request
                Method: post
                Auth:
                  Authorizer: Request
            Users:
              Type: Api
              Properties:
                RestApiId: !Ref Rest
                Path: /users/{id}
                Method: any
                Auth:
                  Authorizer: Users
                  AuthorizationScopes:
                    - admin
            Signed:
              Type: Api
              Properties:
                Path: /signed
                Method: get
                Auth:
                  Authorizer: AWS_IAM
            Anyone:
              Type: Api
              Properties:
                RestApiId: !Ref Rest
                Path: /{proxy+}
                Method: any
                Auth:
                  Authorizer: NONE
                  ApiKeyRequired: false
    """,
    """
    Transform: AWS::Serverless-2016-10-31
    Globals:
      HttpApi:
        Auth:
          EnableIamAuthorizer: true
    Resources:
    \(function("Guard", of: "Serverless"))
      Http:
        Type: AWS::Serverless::HttpApi
        Properties:
          StageName: live
          Auth:
            DefaultAuthorizer: Tokens
            Authorizers:
              Tokens:
                AuthorizationScopes:
                  - read
                IdentitySource: $request.header.Authorization
                JwtConfiguration:
                  issuer: https://issuer.example
                  audience:
                    - one
                    - two
              Lambda:
                FunctionArn: !GetAtt Guard.Arn
                AuthorizerPayloadFormatVersion: "2.0"
                EnableSimpleResponses: true
                Identity:
                  Headers:
                    - X-One
                  ReauthorizeEvery: 30
      Backend:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: nodejs24.x
          Events:
            Default:
              Type: HttpApi
              Properties:
                ApiId: !Ref Http
                Path: /default
                Method: get
            Lambda:
              Type: HttpApi
              Properties:
                ApiId: !Ref Http
                Path: /lambda
                Method: get
                Auth:
                  Authorizer: Lambda
            Signed:
              Type: HttpApi
              Properties:
                ApiId: !Ref Http
                Path: /signed
                Method: put
                Auth:
                  Authorizer: AWS_IAM
            Anyone:
              Type: HttpApi
              Properties:
                ApiId: !Ref Http
                Auth:
                  Authorizer: NONE
    """,
    """
    Transform: AWS::Serverless-2016-10-31
    Resources:
    \(function("Guard", of: "Serverless"))
      Rest:
        Type: AWS::Serverless::Api
        Properties:
          StageName: prod
          MergeDefinitions: true
          Auth:
            DefaultAuthorizer: Token
            Authorizers:
              Token:
                FunctionArn: !GetAtt Guard.Arn
          DefinitionBody:
            openapi: 3.0.1
            paths:
              /a:
                get:
    \(proxy("GET"))
                post:
                  security:
                    - NONE: []
    \(proxy("POST"))
              /{proxy+}:
                x-amazon-apigateway-any-method:
                  security:
                    - NONE: []
    \(proxy("ANY"))
      Backend:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: nodejs24.x
          Events:
            B:
              Type: Api
              Properties:
                RestApiId: !Ref Rest
                Path: /b
                Method: get
    """,
  ]
}
