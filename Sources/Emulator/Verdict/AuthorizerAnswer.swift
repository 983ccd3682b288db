internal import JSON

/// A valid answer of an authorizer, parsed as strictly as API Gateway does.
enum AuthorizerAnswer: Equatable {
  case policy(PolicyDocument)
  /// A simple answer of an HTTP API, payload format 2.0.
  case simple(isAuthorized: Bool)
  /// `{"errorMessage":"Unauthorized"}` as a response.
  case unauthorized

  /// Maximum size of an answer to a WebSocket API ("Amazon API Gateway quotas").
  static let webSocketBytes = 8 << 10

  init(_ bytes: [UInt8], for kind: EventKind) throws(AnswerError) {
    if kind == .webSocket, bytes.count > Self.webSocketBytes {
      throw .tooLarge(bytes: bytes.count, limit: Self.webSocketBytes)
    }
    let root: JSONValue
    do throws(JSONError) {
      root = try JSONDocument(parsing: bytes, limits: .event).root
    } catch {
      throw .notJSON(error.description)
    }
    guard root.kind == .object else { throw .wrongType("the answer", "an object", Self.excerpt(root)) }
    try Self.checkSpelling(of: root)
    switch (root["isAuthorized"], root["policyDocument"]) {
    case (_?, _?): throw .bothForms
    case (let simple?, nil):
      guard kind == .http2 else { throw .simpleAnswerTo(kind) }
      guard let isAuthorized = simple.boolean else {
        throw .wrongType("isAuthorized", "true or false", Self.excerpt(simple))
      }
      try Self.checkContext(root["context"], for: kind)
      self = .simple(isAuthorized: isAuthorized)
    case (nil, let policy?):
      guard let principal = root["principalId"] else { throw .missing("principalId") }
      guard let text = principal.text else {
        throw .wrongType("principalId", "a string", Self.excerpt(principal))
      }
      guard !text.isEmpty else { throw .empty("principalId") }
      if let key = root["usageIdentifierKey"], key.kind != .string {
        throw .wrongType("usageIdentifierKey", "a string", Self.excerpt(key))
      }
      try Self.checkContext(root["context"], for: kind)
      do throws(PolicyError) {
        self = .policy(try PolicyDocument(policy))
      } catch {
        throw .policy(error)
      }
    case (nil, nil):
      guard let message = root["errorMessage"] else {
        throw .missing("policyDocument")
      }
      guard message.equals(Verdict.unauthorizedMessage) else {
        throw .errorAsResponse(message.text ?? Self.excerpt(message))
      }
      self = .unauthorized
    }
  }

  /// Refuses names in another case: API Gateway would ignore them and report the member as missing.
  private static func checkSpelling(of root: JSONValue) throws(AnswerError) {
    let names = ["principalId", "policyDocument", "context", "usageIdentifierKey", "isAuthorized"]
    for (name, _) in root.members {
      let name = name.text ?? ""
      if let right = names.first(where: { $0.lowercased() == name.lowercased() }), right != name {
        throw .wrongCase(name, expected: right)
      }
    }
  }

  /// Refuses a context that is not a flat object of strings, numbers and booleans, except for payload format 2.0
  /// ("Output from an API Gateway Lambda authorizer").
  private static func checkContext(_ context: JSONValue?, for kind: EventKind) throws(AnswerError) {
    guard let context else { return }
    guard context.kind == .object else { throw .wrongType("context", "an object", excerpt(context)) }
    if kind == .http2 { return }
    for (name, value) in context.members {
      switch value.kind {
      case .string, .number, .boolean: continue
      case .object, .array, .null:
        throw .wrongType(
          "context.\(name.text ?? "")", "a string, a number or a boolean", excerpt(value))
      }
    }
  }

  private static func excerpt(_ value: JSONValue) -> String {
    String(decoding: value.source.prefix(80), as: UTF8.self)
  }
}

/// Why API Gateway would refuse an answer (`AuthorizerConfigurationException`).
public enum AnswerError: Error, Equatable, Sendable {
  /// The answer is not JSON, for this reason.
  case notJSON(String)
  /// The answer has more bytes than this kind of API accepts.
  case tooLarge(bytes: Int, limit: Int)
  /// A required member is missing.
  case missing(String)
  /// A required member is empty.
  case empty(String)
  /// A member's name is written in another case.
  case wrongCase(String, expected: String)
  /// A member has another type than expected; the last value is an excerpt of it.
  case wrongType(String, String, String)
  /// A policy and a simple answer together, which AWS does not define.
  case bothForms
  /// A simple answer to an event for which API Gateway supports none.
  case simpleAnswerTo(EventKind)
  /// An error as a response, with another message than `Unauthorized`.
  case errorAsResponse(String)
  /// The policy cannot be evaluated.
  case policy(PolicyError)

  /// The stable code of the problem.
  public var code: String {
    switch self {
    case .notJSON: "notJSON"
    case .tooLarge: "tooLarge"
    case .missing: "missing"
    case .empty: "empty"
    case .wrongCase: "wrongCase"
    case .wrongType: "wrongType"
    case .bothForms: "bothForms"
    case .simpleAnswerTo: "simpleAnswer"
    case .errorAsResponse: "errorAsResponse"
    case .policy(let error): "policy.\(error.code)"
    }
  }

  /// The message, in lower case.
  public var description: String {
    switch self {
    case .notJSON(let reason): "the answer is not JSON: \(reason)"
    case .tooLarge(let bytes, let limit):
      "the answer has \(bytes) bytes; this kind of API accepts at most \(limit)"
    case .missing(let name): "\(name) is missing"
    case .empty(let name): "\(name) is empty"
    case .wrongCase(let name, let expected): "\(name) must be spelled \(expected)"
    case .wrongType(let name, let expected, let found): "\(name) must be \(expected), found \(found)"
    case .bothForms: "isAuthorized and policyDocument in one answer: AWS does not define which applies"
    case .simpleAnswerTo(let kind):
      "isAuthorized is valid for HTTP API payload 2.0 only; this event is \(kind.rawValue)"
    case .errorAsResponse(let message): "an error returned as a response: \(message)"
    case .policy(let error): error.description
    }
  }
}
