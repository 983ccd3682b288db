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
    \(root("GetRoot", of: "Closed", "NONE"))
    \(deployment("Deployment", of: "Closed"))
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
    \(root("GetPrivate", of: "Private", "AWS_IAM"))
    \(deployment("PrivateDeployment", of: "Private"))
      Rest:
        Type: AWS::ApiGateway::RestApi
        Properties:
          Name: rest
          DisableExecuteApiEndpoint: true
    \(root("GetRest", of: "Rest", "NONE"))
    \(deployment("RestDeployment", of: "Rest"))
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
