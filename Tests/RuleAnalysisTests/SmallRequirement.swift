import JSON

/// A value of a claim, for an evaluator that shares no code with the authorizer or the analysis.
indirect enum SmallValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case text(String)
  case integer(Int64)
  case fraction
  case list([SmallValue])
  case object([String: SmallValue])

  var isText: Bool { if case .text = self { true } else { false } }

  var json: JSONTree {
    switch self {
    case .null: .null
    case .boolean(let value): .boolean(value)
    case .text(let text): .string(text)
    case .integer(let value): .number(String(value))
    case .fraction: .number("1.5")
    case .list(let elements): .array(elements.map(\.json))
    case .object(let members):
      .object(members.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value.json) })
    }
  }
}

/// The claims of a token.
struct SmallClaims: ExpressibleByDictionaryLiteral, CustomStringConvertible, Sendable {
  private var members: [(name: String, value: SmallValue)] = []

  init(dictionaryLiteral elements: (String, SmallValue)...) {
    members = elements.map { (name: $0.0, value: $0.1) }
  }

  /// A token has few claims, so that a list is faster than a dictionary.
  subscript(name: String) -> SmallValue? {
    get { members.first { $0.name == name }?.value }
    set {
      if let index = members.firstIndex(where: { $0.name == name }) { members.remove(at: index) }
      if let newValue { members.append((name, newValue)) }
    }
  }

  var description: String { "\(members)" }
}

/// Where a condition reads its claim.
enum SmallPath: Hashable, Sendable {
  case name(String)
  case names([String])

  func value(in claims: SmallClaims) -> SmallValue? {
    switch self {
    case .name(let text):
      if let value = claims[text] { return value }
      guard text.utf8.contains(0x2E) else { return nil }
      return Self.walk(text.split(separator: ".").map(String.init), claims)
    case .names(let names): return Self.walk(names, claims)
    }
  }

  private static func walk(_ names: [String], _ claims: SmallClaims) -> SmallValue? {
    guard var value = claims[names[0]] else { return nil }
    for name in names.dropFirst() {
      guard case .object(let members) = value, let next = members[name] else { return nil }
      value = next
    }
    return value
  }
}

enum SmallCondition: Hashable, Sendable {
  case exists(Bool)
  case oneOf([SmallValue])
  case contains([SmallValue])
  case prefix(String)
  case suffix(String)

  /// True, false, or unknown.
  func value(_ claim: SmallValue?, takesText: Bool) -> Bool? {
    switch self {
    case .exists(let expected): return (claim ?? .null != .null) == expected
    case .oneOf(let values): return claim.flatMap { Self.equal($0, values, takesText) }
    case .contains(let values):
      guard case .list(let elements)? = claim else { return nil }
      let results = elements.map { Self.equal($0, values, takesText) }
      return results.contains(true) ? true : results.contains(nil) ? nil : false
    case .prefix(let text):
      guard case .text(let own)? = claim else { return nil }
      return own.hasPrefix(text)
    case .suffix(let text):
      guard case .text(let own)? = claim else { return nil }
      return own.hasSuffix(text)
    }
  }

  private static func equal(_ value: SmallValue, _ wanted: [SmallValue], _ takesText: Bool) -> Bool? {
    if wanted.contains(value) { return true }
    if takesText, case .text(let text) = value, text == "true" || text == "false" {
      let booleans = wanted.filter { if case .boolean = $0 { true } else { false } }
      if !booleans.isEmpty { return booleans.contains(.boolean(text == "true")) }
    }
    let isSameKind = wanted.contains { other in
      switch (value, other) {
      case (.text, .text), (.integer, .integer), (.boolean, .boolean): true
      default: false
      }
    }
    return isSameKind ? false : nil
  }

  var json: JSONTree {
    func list(_ values: [SmallValue]) -> JSONTree {
      values.count == 1 ? values[0].json : .array(values.map(\.json))
    }
    return switch self {
    case .exists(let expected): .members(["exists": .boolean(expected)])
    case .oneOf(let values): list(values)
    case .contains(let values): .members(["contains": list(values)])
    case .prefix(let text): .members(["prefix": .string(text)])
    case .suffix(let text): .members(["suffix": .string(text)])
    }
  }
}

/// A requirement.
struct SmallRequirement: Sendable {
  var issuers: [String] = []
  var scopes: [String] = []
  var claims: [(path: SmallPath, condition: SmallCondition)] = []
  var age: Int64?
  var any: [SmallRequirement] = []
  var not: [SmallRequirement] = []

  static let ageClaim = "auth_time"
  private static let booleanTexts: Set<SmallPath> = [.name("email_verified"), .names(["email_verified"])]

  /// - Parameter takesText: whether `email_verified` may be text, as Apple writes it.
  func value(_ claims: SmallClaims, issuer: String, takesText: Bool, now: Int64) -> Bool? {
    let takesText = takesText || issuers == ["apple"]
    if !issuers.isEmpty, !issuers.contains(issuer) { return false }
    var isUnknown = false
    for (path, condition) in self.claims {
      let isMet = condition.value(
        path.value(in: claims), takesText: takesText && Self.booleanTexts.contains(path))
      if isMet == false { return false }
      if isMet == nil { isUnknown = true }
    }
    if !scopes.isEmpty, !scopes.allSatisfy({ Self.holds($0, claims) }) {
      if !Self.hasMalformedScopes(claims) { return false }
      isUnknown = true
    }
    if let age {
      guard case .integer(let time)? = claims[Self.ageClaim], time >= now - age, time <= now + 60 else {
        return false
      }
    }
    if !any.isEmpty {
      var isMet: Bool? = false
      for member in any where isMet != true {
        let other = member.value(claims, issuer: issuer, takesText: takesText, now: now)
        if other != false { isMet = other }
      }
      if isMet == false { return false }
      if isMet == nil { isUnknown = true }
    }
    for denied in not {
      let isMet = denied.value(claims, issuer: issuer, takesText: takesText, now: now)
      if isMet == true { return false }
      if isMet == nil { isUnknown = true }
    }
    return isUnknown ? nil : true
  }

  private static let scopeClaims = ["scope", "scp", "permissions", "cognito:groups"]

  /// Whether a claim has the scope, as one word of a text or in a list of texts only.
  private static func holds(_ scope: String, _ claims: SmallClaims) -> Bool {
    scopeClaims.contains { name in
      switch claims[name] {
      case .text(let text)?:
        text.utf8.contains(0x20) ? text.split(separator: " ").contains { $0 == scope } : text == scope
      case .list(let elements)?: elements.contains(.text(scope)) && elements.allSatisfy(\.isText)
      default: false
      }
    }
  }

  private static func hasMalformedScopes(_ claims: SmallClaims) -> Bool {
    scopeClaims.contains { name in
      switch claims[name] {
      case nil, .null?, .text?: false
      case .list(let elements)?: !elements.allSatisfy(\.isText)
      default: true
      }
    }
  }

  var json: JSONTree {
    var members: [JSONTree.Member] = []
    func add(_ name: String, _ value: JSONTree) { members.append(.init(name: name, value: value)) }
    if !issuers.isEmpty { add("issuers", .array(issuers.map { .string($0) })) }
    if !scopes.isEmpty { add("scopes", .array(scopes.map { .string($0) })) }
    if !claims.isEmpty { add("claims", claimsJSON) }
    if let age { add("authenticatedWithinSeconds", .number(String(age))) }
    if !any.isEmpty { add("any", .array(any.map(\.json))) }
    for denied in not { add("not", denied.json) }
    return .object(members)
  }

  /// Adds a claim. In the list that claims may need, a name with a dot is that of one member.
  mutating func add(_ claim: (path: SmallPath, condition: SmallCondition)) {
    claims.append(claim)
    guard !isObject else { return }
    claims = claims.map { claim in
      if case .name(let name) = claim.path { (.names([name]), claim.condition) } else { claim }
    }
  }

  private var isObject: Bool {
    claims.allSatisfy { if case .name = $0.path { true } else { false } }
      && Set(claims.map(\.path)).count == claims.count
  }

  /// The claims as an object, or as a list if one needs it.
  var claimsJSON: JSONTree {
    if isObject {
      return .object(
        claims.map { claim in
          guard case .name(let name) = claim.path else { return .init(name: "", value: .null) }
          return .init(name: name, value: claim.condition.json)
        })
    }
    return .array(
      claims.map { claim in
        let names: [String] =
          switch claim.path {
          case .name(let name): [name]
          case .names(let names): names
          }
        return .members(["path": .array(names.map { .string($0) }), "is": claim.condition.json])
      })
  }
}
