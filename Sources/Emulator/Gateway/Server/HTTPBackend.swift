internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A client for real backends.
enum HTTPBackend {
  /// Maximum size of a backend's answer in bytes.
  static let answerBytes = GatewayQuota.payloadBytes

  /// The timeout in seconds for a backend that sends nothing. It is longer than the timeout of any API
  /// (`BackendCall.patienceMilliseconds`) and frees the connection.
  static let silenceSeconds = 31.0

  /// Returns the backend's answer. Redirects are passed on to the client, as API Gateway does.
  static func answer(to request: BackendRequest, timeoutFactor: Int = 1) async -> BackendAnswer {
    guard let url = URL(string: request.address) else { return .unreachable }
    var outgoing = URLRequest(url: url)
    outgoing.httpMethod = request.method
    outgoing.timeoutInterval = silenceSeconds * Double(timeoutFactor)
    for header in request.headers { outgoing.addValue(header.value, forHTTPHeaderField: header.name) }
    if !request.body.isEmpty { outgoing.httpBody = Data(request.body) }
    let call = Call()
    // Each call has a session, because on Linux only the delegate of a session receives redirects.
    let session = URLSession(configuration: configuration, delegate: call, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    guard let (answer, body) = await call.answer(to: session.dataTask(with: outgoing)) else {
      return .unreachable
    }
    var response = GatewayResponse(status: answer.statusCode, body: Array(body))
    for (name, value) in answer.allHeaderFields {
      let (name, value) = (String(describing: name), String(describing: value))
      if dropped.contains(name.lowercased()) { continue }
      let values = name.lowercased() == "set-cookie" ? cookies(in: value) : [value]
      response.headers += values.map { .init(name, $0) }
    }
    response.headers.sort { $0.name < $1.name }
    return .response(response)
  }

  /// A configuration that shares no cookies or cached responses between callers.
  private static var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    return configuration
  }

  /// Headers of encodings that URLSession has already decoded. The server of the gateway drops the others of the
  /// connection; a REST API renames them before.
  private static let dropped: Set<String> = ["transfer-encoding", "content-encoding"]

  /// Splits the `Set-Cookie` lines that Foundation has joined: a comma that is followed by a name and `=` begins a
  /// new line; the comma in a date does not (RFC 6265 section 4.1.1).
  static func cookies(in joined: String) -> [String] {
    let parts: [Substring] = joined.split(separator: ",", omittingEmptySubsequences: false)
    var lines: [String] = []
    for part in parts {
      let text = String(part.drop { $0 == " " })
      let name = text.prefix { !"=; ".contains($0) }
      if let last = lines.indices.last, name.isEmpty || !text.dropFirst(name.count).hasPrefix("=") {
        lines[last] += "," + part
      } else {
        lines.append(text)
      }
    }
    return lines
  }

  /// One call, which collects the body.
  private final class Call: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
      /// `nil` if it exceeded the limit.
      var body: Data? = Data()
      var waiting: CheckedContinuation<(HTTPURLResponse, Data)?, Never>?
    }

    private let state = Mutex(State())

    func answer(to task: URLSessionDataTask) async -> (HTTPURLResponse, Data)? {
      await withCheckedContinuation { continuation in
        state.withLock { $0.waiting = continuation }
        task.resume()
      }
    }

    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      let isTooLarge = state.withLock { state in
        guard let count = state.body?.count, count + data.count <= HTTPBackend.answerBytes else {
          state.body = nil
          return true
        }
        state.body?.append(data)
        return false
      }
      // The rest is not needed; canceling calls `didCompleteWithError`.
      if isTooLarge { dataTask.cancel() }
    }

    func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      let (waiting, body) = state.withLock { state in
        defer { state.waiting = nil }
        return (state.waiting, state.body)
      }
      guard error == nil, let body, let answer = task.response as? HTTPURLResponse else {
        waiting?.resume(returning: nil)
        return
      }
      waiting?.resume(returning: (answer, body))
    }

    func urlSession(
      _: URLSession, task _: URLSessionTask, willPerformHTTPRedirection _: HTTPURLResponse,
      newRequest _: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
      completionHandler(nil)
    }
  }
}
