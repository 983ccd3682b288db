@testable import IAMPolicy

/// A second implementation of IAM's evaluation rules for the tests, without parsing, precompiled patterns or
/// shortcuts.
struct NaiveEvaluator {
  /// A statement with plain values.
  struct Statement {
    var allows: Bool
    var actions: [String]
    var invertsActions: Bool
    var resources: [String]
    var invertsResources: Bool
    var conditions: [(name: String, key: String, values: [String])]
  }

  let statements: [Statement]
  /// The request's condition keys; a missing key is absent from the request.
  let request: [String: [String]]

  func decision(for resource: String, action: String) -> PolicyEvaluator.Decision {
    let applying = statements.indices.filter { index in
      let statement = statements[index]
      let isAction = statement.actions.contains { Self.isLike(action.lowercased(), $0.lowercased()) }
      let isResource = statement.resources.contains { Self.isLike(resource, $0) }
      return isAction != statement.invertsActions && isResource != statement.invertsResources
        && statement.conditions.allSatisfy { holds($0.name, $0.key, $0.values) }
    }
    if let denying = applying.first(where: { !statements[$0].allows }) {
      return .explicitlyDenied(statement: denying)
    }
    return applying.first.map { .allowed(statement: $0) } ?? .implicitlyDenied
  }

  /// A star matches nothing, or one character followed by the star again.
  static func isLike(_ text: String, _ pattern: String) -> Bool {
    func match(_ text: ArraySlice<Character>, _ pattern: ArraySlice<Character>) -> Bool {
      guard let first = pattern.first else { return text.isEmpty }
      if first == "*" {
        return match(text, pattern.dropFirst()) || (!text.isEmpty && match(text.dropFirst(), pattern))
      }
      return text.first.map { first == "?" || first == $0 } == true
        && match(text.dropFirst(), pattern.dropFirst())
    }
    return match(Array(text)[...], Array(pattern)[...])
  }

  private func holds(_ name: String, _ key: String, _ values: [String]) -> Bool {
    var name = name
    let found = request[key] ?? []
    if name == "Null" { return found.isEmpty == (values == ["true"]) }
    for prefix in ["ForAllValues:", "ForAnyValue:"] where name.hasPrefix(prefix) {
      let inner = String(name.dropFirst(prefix.count)).replacing("IfExists", with: "")
      let each = found.map { one in Self.compare(inner, one, values) }
      return prefix == "ForAllValues:" ? !each.contains(false) : each.contains(true)
    }
    if name.hasSuffix("IfExists") {
      if found.isEmpty { return true }
      name = String(name.dropLast("IfExists".count))
    }
    guard let only = found.first else { return name.contains("Not") }
    return Self.compare(name, only, values)
  }

  private static func compare(_ name: String, _ found: String, _ values: [String]) -> Bool {
    let number = Double(found) ?? .nan
    switch name {
    case "StringEquals": return values.contains(found)
    case "StringNotEquals": return !values.contains(found)
    case "StringEqualsIgnoreCase": return values.map { $0.lowercased() }.contains(found.lowercased())
    case "StringNotEqualsIgnoreCase": return !values.map { $0.lowercased() }.contains(found.lowercased())
    case "StringLike": return values.contains { isLike(found, $0) }
    case "StringNotLike": return !values.contains { isLike(found, $0) }
    case "NumericEquals", "DateEquals": return values.contains { Double($0) == number }
    case "NumericNotEquals", "DateNotEquals": return !values.contains { Double($0) == number }
    case "NumericLessThan", "DateLessThan": return values.contains { number < Double($0) ?? .nan }
    case "NumericLessThanEquals", "DateLessThanEquals":
      return values.contains { number <= Double($0) ?? .nan }
    case "NumericGreaterThan", "DateGreaterThan": return values.contains { number > Double($0) ?? .nan }
    case "NumericGreaterThanEquals", "DateGreaterThanEquals":
      return values.contains { number >= Double($0) ?? .nan }
    case "Bool": return values.contains(found)
    case "IpAddress": return values.contains { isInside(found, $0) }
    case "NotIpAddress": return !values.contains { isInside(found, $0) }
    default: return false
    }
  }

  /// Compares IPv4 addresses as 32-bit numbers after shifting out the host part.
  private static func isInside(_ address: String, _ network: String) -> Bool {
    let parts = network.split(separator: "/")
    let bits = parts.count == 2 ? UInt32(parts[1]) ?? 32 : 32
    func number(_ text: some StringProtocol) -> UInt32 {
      text.split(separator: ".").reduce(0) { $0 << 8 | (UInt32($1) ?? 0) }
    }
    return bits == 0 || number(address) >> (32 - bits) == number(parts[0]) >> (32 - bits)
  }
}
