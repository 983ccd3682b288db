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

/// Media types in headers.
enum MediaType {
  /// Returns the first type of a header, in lower case and without parameters.
  static func of(_ header: String?) -> String? {
    guard let first = header?.split(separator: ",").first else { return nil }
    let type = first.prefix { $0 != ";" }.trimmingBlanks.lowercased()
    return type.isEmpty ? nil : type
  }

  /// Whether a header's first type is one of the binary media types of an API; `*/*` is every type.
  static func isBinary(_ header: String?, of api: GatewayAPI) -> Bool {
    let types = api.binaryMediaTypes.map { $0.lowercased() }
    if types.contains("*/*") { return true }
    return of(header).map { types.contains($0) } ?? false
  }
}
