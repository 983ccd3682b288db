/// One line of the gateway's log: which authorizer ran, from where its answer came, what decided and why, and
/// why the function behind it refused.
///
/// It holds no query, no token, and of the headers `Origin` alone, where a browser would keep the answer from its page.
public struct AccessRecord: Equatable, Sendable {
  /// Where an answer came from.
  public enum Origin: Equatable, Sendable {
    /// The function was called.
    case called(milliseconds: Int)
    /// A kept answer.
    case fromCache
    /// API Gateway refused by itself.
    case notCalled
  }

  /// Whether somebody was asked.
  enum Asking: Equatable, Sendable {
    case notAsked(String)
    case asked(String, Origin, String, reason: String? = nil)
  }

  /// The status that the client got.
  public var status: Int
  /// The function behind the route and its own word, where it refused or failed.
  public var backend: String?
  /// Why a browser keeps the answer from the page that asked for it.
  public var crossOrigin: String?
  /// What hardly anybody means, such as a kept policy for one route alone.
  public var warning: String?
  /// The authorizer, where the request came to one.
  public let authorizer: String?
  /// Where its answer came from; `nil` where there is no authorizer.
  public let origin: Origin?
  /// What decided: a statement, a missing source, a failure.
  public let decision: String
  /// The function's own reason code.
  public let reason: String?
  private let time: Int64
  private let requestID: String
  private let subject: String

  init(
    _ request: GatewayRequest, _ api: GatewayAPI, _ ids: ExchangeIdentity, routeKey: String?,
    _ asking: Asking,
    status: Int = 200
  ) {
    let query = request.query.isEmpty ? "" : "?…"
    subject = "\(api.name) \(request.method) \(request.path)\(query) route=\"\(routeKey ?? "none")\""
    time = ids.unixMilliseconds
    requestID = ids.requestID
    self.status = status
    switch asking {
    case .notAsked(let why): (authorizer, origin, decision, reason) = (nil, nil, why, nil)
    case .asked(let name, let origin, let decision, let reason):
      (authorizer, self.origin, self.decision, self.reason) = (name, origin, decision, reason)
    }
  }

  init(_ exchange: Exchange, _ asking: Asking) {
    self.init(
      exchange.request, exchange.api, exchange.identity, routeKey: exchange.route.key, asking,
      status: exchange.connectionID == nil ? 200 : 101)
  }

  /// The line; without control characters whatever a path or a function holds.
  public var line: String {
    var words = [GatewayTime.text(time), requestID, subject, "status=\(status)"]
    words.append("authorizer=\(authorizer ?? "none")")
    switch origin {
    case .called(let milliseconds)?: words.append("answer=called(\(milliseconds)ms)")
    case .fromCache?: words.append("answer=cache")
    case .notCalled?: words.append("answer=not-called")
    case nil: break
    }
    words.append("decision=\"\(decision)\"")
    if let reason { words.append("reason=\(reason)") }
    if let backend { words.append("backend=\"\(backend)\"") }
    if let crossOrigin { words.append("cors=\"\(crossOrigin)\"") }
    if let warning { words.append("warning=\"\(warning)\"") }
    return String(
      String.UnicodeScalarView(
        words.joined(separator: " ").unicodeScalars.map {
          $0.properties.generalCategory == .control ? " " : $0
        }))
  }
}
