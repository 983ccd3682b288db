internal import Text
internal import Mapping
internal import Bytes
internal import JSON

/// The template of a gateway response: text with `$context.…` and `$stageVariables.…`, and no other part of the
/// template language ("Gateway responses in API Gateway": VTL is not evaluated there).
package struct VariableTemplate: Equatable, Sendable {
  /// As written.
  package let text: String
  private let parts: [Part]
  /// The variables of `$context` that are not known, such as `$context.nope`. They write nothing, as those without a
  /// value do.
  package let unknownVariables: [String]

  private enum Part: Equatable {
    case text(String)
    case context(String)
    case stageVariable(String)
  }

  /// A variable that is neither of `$context` nor of `$stageVariables`.
  package struct Unknown: Error, Equatable { package let name: String }

  package init(_ text: String) throws(Unknown) {
    self.text = text
    var parts: [Part] = []
    var unknown: [String] = []
    var rest = text[...]
    while let dollar = rest.unicodeScalars.firstIndex(of: "$") {
      parts.append(.text(String(rest[..<dollar])))
      let name = Substring(
        rest[dollar...].dropFirst(bytes: 1).utf8.prefix { $0.isLetterOrDigit || "._-".utf8.contains($0) })
      // A period after a variable ends the sentence.
      let path = name.hasByteSuffix(".") ? name.dropLast() : name
      rest = rest[path.endIndex...]
      if path.hasBytePrefix("context.") {
        let variable = String(path.dropFirst(bytes: "context.".utf8.count))
        if !ContextVariables.isKnown(variable, withErrors: true) { unknown.append("$" + path) }
        parts.append(.context(variable))
      } else if path.hasBytePrefix("stageVariables.") {
        parts.append(.stageVariable(String(path.dropFirst(bytes: "stageVariables.".utf8.count))))
      } else if path.isEmpty {
        parts.append(.text("$"))
      } else {
        throw Unknown(name: "$" + path)
      }
    }
    parts.append(.text(String(rest)))
    self.parts = parts
    unknownVariables = unknown
  }

  package func filled(from source: ParameterSource) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .context(let name): source.variables[name]
      case .stageVariable(let name): source.stageVariables.value(named: name) ?? ""
      }
    }.joined()
  }
}
