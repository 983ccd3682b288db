import JSON

/// Reads `default` and `rules`.
struct RulesReader {
  let problems: ProblemList
  /// Names of the issuers of this configuration; `nil` where they are not all known.
  let issuerNames: [String]?

  /// The rules; `nil` where there are none, or where problems were noted.
  func rules(_ reader: inout ObjectReader) -> AccessRules? {
    let whenNoRule = reader.word("default", AccessRules.Default.self)
    guard let list = reader.value("rules") else {
      if whenNoRule != nil || problems.concerns("default") {
        reader.add("default", "says what rules leave open, and there are no rules")
      }
      return nil
    }
    if whenNoRule == nil, !problems.concerns("default") {
      reader.add(
        "default", "missing: with rules, \"deny\" (rules grant) or \"allow\" (rules restrict) is expected")
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

  /// One rule.
  ///
  /// - Parameter whenNoRule: `nil` where it is not known; what depends on it is not looked at then.
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
        reader.add("allow", "missing: under default deny a rule grants, \"allow\": true is expected")
      } else if grants == false {
        reader.add("allow", "must be true: what no rule grants is denied")
      }
    case .allow:
      if grants != nil {
        reader.add("allow", "under default allow a rule restricts, by \"require\"; grants need default deny")
      }
      if requirement.isEmpty, !problems.concerns(reader.path(of: "require")) {
        reader.add("require", "missing: under default allow a rule restricts, by scopes, claims or issuers")
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
        reader.add("routes", "missing: the routes that this rule is about")
      }
      return nil
    }
    var routes: [Route] = []
    for (index, text) in texts.enumerated() {
      let place = "routes[\(index)]"
      do throws(RouteFlaw) {
        let route = try Route(parsing: text)
        if route.isOwnership, whenNoRule == .allow {
          reader.add(place, "ownership routes need default deny")
        } else if whenNoRule == .allow, text.utf8.contains(0x25) {
          reader.add(
            place, "a restriction with % is reached by other spellings; grant under default deny instead")
        } else {
          routes.append(route)
        }
      } catch {
        reader.add(place, error.description)
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
