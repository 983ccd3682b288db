internal import Text
package import GatewayModel
internal import IAMPolicy
internal import Mapping
internal import JSON

/// A lint that finds parts of an authorizer's answer that AWS refuses, and parts that AWS accepts but that are
/// probably mistakes.
///
/// It reads the JSON itself, so it also reports problems of answers that cannot be evaluated.
package struct PolicyLint: Sendable {
  package struct Finding: Equatable, Sendable {
    package let code: Code
    /// The element, such as `policyDocument.Statement[0].Resource`.
    package let path: String
    /// The message, in lower case.
    package let message: String
    package var cure: String { code.cure }
  }

  /// The kind of the event that is answered.
  package let kind: EventKind
  /// The TTL of API Gateway's authorizer cache.
  package let timeToLiveSeconds: Int

  /// Creates a lint for answers to events of this kind.
  ///
  /// - Parameter timeToLiveSeconds: `nil` for the default of API Gateway: 300 for REST APIs, 0 for HTTP APIs.
  ///   WebSocket APIs do not cache.
  package init(kind: EventKind, timeToLiveSeconds: Int? = nil) {
    self.kind = kind
    self.timeToLiveSeconds =
      switch kind {
      case .webSocket: 0
      case .restToken, .restRequest: timeToLiveSeconds ?? GatewayQuota.restTimeToLiveSeconds
      case .http1, .http2: timeToLiveSeconds ?? 0
      }
  }

  /// Returns the findings in an answer or in a policy document; empty for bytes that are not a JSON object.
  ///
  /// - Parameter resource: the ARN of the requested method or route, if known.
  package func findings(in answer: [UInt8], resource: String? = nil) -> [Finding] {
    guard let root = try? JSONDocument(parsing: answer, limits: .event).root, root.kind == .object else {
      return []
    }
    var findings: [Finding] = []
    if kind == .webSocket, answer.count > AuthorizerAnswer.webSocketBytes {
      findings.append(
        Finding(
          code: .answerTooLarge, path: "the answer",
          message: "\(answer.count) bytes; a WebSocket API accepts at most \(AuthorizerAnswer.webSocketBytes)"
        ))
    }
    if let policy = root["policyDocument"] {
      findings += Self.principal(of: root)
      findings += statements(of: policy, at: "policyDocument.", resource)
    } else if root["Statement"] != nil {
      findings += statements(of: root, at: "", resource)
    }
    if let simple = root["isAuthorized"], let text = simple.text {
      findings.append(
        Finding(
          code: .booleanAsText, path: "isAuthorized",
          message: "the string \"\(text)\" is not a boolean; API Gateway returns 500"))
    }
    if let context = root["context"] { findings += self.context(context) }
    return findings
  }

  // MARK: The answer around the policy

  private static func principal(of root: JSONValue) -> [Finding] {
    guard let principal = root["principalId"] else {
      return [Finding(code: .principalMissing, path: "principalId", message: "it is missing")]
    }
    if principal.text?.isEmpty == true {
      return [Finding(code: .principalEmpty, path: "principalId", message: "it is empty")]
    }
    return []
  }

  /// Names that API Gateway adds to the context ("Lambda authorizer output" and recorded requests); `claims` has a
  /// JWT authorizer's claims on HTTP APIs.
  private var reservedNames: [String] {
    ["principalId", "integrationLatency"] + (kind == .http1 || kind == .http2 ? ["claims"] : [])
  }

  private func context(_ context: JSONValue) -> [Finding] {
    var findings: [Finding] = []
    for (name, value) in context.members {
      let name = name.text ?? ""
      let path = "context.\(name)"
      if reservedNames.contains(name) {
        findings.append(
          Finding(code: .contextName, path: path, message: "API Gateway sets a value of this name itself"))
      }
      switch value.kind {
      case .object, .array, .null:
        if kind != .http2 {
          findings.append(
            Finding(
              code: .contextType, path: path,
              message: "\(Self.word(value.kind)); this kind of API accepts strings, numbers and booleans only"
            ))
        }
      case .string where value.equals("true") || value.equals("false"):
        findings.append(
          Finding(
            code: .booleanAsText, path: path,
            message: "the string \"\(value.text ?? "")\"; a backend may evaluate \"false\" as true"))
      case .string, .number, .boolean: continue
      }
    }
    return findings
  }

  private static func word(_ kind: JSONValue.Kind) -> String {
    switch kind {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .number: "a number"
    case .boolean: "a boolean"
    case .null: "null"
    }
  }

  // MARK: The policy

  private func statements(of policy: JSONValue, at path: String, _ resource: String?) -> [Finding] {
    guard let list = policy["Statement"] else { return [] }
    let hasVariables = policy["Version"]?.equals("2012-10-17") == true
    var findings: [Finding] = []
    let statements = list.kind == .array ? Array(list.elements) : [list]
    for (index, statement) in statements.enumerated() {
      let place = path + (list.kind == .array ? "Statement[\(index)]" : "Statement")
      findings += condition(of: statement, at: place)
      let grants = statement["Effect"]?.equals("Allow") == true
      for name in ["Resource", "NotResource"] {
        for text in Self.texts(statement.member(named: Array(name.utf8))) {
          findings += Self.pattern(
            text, at: "\(place).\(name)", grants: grants && name == "Resource", hasVariables, resource)
        }
      }
    }
    if let narrow = narrowness(of: statements, at: path, resource) { findings.append(narrow) }
    return findings
  }

  private static func texts(_ value: JSONValue?) -> [String] {
    guard let value else { return [] }
    return (value.kind == .array ? Array(value.elements) : [value]).compactMap(\.text)
  }

  private func condition(of statement: JSONValue, at place: String) -> [Finding] {
    guard let condition = statement["Condition"] else { return [] }
    let path = "\(place).Condition"
    if condition.kind == .null {
      return [Finding(code: .conditionNull, path: path, message: "it is null")]
    }
    return condition.members.flatMap { name, keys -> [Finding] in
      let name = name.text ?? ""
      guard name.hasBytePrefix("ForAllValues:") || name.hasBytePrefix("ForAnyValue:") else { return [] }
      return keys.members.compactMap { key, _ in
        guard let key = ConditionKey(key.text ?? ""), !key.isMultivalued else { return nil }
        return Finding(
          code: .setOperatorOnOneValue, path: "\(path).\(name)",
          message: "\(key.name) has one value at most; if the request lacks the key, ForAllValues is true")
      }
    }
  }

  private static func pattern(
    _ text: String, at path: String, grants: Bool, _ hasVariables: Bool, _ resource: String?
  ) -> [Finding] {
    var findings: [Finding] = []
    let length = text.unicodeScalars.count
    let limit = PolicyDocument.Statement.patternCharacters
    if length > limit {
      findings.append(
        Finding(
          code: .resourceTooLong, path: path,
          message: "\(length) characters; API Gateway accepts at most \(limit)"))
    }
    if text.containsBytes(of: "${"), !hasVariables {
      findings.append(
        Finding(
          code: .literalVariable, path: path,
          message: "\(text.prefix(80)) is literal text without \"Version\": \"2012-10-17\""))
    }
    guard grants, let words = reach(of: text, resource) else { return findings }
    findings.append(Finding(code: words.code, path: path, message: words.message))
    return findings
  }

  /// Returns a finding if a grant exceeds the API: a wildcard in region, account or API, or the ARN of another API.
  private static func reach(of pattern: String, _ resource: String?) -> (code: Code, message: String)? {
    let parts = ARNParts(pattern)
    guard parts.components.count == ARNParts.count, !parts.api.containsBytes(of: "*"),
      !parts.api.containsBytes(of: "?"),
      !parts.components[3].containsBytes(of: "*"), !parts.components[4].containsBytes(of: "*")
    else { return (.wideWildcard, "\(pattern.prefix(80)) also matches other APIs, accounts or regions") }
    guard let resource else { return nil }
    let own = ARNParts(resource)
    guard own.components.count == ARNParts.count,
      own.components[3] != parts.components[3] || own.components[4] != parts.components[4]
        || own.api != parts.api
    else { return nil }
    return (.otherAPI, "\(pattern.prefix(80)) belongs to another API than the request")
  }

  /// Returns a finding if a cached policy allows only the requested method, so that it denies the caller's next
  /// request.
  private func narrowness(of statements: [JSONValue], at path: String, _ resource: String?) -> Finding? {
    guard timeToLiveSeconds > 0 else { return nil }
    let grants = statements.filter { $0["Effect"]?.equals("Allow") == true }
    let patterns = grants.flatMap { Self.texts($0["Resource"]) }
    guard patterns.count == 1, let only = patterns.first, !only.containsBytes(of: "*"),
      !only.containsBytes(of: "?"),
      resource == nil || only == resource
    else { return nil }
    return Finding(
      code: .narrowPolicy, path: path + "Statement",
      message: "it allows only \(only.prefix(120)), but is cached for \(timeToLiveSeconds) s for all routes")
  }
}

/// The parts of an `execute-api` ARN or of a pattern of one.
private struct ARNParts {
  static let count = 6
  let components: [Substring]

  init(_ text: String) {
    components = text.splitBytes(at: ":", maxSplits: Self.count - 1, omittingEmptySubsequences: false)
  }

  /// The API ID.
  var api: Substring { components.last?.head(before: "/") ?? "" }
}
