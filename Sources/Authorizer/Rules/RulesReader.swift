import FunctionHost
import JSON

/// Reads `default` and `rules`.
struct RulesReader {
  let problems: ProblemList
  /// The names of the issuers of this configuration; `nil` if some could not be read.
  let issuerNames: [String]?

  /// Returns the rules; `nil` if there are none or problems were reported.
  func rules(_ reader: inout ObjectReader) -> AccessRules? {
    let whenNoRule = reader.word("default", AccessRules.Default.self)
    guard let list = reader.value("rules") else {
      if whenNoRule != nil || problems.concerns("default") {
        reader.add("default", "has no effect without \"rules\"; add rules or remove it")
      }
      return nil
    }
    if whenNoRule == nil, !problems.concerns("default") {
      reader.add(
        "default", "missing: with rules, set \"deny\" (rules grant) or \"allow\" (rules restrict)")
    }
    let entries = Array(list.elements)
    guard list.kind == .array, !entries.isEmpty else {
      reader.add("rules", "a non-empty list is expected")
      return nil
    }
    var rules: [AccessRules.Rule] = []
    for (index, entry) in entries.enumerated() {
      if let rule = rule(entry, path: "rules[\(index)]", whenNoRule) { rules.append(rule) }
    }
    let count = rules.reduce(0) { $0 + $1.routes.count }
    if count > AccessRules.maximumRoutes {
      reader.add("rules", "\(count) routes; \(AccessRules.maximumRoutes) at most")
    }
    guard let whenNoRule, rules.count == entries.count, problems.problems.isEmpty else { return nil }
    return AccessRules(whenNoRule: whenNoRule, rules: rules)
  }

  /// Reads one rule.
  ///
  /// - Parameter whenNoRule: `nil` if it is unknown; checks that depend on it are then skipped.
  private func rule(
    _ value: JSONValue, path: String, _ whenNoRule: AccessRules.Default?
  ) -> AccessRules.Rule? {
    guard var reader = ObjectReader(value, path: path, problems) else { return nil }
    let routes = routes(&reader, whenNoRule)
    let grants = reader.boolean("allow")
    let requirement = requirement(&reader)
    switch whenNoRule {
    case .deny:
      if grants == nil, !problems.concerns(reader.path(of: "allow")) {
        reader.add("allow", "missing: with default deny a rule grants and needs \"allow\": true")
      } else if grants == false {
        reader.add("allow", "must be true: routes without a grant are denied")
      }
    case .allow:
      if grants != nil {
        reader.add("allow", "with default allow a rule restricts with \"require\"; grants need default deny")
      }
      if requirement.isEmpty, !problems.concerns(reader.path(of: "require")) {
        reader.add("require", "missing: with default allow a rule restricts by scopes, claims or issuers")
      }
    case nil: break
    }
    reader.finish()
    guard let routes else { return nil }
    return AccessRules.Rule(routes: routes, requirement: requirement)
  }

  private func routes(_ reader: inout ObjectReader, _ whenNoRule: AccessRules.Default?) -> [Route]? {
    guard let texts = reader.texts("routes") else {
      if !problems.concerns(reader.path(of: "routes")) {
        reader.add("routes", "missing: the routes that this rule applies to")
      }
      return nil
    }
    var routes: [Route] = []
    for (index, text) in texts.enumerated() {
      let routePath = "routes[\(index)]"
      do throws(RouteFlaw) {
        let route = try Route(parsing: text)
        if route.isOwnership, whenNoRule == .allow {
          reader.add(routePath, "ownership routes need default deny")
        } else if whenNoRule == .allow, text.utf8.contains(0x25) {
          reader.add(
            routePath, "other spellings of the path bypass a restriction with %; use grants with default deny"
          )
        } else {
          routes.append(route)
        }
      } catch {
        reader.add(routePath, error.description)
      }
    }
    return routes.count == texts.count ? routes : nil
  }

  private func requirement(_ reader: inout ObjectReader) -> Requirement {
    guard var require = reader.reader("require") else { return Requirement() }
    var requirement = Requirement()
    requirement.scopes = require.scopes("scopes")
    requirement.claims = require.claimRequirements("claims")
    let issuers = require.texts("issuers")
    if let issuers, let issuerNames {
      for (index, name) in issuers.enumerated()
      where !issuerNames.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
        let known = issuerNames.joined(separator: ", ")
        require.add(
          "issuers[\(index)]", "no issuer of this configuration has this name; one of \(known) is expected")
      }
    }
    requirement.issuers = issuers ?? []
    if requirement.isEmpty, !problems.concerns(reader.path(of: "require")),
      !problems.concerns(within: reader.path(of: "require"))
    {
      reader.add("require", "scopes, claims or issuers are expected")
    }
    require.finish()
    return requirement
  }
}
