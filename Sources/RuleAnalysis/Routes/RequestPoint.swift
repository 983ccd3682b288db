internal import Authorizer
internal import JOSE

/// One request that stands for all that the patterns cannot tell apart from it, or that fewer patterns match.
struct RequestPoint: Hashable {
  /// `nil` for `$connect`.
  let verb: String?
  let path: [UInt8]
  /// What the headers of MCP say that it calls; `nil` without them.
  var call: MCPRequest?

  static let connect = RequestPoint(verb: nil, path: Array("$connect".utf8))

  /// The end of the method's ARN.
  var route: [UInt8] { Array((verb ?? "").utf8) + path }
}

/// The rules of one configuration that match a request, each with the claims that a token needs for it: for a route
/// without claims none.
struct RuleMatch: Hashable {
  var rules: [Int: Set<Set<ClaimBinding>>] = [:]

  init() {}

  init(_ rules: AccessRules?, _ point: RequestPoint) {
    if let rules, let verb = point.verb, rules.toolRoutes?.paths.contains(point.path) == true {
      guard let request = point.call else { return }
      for index in rules.rules(granting: request, on: (Array(verb.utf8)[...], point.path[...])) {
        self.rules[index] = [[]]
      }
      return
    }
    for (index, rule) in (rules?.rules ?? []).enumerated() {
      let found = rule.routes.bindings(matching: point)
      if !found.isEmpty { self.rules[index] = found }
    }
  }
}

extension [Route] {
  /// Returns the claims that a token needs so that one of these routes matches the request, in each way that it can.
  func bindings(matching point: RequestPoint) -> Set<Set<ClaimBinding>> {
    reduce(into: []) { $0.formUnion($1.bindings(matching: point)) }
  }
}

extension Route {
  /// The bytes that the longest pattern of a policy may have after the stage, on the stage with the shortest ARN.
  static let maximumPatternBytes = RoutePattern.maximumResourceBytes - shortestStagePrefixBytes

  /// Returns the claims that a token needs so that this route matches the request, in each way that it can.
  func bindings(matching point: RequestPoint) -> Set<Set<ClaimBinding>> {
    guard let verb = point.verb else { return isConnect ? [[]] : [] }
    guard !isConnect, verbs.contains(verb) else { return [] }
    return fitting(bindings(matching: point.path), verb: verb)
  }

  /// Returns those whose pattern is not too long for a policy.
  func fitting(_ bindings: Set<Set<ClaimBinding>>, verb: String) -> Set<Set<ClaimBinding>> {
    guard isOwnership else { return bindings }
    return bindings.filter { bindings in
      let count = path.reduce(verb.utf8.count) { count, piece in
        switch piece {
        case .literal(let bytes): count + bytes.count
        case .wildcard: count + 1
        case .claim(let claim): count + (bindings.first { $0.claim == claim }?.text.count ?? 0)
        }
      }
      return count <= Self.maximumPatternBytes
    }
  }
}
