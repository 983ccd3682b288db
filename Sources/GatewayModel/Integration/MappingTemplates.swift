package import Mapping
internal import Text

/// The mapping templates of a request or a response by content type, in the order of the template.
package struct MappingTemplates: Equatable, Sendable {
  package struct Entry: Equatable, Sendable {
    package let type: String
    package let template: MappingTemplate

    package init(type: String, template: MappingTemplate) {
      self.type = type
      self.template = template
    }
  }

  package private(set) var entries: [Entry]

  package init(_ entries: [Entry] = []) { self.entries = entries }

  package var isEmpty: Bool { entries.isEmpty }

  /// Returns the template for a request: that of its content type, which is JSON if it has none, or `$default`. An
  /// empty template is none.
  package func forRequest(_ request: GatewayRequest) -> Entry? {
    let type = MediaType.of(request.values(ofHeader: "Content-Type").first) ?? "application/json"
    let found =
      entries.first { $0.type.lowercased() == type } ?? entries.first { $0.type == "$default" }
    return found.flatMap { $0.template.text.isEmpty ? nil : $0 }
  }

  /// Returns the template for the response to a request: that of the first type in `Accept`, else the JSON template,
  /// else the first ("Select a VTL mapping template").
  package func forResponse(to request: GatewayRequest) -> Entry? {
    let type = MediaType.of(request.values(ofHeader: "Accept").first) ?? "application/json"
    return entries.first { $0.type.lowercased() == type } ?? entries.first { $0.type == "application/json" }
      ?? entries.first
  }
}
