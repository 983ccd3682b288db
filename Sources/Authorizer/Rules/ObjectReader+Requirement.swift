import FunctionHost
import JOSE
import JSON

/// Reads requirements on tokens: of an issuer's entry (`requiredScopes`, `requiredClaims`) and of a rule (`require`).
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

  /// Reads an object of claims and their required values.
  ///
  /// - Parameter acceptsBooleanText: claims that the issuer writes as a boolean or as text.
  mutating func claimRequirements(_ name: String, acceptingBooleanText texts: [String] = [])
    -> [ClaimRequirement]
  {
    guard let value = value(name) else { return [] }
    guard value.kind == .object, value.members.first(where: { _ in true }) != nil else {
      add(name, "an object with at least one claim is expected")
      return []
    }
    var requirements: [ClaimRequirement] = []
    for (member, wanted) in value.members {
      let claim = member.text ?? ""
      let memberPath = name + "." + claim
      guard let path = ClaimPath(claim) else {
        add(memberPath, "a claim's name, or names joined by dots, is expected")
        continue
      }
      guard let condition = condition(wanted, memberPath) else { continue }
      requirements.append(
        ClaimRequirement(claim: path, condition: condition, acceptsBooleanText: texts.contains(claim)))
    }
    return requirements
  }

  private func condition(_ value: JSONValue, _ memberPath: String) -> ClaimRequirement.Condition? {
    if let scalar = Self.scalar(value) { return .oneOf([scalar]) }
    if value.kind == .array, let scalars = Self.scalars(value) { return .oneOf(scalars) }
    if value.kind == .object {
      let members = Array(value.members)
      if members.count == 1 {
        let (name, wanted) = members[0]
        if name.equals("exists"), let expected = wanted.boolean { return .exists(expected) }
        if name.equals("contains") {
          if let scalar = Self.scalar(wanted) { return .contains([scalar]) }
          if let scalars = Self.scalars(wanted) { return .contains(scalars) }
        }
      }
    }
    add(
      memberPath,
      "a value, a list of values, {\"exists\": true} or {\"contains\": value} is expected;"
        + " values are strings, whole numbers, true and false")
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
