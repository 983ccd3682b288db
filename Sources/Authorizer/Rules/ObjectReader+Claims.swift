import FunctionHost
import JOSE
import JSON

/// Reads conditions on tokens: of an issuer's entry (`requiredScopes`, `requiredClaims`) and of a rule.
extension ObjectReader {
  /// Reads a list of scopes, all of which are required.
  mutating func scopes(_ name: String) -> [[UInt8]] {
    guard let texts = texts(name) else { return [] }
    for (index, text) in texts.enumerated() where !ScopeSet.isScope(text.utf8) {
      add(
        "\(name)[\(index)]", "a scope has no blanks, quotes or backslashes; write one scope in each string")
    }
    return texts.map { Array($0.utf8) }
  }

  /// Reads an object of claims and their required values, or a list of paths and their required values.
  ///
  /// - Parameter acceptsBooleanText: claims that the issuer writes as a boolean or as text.
  mutating func claimRequirements(_ name: String, acceptingBooleanText texts: [String] = [])
    -> [ClaimRequirement]
  {
    guard let value = value(name) else { return [] }
    let isList = value.kind == .array
    guard value.elements.contains(where: { _ in true }) || value.members.contains(where: { _ in true }) else {
      add(name, "an object with at least one claim is expected, or a list of {\"path\": […], \"is\": …}")
      return []
    }
    let found =
      isList
      ? value.elements.enumerated().map { listedClaim($1, "\(name)[\($0)]") }
      : value.members.map { member, wanted in namedClaim(member.text ?? "", wanted, name) }
    return found.compactMap { one in
      one.map { claim, condition in
        ClaimRequirement(
          claim: claim, condition: condition, acceptsBooleanText: texts.contains(claim.text))
      }
    }
  }

  private func namedClaim(
    _ claim: String, _ wanted: JSONValue, _ name: String
  ) -> (ClaimPath, ClaimRequirement.Condition)? {
    guard let path = ClaimPath(claim) else {
      add(name + "." + claim, "a claim's name, or names joined by dots, is expected")
      return nil
    }
    return condition(wanted, name + "." + claim).map { (path, $0) }
  }

  private func listedClaim(_ element: JSONValue, _ name: String) -> (ClaimPath, ClaimRequirement.Condition)? {
    guard var reader = ObjectReader(element, path: path(of: name), problems) else { return nil }
    let claim = reader.texts("path").flatMap { ClaimPath(steps: $0) }
    if claim == nil, !problems.concerns(reader.path(of: "path")) {
      reader.add("path", "missing: the claim's name, and the names of members below it")
    }
    let wanted = reader.value("is")
    if wanted == nil { reader.add("is", "missing: what the claim must be") }
    let condition = wanted.flatMap { reader.condition($0, "is") }
    reader.finish()
    guard let claim, let condition else { return nil }
    return (claim, condition)
  }

  private func condition(_ value: JSONValue, _ memberPath: String) -> ClaimRequirement.Condition? {
    if let scalar = Self.scalar(value) { return .oneOf([scalar]) }
    if value.kind == .array, let scalars = Self.scalars(value) { return .oneOf(scalars) }
    if value.memberCount == 1, let (name, wanted) = value.members.first(where: { _ in true }) {
      if name.equals("exists"), let expected = wanted.boolean { return .exists(expected) }
      if name.equals("contains") {
        if let scalar = Self.scalar(wanted) { return .contains([scalar]) }
        if let scalars = Self.scalars(wanted) { return .contains(scalars) }
      }
      let isPrefix = name.equals("prefix")
      if isPrefix || name.equals("suffix"), let text = wanted.utf8 {
        if text.count >= ClaimRequirement.minimumAffixBytes {
          return isPrefix ? .prefix(text) : .suffix(text)
        }
        add(memberPath, "a prefix or suffix has at least \(ClaimRequirement.minimumAffixBytes) bytes")
        return nil
      }
    }
    add(
      memberPath,
      "a value, a list of values, {\"exists\": true}, {\"contains\": value}, {\"prefix\": text} or"
        + " {\"suffix\": text} is expected; values are strings, whole numbers, true and false")
    return nil
  }

  private static func scalar(_ value: JSONValue) -> ClaimRequirement.Scalar? {
    if let boolean = value.boolean { return .boolean(boolean) }
    if let text = value.utf8 { return text.isEmpty ? nil : .text(text) }
    return value.number?.integer.map { .integer($0) }
  }

  private static func scalars(_ value: JSONValue) -> [ClaimRequirement.Scalar]? {
    var scalars: [ClaimRequirement.Scalar] = []
    for element in value.elements {
      guard let scalar = scalar(element) else { return nil }
      scalars.append(scalar)
    }
    return scalars.isEmpty ? nil : scalars
  }
}
