import Bytes
import FunctionHost
import JOSE
import JSON

extension ObjectReader {
  /// Reads `default` and `rules`; returns `nil` if there are none or problems were reported.
  ///
  /// - Parameters:
  ///   - issuers: all issuers; `nil` if some could not be read.
  ///   - mayCache: whether API Gateway may cache answers.
  mutating func accessRules(of issuers: [(name: String, isApple: Bool)]?, mayCache: Bool) -> AccessRules? {
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
    let place = RequirementPlace(configured: issuers, mayCache: mayCache)
    var rules: [AccessRules.Rule] = []
    for (index, entry) in entries.enumerated() {
      var reader = ObjectReader(entry, path: "rules[\(index)]", problems)
      if let rule = reader?.rule(whenNoRule, place) { rules.append(rule) }
    }
    let count = rules.reduce(0) { $0 + $1.routes.count }
    if count > AccessRules.maximumRoutes {
      add("rules", "\(count) routes; \(AccessRules.maximumRoutes) at most")
    }
    if rules.count == entries.count { checkToolRoutes(of: rules) }
    guard let whenNoRule, rules.count == entries.count, problems.problems.isEmpty else { return nil }
    return AccessRules(whenNoRule: whenNoRule, rules: rules)
  }

  /// Reads one rule.
  ///
  /// - Parameter whenNoRule: `nil` if it is unknown; checks that depend on it are then skipped.
  private mutating func rule(
    _ whenNoRule: AccessRules.Default?, _ place: RequirementPlace
  ) -> AccessRules.Rule? {
    let routes = routes(whenNoRule)
    let grants = boolean("allow")
    let requirement = require(place)
    let (tools, resources, prompts) = (texts("tools"), texts("resources"), texts("prompts"))
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
    let rule = AccessRules.Rule(
      routes: routes, requirement: requirement, tools: patterns(tools, of: .tools),
      resources: patterns(resources, of: .resources), prompts: patterns(prompts, of: .prompts))
    checkNames(of: rule, whenNoRule, mayCache: place.mayCache)
    return rule
  }

  /// Reads the routes of a rule; `nil` if problems were reported.
  package mutating func routes(_ whenNoRule: AccessRules.Default?) -> [Route]? {
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

  private mutating func require(_ place: RequirementPlace) -> Requirement {
    guard var require = reader("require") else { return Requirement() }
    let requirement = require.requirement(place)
    let count = requirement.conditionCount
    if count > Requirement.maximumConditions {
      add("require", "\(count) conditions; \(Requirement.maximumConditions) at most")
    }
    return requirement
  }
}
