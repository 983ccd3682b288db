internal import JSON

/// The JSON object of a request to the console, read member by member: an unknown or a wrong one is refused.
struct ConsoleRequest {
  let tree: JSONTree

  init(_ tree: JSONTree) { self.tree = tree }

  func check(known: [String]) throws(ConsoleProblem) {
    guard case .object(let members) = tree else { return }
    for member in members where !known.contains(member.name) {
      throw .invalid("unknown member \(member.name); known are \(known.joined(separator: ", "))")
    }
  }

  /// Returns a string; `nil` if it is absent or null.
  func text(_ name: String) throws(ConsoleProblem) -> String? {
    switch tree[name] {
    case nil, .null?: return nil
    case .string(let text)?: return text
    default: throw .invalid("\(name) must be a string")
    }
  }

  /// Returns a boolean; false if it is absent or null.
  func flag(_ name: String) throws(ConsoleProblem) -> Bool {
    switch tree[name] {
    case nil, .null?: return false
    case .boolean(let flag)?: return flag
    default: throw .invalid("\(name) must be true or false")
    }
  }

  /// Returns the members of an object of strings, in order.
  func texts(_ name: String) throws(ConsoleProblem) -> [(name: String, value: String)] {
    switch tree[name] {
    case nil, .null?: return []
    case .object(let members)?:
      var texts: [(name: String, value: String)] = []
      for member in members {
        guard case .string(let text) = member.value else {
          throw .invalid("\(name) must have strings as values")
        }
        texts.append((member.name, text))
      }
      return texts
    default: throw .invalid("\(name) must be an object of strings")
    }
  }
}
