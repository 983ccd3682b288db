internal import JSON

extension JSONTree {
  /// Reads a configuration.
  ///
  /// - Throws: `CommandFailure` with the name if it is not JSON.
  init(
    configuration bytes: [UInt8], of name: String, orElse code: CommandExit = .usage
  ) throws(CommandFailure) {
    do throws(JSONError) { try self.init(parsing: bytes, limits: .configuration) } catch {
      throw CommandFailure(code, "\(name) is not JSON: \(error.description(in: bytes))")
    }
  }

  func word(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }

  func integer(_ name: String) -> Int64? {
    if case .number(let text)? = self[name] { Int64(text) } else { nil }
  }

  /// Returns the elements of a member that is an array.
  func list(_ name: String) -> [JSONTree] {
    if case .array(let elements)? = self[name] { elements } else { [] }
  }

  /// Returns the texts in a member that is an array.
  func words(_ name: String) -> [String] {
    list(name).compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  /// Returns the same with a change of each object in a list.
  func changingObjects(of name: String, _ change: (inout JSONTree) -> Void) -> JSONTree {
    guard case .array(var elements)? = self[name] else { return self }
    for index in elements.indices { if case .object = elements[index] { change(&elements[index]) } }
    var tree = self
    tree[name] = .array(elements)
    return tree
  }
}
