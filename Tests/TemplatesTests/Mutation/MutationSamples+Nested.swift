@testable import Templates

/// A nested stack that guards what the API of its parent leaves open.
extension MutationSamples {
  /// The parent: an open method for every path, the functions, and the stack.
  static let parent = """
    Resources:
    \(function("Guard"))
    \(function("Backend"))
      Rest:
        Type: AWS::ApiGateway::RestApi
        Properties:
          Name: rest
      Proxy:
        Type: AWS::ApiGateway::Resource
        Properties:
          RestApiId: !Ref Rest
          ParentId: !GetAtt Rest.RootResourceId
          PathPart: "{proxy+}"
      AnyProxy:
        Type: AWS::ApiGateway::Method
        Properties:
          RestApiId: !Ref Rest
          ResourceId: !Ref Proxy
          HttpMethod: ANY
          AuthorizationType: NONE
          Integration:
            Type: AWS_PROXY
            IntegrationHttpMethod: POST
            Uri: !Sub arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Backend.Arn}/invocations
      Own:
        Type: AWS::CloudFormation::Stack
        Properties:
          TemplateURL: nested.yaml
          Parameters:
            Rest: !Ref Rest
            Root: !GetAtt Rest.RootResourceId
            Backend: !GetAtt Backend.Arn
            Guard: !GetAtt Guard.Arn
    \(deployment("Deployment", of: "Rest"))
    """

  /// The template of the stack.
  static let nested = """
    Parameters:
      Rest:
        Type: String
      Root:
        Type: String
      Backend:
        Type: String
      Guard:
        Type: String
      Kind:
        Type: String
        Default: CUSTOM
    Mappings:
      Kinds:
        signed:
          type: AWS_IAM
    Conditions:
      Always: !Equals [a, a]
    Resources:
      Token:
        Type: AWS::ApiGateway::Authorizer
        Properties:
          Name: token
          RestApiId: !Ref Rest
          Type: TOKEN
          IdentitySource: method.request.header.X-Token
          AuthorizerUri: !Sub arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Guard}/invocations
    \(guarded("Lambda", "AuthorizationType: !Ref Kind", "AuthorizerId: !Ref Token"))
    \(guarded("Signed", "AuthorizationType: !FindInMap [Kinds, signed, type]"))
    \(guarded("Either", "AuthorizationType: !If [Always, CUSTOM, AWS_IAM]", "AuthorizerId: !Ref Token"))
    """

  private static func guarded(_ name: String, _ access: String...) -> String {
    """
      \(name):
        Type: AWS::ApiGateway::Resource
        Properties:
          RestApiId: !Ref Rest
          ParentId: !Ref Root
          PathPart: \(name.lowercased())
      Get\(name):
        Type: AWS::ApiGateway::Method
        Condition: Always
        Properties:
          RestApiId: !Ref Rest
          ResourceId: !Ref \(name)
          HttpMethod: GET
          \(access.joined(separator: "\n      "))
          Integration:
            Type: AWS_PROXY
            IntegrationHttpMethod: POST
            Uri: !Sub arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Backend}/invocations
    """
  }
}
