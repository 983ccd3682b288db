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
      guard let principal = root["principalId"] else { throw Self.absent(["principalId"], in: root) }
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
        throw Self.absent(["policyDocument"] + (kind == .http2 ? ["isAuthorized"] : []), in: root)
      }
      guard message.equals(Verdict.unauthorizedMessage) else {
        throw .errorAsResponse(message.text ?? Self.excerpt(message))
      }
      self = .unauthorized
    }
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
