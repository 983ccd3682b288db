/// The mapping templates of a request or a response by content type, in the order of the template.
struct MappingTemplates: Equatable, Sendable {
  struct Entry: Equatable, Sendable {
    let type: String
    let template: MappingTemplate
  }

  private(set) var entries: [Entry]

  init(_ entries: [Entry] = []) { self.entries = entries }

  var isEmpty: Bool { entries.isEmpty }

  /// Returns the template for a request: that of its content type, which is JSON if it has none, or `$default`. An
  /// empty template is none.
  func forRequest(_ request: GatewayRequest) -> Entry? {
    let type = MediaType.of(request.values(ofHeader: "Content-Type").first) ?? "application/json"
    let found =
      entries.first { $0.type.lowercased() == type } ?? entries.first { $0.type == "$default" }
    return found.flatMap { $0.template.text.isEmpty ? nil : $0 }
  }

  /// Returns the template for the response to a request: that of the first type in `Accept`, else the JSON template,
  /// else the first ("Select a VTL mapping template").
  func forResponse(to request: GatewayRequest) -> Entry? {
    let type = MediaType.of(request.values(ofHeader: "Accept").first) ?? "application/json"
    return entries.first { $0.type.lowercased() == type } ?? entries.first { $0.type == "application/json" }
      ?? entries.first
  }
}
