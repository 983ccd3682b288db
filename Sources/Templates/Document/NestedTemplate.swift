internal import Text
package import GatewayModel
internal import Yams

/// A nested stack or application. A template of its own describes it, which is not read with this one.
package struct NestedTemplate: Equatable, Sendable {
  /// The resource, and what to do.
  package internal(set) var finding: Diagnostic
  /// The path of its template, relative to that of this one; `nil` for one that is not on this machine.
  package let location: String?
  /// What it gets for its parameters, by name; `nil` for a secret, and for a value that is not known here.
  package let parameters: [String: String?]
  /// Whether it has properties without a template, for which CloudFormation and SAM refuse all: what was meant is not
  /// known.
  let isMistake: Bool

  /// The property with the location of the template, by type.
  static let locations = [
    "AWS::CloudFormation::Stack": "TemplateURL", "AWS::Serverless::Application": "Location",
  ]

  /// Returns `nil` for a resource of another type, and for one that does not exist.
  package init?(_ resource: TemplateDocument.Resource, _ functions: IntrinsicFunctions) {
    guard let property = Self.locations[resource.type] else { return nil }
    if let condition = resource.condition,
      case .holds(false) = functions.decision(about: condition, line: resource.line)
    {
      return nil
    }
    let path = "Resources.\(resource.name)"
    func value(_ name: String) -> TemplateValue? {
      resource.properties?[name].flatMap { functions.value(of: $0, at: "\(path).Properties.\(name)") }
    }
    let place = value(property)
    let text = place?.text
    location = text.flatMap { $0.containsBytes(of: "://") ? nil : $0 }
    let secrets = functions.document.secrets
    isMistake = place == nil && (resource.properties != nil || !resource.unknown.isEmpty)
    let given = (value("Parameters")?.members ?? []).map { member in
      (member.name, member.value.parameterText.flatMap { Self.shown($0, besides: secrets) })
    }
    parameters = Dictionary(given) { first, _ in first }
    let file = location.map { " " + $0 + "," } ?? ""
    let reason = functions.document.unreadStacks[resource.name].map { ": " + $0 } ?? ""
    finding = Diagnostic(
      line: resource.line, path: path,
      problem: "is a nested template,\(file) whose APIs are not read with this one" + reason,
      cure: location == nil
        ? "serve its template from a file of this machine" : "serve that template by itself")
  }

  private static func shown(_ text: String, besides secrets: [String]) -> String? {
    secrets.contains { text.utf8.contains($0.utf8) } ? nil : text
  }
}

extension TemplateValue {
  /// The value as that of a parameter: a list is joined by commas. `nil` if a part is not known.
  fileprivate var parameterText: String? {
    guard let list else { return text }
    let texts = list.compactMap(\.text)
    return texts.count == list.count ? texts.joined(separator: ",") : nil
  }
}
