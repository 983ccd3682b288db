import JSON

/// One parsed write.
struct EmulatedWrite {
  let key: [UInt8]
  private let item: JSONTree
  private let assignments: [(name: String, value: JSONTree)]
  private let condition: Condition?

  /// `nil` for an unknown write.
  init?(_ parameters: JSONTree) {
    guard let item = parameters["Item"] ?? parameters["Key"], let key = EmulatedTable.key(item) else {
      return nil
    }
    self.key = key
    self.item = item
    let values = parameters["ExpressionAttributeValues"] ?? .object([])
    if case .string(let expression) = parameters["UpdateExpression"] {
      guard let assignments = Self.assignments(expression, values) else { return nil }
      self.assignments = assignments
    } else {
      assignments = []
    }
    if case .string(let expression) = parameters["ConditionExpression"] {
      guard let condition = Condition(expression, values) else { return nil }
      self.condition = condition
    } else {
      condition = nil
    }
  }

  func allows(_ stored: JSONTree?) -> Bool { condition?.holds(stored) ?? true }

  func applied(to stored: JSONTree?) -> JSONTree {
    guard !assignments.isEmpty else { return item }
    return assignments.reduce(into: stored ?? item) { $0[$1.name] = $1.value }
  }

  private static func assignments(_ text: String, _ values: JSONTree) -> [(name: String, value: JSONTree)]? {
    guard text.hasPrefix("SET ") else { return nil }
    let parts = text.dropFirst(4).split(separator: ", ").map { $0.split(separator: " = ") }
    let assignments = parts.compactMap { part -> (name: String, value: JSONTree)? in
      guard part.count == 2, let value = values[String(part[1])] else { return nil }
      return (String(part[0]), value)
    }
    return assignments.count == parts.count ? assignments : nil
  }
}

/// A condition expression of DynamoDB's ("Condition and filter expressions"), limited to the syntax that the store
/// uses.
private indirect enum Condition {
  case exists(String)
  case notExists(String)
  case less(String, Int64)
  case equal(String, JSONTree)
  case all([Condition])
  case any([Condition])

  init?(_ text: String, _ values: JSONTree) {
    let spaced = text.replacing("(", with: " ( ").replacing(")", with: " ) ")
    var words = spaced.split(separator: " ").map(String.init)[...]
    guard let condition = Self.any(&words, values), words.isEmpty else { return nil }
    self = condition
  }

  func holds(_ item: JSONTree?) -> Bool {
    switch self {
    case .exists(let name): item?[name] != nil
    case .notExists(let name): item?[name] == nil
    case .less(let name, let number): Self.number(item?[name]).map { $0 < number } ?? false
    case .equal(let name, let value): item?[name] == value
    case .all(let conditions): conditions.allSatisfy { $0.holds(item) }
    case .any(let conditions): conditions.contains { $0.holds(item) }
    }
  }

  private static func any(_ words: inout ArraySlice<String>, _ values: JSONTree) -> Condition? {
    list(&words, separatedBy: "OR") { all(&$0, values) }.map { .any($0) }
  }

  private static func all(_ words: inout ArraySlice<String>, _ values: JSONTree) -> Condition? {
    list(&words, separatedBy: "AND") { one(&$0, values) }.map { .all($0) }
  }

  private static func list(
    _ words: inout ArraySlice<String>, separatedBy separator: String,
    _ next: (inout ArraySlice<String>) -> Condition?
  ) -> [Condition]? {
    var conditions: [Condition] = []
    repeat {
      guard let condition = next(&words) else { return nil }
      conditions.append(condition)
    } while words.first == separator && words.popFirst() != nil
    return conditions
  }

  private static func one(_ words: inout ArraySlice<String>, _ values: JSONTree) -> Condition? {
    guard let word = words.popFirst() else { return nil }
    switch word {
    case "(":
      let condition = any(&words, values)
      return words.popFirst() == ")" ? condition : nil
    case "attribute_exists", "attribute_not_exists":
      guard words.popFirst() == "(", let name = words.popFirst(), words.popFirst() == ")" else { return nil }
      return word == "attribute_exists" ? .exists(name) : .notExists(name)
    default:
      guard let sign = words.popFirst(), let value = words.popFirst().flatMap({ values[$0] }) else {
        return nil
      }
      if sign == "=" { return .equal(word, value) }
      return sign == "<" ? number(value).map { .less(word, $0) } : nil
    }
  }

  private static func number(_ value: JSONTree?) -> Int64? {
    guard case .string(let digits) = value?["N"] else { return nil }
    return Int64(digits)
  }
}
