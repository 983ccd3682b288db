import Bytes
import FunctionHost
import JOSE
import JSON

extension ObjectReader {
  /// Reads `default` and `rules`; returns `nil` if there are none or problems were reported.
  ///
  /// - Parameter issuers: all issuers; `nil` if some could not be read.
  mutating func accessRules(of issuers: [(name: String, isApple: Bool)]?) -> AccessRules? {
    let whenNoRule = word("default", AccessRules.Default.self)
    guard let list = value("rules") else {
      if whenNoRule != nil || problems.concerns("default") {
        add("default", "has no effect without \"rules\"; add rules or remove it")
      }
      return nil
    }
    if whenNoRule == nil, !problems.concerns("default") {
      add(
        "default", "missing: with rules, set \"deny\" (rules grant) or \"allow\" (rules restrict)")
    }
    let entries = Array(list.elements)
    guard list.kind == .array, !entries.isEmpty else {
      add("rules", "a non-empty list is expected")
      return nil
    }
    var rules: [AccessRules.Rule] = []
    for (index, entry) in entries.enumerated() {
      var reader = ObjectReader(entry, path: "rules[\(index)]", problems)
      if let rule = reader?.rule(whenNoRule, issuers) { rules.append(rule) }
    }
    let count = rules.reduce(0) { $0 + $1.routes.count }
    if count > AccessRules.maximumRoutes {
      add("rules", "\(count) routes; \(AccessRules.maximumRoutes) at most")
    }
    guard let whenNoRule, rules.count == entries.count, problems.problems.isEmpty else { return nil }
    return AccessRules(whenNoRule: whenNoRule, rules: rules)
  }

  /// Reads one rule.
  ///
  /// - Parameter whenNoRule: `nil` if it is unknown; checks that depend on it are then skipped.
  private mutating func rule(
    _ whenNoRule: AccessRules.Default?, _ configured: [(name: String, isApple: Bool)]?
  ) -> AccessRules.Rule? {
    let routes = routes(whenNoRule)
    let grants = boolean("allow")
    let requirement = requirement(configured)
    switch whenNoRule {
    case .deny:
      if grants == nil, !problems.concerns(path(of: "allow")) {
        add("allow", "missing: with default deny a rule grants and needs \"allow\": true")
      } else if grants == false {
        add("allow", "must be true: routes without a grant are denied")
      }
    case .allow:
      if grants != nil {
        add("allow", "with default allow a rule restricts with \"require\"; grants need default deny")
      }
      if requirement.isEmpty, !problems.concerns(path(of: "require")) {
        add("require", "missing: with default allow a rule restricts by scopes, claims or issuers")
      }
    case nil: break
    }
    finish()
    guard let routes else { return nil }
    return AccessRules.Rule(routes: routes, requirement: requirement)
  }

  private mutating func routes(_ whenNoRule: AccessRules.Default?) -> [Route]? {
    guard let texts = texts("routes") else {
      if !problems.concerns(path(of: "routes")) {
        add("routes", "missing: the routes that this rule applies to")
      }
      return nil
    }
    var routes: [Route] = []
    for (index, text) in texts.enumerated() {
      let routePath = "routes[\(index)]"
      do throws(RouteFlaw) {
        let route = try Route(parsing: text)
        if route.isOwnership, whenNoRule == .allow {
          add(routePath, "ownership routes need default deny")
        } else if whenNoRule == .allow, text.utf8.contains(.percent) {
          add(
            routePath, "other spellings of the path bypass a restriction with %; use grants with default deny"
          )
        } else {
          routes.append(route)
        }
      } catch {
        add(routePath, error.description)
      }
    }
    return routes.count == texts.count ? routes : nil
  }

  private mutating func requirement(_ configured: [(name: String, isApple: Bool)]?) -> Requirement {
    guard var require = reader("require") else { return Requirement() }
    var requirement = Requirement()
    requirement.scopes = require.scopes("scopes")
    requirement.claims = require.claimRequirements("claims")
    let issuers = require.texts("issuers")
    // Text counts as a boolean only if no token of another issuer can meet the rule.
    let concerned = (configured ?? []).filter { one in
      issuers?.contains { $0.utf8.elementsEqual(one.name.utf8) } ?? true
    }
    if concerned.allSatisfy({ $0.isApple }) {
      for index in requirement.claims.indices {
        requirement.claims[index].acceptsBooleanText =
          IssuerConfiguration.appleBooleans.contains(requirement.claims[index].claim.text)
      }
    }
    if let issuers, let configured {
      for (index, name) in issuers.enumerated()
      where !configured.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
        let known = configured.map { $0.name }.joined(separator: ", ")
        require.add(
          "issuers[\(index)]", "no issuer of this configuration has this name; one of \(known) is expected")
      }
    }
    requirement.issuers = issuers ?? []
    if requirement.isEmpty, !problems.concerns(path(of: "require")),
      !problems.concerns(within: path(of: "require"))
    {
      add("require", "scopes, claims or issuers are expected")
    }
    require.finish()
    return requirement
  }
}
