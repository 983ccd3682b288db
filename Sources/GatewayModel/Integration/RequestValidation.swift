internal import Text

/// What a request validator of a REST API asks for ("Use request validation in API Gateway"): the parameters that a
/// request must have.
package struct RequestValidation: Equatable, Sendable {
  private(set) var headers: [String] = []
  private(set) var path: [String] = []
  private(set) var query: [String] = []

  package init() {}

  /// Adds a required parameter. One that is in no known place, such as the body, is not validated.
  package mutating func require(_ name: String, in place: String) {
    switch place {
    case "header": headers.append(name)
    case "path": path.append(name)
    case "query", "querystring": query.append(name)
    default: return
    }
  }

  /// Returns the names of the parameters that are absent or blank, in the order of API Gateway's message.
  package func missing(from source: @autoclosure () -> ParameterSource) -> [String] {
    if headers.isEmpty, path.isEmpty, query.isEmpty { return [] }
    let source = source()
    func absent(_ names: [String], _ make: (String) -> ParameterValue) -> [String] {
      names.filter { make($0).text(from: source)?.trimmingBlanks.isEmpty != false }
    }
    return absent(headers) { .header($0) } + absent(path) { .path($0) } + absent(query) { .query($0) }
  }
}
