import Foundation

/// Parts that several samples have, in block style too, so that each of their lines is changed.
extension MutationSamples {
  static func function(_ name: String, of service: String = "Lambda") -> String {
    """
      \(name):
        Type: AWS::\(service)::Function
        Properties:
          Runtime: nodejs24.x
    """
  }

  /// A path and its method in a REST API named `Rest`.
  ///
  /// - Parameter access: the lines about who may call it.
  static func path(_ name: String, _ method: String, _ access: String...) -> String {
    """
      \(name):
        Type: AWS::ApiGateway::Resource
        Properties:
          RestApiId: !Ref Rest
          ParentId: !GetAtt Rest.RootResourceId
          PathPart: \(name.lowercased())
      \(method.capitalized)\(name):
        Type: AWS::ApiGateway::Method
        Properties:
          RestApiId: !Ref Rest
          ResourceId: !Ref \(name)
          HttpMethod: \(method)
          \(access.joined(separator: "\n      "))
          Integration:
            Type: AWS_PROXY
            IntegrationHttpMethod: POST
            Uri: !Sub arn:aws:apigateway:${AWS::Region}:lambda:path/2021-11-15/functions/${Backend.Arn}/response-streaming-invocations
            ResponseTransferMode: STREAM
    """
  }

  /// The method of the root of a REST API.
  static func root(_ name: String, of api: String, _ access: String) -> String {
    """
      \(name):
        Type: AWS::ApiGateway::Method
        Properties:
          RestApiId: !Ref \(api)
          ResourceId: !GetAtt \(api).RootResourceId
          HttpMethod: GET
          AuthorizationType: \(access)
          Integration:
            Type: HTTP_PROXY
            IntegrationHttpMethod: GET
            Uri: https://a.example/
    """
  }

  static func deployment(_ name: String, of api: String) -> String {
    """
      \(name):
        Type: AWS::ApiGateway::Deployment
        Properties:
          RestApiId: !Ref \(api)
          StageName: prod
    """
  }

  /// A route of an HTTP API named `Http`.
  static func route(_ name: String, _ key: String, _ access: String...) -> String {
    """
      \(name):
        Type: AWS::ApiGatewayV2::Route
        Properties:
          ApiId: !Ref Http
          RouteKey: \(key)
          \(access.joined(separator: "\n      "))
          Target: !Sub integrations/${Backend}
    """
  }

  /// The integration of an operation in OpenAPI.
  static func proxy(_ method: String) -> String {
    """
                  x-amazon-apigateway-integration:
                    type: http_proxy
                    httpMethod: \(method)
                    uri: https://a.example/
    """
  }
}
