internal import GatewayModel
internal import LambdaEmulator
internal import Text

/// One line of the gateway's log: the authorizer, where its answer came from, the decision and its reason, and why
/// the backend refused or failed.
///
/// It contains no query; the line has no token either. The only headers in it are `Origin` and those of a preflight request
/// (`Access-Control-Request-Method`, `Access-Control-Request-Headers`), if a browser would block the response.
package struct AccessRecord: Equatable, Sendable {
  package enum Origin: Equatable, Sendable {
    case called(milliseconds: Int)
    case fromCache
    /// API Gateway refused the request itself.
    case notCalled
    /// API Gateway decided itself: by a token or a signature.
    case native
  }

  package enum AuthorizerUse: Equatable, Sendable {
    case unused(String)
    case used(String, Origin, String, reason: String? = nil, why: String? = nil)
  }

  package var status: Int
  /// The function behind the route and its reason code, if it refused or failed.
  package var backend: String?
  /// Why a browser blocks the response for the page.
  package var crossOrigin: String?
  /// A probable mistake, such as a cached policy for one route only.
  package var warning: String?
  package let authorizer: String?
  /// Where its answer came from; `nil` without an authorizer.
  package let origin: Origin?
  /// The decision: a statement, a missing source or a failure.
  package private(set) var decision: String
  package private(set) var reason: String?
  /// Why the authorizer refused this request, in a sentence that names the rule.
  package private(set) var why: String?
  private let time: Int64
  private let requestID: String
  private var subject: String

  init(_ received: ReceivedRequest, routeKey: String?, _ use: AuthorizerUse, status: Int = 200) {
    let (request, ids) = (received.request, received.identity)
    let query = request.query.isEmpty ? "" : "?…"
    subject = "\(received.api.name) \(request.method) \(request.path)\(query) route=\"\(routeKey ?? "none")\""
    time = ids.unixMilliseconds
    requestID = ids.requestID
    self.status = status
    switch use {
    case .unused(let why): (authorizer, origin, decision, reason) = (nil, nil, why, nil)
    case .used(let name, let origin, let decision, let reason, let why):
      (authorizer, self.origin, self.decision, self.reason) = (name, origin, decision, reason)
      self.why = why
    }
  }

  package init(_ exchange: RequestContext, _ use: AuthorizerUse) {
    self.init(
      exchange.received, routeKey: exchange.route.key, use, status: exchange.connectionID == nil ? 200 : 101)
  }

  /// Returns the record with its texts of the client and of functions changed.
  package func mapped(_ change: (String) -> String) -> AccessRecord {
    var record = self
    record.subject = change(subject)
    record.decision = change(decision)
    record.reason = reason.map(change)
    record.why = why.map(change)
    record.backend = backend.map(change)
    record.crossOrigin = crossOrigin.map(change)
    record.warning = warning.map(change)
    return record
  }

  /// Adds why the authorizer refused the request. The reason of a cached answer is that of the request that it was given
  /// for, so it is replaced.
  mutating func explain(_ explanation: DecisionExplanation) {
    why = explanation.sentence
    if origin == .fromCache || reason == nil { reason = explanation.reason }
  }

  /// The number of bytes of the longest of these texts.
  var longestTextBytes: Int {
    var longest = 0
    _ = mapped { text in
      longest = max(longest, text.utf8.count)
      return text
    }
    return longest
  }

  /// The line. Control characters of paths and functions are replaced by spaces, JWTs by `redacted`.
  package var line: String {
    var words = [Timestamp.text(time), requestID, subject, "status=\(status)"]
    words.append("authorizer=\(authorizer ?? "none")")
    switch origin {
    case .called(let milliseconds)?: words.append("answer=called(\(milliseconds)ms)")
    case .fromCache?: words.append("answer=cache")
    case .notCalled?: words.append("answer=not-called")
    case .native?: words.append("answer=native")
    case nil: break
    }
    words.append("decision=\"\(decision)\"")
    if let reason { words.append("reason=\(reason)") }
    // A claim of the token must not end the text and begin a member of the line.
    if let why { words.append("why=\"\(why.replacingBytes(of: "\"", with: "'"))\"") }
    if let backend { words.append("backend=\"\(backend)\"") }
    if let crossOrigin { words.append("cors=\"\(crossOrigin)\"") }
    if let warning { words.append("warning=\"\(warning)\"") }
    return Redactor.withoutTokens(in: words.joined(separator: " ")).blankingControls
  }
}
