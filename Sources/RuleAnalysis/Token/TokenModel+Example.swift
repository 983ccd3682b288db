internal import Authorizer
internal import JOSE
internal import JSON
internal import Satisfiability

/// A token of the assignment that a search found.
extension TokenModel {
  /// Returns the recipe of the token, as `tokens.json` has it.
  ///
  /// - Parameter side: the configuration whose algorithms and types it has.
  mutating func recipe(side: Int) -> JSONTree {
    let profile = sides[side].profile
    let algorithm = profile.algorithms.first.map(\.rawValue)
    let types =
      switch profile.types {
      case .ifPresent(let types), .required(let types): types
      }
    let type = types.contains { $0.lowercased() == "jwt" } ? nil : types.first
    return .members([
      "algorithm": algorithm == "RS256" || profile.algorithms.contains { $0.isSymmetric }
        ? nil : algorithm.map { .string($0) },
      "header": type.map { .members(["typ": .string($0)]) }, "claims": .object(members(payload)),
    ])
  }

  private mutating func members(_ indices: [Int]) -> [JSONTree.Member] {
    var members: [JSONTree.Member] = []
    for index in indices {
      guard let value = value(of: nodes[index]) else { continue }
      let name = String(decoding: nodes[index].location.last ?? [], as: UTF8.self)
      members.append(JSONTree.Member(name: name, value: value))
    }
    return members
  }

  private func isTrue(_ literal: Literal) -> Bool { formula.solver.isTrue(literal) }

  private mutating func value(of node: ClaimNode) -> JSONTree? {
    if isTrue(node[.object]) { return .object(members(node.children)) }
    let own = formula.solver.trueLiterals(among: node.decisive)
    if let known = knownValues[own] { return known }
    let value = plainValue(of: node)
    knownValues[own] = .some(value)
    return value
  }

  private func plainValue(of node: ClaimNode) -> JSONTree? {
    switch ClaimNode.Kind.allCases.first(where: { isTrue(node[$0]) }) {
    case nil, .absent, .object: nil
    case .null: .null
    case .no: .boolean(false)
    case .yes: .boolean(true)
    case .text: .string(String(decoding: text(of: node), as: UTF8.self))
    case .integer:
      node.values.first { isTrue($0.literal) }.map { time($0.value, node) }
    case .number: .number("\(node.location == [Array("exp".utf8)] ? now + expiryOffset - 1 : now - 1).5")
    case .array: .array(node.members.filter { isTrue($0.literal) }.map { element($0.element, node) })
    }
  }

  private func time(_ value: Int64, _ node: ClaimNode) -> JSONTree {
    let isTime = ["exp", "iat", "nbf", "auth_time"].contains { node.location == [Array($0.utf8)] }
    guard isTime, relativeTimes.contains(value) else { return .number(String(value)) }
    return .string((value < now ? "-" : "+") + "\(abs(value - now))s")
  }

  // MARK: Texts

  private func text(of node: ClaimNode) -> [UInt8] {
    if let literal = node.texts.first(where: { isTrue($0.value) }) { return literal.key }
    let longest = { (affixes: [[UInt8]: Literal]) in
      affixes.filter { isTrue($0.value) }.keys.max { $0.count < $1.count } ?? []
    }
    let (start, end) = (longest(node.starts), longest(node.ends))
    let scopes = node.free.filter { isTrue($0.value) }.keys.sorted(by: precedes)
    if !scopes.isEmpty, node.texts.isEmpty, node.starts.isEmpty, node.ends.isEmpty {
      return Array(scopes.joined(separator: [0x20]))
    }
    for word in Self.fillers {
      let parts = [start + word] + scopes + (scopes.isEmpty ? [] : [[]])
      let candidate = Array(parts.joined(separator: [0x20])) + (scopes.isEmpty ? [] : word) + end
      if isRight(candidate, node) { return candidate }
    }
    return start + end
  }

  /// Whether a text has the beginnings, ends and scopes that the assignment wants, and is no literal.
  private func isRight(_ text: [UInt8], _ node: ClaimNode) -> Bool {
    let words = text.split(separator: 0x20).map { Array($0) }
    return !node.texts.keys.contains(text)
      && node.starts.allSatisfy { text.starts(with: $0.key) == isTrue($0.value) }
      && node.ends.allSatisfy { text.reversed().starts(with: $0.key.reversed()) == isTrue($0.value) }
      && node.held.allSatisfy { words.contains($0.key) == isTrue($0.value) }
  }

  /// Words to fill a text with: readable ones first.
  private static let fillers =
    ["alice", "other", "x"].map { Array($0.utf8) }
    + (0x21...0x7E).filter { $0 != 0x22 && $0 != 0x5C }.map { [$0, $0] as [UInt8] }
    + ["é", "ß", "ж", "中"].map { Array($0.utf8) }

  private func element(_ element: ClaimNode.Element, _ node: ClaimNode) -> JSONTree {
    switch element {
    case .scalar(.boolean(let boolean)): return .boolean(boolean)
    case .scalar(.integer(let integer)): return .number(String(integer))
    case .scalar(.text(let text)): return .string(String(decoding: text, as: UTF8.self))
    case .otherText:
      let known = node.elements.union(node.scopes.map { .text($0) })
      let word = Self.fillers.first { !known.contains(.text($0)) } ?? []
      return .string(String(decoding: word, as: UTF8.self))
    case .otherInteger:
      var other: Int64 = 7
      while node.elements.contains(.integer(other)) { other += 1 }
      return .number(String(other))
    case .other: return .null
    }
  }
}
