internal import Mapping
package import Text

/// An integration of a REST API whose requests and responses are mapped: a mock, or a custom integration with a
/// function, an HTTP backend or an AWS service.
package struct MappedIntegration: Equatable, Sendable {
  package let target: Target
  package var requestTemplates = MappingTemplates()
  package var passthrough = Passthrough.whenNoMatch
  /// The parameters of the request; no others are passed on.
  package var parameters: [HTTPIntegration.Change] = []
  package var contentHandling: ContentHandling?
  package var responses: [Response] = []
  /// Whether the address is that of a VPC link, which only AWS can reach.
  package var isPrivate = false
  /// The timeout of the template; `nil` for that of the API.
  package var timeoutMilliseconds: Int?

  package init(_ target: Target) { self.target = target }

  package enum Target: Equatable, Sendable {
    /// Nothing: the output of the request template has the status.
    case mock
    /// A function: the name of its resource, which may contain `${stageVariables.x}`.
    case function(String)
    /// An HTTP backend; without a method, that of the request.
    case http(method: String?, address: String)
    /// An AWS service: its name, the action or path of its API, and the method.
    case service(String, action: String, method: String?)
  }

  /// What happens to a request whose content type has no template ("Integration passthrough behaviors").
  package enum Passthrough: String, CaseIterable, Sendable {
    case whenNoMatch = "WHEN_NO_MATCH"
    case whenNoTemplates = "WHEN_NO_TEMPLATES"
    case never = "NEVER"
  }

  /// How a body is converted ("Content type conversions in API Gateway").
  package enum ContentHandling: String, CaseIterable, Sendable {
    case toBinary = "CONVERT_TO_BINARY"
    case toText = "CONVERT_TO_TEXT"
  }

  package struct Response: Equatable, Sendable {
    /// The expression for the status or, for a function, the error message; `nil` for the default.
    package var pattern: RegularExpression?
    package let status: Int
    package let headers: [GatewayResponseChange.Parameter]
    package var templates = MappingTemplates()
    package var contentHandling: ContentHandling?

    package init(status: Int, headers: [GatewayResponseChange.Parameter]) {
      self.status = status
      self.headers = headers
    }
  }

  /// Returns the response for a status or an error message: the first that matches, else the default.
  package func response(for selected: String) -> Response? {
    // All patterns share the maximum of one: there may be many.
    var units = RegularExpression.maximumUnits
    return responses.first { $0.pattern?.matchesWhole(selected, &units) == true }
      ?? responses.first { $0.pattern == nil }
  }

  /// A mock that answers each request with a 200 and these headers.
  package static func mock(headers: [GatewayResponseChange.Parameter]) -> MappedIntegration {
    var mock = MappedIntegration(.mock)
    if let template = try? MappingTemplate(#"{"statusCode":200}"#) {
      mock.requestTemplates = MappingTemplates([.init(type: "application/json", template: template)])
    }
    mock.responses = [Response(status: 200, headers: headers)]
    return mock
  }
}
