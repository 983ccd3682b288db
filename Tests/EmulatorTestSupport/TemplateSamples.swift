import Foundation

/// Templates for tests, and the templates that the project deploys.
enum TemplateSamples {
  static let packageRoot = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func deployed(_ name: String = "template") throws -> String {
    try String(contentsOf: packageRoot.appendingPathComponent("template/\(name).yaml"), encoding: .utf8)
  }

  /// Returns a template of a REST API with an authorizer and a backend, with `auth` and `extra` as properties of the
  /// API.
  static func rest(auth: String, extra: String = "", events: String = "", function: String = "") -> String {
    """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Authorizer:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: provided.al2023
    \(function)
      Backend:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: provided.al2023
          Events:
            Pets: { Type: Api, Properties: { RestApiId: !Ref Api, Path: /pets, Method: get } }
            Pet: { Type: Api, Properties: { RestApiId: !Ref Api, Path: "/pets/{id}", Method: any } }
    \(events)
      Api:
        Type: AWS::Serverless::Api
        Properties:
          StageName: prod
          Auth:
    \(auth)
    \(extra)
    """
  }

  static let tokenAuth = """
            DefaultAuthorizer: Bearer
            Authorizers:
              Bearer:
                FunctionArn: !GetAtt Authorizer.Arn
    """

  /// Returns the same template for an HTTP API.
  static func http(auth: String, extra: String = "") -> String {
    """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Authorizer:
        Type: AWS::Serverless::Function
        Properties: { Runtime: provided.al2023 }
      Backend:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: provided.al2023
          Events:
            Pets: { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: /pets, Method: get } }
            Pet: { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: "/pets/{id}", Method: any } }
            Rest: { Type: HttpApi, Properties: { ApiId: !Ref Api } }
      Api:
        Type: AWS::Serverless::HttpApi
        Properties:
          Auth:
    \(auth)
    \(extra)
    """
  }

  static func requestAuth(_ more: String) -> String {
    """
            DefaultAuthorizer: Bearer
            Authorizers:
              Bearer:
                FunctionArn: !GetAtt Authorizer.Arn
    \(more)
    """
  }
}
