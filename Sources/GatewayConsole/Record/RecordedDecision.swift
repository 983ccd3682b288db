internal import AuthorizerContract
internal import GatewayEmulator
internal import GatewayModel
internal import LambdaEmulator
internal import JSON

/// One kept decision: references to what its exchange had, within the bounds of ``ConsoleLimits``.
///
/// It contains tokens and cookies. Only `DecisionText` turns it into text, and redacts them.
package final class RecordedDecision: Sendable {
  /// Its number, counted from 1.
  let id: Int
  /// The decision that it repeats; `nil` for a request of a client.
  let replayOf: Int?
  let served: CompletedRequest
  /// An estimate of the memory that only this decision keeps, in bytes.
  let bytes: Int
  /// What was left out because of its size.
  let omissions: Omissions
  /// Whether it contains the request, its event and its answers.
  let hasEvent: Bool
  struct Omissions: OptionSet {
    let rawValue: Int
    /// The query and the headers of the request.
    static let head = Omissions(rawValue: 1)
    static let body = Omissions(rawValue: 2)
    static let response = Omissions(rawValue: 4)
    /// The event and the answer of the authorizer.
    static let answer = Omissions(rawValue: 8)
  }

  /// The identity sources, where the request itself is not kept.
  private let sources: [Source]

  struct Source: Equatable, Sendable {
    let source: IdentitySource
    let isPresent: Bool
  }

  /// - Parameter keepsEvents: whether requests, events and answers may be kept at all.
  init(_ served: CompletedRequest, id: Int, replayOf: Int? = nil, keepsEvents: Bool) {
    self.id = id
    self.replayOf = replayOf
    hasEvent = keepsEvents
    sources = keepsEvents ? [] : served.sources
    let bounded = keepsEvents ? served.bounded() : (served.withoutEvent(), [])
    (self.served, omissions) = bounded
    bytes = self.served.keptBytes
  }

  var credentials: RequestCredentials { served.credentials }

  /// The identity sources of the route, and whether the request had them.
  var identitySources: [Source] { hasEvent ? served.sources : sources }
}

extension CompletedRequest {
  fileprivate var sources: [RecordedDecision.Source] {
    guard let exchange else { return [] }
    return exchange.route.identitySources.map { source in
      let values = source.values(in: exchange, isRESTStrict: false)
      return RecordedDecision.Source(source: source, isPresent: values.contains { !$0.isEmpty })
    }
  }

  private var headBytes: Int {
    request.headers.reduce(request.path.utf8.count + request.query.utf8.count) {
      $0 + $1.name.utf8.count + $1.value.utf8.count
    }
  }

  /// The bytes that are kept for one decision only, with a constant for its structures.
  package var keptBytes: Int {
    let evidence = exchange?.evidence
    // An answer is kept as text and as a parsed policy.
    let answer = 3 * max(evidence?.grant?.bytes.count ?? 0, functionAnswer?.bytes ?? 0)
    return Self.structureBytes + 2 * headBytes + request.body.count + (evidence?.call?.event.count ?? 0)
      + answer + response.body.count
  }

  /// An estimate of the memory of a decision without texts.
  private static let structureBytes = 2048

  /// Returns the exchange without what is larger than its bound.
  func bounded() -> (CompletedRequest, RecordedDecision.Omissions) {
    var omissions: RecordedDecision.Omissions = []
    // Without the request, it is unknown which texts of event and response are its credentials.
    if headBytes > ConsoleLimits.headBytes { omissions.formUnion([.head, .answer, .response]) }
    if request.body.count > ConsoleLimits.requestBodyBytes { omissions.insert(.body) }
    if response.body.count > ConsoleLimits.responseBodyBytes { omissions.insert(.response) }
    let evidence = exchange?.evidence
    let answerBytes = max(evidence?.grant?.bytes.count ?? 0, functionAnswer?.bytes ?? 0)
    if max(answerBytes, evidence?.call?.event.count ?? 0) > ConsoleLimits.eventBytes {
      omissions.insert(.answer)
    }
    guard !omissions.isEmpty else { return (self, []) }
    var short = self
    short.record = redactedRecord(credentials)
    let isHeadKept = !omissions.contains(.head)
    short.keep(
      request.replacing(
        query: isHeadKept ? nil : "", headers: isHeadKept ? nil : [],
        body: omissions.contains(.body) ? [] : nil))
    if omissions.contains(.response) { short.response.body = [] }
    if omissions.contains(.answer) {
      short.exchange?.evidence = AuthorizerEvidence(
        authorizer: evidence?.authorizer, evaluation: evidence?.evaluation)
      short.functionAnswer = nil
    }
    return (short, omissions)
  }

  /// Returns the exchange with nothing of its request but method and path, and of its answer only the policy.
  ///
  /// The texts that stay may repeat a credential, so they are redacted while the request still says what it is.
  func withoutEvent() -> CompletedRequest {
    let credentials = credentials
    let redactor = Redactor(credentials)
    var short = bounded().0
    short.record = redactedRecord(credentials)
    short.keep(
      request.replacing(
        path: redactor.text(request.path), sentPath: redactor.text(request.sentPath), query: "", headers: [],
        body: []))
    short.exchange?.apiKey = nil
    short.exchange?.authorizer = nil
    short.response = GatewayResponse(status: response.status)
    let evidence = short.exchange?.evidence
    short.exchange?.evidence = AuthorizerEvidence(
      authorizer: evidence?.authorizer, grant: evidence?.grant?.policyAlone(redactor),
      evaluation: evidence?.evaluation)
    short.functionAnswer = nil
    return short
  }

  private mutating func keep(_ request: GatewayRequest) {
    self.request = request
    exchange?.request = request
  }
}

extension InvocationAnswer {
  /// The size of the answer or of the error document.
  fileprivate var bytes: Int {
    switch self {
    case .response(let bytes): bytes.count
    case .error(let report), .initializationFailed(.reported(let report)): report.document.count
    case .died, .timedOut, .initializationFailed: 0
    }
  }
}

extension AuthorizerGrant {
  /// The grant with its policy and without the caller's data. A grant of API Gateway itself consists of claims.
  fileprivate func policyAlone(_ redactor: Redactor) -> AuthorizerGrant? {
    guard native == nil else { return nil }
    var grant = AuthorizerGrant(answer: AuthorizerAnswer(form: answer.form), grantedAt: grantedAt)
    if let policy = (try? JSONTree(parsing: bytes))?["policyDocument"] {
      grant.bytes = JSONTree.members(["policyDocument": redactor.tree(policy)]).bytes()
    }
    return grant
  }
}
