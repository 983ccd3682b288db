/// The tokens that a small pair of configurations can tell apart: every combination of few values of the claims that occur
/// in them.
struct SmallUniverse {
  private(set) var tokens: [(issuer: String, claims: SmallClaims)] = []

  /// What occurs in the configurations.
  private struct Use {
    var paths: Set<SmallPath> = []
    var hasLists = false
    var hasNumbers = false
    var hasAffixes = false
    var hasScopes = false
    var ages: Set<Int64> = []
    var isOwned = false
    var reads: Set<String> = []
    /// Whether the tokens of two issuers with the same claims may differ.
    var hasIssuers = false
  }

  init(_ configurations: [SmallConfiguration], now: Int64) {
    var use = Use()
    for configuration in configurations {
      Self.add(configuration.required, to: &use)
      if !configuration.required.isEmpty { use.hasIssuers = true }
      for rule in configuration.rules {
        if let requirement = rule.requirement { Self.add(requirement, to: &use) }
        for route in rule.routes where route.contains("${") {
          use.isOwned = true
          for name in route.split(separator: "{").dropFirst() {
            use.paths.insert(.name(String(name.prefix { $0 != "}" })))
          }
        }
      }
    }
    for path in use.paths {
      // Apple writes it as text too.
      if path == .name("email_verified") { use.hasIssuers = true }
      switch path {
      case .name(let name): use.reads.formUnion(name == "o.d" ? ["o.d", "o"] : [name])
      case .names(let names): use.reads.insert(names[0])
      }
    }
    if use.hasScopes { use.reads.formUnion(["scope", "scp"]) }
    var claims: [SmallClaims] = [[:]]
    // Every verified token has a subject.
    for name in use.reads.union(["sub"]).sorted() {
      let values = use.reads.contains(name) ? Self.values(of: name, use) : [.text("zz")]
      claims = claims.flatMap { known in
        values.map { value in
          var next = known
          if let value { next[name] = value }
          return next
        }
      }
    }
    for issuer in use.hasIssuers ? ["apple", "partner"] : ["partner"] {
      for time in Self.times(use.ages, now) {
        for var one in claims {
          if let time { one[SmallRequirement.ageClaim] = time }
          tokens.append((issuer, one))
        }
      }
    }
  }

  private static func add(_ requirement: SmallRequirement, to use: inout Use) {
    for (path, condition) in requirement.claims {
      use.paths.insert(path)
      switch condition {
      case .contains(let values):
        use.hasLists = true
        if values.contains(where: { if case .integer = $0 { true } else { false } }) { use.hasNumbers = true }
      case .prefix, .suffix: use.hasAffixes = true
      case .oneOf(let values):
        if values.contains(where: { if case .integer = $0 { true } else { false } }) { use.hasNumbers = true }
      case .exists: break
      }
    }
    if !requirement.scopes.isEmpty { use.hasScopes = true }
    if !requirement.issuers.isEmpty { use.hasIssuers = true }
    if let age = requirement.age { use.ages.insert(age) }
    for part in requirement.any + requirement.not { add(part, to: &use) }
  }

  private static func times(_ ages: Set<Int64>, _ now: Int64) -> [SmallValue?] {
    if ages.isEmpty { return [nil] }
    let edges = ages.flatMap { [now - $0, now - $0 - 1] } + [now + 60, now + 61]
    return [nil, .null] + edges.map { .integer($0) }
  }

  private static func values(of name: String, _ use: Use) -> [SmallValue?] {
    switch name {
    case "o":
      return [nil, .null, .text("ab")]
        + values(of: "d", use).map { value in .object(value.map { ["d": $0] } ?? [:]) }
    case "scope", "scp":
      var values: [SmallValue?] = [
        nil, .text("s"), .text("t"), .text("s t"), .list([.text("s")]), .list([.text("s"), .null]), .null,
      ]
      if name == "scope" {
        values += [.list([.text("s"), .text("t")]), .text("t s"), .text("zz"), .text("s zz"), .integer(7)]
        if use.reads.contains("scope"), use.paths.contains(.name("scope")) {
          values += [
            .text("ab"), .text("ab s"), .text("s ab"), .text("ab s t"), .text("ab s ab"), .text("ab t ab"),
            .text("abzz"), .text("zz ab"), .text("s zzab"), .list([.text("ab")]),
            .list([.text("ab"), .text("s")]),
            .text("abzz s"), .text("ab ab"), .text("ab s t ab"), .text("abc"), .text("abc s"), .text("s abc"),
            .text("abc s t"), .boolean(true), .boolean(false), .integer(1), .fraction, .object([:]),
            .list([.text("abc")]), .list([.text("s"), .boolean(true)]), .list([.text("ab"), .boolean(true)]),
            .list([.boolean(true)]), .list([.text("zz")]), .list([]), .list([.text("ab"), .integer(1)]),
            .list([.integer(1)]),
          ]
        }
      }
      return values
    default:
      var texts = ["ab", "abc", "zz"]
      if use.hasAffixes { texts += ["xab", "abqab", "abq", "qab"] }
      if use.isOwned { texts += ["x", "s", "xab", "abq"] }
      if name == "email_verified" { texts += ["true", "false"] }
      var values: [SmallValue?] = [nil] + Set(texts).sorted().map { .text($0) }
      if name == "sub" { return Array(values.dropFirst()) }
      values += [.null, .boolean(true), .boolean(false), .fraction, .list([.text("ab")]), .object([:])]
      if use.hasNumbers { values += [.integer(1), .integer(2), .integer(7)] }
      if use.hasLists {
        values += [
          .list([]), .list([.text("zz")]), .list([.text("abc")]), .list([.text("ab"), .text("abc")]),
          .list([.text("ab"), .null]), .list([.null]), .list([.boolean(true)]),
          .list([.text("zz"), .boolean(false)]),
          .list([.text("ab"), .boolean(true)]), .list([.boolean(true), .boolean(false)]),
          .list([.boolean(false)]),
        ]
        if name == "email_verified" { values += [.list([.text("true")]), .list([.text("false")])] }
        if use.hasNumbers {
          values += [
            .list([.integer(1)]), .list([.integer(7)]), .list([.text("ab"), .integer(1)]),
            .list([.integer(1), .boolean(true)]),
          ]
        }
      }
      return values
    }
  }
}
