public import JSON

/// An IAM policy document as an authorizer may answer with it, completely understood.
///
/// What this type cannot evaluate it does not accept: a `Condition` that were passed over would turn a refusal into a
/// grant.
public struct PolicyDocument: Equatable, Sendable {
  /// The statements in order; at least one.
  public let statements: [Statement]

  /// One statement.
  public struct Statement: Equatable, Sendable {
    /// `Sid`, where it has one.
    public let identifier: String?
    /// `Effect`.
    public let effect: Effect
    let actions: Matcher
    let resources: Matcher

    /// Whether the statement speaks about this call.
    func applies(action: String, resource: String) -> Bool {
      actions.matches(action) && resources.matches(resource)
    }
  }

  /// `Effect`.
  public enum Effect: String, Sendable { case allow = "Allow", deny = "Deny" }

  /// `Action` or `NotAction`, `Resource` or `NotResource`.
  struct Matcher: Equatable, Sendable {
    let patterns: [WildcardPattern]
    let isInverted: Bool

    func matches(_ text: String) -> Bool { patterns.contains { $0.matches(text) } != isInverted }
  }

  /// Reads a policy document.
  ///
  /// - Throws: `PolicyError`, the first thing that API Gateway would refuse or that this evaluator does not evaluate.
  public init(_ value: JSONValue) throws(PolicyError) {
    guard value.kind == .object else { throw PolicyError("policy", .wrongType("an object", found: value)) }
    try Self.refuseUnknown(in: value, at: "policy", known: ["Version", "Id", "Statement"])
    if let version = value["Version"], !version.equals("2012-10-17"), !version.equals("2008-10-17") {
      throw PolicyError("Version", .wrongType(#""2012-10-17" or "2008-10-17""#, found: version))
    }
    guard let list = value["Statement"] else {
      throw PolicyError("Statement", Self.absence(of: "Statement", in: value))
    }
    switch list.kind {
    case .object: statements = [try Statement(list, at: "Statement")]
    case .array:
      var statements: [Statement] = []
      for (index, element) in list.elements.enumerated() {
        statements.append(try Statement(element, at: "Statement[\(index)]"))
      }
      guard !statements.isEmpty else { throw PolicyError("Statement", .empty) }
      self.statements = statements
    default: throw PolicyError("Statement", .wrongType("an object or an array", found: list))
    }
  }

  fileprivate static func refuseUnknown(
    in object: JSONValue, at path: String, known: [String]
  ) throws(PolicyError) {
    for (name, value) in object.members {
      let name = name.text ?? ""
      if known.contains(name) { continue }
      let place = path == "policy" ? name : "\(path).\(name)"
      if let right = known.first(where: { $0.lowercased() == name.lowercased() }) {
        throw PolicyError(place, .wrongCase(expected: right))
      }
      if name == "Condition", value.kind == .null { throw PolicyError(place, .nullElement) }
      throw PolicyError(place, .notEvaluated)
    }
  }

  /// Absent, or there under another spelling?
  fileprivate static func absence(of name: String, in object: JSONValue) -> PolicyError.Problem {
    let lower = name.lowercased()
    return object.members.contains { $0.name.text?.lowercased() == lower }
      ? .wrongCase(expected: name) : .missing
  }
}

extension PolicyDocument.Statement {
  fileprivate init(_ value: JSONValue, at path: String) throws(PolicyError) {
    guard value.kind == .object else { throw PolicyError(path, .wrongType("an object", found: value)) }
    try PolicyDocument.refuseUnknown(
      in: value, at: path,
      known: ["Sid", "Effect", "Action", "NotAction", "Resource", "NotResource"])
    guard let effect = value["Effect"] else { throw PolicyError("\(path).Effect", .missing) }
    guard let known = effect.text.flatMap(PolicyDocument.Effect.init(rawValue:)) else {
      throw PolicyError("\(path).Effect", .wrongType(#""Allow" or "Deny""#, found: effect))
    }
    self.effect = known
    identifier = value["Sid"]?.text
    actions = try Self.matcher("Action", in: value, at: path, ignoringCase: true)
    resources = try Self.matcher("Resource", in: value, at: path, ignoringCase: false)
  }

  /// Characters of one `Resource` that API Gateway takes ("Output from an API Gateway Lambda authorizer").
  private static let patternCharacters = 512

  private static func matcher(
    _ name: String, in statement: JSONValue, at path: String, ignoringCase: Bool
  ) throws(PolicyError) -> PolicyDocument.Matcher {
    let place = "\(path).\(name)"
    switch (statement[name], statement["Not\(name)"]) {
    case (nil, nil): throw PolicyError(place, .missing)
    case (_?, _?): throw PolicyError(place, .both(name, "Not\(name)"))
    case (let list?, nil):
      return .init(patterns: try patterns(list, place, ignoringCase), isInverted: false)
    case (nil, let list?):
      return .init(patterns: try patterns(list, "\(path).Not\(name)", ignoringCase), isInverted: true)
    }
  }

  private static func patterns(
    _ value: JSONValue, _ place: String, _ ignoringCase: Bool
  ) throws(PolicyError) -> [WildcardPattern] {
    var values = [value]
    if value.kind == .array { values = Array(value.elements) }
    guard !values.isEmpty else { throw PolicyError(place, .empty) }
    let limit = Self.patternCharacters
    var patterns: [WildcardPattern] = []
    for value in values {
      guard let text = value.text else {
        throw PolicyError(place, .wrongType("a string or an array of strings", found: value))
      }
      guard !text.isEmpty else { throw PolicyError(place, .empty) }
      // A policy variable would be replaced before matching; taken literally it could never match.
      if text.contains("${") { throw PolicyError(place, .variable) }
      let length = text.unicodeScalars.count
      guard length <= limit else { throw PolicyError(place, .tooLong(characters: length, limit: limit)) }
      patterns.append(WildcardPattern(text, ignoringCase: ignoringCase))
    }
    return patterns
  }
}

/// Why a policy cannot be evaluated.
public struct PolicyError: Error, Equatable, Sendable {
  /// The element, such as `Statement[1].Effect`.
  public let path: String
  /// What is wrong with it.
  public let problem: Problem

  /// What can be wrong.
  public enum Problem: Equatable, Sendable {
    /// The element is needed.
    case missing
    /// It has no content.
    case empty
    /// It is there under another spelling; IAM's names are case-sensitive.
    case wrongCase(expected: String)
    /// It is `null`, which API Gateway answers with a configuration error.
    case nullElement
    /// It is not `expected`.
    case wrongType(String, found: String)
    /// Of two elements only one may stand.
    case both(String, String)
    /// It is longer than API Gateway takes.
    case tooLong(characters: Int, limit: Int)
    /// It has a meaning in IAM that this evaluator does not know.
    case notEvaluated
    /// It holds a policy variable (`${…}`), which this evaluator does not replace.
    case variable

    static func wrongType(_ expected: String, found: JSONValue) -> Problem {
      .wrongType(expected, found: String(decoding: found.source.prefix(80), as: UTF8.self))
    }
  }

  init(_ path: String, _ problem: Problem) {
    self.path = path
    self.problem = problem
  }

  /// A stable name of the problem.
  public var code: String {
    switch problem {
    case .missing: "missing"
    case .empty: "empty"
    case .wrongCase: "wrongCase"
    case .nullElement: "nullElement"
    case .wrongType: "wrongType"
    case .both: "both"
    case .tooLong: "tooLong"
    case .notEvaluated: "notEvaluated"
    case .variable: "variable"
    }
  }

  /// For people, in lower case.
  public var description: String {
    switch problem {
    case .missing: "\(path) is missing"
    case .empty: "\(path) is empty"
    case .wrongCase(let expected): "\(path) must be spelled \(expected)"
    case .nullElement: "\(path) is null: leave it out, API Gateway refuses it"
    case .wrongType(let expected, let found): "\(path) must be \(expected), found \(found)"
    case .both(let one, let other): "\(path): \(one) and \(other) exclude each other"
    case .tooLong(let count, let limit): "\(path) has \(count) characters, API Gateway takes \(limit)"
    case .notEvaluated: "\(path) is not evaluated here, so no verdict can be given"
    case .variable: "\(path) holds a policy variable, which is not evaluated here"
    }
  }
}
