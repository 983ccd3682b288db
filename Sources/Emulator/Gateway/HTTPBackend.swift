internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Calls a real backend.
enum HTTPBackend {
  /// The most that a backend may answer, in bytes: 10 MB, the payload size of all three kinds of API ("Amazon API
  /// Gateway quotas").
  static let answerBytes = 10 << 20

  /// A silent backend is given up after this many seconds: later than any API waits for it
  /// (`BackendCall.patienceMilliseconds`), so that its connection is not kept for ever.
  static let silenceSeconds = 31.0

  /// Its answer; redirects are passed on as they are, as API Gateway does.
  static func answer(to request: BackendRequest, patience: Int = 1) async -> BackendAnswer {
    guard let url = URL(string: request.address) else { return .unreachable }
    var outgoing = URLRequest(url: url)
    outgoing.httpMethod = request.method
    outgoing.timeoutInterval = silenceSeconds * Double(patience)
    for header in request.headers { outgoing.addValue(header.value, forHTTPHeaderField: header.name) }
    if !request.body.isEmpty { outgoing.httpBody = Data(request.body) }
    let call = Call()
    // A session for each call: on Linux only a session's own delegate is asked about redirects.
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

  /// Nothing is remembered from one caller to the next.
  private static var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    return configuration
  }

  /// Of the connection, and of the encoding that the client of ours has already undone.
  private static let dropped: Set<String> = [
    "connection", "transfer-encoding", "content-length", "content-encoding",
  ]

  /// The lines of `Set-Cookie` that Foundation has joined: a new one begins behind a comma where a name and `=` follow;
  /// behind the comma in a date they do not (RFC 6265 section 4.1.1).
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

  /// One call, from its first byte to its last.
  private final class Call: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
      /// `nil` where it was too large.
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
      // The rest need not come; `didCompleteWithError` does.
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
