@testable import GatewayModel
@testable import Templates

/// Templates of SAM for tests, and what their routes say.
enum SAMTemplate {
  /// Returns a template with two authorizer functions, a backend with these events, and these further resources.
  static func text(events: String = "", resources: String, head: String = "") -> String {
    """
    Transform: AWS::Serverless-2016-10-31
    \(head)
    Resources:
      Guard: { Type: AWS::Serverless::Function, Properties: { Runtime: provided.al2023 } }
      Other: { Type: AWS::Serverless::Function, Properties: { Runtime: provided.al2023 } }
      Pool: { Type: AWS::Cognito::UserPool }
      Backend:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: nodejs24.x
          Events: { \(events) }
    \(resources)
    """
  }

  /// Returns an `AWS::Serverless::Api` named `Api`.
  static func rest(_ properties: String) -> String {
    "  Api: { Type: AWS::Serverless::Api, Properties: { StageName: prod, \(properties) } }"
  }

  /// Returns an `AWS::Serverless::HttpApi` named `Api`.
  static func http(_ properties: String) -> String {
    "  Api: { Type: AWS::Serverless::HttpApi, Properties: { \(properties) } }"
  }

  /// Returns an event of a REST API.
  static func event(_ method: String, _ path: String, _ more: String = "") -> String {
    let name = (method + path).filter { $0.isLetter || $0.isNumber }
    return
      "\(name): { Type: Api, Properties: { RestApiId: !Ref Api, Method: \(method), Path: '\(path)', \(more) } }"
  }

  /// Returns an event of an HTTP API.
  static func httpEvent(_ method: String, _ path: String, _ more: String = "") -> String {
    let name = (method + path).filter { $0.isLetter || $0.isNumber }
    return
      "\(name): { Type: HttpApi, Properties: { ApiId: !Ref Api, Method: \(method), Path: '\(path)', \(more) } }"
  }

  /// Returns who may call each route, by `API METHOD PATH`; `closed` for the API itself if it is closed.
  static func guards(_ text: String, _ parameters: [String: String] = [:]) -> [String: String] {
    do throws(TemplateError) {
      let template = try GatewayTemplate(parsing: text, parameters: parameters)
      var found: [String: String] = [:]
      for api in template.closedAPIs { found[api.name] = "closed" }
      for api in template.apis {
        for route in api.routes {
          found["\(api.name) \(route.key)"] = word(route.access) + (route.needsAPIKey ? " + key" : "")
        }
      }
      return found
    } catch {
      return ["": "refused"]
    }
  }

  static func word(_ access: RouteAccess) -> String {
    switch access {
    case .open: "open"
    case .lambda(let authorizer): authorizer.name
    case .token(let authorizer, let scopes): ([authorizer.name] + scopes).joined(separator: " ")
    case .signature: "iam"
    case .closed: "closed"
    }
  }

  /// Returns what closes the template or a part of it.
  static func problems(_ text: String) -> [String] {
    do throws(TemplateError) {
      return try GatewayTemplate(parsing: text).closures.map(\.problem)
    } catch {
      return error.findings.map(\.problem)
    }
  }
}
