internal import Text
internal import Yams

/// A call of an intrinsic function: `!Name argument`, `Fn::Name: argument`, `Ref: argument`.
package struct FunctionCall {
  let name: String
  let argument: Node
  let line: Int

  /// Returns `nil` for any other node.
  init?(_ node: Node) {
    let tag: String? =
      switch node {
      case .scalar(let scalar): scalar.tag.description
      case .mapping(let mapping): mapping.tag.description
      case .sequence(let sequence): sequence.tag.description
      case .alias: nil
      }
    line = node.line
    if let tag, tag.hasBytePrefix("!"), tag.utf8.count > 1 {
      (name, argument) = (String(tag.dropFirst(bytes: 1)), node.untagged)
      return
    }
    guard let mapping = node.mapping, mapping.count == 1, let (key, value) = mapping.first,
      let word = key.string, word == "Ref" || word.hasBytePrefix("Fn::")
    else { return nil }
    (name, argument) = (word == "Ref" ? word : String(word.dropFirst(bytes: 4)), value)
  }
}

extension FunctionCall {
  /// Returns the first `${NAME}` of a text that only `Fn::Sub` replaces; `nil` without one. Stage variables are replaced
  /// by API Gateway.
  static func missingSubstitution(in text: String) -> String? {
    var rest = text.utf8[...]
    while let start = rest.firstRange(of: "${".utf8) {
      rest = rest[start.upperBound...]
      guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else { return nil }
      if !rest.starts(with: "stageVariables.".utf8) {
        return "${" + String(text[start.upperBound..<end]) + "}"
      }
    }
    return nil
  }
}

extension Node {
  /// The node without the tag of a short function name.
  fileprivate var untagged: Node {
    switch self {
    case .scalar(var scalar):
      scalar.tag = .implicit
      return .scalar(scalar)
    case .mapping(var mapping):
      mapping.tag = .implicit
      return .mapping(mapping)
    case .sequence(var sequence):
      sequence.tag = .implicit
      return .sequence(sequence)
    case .alias: return self
    }
  }
}

extension TemplateDocument.Resource {
  /// Whether a property is the literal `true` where SAM accepts nothing else: not a text, and not the call of a
  /// function.
  package func isTrue(_ property: String, _ member: String) -> Bool {
    guard let node = properties?[property]?[member], case .scalar(let scalar) = node,
      FunctionCall(node) == nil, scalar.style == .plain
    else { return false }
    // The booleans of YAML 1.1, which the tools of AWS read.
    return ["true", "yes", "on"].contains(scalar.string.lowercased())
  }

  /// Whether a property is the call of a function.
  func hasCall(_ property: String) -> Bool {
    properties?[property].map { FunctionCall($0) != nil } ?? false
  }
}
