internal import JSON

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

  /// Maximum size of a synchronous answer of Lambda: that of an event ("Lambda quotas": 6 MB each).
  private static let lambdaAnswerBytes = RuntimeAPILimits.eventBytes

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
      var usageKey: String?
      if case .string(let text)? = tree?["usageIdentifierKey"] { usageKey = text }
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
            verdict: .policy(document), principal: principal, context: context,
            usageIdentifierKey: usageKey, grantedAt: unixSeconds))
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
