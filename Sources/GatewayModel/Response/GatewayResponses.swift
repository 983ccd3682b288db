internal import Text
internal import Mapping

/// One gateway response that the template changes; AWS's defaults apply to everything it leaves out.
package struct GatewayResponseChange: Equatable, Sendable {
  package var status: Int?
  package var headers: [Parameter] = []
  /// By content type, in the order of the template; empty for the default template.
  package var templates: [(type: String, template: VariableTemplate)] = []

  package init() {}

  package struct Parameter: Equatable, Sendable {
    package let name: String
    package let value: ParameterValue

    package init(name: String, value: ParameterValue) {
      self.name = name
      self.value = value
    }
  }

  /// Compares all members; tuples are not `Equatable`.
  package static func == (left: Self, right: Self) -> Bool {
    left.status == right.status && left.headers == right.headers
      && left.templates.elementsEqual(right.templates) { $0.type == $1.type && $0.template == $1.template }
  }
}

package struct GatewayResponses: Equatable, Sendable {
  package var changes: [GatewayResponseKind: GatewayResponseChange] = [:]

  package init(changes: [GatewayResponseKind: GatewayResponseChange] = [:]) {
    self.changes = changes
  }

  /// Returns the response of one kind.
  ///
  /// - Parameters:
  ///   - message: `$context.error.message`; `nil` is written as `null`.
  ///   - body: AWS's body where it differs from the default template; ignored if the template changes it.
  package func response(
    _ kind: GatewayResponseKind, message: String?, body: String? = nil, from source: ParameterSource
  ) -> GatewayResponse {
    let change = changes[kind] ?? kind.fallback.flatMap { changes[$0] }
    var source = source
    source.variables.set("error.message", message ?? "")
    source.variables.set("error.messageString", message.map { ParameterSource.quoted($0) } ?? "null")
    source.variables.set("error.responseType", kind.rawValue)
    let template = Self.template(of: change, for: source.request)
    let text: String
    if let template {
      text = template.template.filled(from: source)
    } else {
      text = body ?? #"{"message":\#(source.variables["error.messageString"])}"#
    }
    var response = GatewayResponse(
      status: change?.status ?? kind.defaultStatus ?? 500,
      headers: [.init("Content-Type", template?.type ?? "application/json")], body: Array(text.utf8))
    for header in change?.headers ?? [] {
      guard let value = header.value.text(from: source), !value.isEmpty else { continue }
      response.headers.removeAll { $0.name.lowercased() == header.name.lowercased() }
      response.headers.append(.init(header.name, value))
    }
    return response
  }

  /// The template of the first type in `Accept`, else the JSON template, else the first.
  private static func template(
    of change: GatewayResponseChange?, for request: GatewayRequest
  ) -> (type: String, template: VariableTemplate)? {
    guard let templates = change?.templates, let first = templates.first else { return nil }
    let accepted = request.values(ofHeader: "Accept").flatMap { $0.splitBytes(at: ",") }.map {
      $0.head(before: ";").trimmingBlanks
    }
    for type in accepted {
      if let found = templates.first(where: { $0.type == type }) { return found }
    }
    return templates.first { $0.type == "application/json" } ?? first
  }
}
