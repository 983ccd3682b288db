internal import AuthorizerContract
internal import Text
internal import IAMPolicy
internal import GatewayEmulator
internal import GatewayModel
internal import LambdaEmulator
internal import JSON

/// A decision as JSON, without credentials. The only way from a kept decision to a text.
struct DecisionText {
  let decision: RecordedDecision
  let credentials: RequestCredentials
  let redactor: Redactor

  init(_ decision: RecordedDecision) {
    self.decision = decision
    credentials = decision.credentials
    redactor = Redactor(credentials)
  }

  var served: CompletedRequest { decision.served }

  /// The members of a line in the list.
  var summary: [JSONTree.Member] {
    let record = served.record
    let exchange = served.exchange
    return JSONTree.pairs([
      "id": .integer(Int64(decision.id)), "requestId": .string(served.identity.requestID),
      // A client knows its request by one of the two IDs: answers of HTTP APIs have the second.
      "extendedRequestId": .string(served.identity.extendedRequestID),
      "time": .string(Timestamp.text(served.identity.unixMilliseconds)),
      "api": .string(served.api.name), "stage": .string(served.api.stage.name),
      "method": text(served.request.method), "path": text(served.request.path),
      "route": exchange.map { .string($0.route.key) } ?? .null, "status": .integer(Int64(record.status)),
      "authorizer": record.authorizer.map { .string($0) } ?? .null,
      "answer": record.origin.map { .string(Self.word($0)) } ?? .null,
      "outcome": .string(DecisionOutcome(of: served).rawValue), "reason": text(reasonCode),
      "microseconds": .integer(Int64(served.microseconds)), "decision": text(record.decision),
      "why": text(record.why), "backend": text(record.backend),
      "warning": text(record.warning),
      "replayOf": decision.replayOf.map { .integer(Int64($0)) } ?? .null,
      "user": text(credentials.token?.subject),
    ])
  }

  /// The function's reason code, without the scope that the log shows behind it.
  var reasonCode: String? { served.record.reason.map { String($0.prefix { $0 != "(" }) } }

  private static func word(_ origin: AccessRecord.Origin) -> String {
    switch origin {
    case .called: "called"
    case .fromCache: "cache"
    case .notCalled: "not-called"
    case .native: "native"
    }
  }

  private func text(_ text: String?) -> JSONTree { text.map { .string(redactor.text($0)) } ?? .null }

  /// The whole decision.
  ///
  /// - Parameters:
  ///   - explanation: that of `explain`; `nil` for a function of another author.
  ///   - rules: those of the configuration that explains it.
  func full(_ explanation: DecisionExplanation?, rules: [JSONTree]) -> JSONTree {
    let curl = decision.hasEvent ? CurlCommand(self) : nil
    let rule = (explanation?.rule).flatMap { rules.indices.contains($0) ? rules[$0] : nil }
    return .object(
      summary
        + JSONTree.pairs([
          "omitted": .array(omitted.map { .string($0) }), "identitySources": identitySources,
          "event": event ?? .null, "token": token ?? .null,
          "sentence": text(explanation?.sentence), "hint": text(explanation?.hint),
          "rule": (explanation?.rule).map { .integer(Int64($0)) } ?? .null,
          "ruleText": rule ?? .null,
          "checks": (explanation?.checks).map(tree) ?? .null, "policy": policy ?? .null,
          "statement": statement ?? .null,
          "context": context ?? .null, "response": response,
          "curl": curl?.text.map { .string($0) } ?? .null,
          "curlOmits": .array(curl?.omitted.map { .string(redactor.text($0)) } ?? []),
          "test": test,
        ]))
  }

  // MARK: Parts

  /// The decision as a contract test.
  var test: JSONTree { decision.hasEvent ? ContractExport(self).tree : .null }

  /// What was too large to be kept or to be shown.
  private var omitted: [String] {
    let words: [(RecordedDecision.Omissions, String)] = [
      (.head, "headers"), (.body, "body"), (.response, "response"), (.answer, "answer"),
    ]
    return words.filter { decision.omissions.contains($0.0) }.map(\.1)
      + (credentials.isExcessive ? ["credentials"] : [])
  }

  private var identitySources: JSONTree {
    .array(
      decision.identitySources.map {
        .members([
          "source": .string($0.source.description), "present": .boolean($0.isPresent),
          "value": $0.isPresent ? .string(Redactor.mark) : .null,
        ])
      })
  }

  /// The event as the function got it, also for an answer from the cache.
  private var event: JSONTree? {
    guard let bytes = served.exchange?.evidence?.call?.event, let tree = try? JSONTree(parsing: bytes) else {
      return nil
    }
    return redactor.tree(tree)
  }

  private var token: JSONTree? {
    guard decision.hasEvent, let token = credentials.token else { return nil }
    let now = served.identity.unixMilliseconds / 1000
    let times = [("iat", "issued"), ("nbf", "valid from"), ("exp", "expires")].compactMap { claim, word in
      token.seconds(claim).map { JSONTree.string("\(word) \(Self.distance($0, from: now))") }
    }
    return .members([
      "isDevelopment": .boolean(token.isDevelopment),
      "header": redactor.tree(token.header, byName: false),
      "claims": redactor.tree(token.claims, byName: false),
      "notes": .array([.string("decoded, not verified here")] + times),
    ])
  }

  private static func distance(_ time: Int64, from now: Int64) -> String {
    let (seconds, isTooFar) = time.subtractingReportingOverflow(now)
    if isTooFar { return "at \(time)" }
    return seconds < 0 ? "\(seconds.magnitude) s before the request" : "\(seconds) s after the request"
  }

  private func tree(_ checks: [DecisionCheck]) -> JSONTree {
    .array(
      checks.map {
        .members([
          "check": .string($0.name), "result": .string($0.result.rawValue),
          "reason": $0.reason.map { .string($0) },
          "expected": text($0.expected), "found": text($0.found),
        ])
      })
  }

  /// The answer of the function as it was returned.
  var policy: JSONTree? {
    guard let grant = served.exchange?.evidence?.grant, !grant.bytes.isEmpty,
      var tree = try? JSONTree(parsing: grant.bytes)
    else { return nil }
    if !decision.hasEvent {
      // The caller's data is in the other members.
      tree = tree["policyDocument"] ?? .null
    }
    return redactor.tree(tree)
  }

  var statement: JSONTree? {
    guard let evaluation = served.exchange?.evidence?.evaluation,
      [.allowed, .forbidden].contains(evaluation.outcome)
    else { return nil }
    return .members([
      "index": (evaluation.decision?.statement).map { .integer(Int64($0)) } ?? .null,
      "words": text(evaluation.explanation),
    ])
  }

  /// `requestContext.authorizer` as the backend gets it; `nil` for a request that the authorizer did not allow.
  var context: JSONTree? {
    guard let exchange = served.exchange, let evidence = exchange.evidence, let grant = evidence.grant,
      [nil, .allowed].contains(evidence.evaluation?.outcome), decision.hasEvent
    else { return nil }
    if case .function(_, .http2) = exchange.route.integration { return redactor.tree(grant.typedContext) }
    var milliseconds = 0
    if case .called(let taken)? = served.record.origin { milliseconds = taken }
    return grant.textContext(latencyMilliseconds: milliseconds).map { redactor.tree($0) }
  }

  /// The response, without the credentials of the request and of its own headers.
  var response: JSONTree {
    let response = served.response
    let isKept = decision.hasEvent && (served.reachedBackend || !served.response.body.isEmpty)
    let headers = response.headers.map { header in
      JSONTree.Member(
        name: redactor.text(header.name),
        value: .string(
          credentials.isCredential(header.name) ? Redactor.mark : redactor.address(header.value)))
    }
    return .members([
      "status": .integer(Int64(response.status)), "headers": .object(Self.joined(headers)),
      "body": isKept ? body(response).map { .string($0) } ?? .null : .null,
      "reachedBackend": .boolean(served.reachedBackend),
    ])
  }

  /// Joins the values of equal names: a JSON object has each name once.
  private static func joined(_ members: [JSONTree.Member]) -> [JSONTree.Member] {
    var result: [JSONTree.Member] = []
    for member in members {
      let known = result.firstIndex { $0.name.hasSameBytes(as: member.name) }
      if let known, case .string(let first) = result[known].value, case .string(let more) = member.value {
        result[known].value = .string(first + ", " + more)
      } else {
        result.append(member)
      }
    }
    return result
  }

  /// The body as text; `nil` for bytes, and for a body that was too long to be kept.
  private func body(_ response: GatewayResponse) -> String? {
    guard let text = String(validating: response.body, as: UTF8.self) else { return nil }
    if let tree = try? JSONTree(parsing: response.body) {
      return String(decoding: redactor.tree(tree, in: .answer).bytes(indentedBy: 2), as: UTF8.self)
    }
    let type = response.header("Content-Type")?.lowercased() ?? ""
    return type.hasBytePrefix("application/x-www-form-urlencoded")
      ? redactor.query(text) : redactor.text(text)
  }
}
