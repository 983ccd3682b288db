internal import JSON

/// A valid answer of an authorizer and the context that it passes on. This is the value that is cached for the TTL.
struct AuthorizerGrant: Sendable {
  enum Verdict: Equatable, Sendable {
    case policy(PolicyDocument)
    case simple(isAuthorized: Bool)
  }

  /// The result of `judge` for one ARN.
  enum Judgment: Equatable, Sendable {
    case policy(PolicyEvaluator.Decision)
    case simple(isAuthorized: Bool)

    var isAllowed: Bool {
      switch self {
      case .policy(let decision): decision.isAllowed
      case .simple(let isAuthorized): isAuthorized
      }
    }

    var description: String {
      switch self {
      case .policy(let decision): decision.description
      case .simple(let isAuthorized): "isAuthorized is \(isAuthorized)"
      }
    }
  }

  let verdict: Verdict
  /// `nil` for a simple answer.
  let principal: String?
  /// As returned by the function; empty without a context.
  let context: [JSONTree.Member]

  /// When the function returned it, in seconds since 1970.
  let grantedAt: Int64
  /// The request that the function answered; `nil` before the answer is cached.
  var request: OriginalRequest?

  /// Evaluates the answer for one ARN: a cached policy may allow one route and not another.
  ///
  /// - Throws: `UndecidedPolicy` where the policy depends on an unknown value.
  func judge(_ resourceARN: String, in context: ConditionContext) throws(UndecidedPolicy) -> Judgment {
    switch verdict {
    case .policy(let document):
      .policy(try PolicyEvaluator(document).decision(for: resourceARN, in: context))
    case .simple(let isAuthorized): .simple(isAuthorized: isAuthorized)
    }
  }

  /// The values of `$context.authorizer.…` in templates and parameter mappings.
  var variables: [String: String] {
    var variables = Dictionary(context.map { ($0.name, Self.text($0.value)) }) { _, last in last }
    if let principal { variables["principalId"] = principal }
    return variables
  }

  /// `requestContext.authorizer` of REST, payload 1.0 and WebSocket integrations: all values are strings.
  func textContext(latencyMilliseconds: Int) -> JSONTree {
    var members = context.map { JSONTree.Member(name: $0.name, value: .string(Self.text($0.value))) }
    if let principal { members.append(.init(name: "principalId", value: .string(principal))) }
    members.append(.init(name: "integrationLatency", value: .integer(Int64(latencyMilliseconds))))
    return .object(members)
  }

  /// `requestContext.authorizer` of payload 2.0: values keep their types, and no context is `null`.
  var typedContext: JSONTree {
    .object([.init(name: "lambda", value: context.isEmpty ? .null : .object(context))])
  }

  private static func text(_ value: JSONTree) -> String {
    if case .string(let text) = value { return text }
    return String(decoding: value.bytes(), as: UTF8.self)
  }
}

/// The request that led to a cached answer.
struct OriginalRequest: Equatable, Sendable {
  /// The ARN in the function's event.
  let resourceARN: String
  /// The function's reason code for its decision, which is valid for this ARN only.
  let reason: String?
  /// Whether the function logged its decision, as only the authorizer of this project does.
  let hasDecisionLine: Bool
}

extension AuthorizerGrant {
  /// Returns a warning if a cached policy allows only the ARN that it was first evaluated for.
  ///
  /// The authorizer of this project allows every route that the token may call, so its policy for one route is correct.
  ///
  /// - Parameter resourceARN: the ARN that is denied now.
  func narrowness(refusing resourceARN: String) -> String? {
    guard let request, !request.hasDecisionLine,
      !request.resourceARN.utf8.elementsEqual(resourceARN.utf8),
      case .policy(let document) = verdict, document.allowsOnly(request.resourceARN)
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

/// API Gateway's interpretation of the outcome of an authorizer function.
enum AuthorizerVerdict: Sendable {
  case granted(AuthorizerGrant)
  /// 401. Cached only where `isReturned` is set and the setting enables it.
  case unauthorized(isReturned: Bool)
  /// 500, for this reason.
  case failed(String)

  /// - Parameters:
  ///   - answer: how the call of the function ended.
  ///   - authorizer: the authorizer that answered.
  ///   - unixSeconds: the current time.
  init(
    _ answer: InvocationAnswer, of authorizer: GatewayAuthorizer, settings: UnsettledBehaviors,
    at unixSeconds: Int64
  ) {
    switch answer {
    case .died(let exit): self = .failed("the function died: \(exit.description)")
    case .timedOut(let milliseconds):
      self = .failed("the function did not answer within \(milliseconds) ms")
    case .initializationFailed(let failure):
      self = .failed(Emulator.Verdict.Failure.initialization(failure).description)
    case .error(let report): self = Self.verdict(of: report, authorizer, settings)
    case .response(let bytes): self = Self.verdict(of: bytes, authorizer, settings, unixSeconds)
    }
  }

  private static func verdict(
    of report: FunctionErrorReport, _ authorizer: GatewayAuthorizer, _ settings: UnsettledBehaviors
  ) -> AuthorizerVerdict {
    let error = ReportedError(report)
    let hasType = (try? JSONTree(parsing: report.document))?["errorType"] != nil
    let isHTTP = authorizer.eventKind == .http1 || authorizer.eventKind == .http2
    if error.message == Emulator.Verdict.unauthorizedMessage,
      !(isHTTP && settings.httpThrownUnauthorized == .failure),
      hasType || settings.unauthorizedNeedsErrorType == .no
    {
      return .unauthorized(isReturned: false)
    }
    return .failed(
      Emulator.Verdict.Failure.functionError(type: error.type, message: error.message).description)
  }

  /// Maximum size of a synchronous answer of Lambda ("Lambda quotas").
  private static let lambdaAnswerBytes = 6 << 20

  private static func verdict(
    of bytes: [UInt8], _ authorizer: GatewayAuthorizer, _ settings: UnsettledBehaviors, _ unixSeconds: Int64
  ) -> AuthorizerVerdict {
    let limit = settings.answerLimit == .webSocket ? AuthorizerAnswer.webSocketBytes : lambdaAnswerBytes
    guard bytes.count <= limit else {
      return .failed("malformed answer: \(bytes.count) bytes, the limit is \(limit)")
    }
    let bytes = oneForm(of: bytes, authorizer, settings)
    do throws(AnswerError) {
      let answer = try AuthorizerAnswer(bytes, for: authorizer.eventKind)
      let tree = try? JSONTree(parsing: bytes)
      var context: [JSONTree.Member] = []
      if case .object(let members)? = tree?["context"] { context = members }
      var principal: String?
      if case .string(let text)? = tree?["principalId"] { principal = text }
      switch answer {
      case .unauthorized:
        return settings.returnedUnauthorized == .unauthorized
          ? .unauthorized(isReturned: true) : .failed("malformed answer: policyDocument is missing")
      case .simple(let isAuthorized):
        guard authorizer.takesSimpleAnswers else {
          return .failed("malformed answer: it has isAuthorized, but simple answers are disabled")
        }
        return .granted(
          AuthorizerGrant(
            verdict: .simple(isAuthorized: isAuthorized), principal: nil, context: context,
            grantedAt: unixSeconds))
      case .policy(let document):
        guard !authorizer.takesSimpleAnswers else {
          return .failed("malformed answer: it has a policy, but simple answers are enabled")
        }
        return .granted(
          AuthorizerGrant(
            verdict: .policy(document), principal: principal, context: context, grantedAt: unixSeconds))
      }
    } catch {
      return .failed("malformed answer: \(error.description)")
    }
  }

  /// Removes the answer form that is not configured, where the setting asks for it.
  private static func oneForm(
    of bytes: [UInt8], _ authorizer: GatewayAuthorizer, _ settings: UnsettledBehaviors
  ) -> [UInt8] {
    guard settings.bothAnswerForms == .configured, authorizer.eventKind == .http2,
      var tree = try? JSONTree(parsing: bytes), tree["isAuthorized"] != nil, tree["policyDocument"] != nil
    else { return bytes }
    tree[authorizer.takesSimpleAnswers ? "policyDocument" : "isAuthorized"] = nil
    return tree.bytes()
  }
}

extension GatewayAuthorizer {
  var takesSimpleAnswers: Bool { if case .http2(_, simpleAnswers: true) = form { true } else { false } }
}
