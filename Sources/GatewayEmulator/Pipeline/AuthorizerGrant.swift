internal import Text
package import AuthorizerContract
internal import IAMPolicy
package import JSON

/// A valid answer of an authorizer, which is evaluated for each request, and where it came from. It is cached.
package struct AuthorizerGrant: Sendable {
  package let answer: AuthorizerAnswer
  /// When the function returned it, in seconds since 1970.
  package let grantedAt: Int64
  /// The request that the function answered; `nil` before the answer is cached.
  package var request: OriginalRequest?
  /// The function's answer as it was returned; empty for a grant without a function.
  package var bytes: [UInt8] = []
  /// Set if API Gateway decided itself, without a function.
  package var native: NativeGrant?

  package init(answer: AuthorizerAnswer, grantedAt: Int64) {
    self.answer = answer
    self.grantedAt = grantedAt
  }

  /// The grant of an authorizer of API Gateway itself.
  package static func native(_ grant: NativeGrant, at unixSeconds: Int64) -> AuthorizerGrant {
    var made = AuthorizerGrant(
      answer: AuthorizerAnswer(form: .simple(isAuthorized: true)), grantedAt: unixSeconds)
    made.native = grant
    return made
  }

  /// The function's reason code, for the log: that of a decision is valid for its ARN only, that of a 401 for every one.
  package func reason(for resourceARN: String) -> String? {
    guard let request, answer.form == .unauthorized || request.resourceARN.hasSameBytes(as: resourceARN)
    else { return nil }
    return request.reason
  }

  /// The values of `$context.authorizer.…` in templates and parameter mappings.
  package var variables: [String: String] {
    if let native { return native.variables }
    var variables = Dictionary(answer.context.map { ($0.name, Self.text($0.value)) }) { _, last in last }
    if let principal = answer.principal { variables["principalId"] = principal }
    return variables
  }

  /// `requestContext.authorizer` of REST, payload 1.0 and WebSocket integrations: all values are strings. `nil` for a
  /// signed request, which has no such member.
  package func textContext(latencyMilliseconds: Int) -> JSONTree? {
    if let native { return native.textContext }
    var members = answer.context.map { JSONTree.Member(name: $0.name, value: .string(Self.text($0.value))) }
    if let principal = answer.principal {
      members.append(.init(name: "principalId", value: .string(principal)))
    }
    members.append(.init(name: "integrationLatency", value: .integer(Int64(latencyMilliseconds))))
    return .object(members)
  }

  /// `requestContext.authorizer` of payload 2.0: values keep their types, and no context is `null`.
  package var typedContext: JSONTree {
    native?.typedContext
      ?? .object([.init(name: "lambda", value: answer.context.isEmpty ? .null : .object(answer.context))])
  }

  private static func text(_ value: JSONTree) -> String {
    if case .string(let text) = value { return text }
    return String(decoding: value.bytes(), as: UTF8.self)
  }
}

/// The request that led to a cached answer.
package struct OriginalRequest: Equatable, Sendable {
  let resourceARN: String
  /// The function's reason code for its decision, which is valid for this ARN only.
  let reason: String?
  /// Whether the function logged its decision, as only the authorizer of this project does.
  let hasDecisionLine: Bool
  /// Credentials in its path, which its ARN and its policy repeat.
  var pathCredentials: [String] = []
}

extension AuthorizerGrant {
  /// Returns a warning if a cached policy allows only the ARN that it was first evaluated for.
  ///
  /// The authorizer of this project allows every route that the token may call, so its policy for one route is correct.
  ///
  /// - Parameter resourceARN: the ARN that is denied now.
  package func narrowness(refusing resourceARN: String) -> String? {
    guard let request, !request.hasDecisionLine,
      !request.resourceARN.utf8.elementsEqual(resourceARN.utf8),
      case .policy(let document) = answer.form, document.allowsOnly(request.resourceARN)
    else { return nil }
    return
      "the cached policy allows only \(request.resourceARN), the first route called; if the function allows this"
      + " route too: " + PolicyLint.Code.narrowPolicy.cure
  }
}

extension PolicyDocument {
  /// Whether it allows exactly this resource, without a wildcard.
  fileprivate func allowsOnly(_ resource: String) -> Bool {
    let grants = statements.filter { $0.effect == .allow }
    let patterns = grants.flatMap(\.resources.patterns)
    return !grants.contains(where: \.resources.isInverted) && patterns.count == 1
      && patterns[0].text.utf8.elementsEqual(resource.utf8)
  }
}
