internal import GatewayModel
internal import Mapping
internal import Text
internal import Bytes
internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

enum HTTPBackend {
  /// Maximum size of a backend's answer in bytes.
  static let answerBytes = GatewayQuota.payloadBytes

  /// Returns the backend's answer. Redirects are passed on to the client, as API Gateway does.
  ///
  /// - Parameter milliseconds: how long API Gateway waits. The connection is freed a second later.
  static func answer(to request: BackendRequest, milliseconds: Int) async -> BackendAnswer {
    // A line break in a value would begin another header.
    guard let url = URL(string: request.address), request.headers.allSatisfy(HTTPHead.isValid) else {
      return .unreachable
    }
    var outgoing = URLRequest(url: url)
    outgoing.httpMethod = request.method
    outgoing.timeoutInterval = Double(milliseconds) / 1000 + 1
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

  /// Whether a path has `.` or `..` as a segment, also encoded. The client resolves them before it sends the path, so the
  /// backend would receive another path than from API Gateway.
  static func hasDotSegments(_ address: String) -> Bool {
    let rest = address.utf8.dropFirst(BackendRequest.origin(of: address).utf8.count)
    let path = rest.prefix { $0 != .questionMark && $0 != .numberSign }
    return path.split(separator: .slash).contains { segment in
      let text = PercentText.decoded(Substring(segment))
      return text == "." || text == ".."
    }
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
    let parts = joined.splitBytes(at: ",", omittingEmptySubsequences: false)
    var lines: [String] = []
    for part in parts {
      let text = String(part.trimmingStart(of: " "))
      let name = text.head(before: "=", ";", " ")
      if let last = lines.indices.last,
        name.isEmpty || !text.dropFirst(bytes: name.utf8.count).hasBytePrefix("=")
      {
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
