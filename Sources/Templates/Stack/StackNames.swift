internal import Text
internal import Yams

/// The names of a nested stack in the document that has the resources of all stacks: each name of its template gets the
/// name of the stack before it. A logical ID has no hyphen, so no two stacks have the same name.
struct StackNames {
  /// The name of the stack.
  let scope: String

  func scoped(_ name: some StringProtocol) -> String { "\(scope)-\(name)" }

  /// Returns a part of the stack's template with the new names in its references.
  ///
  /// - Parameter isCondition: whether it is a part of the section `Conditions`, where a map may name a condition.
  func renamed(_ node: Node, isCondition: Bool = false) -> Node {
    if let call = FunctionCall(node) {
      let name = call.name == "Ref" || call.name == "Condition" ? call.name : "Fn::" + call.name
      return Self.map(name, argument(of: call, isCondition: isCondition), node.mark)
    }
    switch node {
    case .scalar, .alias: return node
    case .sequence(var elements):
      for index in elements.indices {
        elements[index] = renamed(elements[index], isCondition: isCondition)
      }
      return .sequence(elements)
    case .mapping(var members):
      if isCondition, members.count == 1, let name = node["Condition"] {
        return Self.map("Condition", scoped(name), node.mark)
      }
      for index in members.indices {
        members[index] = (members[index].key, renamed(members[index].value, isCondition: isCondition))
      }
      return .mapping(members)
    }
  }

  /// A condition that holds if both do.
  static func both(_ first: String, _ second: String) -> Node {
    let parts = [first, second].map { map("Condition", Node($0), nil) }
    return map("Fn::And", .sequence(Node.Sequence(parts)), nil)
  }

  private static func map(_ name: String, _ value: Node, _ mark: Mark?) -> Node {
    let key = Node.scalar(Node.Scalar(name, .implicit, .any, mark))
    return .mapping(Node.Mapping([(key, value)], .implicit, .any, mark))
  }

  private func argument(of call: FunctionCall, isCondition: Bool) -> Node {
    switch call.name {
    case "Ref", "Condition":
      // The pseudo parameters are those of all stacks.
      return call.argument.scalar?.string.hasBytePrefix("AWS::") == true
        ? call.argument : scoped(call.argument)
    case "GetAtt", "FindInMap", "If":
      guard case .sequence(var parts) = call.argument else { return scoped(call.argument) }
      for index in parts.indices {
        parts[index] =
          index == parts.startIndex ? scoped(parts[index]) : renamed(parts[index], isCondition: isCondition)
      }
      return .sequence(parts)
    case "Sub": return substitution(call.argument)
    default: return renamed(call.argument, isCondition: isCondition)
    }
  }

  /// Returns a name with that of the stack before it. A function may compute the name.
  private func scoped(_ name: Node) -> Node {
    guard FunctionCall(name) == nil, case .scalar(var scalar) = name else {
      let parts = Node.sequence(Node.Sequence([Node(scope), renamed(name)]))
      return Self.map("Fn::Join", .sequence(Node.Sequence([Node("-"), parts])), name.mark)
    }
    scalar.string = scoped(scalar.string)
    return .scalar(scalar)
  }

  private func substitution(_ argument: Node) -> Node {
    guard case .sequence(var parts) = argument, let first = parts.first else { return text(argument, []) }
    let local = Set(parts.dropFirst().first?.mapping?.keys.compactMap(\.string) ?? [])
    for index in parts.indices {
      parts[index] = index == parts.startIndex ? text(first, local) : renamed(parts[index])
    }
    return .sequence(parts)
  }

  /// Returns the text of `Fn::Sub` with the new names in `${NAME}` and `${NAME.ATTRIBUTE}`.
  private func text(_ node: Node, _ local: Set<String>) -> Node {
    guard case .scalar(var scalar) = node else { return renamed(node) }
    var result = ""
    var rest = scalar.string[...]
    while let start = rest.firstByteRange(of: "${"),
      let end = rest[start.upperBound...].firstByteRange(of: "}")
    {
      let name = rest[start.upperBound..<end.lowerBound]
      let isOwn = !name.hasBytePrefix("!") && !name.hasBytePrefix("AWS::") && !local.contains(String(name))
      result += rest[..<start.upperBound] + (isOwn ? scoped(name) : String(name)) + "}"
      rest = rest[end.upperBound...]
    }
    scalar.string = result + rest
    return .scalar(scalar)
  }
}
