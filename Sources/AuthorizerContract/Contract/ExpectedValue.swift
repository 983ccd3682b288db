internal import Text
package import JSON

/// A value of an expectation: exact JSON, with matchers where the found value may differ.
///
/// A matcher is an object with one member whose name begins with `$`:
///
/// | matcher | matches |
/// |---|---|
/// | `{"$present":true}` | any value |
/// | `{"$absent":true}` | no member of this name |
/// | `{"$regex":"[0-9]+"}` | a string that matches from beginning to end |
/// | `{"$any":[1,2]}` | a value that matches one of these |
/// | `{"$includes":{…}}` | an object with these members and any others |
package indirect enum ExpectedValue: Equatable, Sendable {
  case exactly(JSONTree)
  case object([Member])
  case array([ExpectedValue])
  case present
  case absent
  case regex(String)
  case any([ExpectedValue])
  case includes([Member])

  package struct Member: Equatable, Sendable {
    package let name: String
    package let value: ExpectedValue
  }

  /// Reads an expected value.
  ///
  /// - Throws: `ContractError` for an unknown or malformed matcher, which would never be checked.
  package init(_ tree: JSONTree, at path: String) throws(ContractError) {
    switch tree {
    case .string, .number, .boolean, .null: self = .exactly(tree)
    case .array(let elements):
      var values: [ExpectedValue] = []
      for (index, element) in elements.enumerated() {
        values.append(try ExpectedValue(element, at: "\(path)[\(index)]"))
      }
      self = .array(values)
    case .object(let members):
      if let only = members.first, only.name.hasBytePrefix("$") {
        guard members.count == 1 else { throw .wrongType(path, "an object whose only member is the matcher") }
        self = try Self.matcher(only, at: path)
      } else {
        self = .object(try Self.members(members, at: path))
      }
    }
  }

  private static func members(
    _ members: [JSONTree.Member], at path: String
  ) throws(ContractError) -> [Member] {
    var read: [Member] = []
    for member in members {
      let place = "\(path).\(member.name)"
      if member.name.hasBytePrefix("$") {
        throw .wrongType(path, "an object whose only member is the matcher")
      }
      read.append(Member(name: member.name, value: try ExpectedValue(member.value, at: place)))
    }
    return read
  }

  private static func matcher(
    _ member: JSONTree.Member, at path: String
  ) throws(ContractError) -> ExpectedValue {
    let place = "\(path).\(member.name)"
    switch (member.name, member.value) {
    case ("$present", .boolean(true)): return .present
    case ("$absent", .boolean(true)): return .absent
    case ("$present", _), ("$absent", _): throw .wrongType(place, "true")
    case ("$regex", .string(let pattern)):
      guard (try? Regex(pattern)) != nil else { throw .wrongType(place, "a regular expression") }
      return .regex(pattern)
    case ("$regex", _): throw .wrongType(place, "a regular expression")
    case ("$any", .array(let elements)) where !elements.isEmpty:
      guard case .array(let values) = try ExpectedValue(.array(elements), at: place) else { return .present }
      return .any(values)
    case ("$any", _): throw .wrongType(place, "an array with at least one value")
    case ("$includes", .object(let members)): return .includes(try Self.members(members, at: place))
    case ("$includes", _): throw .wrongType(place, "an object")
    default: throw .unknownMember(place, known: ["$present", "$absent", "$regex", "$any", "$includes"])
    }
  }

  /// Returns the expectation with every matcher that matches replaced by the found value, so that the remaining
  /// differences are the errors; `nil` for a member that is absent as expected.
  package func resolved(against found: JSONTree?) -> JSONTree? {
    switch self {
    case .exactly(let tree): return tree
    case .absent: return found == nil ? nil : tree
    case .present: return found ?? tree
    case .regex(let pattern):
      if case .string(let text)? = found, Self.matches(pattern, text) { return found }
      return tree
    case .any(let values):
      return values.contains { $0.isMet(by: found) } ? found : tree
    case .array(let values):
      var elements: [JSONTree] = []
      if case .array(let given)? = found { elements = given }
      return .array(
        values.enumerated().compactMap { index, value in
          value.resolved(against: index < elements.count ? elements[index] : nil)
        })
    case .object(let members): return .object(Self.resolved(members, against: found))
    case .includes(let members):
      guard case .object(let given)? = found else { return tree }
      let named = Set(members.map(\.name))
      return .object(Self.resolved(members, against: found) + given.filter { !named.contains($0.name) })
    }
  }

  private static func resolved(_ members: [Member], against found: JSONTree?) -> [JSONTree.Member] {
    members.compactMap { member in
      member.value.resolved(against: found?[member.name]).map { .init(name: member.name, value: $0) }
    }
  }

  /// Whether the value is as expected. The order of members does not matter.
  package func isMet(by found: JSONTree?) -> Bool {
    switch (resolved(against: found), found) {
    case (nil, nil): true
    case (let expected?, let found?): expected.equalsIgnoringOrder(found)
    case (nil, _?), (_?, nil): false
    }
  }

  /// Whether the pattern matches the whole text; `firstMatch` would accept a part of it.
  private static func matches(_ pattern: String, _ text: String) -> Bool {
    guard let regex = try? Regex(pattern) else { return false }
    return (try? regex.wholeMatch(in: text)) != nil
  }
}

extension ExpectedValue {
  /// The value as JSON, as written in a file.
  package var tree: JSONTree {
    switch self {
    case .exactly(let tree): tree
    case .object(let members): .object(Self.trees(members))
    case .array(let values): .array(values.map(\.tree))
    case .present: Self.matcher("$present", .boolean(true))
    case .absent: Self.matcher("$absent", .boolean(true))
    case .regex(let pattern): Self.matcher("$regex", .string(pattern))
    case .any(let values): Self.matcher("$any", .array(values.map(\.tree)))
    case .includes(let members): Self.matcher("$includes", .object(Self.trees(members)))
    }
  }

  private static func trees(_ members: [Member]) -> [JSONTree.Member] {
    members.map { .init(name: $0.name, value: $0.value.tree) }
  }

  private static func matcher(_ name: String, _ value: JSONTree) -> JSONTree {
    .object([.init(name: name, value: value)])
  }

  /// Returns the expectation for another value: matchers that match stay, and the rest becomes the found value.
  ///
  /// - Returns: the new value, which is `nil` for an absent member; `.none` if a matcher does not match, because the
  ///   user wrote it.
  package func updated(to found: JSONTree?) -> JSONTree?? {
    switch self {
    case .exactly: return .some(found)
    case .present, .absent, .regex, .any: return isMet(by: found) ? .some(tree) : .none
    case .array(let values):
      guard case .array(let given)? = found else { return hasMatchers ? .none : .some(found) }
      guard hasMatchers else { return .some(found) }
      guard given.count == values.count else { return .none }
      var elements: [JSONTree] = []
      for (value, found) in zip(values, given) {
        guard let new = value.updated(to: found) else { return .none }
        if let new { elements.append(new) }
      }
      return .some(.array(elements))
    case .object(let members):
      guard case .object(let given)? = found else { return hasMatchers ? .none : .some(found) }
      guard var kept = Self.updated(members, to: found) else { return .none }
      let named = Set(members.map(\.name))
      kept += given.filter { !named.contains($0.name) }
      return .some(.object(kept))
    case .includes(let members):
      guard case .object? = found, let kept = Self.updated(members, to: found) else { return .none }
      return .some(Self.matcher("$includes", .object(kept)))
    }
  }

  private static func updated(_ members: [Member], to found: JSONTree?) -> [JSONTree.Member]? {
    var kept: [JSONTree.Member] = []
    for member in members {
      guard let new = member.value.updated(to: found?[member.name]) else { return nil }
      if let new { kept.append(.init(name: member.name, value: new)) }
    }
    return kept
  }

  var hasMatchers: Bool {
    switch self {
    case .exactly: false
    case .object(let members): members.contains { $0.value.hasMatchers }
    case .array(let values): values.contains(where: \.hasMatchers)
    case .present, .absent, .regex, .any, .includes: true
    }
  }
}
