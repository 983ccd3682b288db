package import JSON

/// An IAM policy document: that of an authorizer's answer, or the resource policy of an API.
///
/// A document with an element that this type cannot evaluate is refused: ignoring a `Condition` could turn a denial
/// into a grant.
package struct PolicyDocument: Equatable, Sendable {
  package let version: Version
  /// The statements in order; at least one.
  package let statements: [Statement]

  /// The version of the policy language (IAM User Guide, "IAM JSON policy elements: Version").
  package enum Version: String, Sendable {
    /// Without policy variables; the default.
    case original = "2008-10-17"
    /// The current version.
    case current = "2012-10-17"

    package var hasVariables: Bool { self == .current }
  }

  package struct Statement: Equatable, Sendable {
    package let identifier: String?
    package let effect: Effect
    /// Who it applies to; `nil` in an authorizer's answer, which is about its caller.
    let principals: PolicyPrincipals?
    package let actions: Matcher
    package let resources: Matcher
    package let condition: Condition
  }

  package enum Effect: String, Sendable { case allow = "Allow", deny = "Deny" }

  package struct Matcher: Equatable, Sendable {
    package let patterns: [PolicyPattern]
    package let isInverted: Bool
  }

  /// Reads the policy document of an authorizer's answer.
  ///
  /// - Throws: `PolicyError` for the first element that API Gateway would refuse or that this evaluator does not
  ///   support.
  package init(_ value: JSONValue) throws(PolicyError) { try self.init(value, resourcePrefix: nil) }

  /// Reads a policy document.
  ///
  /// - Parameter resourcePrefix: for a resource policy, what the short form `execute-api:/` stands for.
  package init(_ value: JSONValue, resourcePrefix: String?) throws(PolicyError) {
    guard value.kind == .object else { throw PolicyError("policy", .wrongType("an object", found: value)) }
    try Self.refuseUnknown(in: value, at: "policy", known: ["Version", "Id", "Statement"])
    var version = Version.original
    if let written = value["Version"] {
      guard let known = written.text.flatMap(Version.init(rawValue:)) else {
        throw PolicyError("Version", .wrongType(#""2012-10-17" or "2008-10-17""#, found: written))
      }
      version = known
    }
    self.version = version
    if let identifier = value["Id"], identifier.kind != .string {
      throw PolicyError("Id", .wrongType("a string", found: identifier))
    }
    guard let list = value["Statement"] else {
      throw PolicyError("Statement", Self.absence(of: "Statement", in: value))
    }
    switch list.kind {
    case .object: statements = [try Statement(list, at: "Statement", version, resourcePrefix)]
    case .array:
      var statements: [Statement] = []
      for (index, element) in list.elements.enumerated() {
        let statement = try Statement(element, at: "Statement[\(index)]", version, resourcePrefix)
        // IAM requires unique Sids ("IAM JSON policy elements: Sid"); several empty ones are common and accepted.
        if let name = statement.identifier, !name.isEmpty,
          statements.contains(where: { $0.identifier == name })
        {
          throw PolicyError("Statement[\(index)].Sid", .duplicate(name))
        }
        statements.append(statement)
      }
      guard !statements.isEmpty else { throw PolicyError("Statement", .empty) }
      self.statements = statements
    default: throw PolicyError("Statement", .wrongType("an object or an array", found: list))
    }
  }

  fileprivate static func refuseUnknown(
    in object: JSONValue, at path: String, known: [String]
  ) throws(PolicyError) {
    for (name, _) in object.members {
      let name = name.text ?? ""
      if known.contains(name) { continue }
      let place = path == "policy" ? name : "\(path).\(name)"
      if let right = known.first(where: { $0.lowercased() == name.lowercased() }) {
        throw PolicyError(place, .wrongCase(expected: right))
      }
      throw PolicyError(place, .notEvaluated)
    }
  }

  /// Whether the name is missing or written in another case.
  fileprivate static func absence(of name: String, in object: JSONValue) -> PolicyError.Problem {
    let lower = name.lowercased()
    return object.members.contains { $0.name.text?.lowercased() == lower }
      ? .wrongCase(expected: name) : .missing
  }
}

extension PolicyDocument.Statement {
  fileprivate init(
    _ value: JSONValue, at path: String, _ version: PolicyDocument.Version, _ resourcePrefix: String?
  ) throws(PolicyError) {
    guard value.kind == .object else { throw PolicyError(path, .wrongType("an object", found: value)) }
    try PolicyDocument.refuseUnknown(
      in: value, at: path,
      known: ["Sid", "Effect", "Action", "NotAction", "Resource", "NotResource", "Condition"]
        + (resourcePrefix == nil ? [] : ["Principal", "NotPrincipal"]))
    guard let effect = value["Effect"] else { throw PolicyError("\(path).Effect", .missing) }
    guard let known = effect.text.flatMap(PolicyDocument.Effect.init(rawValue:)) else {
      throw PolicyError("\(path).Effect", .wrongType(#""Allow" or "Deny""#, found: effect))
    }
    self.effect = known
    if let sid = value["Sid"], sid.kind != .string {
      throw PolicyError("\(path).Sid", .wrongType("a string", found: sid))
    }
    identifier = value["Sid"]?.text
    principals =
      resourcePrefix == nil ? nil : try PolicyPrincipals(ofStatement: value, at: path, effect: known)
    actions = try Self.matcher("Action", in: value, at: path, version, nil)
    resources = try Self.matcher("Resource", in: value, at: path, version, resourcePrefix)
    if let condition = value["Condition"] {
      self.condition = try Condition(condition, at: "\(path).Condition", version: version)
    } else {
      condition = .none
    }
  }

  /// Maximum characters of one `Resource` ("Output from an API Gateway Lambda authorizer").
  package static let patternCharacters = 512

  private static func matcher(
    _ name: String, in statement: JSONValue, at path: String, _ version: PolicyDocument.Version,
    _ resourcePrefix: String?
  ) throws(PolicyError) -> PolicyDocument.Matcher {
    let place = "\(path).\(name)"
    let isAction = name == "Action"
    switch (statement[name], statement["Not\(name)"]) {
    case (nil, nil): throw PolicyError(place, .missing)
    case (_?, _?): throw PolicyError(place, .both(name, "Not\(name)"))
    case (let list?, nil):
      return .init(
        patterns: try patterns(
          list, at: place, isAction: isAction, version: version, resourcePrefix: resourcePrefix),
        isInverted: false)
    case (nil, let list?):
      return .init(
        patterns: try patterns(
          list, at: "\(path).Not\(name)", isAction: isAction, version: version,
          resourcePrefix: resourcePrefix),
        isInverted: true)
    }
  }

  private static func patterns(
    _ value: JSONValue, at place: String, isAction: Bool, version: PolicyDocument.Version,
    resourcePrefix: String?
  ) throws(PolicyError) -> [PolicyPattern] {
    var values = [value]
    if value.kind == .array { values = Array(value.elements) }
    guard !values.isEmpty else { throw PolicyError(place, .empty) }
    let limit = Self.patternCharacters
    var patterns: [PolicyPattern] = []
    for value in values {
      guard let text = value.text else {
        throw PolicyError(place, .wrongType("a string or an array of strings", found: value))
      }
      guard !text.isEmpty else { throw PolicyError(place, .empty) }
      let length = text.unicodeScalars.count
      guard resourcePrefix != nil || length <= limit else {
        throw PolicyError(place, .tooLong(characters: length, limit: limit))
      }
      do throws(PolicyError.Problem) {
        // Action names are not case-sensitive and cannot have variables ("Where you can use policy variables").
        let pattern = try PolicyPattern(
          ResourcePolicy.expanded(text, prefix: resourcePrefix), version: version, ignoringCase: isAction)
        if pattern.hasVariables, isAction || pattern.hasVariableBeforeResource { throw .variable(text) }
        patterns.append(pattern)
      } catch {
        throw PolicyError(place, error)
      }
    }
    return patterns
  }
}
