internal import GatewayModel

/// The template of `serve --kind`: one API of a kind, every path behind one authorizer.
struct ServedKind: Equatable, Sendable {
  /// What the authorizer gets.
  let kind: EventKind
  /// Whether an HTTP API with payload 2.0 takes simple answers.
  let isSimple: Bool
  /// Whether the authorizer is invoked for requests without a token too.
  var takesGuests = false

  /// The name for messages.
  var name: String { "serve --kind \(kind.rawValue)" }

  /// The template, read as any other.
  var text: String {
    Self.functions
      + (kind == .webSocket ? webSocket : Self.backend(of: api) + "  Api:\n    Type: \(type)\n" + auth)
  }

  /// The name of the event type in SAM.
  private var api: (type: String, reference: String) {
    switch kind {
    case .restToken, .restRequest, .webSocket: ("Api", "RestApiId")
    case .http1, .http2: ("HttpApi", "ApiId")
    }
  }

  private var type: String { "AWS::Serverless::" + api.type }

  private var auth: String {
    switch kind {
    case .restToken: Self.rest("FunctionPayloadType: TOKEN")
    case .restRequest: Self.rest("FunctionPayloadType: REQUEST, Identity: \(identity)")
    case .http1: http("AuthorizerPayloadFormatVersion: '1.0', EnableSimpleResponses: false")
    case .http2: http("AuthorizerPayloadFormatVersion: '2.0', EnableSimpleResponses: \(isSimple)")
    case .webSocket: ""
    }
  }

  private var identity: String {
    takesGuests ? "{ ReauthorizeEvery: 0 }" : "{ Headers: [Authorization] }"
  }

  /// API Gateway waits at most 29 s for an authorizer (REST API quotas). The memory is our choice, because nothing says
  /// what the function has on AWS.
  private static let functions = """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Authorizer:
        Type: AWS::Serverless::Function
        Properties: { Runtime: provided.al2023, Handler: bootstrap, CodeUri: ., Timeout: 29, MemorySize: 1024 }

    """

  private static func backend(of api: (type: String, reference: String)) -> String {
    """
      Backend:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: provided.al2023
          Handler: bootstrap
          CodeUri: .
          Events:
            Root: { Type: \(api.type), Properties: { \(api.reference): !Ref Api, Method: ANY, Path: "/" } }
            Rest: { Type: \(api.type), Properties: { \(api.reference): !Ref Api, Method: ANY, Path: "/{proxy+}" } }

    """
  }

  private static func rest(_ form: String) -> String {
    """
        Properties:
          StageName: prod
          Auth:
            DefaultAuthorizer: Guard
            Authorizers:
              Guard: { FunctionArn: !GetAtt Authorizer.Arn, \(form) }

    """
  }

  private func http(_ form: String) -> String {
    """
        Properties:
          Auth:
            DefaultAuthorizer: Guard
            Authorizers:
              Guard:
                { FunctionArn: !GetAtt Authorizer.Arn, EnableFunctionDefaultPermissions: true, \(form),
                  Identity: \(identity) }

    """
  }

  private var webSocket: String {
    """
      Api:
        Type: AWS::ApiGatewayV2::Api
        Properties: { Name: live, ProtocolType: WEBSOCKET, RouteSelectionExpression: $request.body.action }
      Guard:
        Type: AWS::ApiGatewayV2::Authorizer
        Properties:
          ApiId: !Ref Api
          Name: Guard
          AuthorizerType: REQUEST
          \(takesGuests ? "" : "IdentitySource: [route.request.header.Authorization]")
          AuthorizerUri: !Sub arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Authorizer.Arn}/invocations
      Permission:
        Type: AWS::Lambda::Permission
        Properties: { Action: lambda:InvokeFunction, FunctionName: !Ref Authorizer, Principal: apigateway.amazonaws.com }
      Backend:
        Type: AWS::ApiGatewayV2::Integration
        Properties:
          ApiId: !Ref Api
          IntegrationType: MOCK
          TemplateSelectionExpression: \\$default
          RequestTemplates: { $default: '{"statusCode":200}' }
      Connect:
        Type: AWS::ApiGatewayV2::Route
        Properties:
          { ApiId: !Ref Api, RouteKey: $connect, AuthorizationType: CUSTOM, AuthorizerId: !Ref Guard,
            Target: !Sub "integrations/${Backend}" }
      Default:
        Type: AWS::ApiGatewayV2::Route
        Properties: { ApiId: !Ref Api, RouteKey: $default, Target: !Sub "integrations/${Backend}" }
      Stage:
        Type: AWS::ApiGatewayV2::Stage
        Properties: { ApiId: !Ref Api, AutoDeploy: true, StageName: live }

    """
  }
}
