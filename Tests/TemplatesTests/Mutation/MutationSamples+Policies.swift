/// What guards whole APIs.
extension MutationSamples {
  /// Resource policies, private APIs and APIs without their own address.
  static let guarded = [
    """
    Resources:
      Closed:
        Type: AWS::ApiGateway::RestApi
        Properties:
          Name: closed
          Policy:
            Version: "2012-10-17"
            Statement:
              - Effect: Allow
                Principal: "*"
                Action: execute-api:Invoke
                Resource: execute-api:/*
                Condition:
                  IpAddress:
                    aws:SourceIp: 10.0.0.0/8
      GetRoot:
        Type: AWS::ApiGateway::Method
        Properties:
          RestApiId: !Ref Closed
          ResourceId: !GetAtt Closed.RootResourceId
          HttpMethod: GET
          AuthorizationType: NONE
          Integration:
            Type: HTTP_PROXY
            IntegrationHttpMethod: GET
            Uri: https://a.example/
      Deployment:
        Type: AWS::ApiGateway::Deployment
        Properties:
          RestApiId: !Ref Closed
          StageName: prod
    """,
    """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Rest:
        Type: AWS::Serverless::Api
        Properties:
          StageName: prod
          Auth:
            ResourcePolicy:
              IpRangeWhitelist:
                - 10.0.0.0/8
      Backend:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: nodejs24.x
          Events:
            A:
              Type: Api
              Properties:
                RestApiId: !Ref Rest
                Path: /a
                Method: get
            B:
              Type: Api
              Properties:
                RestApiId: !Ref Rest
                Path: /b
                Method: get
                Auth:
                  ResourcePolicy:
                    IpRangeBlacklist:
                      - 192.0.2.0/24
    """,
    """
    Resources:
      Private:
        Type: AWS::ApiGateway::RestApi
        Properties:
          Name: private
          EndpointConfiguration:
            Types:
              - PRIVATE
      GetPrivate:
        Type: AWS::ApiGateway::Method
        Properties:
          RestApiId: !Ref Private
          ResourceId: !GetAtt Private.RootResourceId
          HttpMethod: GET
          AuthorizationType: AWS_IAM
          Integration:
            Type: HTTP_PROXY
            IntegrationHttpMethod: GET
            Uri: https://a.example/
      PrivateDeployment:
        Type: AWS::ApiGateway::Deployment
        Properties:
          RestApiId: !Ref Private
          StageName: prod
      Rest:
        Type: AWS::ApiGateway::RestApi
        Properties:
          Name: rest
          DisableExecuteApiEndpoint: true
      GetRest:
        Type: AWS::ApiGateway::Method
        Properties:
          RestApiId: !Ref Rest
          ResourceId: !GetAtt Rest.RootResourceId
          HttpMethod: GET
          AuthorizationType: NONE
          Integration:
            Type: HTTP_PROXY
            IntegrationHttpMethod: GET
            Uri: https://a.example/
      RestDeployment:
        Type: AWS::ApiGateway::Deployment
        Properties:
          RestApiId: !Ref Rest
          StageName: prod
      Http:
        Type: AWS::ApiGatewayV2::Api
        Properties:
          Name: http
          ProtocolType: HTTP
          DisableExecuteApiEndpoint: true
          Target: https://a.example/
    """,
  ]
}
