package import Authorizer
package import FunctionHost
internal import JOSE
internal import JSON

/// What a configuration must never or always allow.
package struct RuleProperty: Sendable {
  package let name: String
  /// Whether it is always allowed; otherwise it is never allowed.
  package let isAlways: Bool
  let routes: [Route]
  let who: Who

  /// The callers that it is about.
  enum Who: Sendable {
    /// Requests without any credential.
    case guest
    /// Every verified token; for what is never allowed, guests too.
    case anyone
    /// Verified tokens that meet a requirement.
    case require(Requirement, issuer: String?)
  }

  var requirement: Requirement {
    if case .require(let requirement, _) = who { requirement } else { Requirement() }
  }

  /// Reads `{"properties": […]}`.
  ///
  /// - Parameter settings: the configuration that the properties are about.
  /// - Throws: `ConfigurationError` with every problem.
  package static func properties(
    parsing bytes: [UInt8], for settings: Settings
  ) throws(ConfigurationError) -> [RuleProperty] {
    let problems = ProblemList()
    var properties: [RuleProperty] = []
    do throws(JSONError) {
      let root = try JSONDocument(parsing: bytes, limits: .configuration).root
      var reader = ObjectReader(root, path: "", problems)
      properties = reader?.properties(of: settings) ?? []
    } catch {
      problems.add("", "not JSON: \(error.description(in: bytes))")
    }
    guard problems.problems.isEmpty else { throw ConfigurationError(problems: problems.problems) }
    return properties
  }
}

extension ObjectReader {
  fileprivate mutating func properties(of settings: Settings) -> [RuleProperty] {
    let list = value("properties")
    finish()
    guard let list, list.kind == .array, list.elements.contains(where: { _ in true }) else {
      add("properties", "a non-empty list is expected")
      return []
    }
    return list.elements.enumerated().compactMap { index, element in
      var reader = ObjectReader(element, path: "properties[\(index)]", problems)
      return reader?.property(of: settings)
    }
  }

  private mutating func property(of settings: Settings) -> RuleProperty? {
    let name = text("name")
    if name == nil, !problems.concerns(path(of: "name")) { add("name", "missing: what the report calls it") }
    let never = reader("never")
    let always = reader("always")
    finish()
    guard var what = never ?? always, never == nil || always == nil else {
      if !problems.concerns(within: path) { add("never", "exactly one of never and always is expected") }
      return nil
    }
    let routes = what.routes(nil) ?? []
    let who = what.who(settings)
    what.finish()
    if case .guest? = who, routes.contains(where: { $0.isOwnership }) {
      what.add("routes", "a guest has no claims; write * for ${claim}")
    }
    guard let name, let who, !routes.isEmpty else { return nil }
    return RuleProperty(name: name, isAlways: never == nil, routes: routes, who: who)
  }

  private mutating func who(_ settings: Settings) -> RuleProperty.Who? {
    guard let value = value("who") else {
      add("who", "missing: \"guest\", \"anyone\" or {\"require\": {…}}")
      return nil
    }
    if value.equals("guest") { return .guest }
    if value.equals("anyone") { return .anyone }
    guard value.kind == .object, var who = reader("who") else {
      add("who", "\"guest\", \"anyone\" or {\"require\": {…}} is expected")
      return nil
    }
    let issuer = who.text("issuer")
    let names = settings.issuers.map { (name: $0.profile.name, isApple: $0.isApple) }
    if let issuer, !names.contains(where: { $0.name.utf8.elementsEqual(issuer.utf8) }) {
      who.add("issuer", "no issuer of this configuration has this name")
    }
    var requirement: Requirement?
    if var require = who.reader("require") {
      let concerned = names.filter { issuer == nil || $0.name.utf8.elementsEqual((issuer ?? "").utf8) }
      requirement = require.requirement(
        RequirementPlace(configured: names, concerned: concerned, mayCache: false))
    } else if !problems.concerns(within: who.path) {
      who.add("require", "missing: what the callers have; for everyone write \"who\": \"anyone\"")
    }
    who.finish()
    return requirement.map { .require($0, issuer: issuer) }
  }
}
