package import GatewayModel
package import IAMPolicy
package import LambdaEmulator
internal import Text
package import JSON

/// API Gateway's interpretation of how an invocation of an authorizer ended, for `invoke`, `test`, `package`, `bench`
/// and `serve`: its answer, which is cached for the TTL and evaluated for each request, or `Evaluation.Failure`.
package struct AuthorizerAnswer: Equatable, Sendable {
  /// What decides.
  package enum Form: Equatable, Sendable {
    case policy(PolicyDocument)
    /// A simple answer of an HTTP API, payload format 2.0; whether the authorizer is known to take it.
    case simple(isAuthorized: Bool, isEnabled: Bool = true)
    /// The error message `Unauthorized`, thrown or returned.
    case unauthorized
  }

  package let form: Form
  /// `nil` for a simple answer.
  package private(set) var principal: String?
  /// As returned by the function; empty without a context.
  package private(set) var context: [JSONTree.Member] = []
  /// The API key of the request, if the authorizer is the source of keys.
  package private(set) var usageIdentifierKey: String?

  /// Maximum size of an answer to a WebSocket API ("Amazon API Gateway quotas").
  static let webSocketBytes = 8 << 10

  /// Maximum size of a synchronous answer of Lambda: that of an event ("Lambda quotas": 6 MB each).
  private static let lambdaBytes = RuntimeAPILimits.eventBytes

  /// The exact error message for a 401 ("API Gateway Lambda authorizers").
  private static let unauthorizedMessage = "Unauthorized"

  package init(form: Form) { self.form = form }

  /// - Throws: `Evaluation.Failure`, a 500.
  package init(
    _ answer: InvocationAnswer, for kind: EventKind, by rules: AnswerRules
  ) throws(Evaluation.Failure) {
    if let failure = answer.failure {
      guard case .error(let report) = answer, Self.isUnauthorized(report, kind, rules.assumptions) else {
        throw failure
      }
      self.init(form: .unauthorized)
      return
    }
    do throws(AnswerError) {
      try self.init(answer.response ?? [], for: kind, by: rules)
    } catch {
      throw .malformedAnswer(error)
    }
  }

  private static func isUnauthorized(
    _ report: FunctionErrorReport, _ kind: EventKind, _ assumptions: Assumptions
  ) -> Bool {
    let error = ReportedError(report)
    let isHTTP = kind == .http1 || kind == .http2
    return error.message.hasSameBytes(as: unauthorizedMessage)
      && !(isHTTP && assumptions.httpThrownUnauthorized == .failure)
      && (error.hasType || assumptions.unauthorizedNeedsErrorType == .no)
  }

  /// Reads a response as strictly as API Gateway does.
  package init(_ bytes: [UInt8], for kind: EventKind, by rules: AnswerRules) throws(AnswerError) {
    let isShort = kind == .webSocket || rules.assumptions.answerLimit == .webSocket
    let limit = isShort ? Self.webSocketBytes : Self.lambdaBytes
    guard bytes.count <= limit else { throw .tooLarge(bytes: bytes.count, limit: limit) }
    let root: JSONValue
    do throws(JSONError) {
      root = try JSONDocument(parsing: bytes, limits: .event).root
    } catch {
      throw .notJSON(error.description)
    }
    guard root.kind == .object else { throw .wrongType("the answer", "an object", Self.excerpt(root)) }
    try Self.checkSpelling(of: root)
    // Only payload format 2.0 has simple answers.
    let takesSimple = kind == .http2 ? rules.takesSimpleAnswers : false
    var (simple, policy) = (root["isAuthorized"], root["policyDocument"])
    if simple != nil, policy != nil {
      guard kind == .http2, let takesSimple, rules.assumptions.bothAnswerForms == .configured else {
        throw .bothForms
      }
      if takesSimple { policy = nil } else { simple = nil }
    }
    if let simple {
      guard kind == .http2 else { throw .simpleAnswerTo(kind) }
      guard takesSimple != false else { throw .otherForm("isAuthorized", simpleAnswers: false) }
      guard let isAuthorized = simple.boolean else {
        throw .wrongType("isAuthorized", "true or false", Self.excerpt(simple))
      }
      form = .simple(isAuthorized: isAuthorized, isEnabled: takesSimple != nil)
    } else if let policy {
      guard takesSimple != true else { throw .otherForm("policyDocument", simpleAnswers: true) }
      principal = try Self.text("principalId", of: root)
      guard let principal else { throw Self.absent(["principalId"], in: root) }
      guard !principal.isEmpty else { throw .empty("principalId") }
      usageIdentifierKey = try Self.text("usageIdentifierKey", of: root)
      do throws(PolicyError) {
        form = .policy(try PolicyDocument(policy))
      } catch {
        throw .policy(error)
      }
    } else {
      guard let message = root["errorMessage"] else {
        throw Self.absent(
          (takesSimple == true ? [] : ["policyDocument"]) + (takesSimple == false ? [] : ["isAuthorized"]),
          in: root)
      }
      guard message.equals(Self.unauthorizedMessage), rules.assumptions.returnedUnauthorized == .unauthorized
      else { throw .errorAsResponse(message.text ?? Self.excerpt(message)) }
      form = .unauthorized
      return
    }
    context = try Self.context(root["context"], for: kind)
  }

  /// Evaluates the answer for the spellings of one ARN: a cached policy may allow one route and not another.
  package func evaluation(for resourceARNs: [String], in context: ConditionContext) -> Evaluation {
    switch form {
    case .simple(let isAuthorized, let isEnabled):
      return .simple(isAuthorized: isAuthorized, isEnabled: isEnabled)
    case .unauthorized: return .unauthorized
    case .policy(let document):
      do throws(UndecidedPolicy) {
        return .policy(try PolicyEvaluator(document).decision(forEach: resourceARNs, in: context))
      } catch {
        return .failure(.undecided(error))
      }
    }
  }

  /// Returns a member that must be a string; `nil` if it is missing.
  private static func text(_ name: String, of root: JSONValue) throws(AnswerError) -> String? {
    guard let value = root.member(named: Array(name.utf8)) else { return nil }
    guard let text = value.text else { throw .wrongType(name, "a string", excerpt(value)) }
    return text
  }

  private static let names = [
    "principalId", "policyDocument", "context", "usageIdentifierKey", "isAuthorized",
  ]

  /// The error of an answer without a required member, which has one of several names. API Gateway ignores members with
  /// other names, of which one may be meant.
  private static func absent(_ required: [String], in root: JSONValue) -> AnswerError {
    for name in root.members.compactMap({ $0.name.text }) where !names.contains(name) {
      if let meant = NearestName.of(name, among: required) { return .misspelled(name, expected: meant) }
    }
    return .missing(required.joined(separator: " or "))
  }

  /// Refuses names in another case: API Gateway would ignore them and report the member as missing.
  private static func checkSpelling(of root: JSONValue) throws(AnswerError) {
    for (name, _) in root.members {
      let name = name.text ?? ""
      if let right = names.first(where: { $0.lowercased() == name.lowercased() }), right != name {
        throw .wrongCase(name, expected: right)
      }
    }
  }

  /// Returns the members of the context: strings, numbers and booleans, and any value in payload format 2.0 ("Output
  /// from an API Gateway Lambda authorizer").
  private static func context(
    _ context: JSONValue?, for kind: EventKind
  ) throws(AnswerError) -> [JSONTree.Member] {
    guard let context else { return [] }
    guard case .object(let members) = JSONTree(context) else {
      throw .wrongType("context", "an object", excerpt(context))
    }
    for (name, value) in context.members where kind != .http2 {
      switch value.kind {
      case .string, .number, .boolean: continue
      case .object, .array, .null:
        throw .wrongType(
          "context.\(name.text ?? "")", "a string, a number or a boolean", excerpt(value))
      }
    }
    return members
  }

  private static func excerpt(_ value: JSONValue) -> String {
    String(decoding: value.source.prefix(80), as: UTF8.self)
  }
}
