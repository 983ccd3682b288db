import JSON
import TestSupport

/// A configuration of few routes and conditions, and what it allows, decided one request and one token at a time.
struct SmallConfiguration: Sendable {
  struct Rule: Sendable {
    var routes: [String]
    var requirement: SmallRequirement?
    /// The patterns of `tools`, `resources` and `prompts`, by these words.
    var names: [String: [String]] = [:]
  }

  /// `nil` without rules.
  var deniesByDefault: Bool?
  var rules: [Rule] = []
  var guests: [String] = []
  /// What the issuer `partner` requires of each token.
  var required = SmallRequirement()

  /// The requests: verb and path, or `$connect`.
  static let requests: [SmallRequest] =
    ["GET", "DELETE"].flatMap { verb in
      [
        "/", "/a", "/a/", "/a/b", "/a/x", "/ax", "/x", "/x/b", "/a/x/b", "/a/b/x", "/q/b/z", "/u", "/u/",
        "/u/ab",
        "/u/abc", "/u/xab", "/u/x", "/u/ab/q", "/u/zz/q", "/u/zz", "/u/zz/b", "/u/abqab", "/u/abq", "/u/qab",
        "/u/s",
        "/u/zz/zz", "/u/ab/zz", "/u/ab/ab", "/zz/ab",
      ].map { SmallRequest(verb: verb, path: $0) }
    } + [SmallRequest(verb: nil, path: "$connect"), SmallRequest(verb: "POST", path: "/q/b/z")]
    + ["/zz/zz/ab/ab", "/ab/ab/zz/zz", "/x/ab/ab", "/ab/x/ab", "/zz/zz/ab", "/ab/ab"].map {
      SmallRequest(verb: "GET", path: $0)
    } + ["POST", "DELETE", "OPTIONS"].flatMap(mcpRequests)

  private static func mcpRequests(_ verb: String) -> [SmallRequest] {
    let others = [nil, SmallCall(kind: nil, name: "")]
    let named = ["tools", "resources", "prompts"].flatMap { kind in
      ["ab", "b", "zz", "abz", "zb", "aab"].map { SmallCall(kind: kind, name: $0) }
    }
    return (others + named).map { SmallRequest(verb: verb, path: "/mcp", call: $0) }
  }

  /// Returns for each request whether a guest is allowed.
  func guestAccess() -> UInt128 {
    let restricted = deniesByDefault == false ? rules.flatMap(\.routes) : []
    return Self.mask(guests) & ~Self.mask(restricted)
  }

  /// For each rule the requests that its routes match.
  struct Masks {
    let fixed: [UInt128]
    let owned: [[OwnedMask]]
    /// For each rule the requests of MCP that it grants, if a rule names tools.
    let tools: [UInt128]?
  }

  /// The requests that a route with claims matches.
  final class OwnedMask {
    private let route: String
    private let paths: [SmallPath]
    private var known: [[String]: UInt128] = [:]

    init(_ route: String) {
      self.route = route
      paths = route.split(separator: "{").dropFirst().map { .name(String($0.prefix { $0 != "}" })) }
    }

    subscript(claims: SmallClaims) -> UInt128 {
      var texts: [String] = []
      for path in paths {
        guard case .text(let text)? = path.value(in: claims) else { return 0 }
        texts.append(text)
      }
      if let mask = known[texts] { return mask }
      let mask = SmallConfiguration.mask { $0.matches(route, claims) }
      known[texts] = mask
      return mask
    }
  }

  var masks: Masks {
    Masks(
      fixed: rules.map { rule in Self.mask(rule.routes.filter { !$0.contains("${") }) },
      owned: rules.map { $0.routes.filter { $0.contains("${") }.map(OwnedMask.init) },
      tools: rules.contains { !$0.names.isEmpty } ? rules.map(toolAccess) : nil)
  }

  /// Returns for each request whether a token is allowed.
  func access(_ claims: SmallClaims, issuer: String, now: Int64, _ masks: Masks) -> UInt128 {
    if issuer == "partner", required.value(claims, issuer: issuer, takesText: false, now: now) != true {
      return 0
    }
    guard let deniesByDefault else { return .max }
    var access: UInt128 = deniesByDefault ? 0 : .max
    for (index, rule) in rules.enumerated() {
      var isMet: Bool? = true
      if let requirement = rule.requirement {
        isMet = requirement.value(claims, issuer: issuer, takesText: false, now: now)
      }
      if deniesByDefault, isMet == true {
        let accessBefore = access
        access |= masks.fixed[index]
        if let tools = masks.tools {
          access &= ~Self.toolRequests | accessBefore
          access |= tools[index]
        }
        for mask in masks.owned[index] { access |= mask[claims] }
      } else if !deniesByDefault, isMet != true {
        access &= ~masks.fixed[index]
      }
    }
    return access
  }

  private static let known = Dictionary(
    uniqueKeysWithValues: RandomConfiguration.routes.map { route in (route, mask { $0.matches(route, [:]) }) }
  )

  /// Returns the requests that routes without claims match.
  private static func mask(_ routes: [String]) -> UInt128 {
    routes.reduce(0) { mask, route in mask | (known[route] ?? Self.mask { $0.matches(route, [:]) }) }
  }

  private static func mask(_ isAllowed: (SmallRequest) -> Bool) -> UInt128 {
    requests.enumerated().reduce(0) { $0 | (isAllowed($1.element) ? 1 << UInt128($1.offset) : 0) }
  }

  /// The requests on whose path rules may name tools.
  private static let toolRequests = mask { $0.path == "/mcp" }

  /// Requests on that path without the headers of MCP.
  static let withoutHeaders = mask { $0.path == "/mcp" && $0.call == nil }

  /// Returns the requests of MCP that a rule grants.
  private func toolAccess(of rule: Rule) -> UInt128 {
    Self.mask { request in
      guard request.path == "/mcp", request.verb != "OPTIONS", let call = request.call,
        rule.routes.contains(where: { request.matches($0, [:]) })
      else { return false }
      guard let kind = call.kind else { return rule.names.isEmpty }
      let isGuarded = kind == "tools" || rules.contains { $0.names[kind] != nil }
      guard isGuarded else { return rule.names.isEmpty }
      return rule.names[kind]?.contains { SmallRequest.matches(Array($0)[...], Array(call.name)[...]) }
        ?? false
    }
  }

  static let all = requests.indices.reduce(UInt128(0)) { $0 | 1 << UInt128($1) }

  // MARK: JSON

  var text: String {
    var partner: [JSONTree.Member] = [
      .init(name: "name", value: .string("partner")),
      .init(name: "issuer", value: .string("https://id.example.com")),
      .init(name: "audiences", value: .array([.string("api")])),
      .init(name: "algorithms", value: .array([.string("ES256")])),
      .init(name: "keys", value: Self.keys),
    ]
    if !required.scopes.isEmpty {
      partner.append(.init(name: "requiredScopes", value: .array(required.scopes.map { .string($0) })))
    }
    if !required.claims.isEmpty { partner.append(.init(name: "requiredClaims", value: required.claimsJSON)) }
    let apple = JSONTree.members([
      "preset": .string("apple"), "audiences": .array([.string("com.example.app")]), "keys": Self.keys,
    ])
    var members: [JSONTree.Member] = [
      .init(name: "issuers", value: .array([apple, .object(partner)])),
      .init(name: "gatewayCache", value: .string("off")),
    ]
    if let deniesByDefault {
      members.append(.init(name: "default", value: .string(deniesByDefault ? "deny" : "allow")))
      members.append(
        .init(
          name: "rules",
          value: .array(
            rules.map { rule in
              .members([
                "routes": .array(rule.routes.map { .string($0) }),
                "allow": deniesByDefault ? .boolean(true) : nil,
                "require": rule.requirement.map(\.json), "tools": Self.list(rule.names["tools"]),
                "resources": Self.list(rule.names["resources"]), "prompts": Self.list(rule.names["prompts"]),
              ])
            })))
    }
    if !guests.isEmpty {
      members.append(
        .init(name: "anonymous", value: .members(["routes": .array(guests.map { .string($0) })])))
    }
    return String(decoding: JSONTree.object(members).bytes(), as: UTF8.self)
  }

  private static func list(_ texts: [String]?) -> JSONTree? {
    texts.map { .array($0.map { .string($0) }) }
  }

  private static let keys = JSONTree.members(["seed": .string("keys.json"), "pinned": .boolean(true)])
}

/// What a request of MCP calls; without a kind another method.
struct SmallCall: Hashable, Sendable {
  let kind: String?
  let name: String
}

/// A request of the small universe.
struct SmallRequest: Hashable, Sendable {
  let verb: String?
  let path: String
  /// What the headers of MCP say; `nil` without them.
  var call: SmallCall?

  /// Whether a route as a rule writes it matches, for these claims.
  func matches(_ route: String, _ claims: SmallClaims) -> Bool {
    guard let verb else { return route == path }
    let parts = route.split(separator: " ").map(String.init)
    guard parts.count == 2, parts[0] == "*" || parts[0] == verb else { return false }
    var pattern: [Character] = []
    var rest = Substring(parts[1])
    while let first = rest.first {
      if rest.hasPrefix("${") {
        let name = String(rest.dropFirst(2).prefix { $0 != "}" })
        guard case .text(let text)? = SmallPath.name(name).value(in: claims), Self.isRoutable(text) else {
          return false
        }
        pattern += Array(text)
        rest = rest.drop { $0 != "}" }.dropFirst()
      } else if first == "{" {
        pattern.append("*")
        rest = rest.drop { $0 != "}" }.dropFirst()
      } else {
        pattern.append(first)
        rest = rest.dropFirst()
      }
    }
    let path = Array(path)
    if Self.matches(pattern[...], path[...]) { return true }
    return parts[1].hasSuffix("/*") && parts[1].count > 2
      && Self.matches(pattern.dropLast(2), path[...])
  }

  private static func isRoutable(_ text: String) -> Bool {
    !text.isEmpty && text != "." && !text.contains("..")
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._~-".contains($0)) }
  }

  static func matches(_ pattern: ArraySlice<Character>, _ path: ArraySlice<Character>) -> Bool {
    guard let first = pattern.first else { return path.isEmpty }
    if first == "*" {
      return matches(pattern.dropFirst(), path) || (!path.isEmpty && matches(pattern, path.dropFirst()))
    }
    return path.first == first && matches(pattern.dropFirst(), path.dropFirst())
  }
}
