import TestSupport

/// Random pairs of small configurations; the second one is mostly a change of the first one.
struct RandomConfiguration {
  private var random: SeededGenerator
  /// The claims of this pair, so that few tokens cover all.
  private var names: [String] = []
  private var usesScopes = false
  private var usesAge = false
  private var usesLists = false
  private var usesTools = false

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  static let routes = [
    "GET /a", "GET /a/*", "* /a/b", "DELETE /a/*", "GET /*", "* /*", "GET /*/b", "GET /a*", "GET /{x}/b",
    "GET /u/ab", "GET /u/a*", "* /u/*", "GET /*/b/*", "GET /a/*/b", "GET /u/*ab", "$connect", "GET /u/ab*ab",
  ]
  private static let owned = [
    "GET /u/${c}", "* /u/${c}/*", "GET /u/${sub}", "GET /u/${o.d}", "GET /u/*/${c}", "GET /u/${c}/${c}",
    "GET /${sub}/*", "GET /u/a${c}", "GET /u/*/${sub}", "GET /*/${c}/${c}", "GET /${c}/*/${c}",
    "GET /${sub}/${sub}/${c}", "GET /${c}/${c}/${sub}/${sub}", "GET /${sub}/${sub}/${c}/${c}",
    "GET /*/${sub}/${sub}", "GET /${c}/${c}",
  ]

  mutating func pair() -> (SmallConfiguration, SmallConfiguration) {
    names = Array(
      ["c", "o.d", "email_verified", "sub", "scope", "c"].shuffled(using: &random).prefix(one(in: 3) ? 2 : 1))
    if names.contains("o.d"), names.count > 1 { names = ["o.d"] }
    usesScopes = one(in: 3)
    usesAge = one(in: 6)
    usesLists = one(in: 4)
    usesTools = one(in: 8)
    let first = configuration()
    var second = one(in: 4) ? configuration() : first
    for _ in 0..<Int.random(in: 0...2, using: &random) { change(&second) }
    return one(in: 2) ? (first, second) : (second, first)
  }

  /// A configuration, and a property: whether it is always allowed, its routes, and what its callers have, or `nil` for
  /// everyone.
  mutating func property() -> (
    SmallConfiguration, isAlways: Bool, routes: [String], requirement: SmallRequirement?
  ) {
    let configuration = pair().0
    let owned = Self.owned.filter { route in names.contains { route.contains("${\($0)}") } }
    let routes = (0..<Int.random(in: 1...2, using: &random)).map { _ in
      usesTools && one(in: 2)
        ? "* /mcp" : (one(in: 2) ? owned : Self.routes).randomElement(using: &random) ?? "GET /u/ab"
    }
    let requirement = one(in: 3) ? nil : requirement(level: 1, isDenied: false)
    return (configuration, one(in: 2), Set(routes).sorted(), requirement)
  }

  private mutating func one(in count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

  private mutating func configuration() -> SmallConfiguration {
    var configuration = SmallConfiguration()
    configuration.deniesByDefault = one(in: 12) ? nil : usesTools || !one(in: 3)
    if configuration.deniesByDefault != nil {
      for _ in 0..<Int.random(in: 1...3, using: &random) { configuration.rules.append(rule(configuration)) }
    }
    if one(in: 5) { configuration.guests = Set((0..<2).map { _ in guestRoute() }).sorted() }
    if one(in: 6) {
      if usesScopes, one(in: 2) {
        configuration.required.scopes = ["s"]
      } else {
        configuration.required.claims = [claim()]
      }
    }
    return configuration
  }

  private mutating func guestRoute() -> String {
    usesTools ? "GET /a*" : Self.routes.randomElement(using: &random) ?? "GET /a"
  }

  private mutating func rule(_ configuration: SmallConfiguration) -> SmallConfiguration.Rule {
    let denies = configuration.deniesByDefault != false
    if usesTools {
      var rule = SmallConfiguration.Rule(
        routes: [one(in: 2) ? "POST /mcp" : "* /mcp"],
        requirement: one(in: 3) ? nil : requirement(level: 1, isDenied: false))
      for kind in ["tools", "tools", "resources", "prompts"] where denies && one(in: 3) {
        rule.names[kind] = Set(
          (0..<2).map { _ in ["a*", "ab", "*", "b", "*b", "a*b"].randomElement(using: &random) ?? "*" }
        )
        .sorted()
      }
      return rule
    }
    var routes: Set<String> = []
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let owned = Self.owned.filter { route in names.contains { route.contains("${\($0)}") } }
      let pool = denies && one(in: 3) ? owned : Self.routes
      routes.insert(pool.randomElement(using: &random) ?? "GET /a")
    }
    let isOpen = denies && one(in: 4)
    return .init(routes: routes.sorted(), requirement: isOpen ? nil : requirement(level: 0, isDenied: false))
  }

  private mutating func change(_ configuration: inout SmallConfiguration) {
    guard let index = configuration.rules.indices.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: configuration.rules[index].requirement = requirement(level: 0, isDenied: false)
    case 1: configuration.rules[index] = rule(configuration)
    case 2: configuration.rules.append(rule(configuration))
    case 3: if configuration.rules.count > 1 { configuration.rules.remove(at: index) }
    case 4: configuration.rules[index].requirement?.any.append(requirement(level: 1, isDenied: false))
    default: configuration.rules[index].requirement?.add(claim())
    }
  }

  private mutating func requirement(level: Int, isDenied: Bool) -> SmallRequirement {
    var requirement = SmallRequirement()
    while requirement.isEmpty {
      if one(in: 6) { requirement.issuers = [issuer()] }
      if one(in: 2) { requirement.claims = [claim()] }
      if usesScopes, one(in: 3) { requirement.scopes = one(in: 2) ? ["s"] : ["s", "t"] }
      if usesAge, !isDenied, one(in: 4) { requirement.age = one(in: 2) ? 900 : 300 }
      guard level < 3 else { continue }
      if one(in: 4) {
        for _ in 0..<Int.random(in: 1...2, using: &random) {
          requirement.any.append(self.requirement(level: level + 1, isDenied: isDenied))
        }
      }
      if one(in: 4) { requirement.not = [denied(level: level + 1)] }
    }
    return requirement
  }

  private mutating func denied(level: Int) -> SmallRequirement {
    var requirement = SmallRequirement()
    switch Int.random(in: 0..<4, using: &random) {
    case 0: requirement.issuers = [issuer()]
    case 1 where usesScopes: requirement.scopes = ["t"]
    case 2 where level < 3:
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        requirement.any.append(self.requirement(level: level + 1, isDenied: true))
      }
    default: requirement.claims = [claim()]
    }
    return requirement
  }

  private mutating func issuer() -> String { one(in: 2) ? "apple" : "partner" }

  private mutating func claim() -> (path: SmallPath, condition: SmallCondition) {
    let name = names.randomElement(using: &random) ?? "c"
    if name == "o.d", one(in: 3) { return (.names(one(in: 2) ? ["o", "d"] : ["o.d"]), condition()) }
    return (.name(name), condition())
  }

  private mutating func condition() -> SmallCondition {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: .exists(one(in: 2))
    case 1 where usesLists: .contains([scalar()])
    case 2 where usesLists: .contains(Array(Set([scalar(), scalar()])))
    case 3: .prefix("ab")
    case 4: .suffix("ab")
    case 5: .oneOf(Array(Set([scalar(), scalar()])))
    default: .oneOf([scalar()])
    }
  }

  private mutating func scalar() -> SmallValue {
    let values: [SmallValue] = [
      .text("ab"), .text("abc"), .integer(1), .boolean(true), .boolean(false), .text("ab"), .text("s"),
    ]
    let value = values.randomElement(using: &random) ?? .null
    return value == .text("s") && !names.contains("scope") ? .text("ab") : value
  }
}

extension SmallRequirement {
  var isEmpty: Bool {
    issuers.isEmpty && scopes.isEmpty && claims.isEmpty && age == nil && any.isEmpty && not.isEmpty
  }
}
