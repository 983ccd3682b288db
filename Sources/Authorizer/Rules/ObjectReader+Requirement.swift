package import FunctionHost
import JOSE
import JSON

/// Where a requirement stands in a rule, which decides what it may contain.
package struct RequirementPlace {
  /// All issuers; `nil` if some could not be read.
  let configured: [(name: String, isApple: Bool)]?
  /// The issuers whose tokens can meet what surrounds it.
  private(set) var concerned: [(name: String, isApple: Bool)]
  /// Whether API Gateway may cache answers, so that no condition may depend on time.
  let mayCache: Bool
  /// The levels of `any` and `not` above it.
  private(set) var level = 0
  /// Whether it is within a `not`.
  private(set) var isDenied = false

  /// - Parameter concerned: the issuers whose tokens it is about; all of them by default.
  package init(
    configured: [(name: String, isApple: Bool)]?, concerned: [(name: String, isApple: Bool)]? = nil,
    mayCache: Bool
  ) {
    self.configured = configured
    self.concerned = concerned ?? configured ?? []
    self.mayCache = mayCache
  }

  /// Whether text counts as a boolean where Apple writes it so: only if no token of another issuer can meet the rule.
  var isOfApple: Bool { concerned.allSatisfy { $0.isApple } }

  mutating func narrow(to requirement: Requirement) {
    concerned = concerned.filter { requirement.names($0.name) }
  }

  func below(isDenied: Bool) -> RequirementPlace {
    var place = self
    place.level += 1
    place.isDenied = isDenied || self.isDenied
    return place
  }
}

/// Reads what rules and issuers require: `require` of a rule, with `any` and `not` in it.
extension ObjectReader {
  /// Reads the members of this object as a requirement, and reports the rest of them.
  package mutating func requirement(_ surroundings: RequirementPlace) -> Requirement {
    var place = surroundings
    var requirement = Requirement()
    requirement.scopes = scopes("scopes")
    requirement.issuers = issuers(among: place.configured)
    place.narrow(to: requirement)
    requirement.claims = claimRequirements(
      "claims", acceptingBooleanText: place.isOfApple ? IssuerConfiguration.appleBooleans : [])
    requirement.authenticatedWithinSeconds = authenticationAge(place)
    requirement.any = alternatives(place.below(isDenied: false))
    requirement.not = denial(place.below(isDenied: true))
    finish()
    if requirement.isEmpty, !problems.concerns(path), !problems.concerns(within: path) {
      problems.add(
        path, "at least one of scopes, claims, issuers, authenticatedWithinSeconds, any and not is expected")
    }
    return requirement
  }

  private mutating func issuers(among configured: [(name: String, isApple: Bool)]?) -> [String] {
    guard let issuers = texts("issuers") else { return [] }
    guard let configured else { return issuers }
    for (index, name) in issuers.enumerated()
    where !configured.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
      let known = configured.map { $0.name }.joined(separator: ", ")
      add(
        "issuers[\(index)]", "no issuer of this configuration has this name; one of \(known) is expected")
    }
    return issuers
  }

  private mutating func authenticationAge(_ place: RequirementPlace) -> Int64? {
    guard let seconds = integer("authenticatedWithinSeconds", in: Requirement.authenticationRange) else {
      return nil
    }
    let name = "authenticatedWithinSeconds"
    if place.isDenied {
      add(name, "has no place within \"not\": an old authentication is never required")
    } else if place.mayCache {
      add(
        name, "API Gateway would cache the answer beyond that time; set \"gatewayCache\": \"off\" and TTL 0")
    }
    return seconds
  }

  private mutating func alternatives(_ place: RequirementPlace) -> [Requirement] {
    guard let value = value("any") else { return [] }
    let elements = Array(value.elements)
    guard value.kind == .array, 1...Requirement.maximumAlternatives ~= elements.count else {
      add("any", "a list of 1 to \(Requirement.maximumAlternatives) requirements is expected")
      return []
    }
    return elements.enumerated().compactMap { part($1, "any[\($0)]", place) }
  }

  private mutating func denial(_ place: RequirementPlace) -> [Requirement] {
    guard let value = value("not"), let denied = part(value, "not", place) else { return [] }
    let path = path(of: "not")
    if !denied.isSingleCondition, !problems.concerns(path), !problems.concerns(within: path) {
      add(
        "not",
        "exactly one condition is expected: one scope, one claim, issuers or any; if none of several may be met,"
          + " write {\"not\": {\"any\": […]}}")
    }
    return [denied]
  }

  private func part(_ value: JSONValue, _ name: String, _ place: RequirementPlace) -> Requirement? {
    guard place.level <= Requirement.maximumLevels else {
      add(name, "at most \(Requirement.maximumLevels) levels of any and not are possible")
      return nil
    }
    var reader = ObjectReader(value, path: path(of: name), problems)
    return reader?.requirement(place)
  }
}
