package import GatewayModel

/// A value of a template whose intrinsic functions have been replaced by their values.
package struct TemplateValue: Sendable {
  /// The line in the file, starting at 1.
  package let line: Int
  package let content: Content

  package enum Content: Sendable {
    /// Any scalar as a string: CloudFormation treats `"true"` and `true`, `"300"` and `300` the same.
    case text(String)
    case list([TemplateValue])
    case map([Member])
    case null
    /// A value that cannot be determined here, such as the output of another stack. It matters only where it is read:
    /// the reader then reports the finding.
    case unknown(Diagnostic)
  }

  package struct Member: Sendable {
    package let name: String
    package let value: TemplateValue
  }

  /// A value that cannot be determined because of a finding, in another line.
  static func unknown(_ finding: Diagnostic, _ line: Int) -> TemplateValue {
    TemplateValue(line: line, content: .unknown(finding))
  }

  package var text: String? { if case .text(let text) = content { text } else { nil } }
  package var list: [TemplateValue]? { if case .list(let list) = content { list } else { nil } }
  package var members: [Member]? { if case .map(let members) = content { members } else { nil } }

  /// Returns the map with other names of its members.
  package func renamed(_ names: [String: String]) -> TemplateValue {
    mapMembers { Member(name: names[$0.name] ?? $0.name, value: $0.value) }
  }

  /// Returns the map with changed members, or another value as it is.
  func mapMembers(_ change: (Member) -> Member) -> TemplateValue {
    guard let members else { return self }
    return TemplateValue(line: line, content: .map(members.map(change)))
  }

  /// Returns the value with each `${NAME}` of these names in its texts replaced.
  func replacingVariables(_ values: [String: String]) -> TemplateValue {
    switch content {
    case .text(let text): TemplateValue(line: line, content: .text(Self.replaced(text, values)))
    case .list(let list):
      TemplateValue(line: line, content: .list(list.map { $0.replacingVariables(values) }))
    case .map: mapMembers { Member(name: $0.name, value: $0.value.replacingVariables(values)) }
    case .null, .unknown: self
    }
  }

  private static func replaced(_ text: String, _ values: [String: String]) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.utf8.firstRange(of: "${".utf8) {
      let name = rest[start.upperBound...].utf8.prefix { $0 != UInt8(ascii: "}") }
      result += rest[..<start.upperBound]
      rest = rest[start.upperBound...]
      guard name.endIndex < rest.endIndex, let value = values[String(Substring(name))] else { continue }
      result.unicodeScalars.removeLast(2)
      result += value
      rest = rest[rest.utf8.index(after: name.endIndex)...]
    }
    return result.isEmpty ? text : result + rest
  }

  /// The finding of a value that cannot be determined.
  package var finding: Diagnostic? { if case .unknown(let finding) = content { finding } else { nil } }

  /// The findings of all values within that cannot be determined.
  package var findings: [Diagnostic] {
    switch content {
    case .unknown(let finding): [finding]
    case .list(let list): list.flatMap(\.findings)
    case .map(let members): members.flatMap(\.value.findings)
    case .text, .null: []
    }
  }

  /// The kind of value, for messages.
  package var kindName: String {
    switch content {
    case .text: "a string"
    case .list: "a list"
    case .map: "a map"
    case .null: "nothing"
    case .unknown: "an unknown value"
    }
  }
}
