internal import CLibcurl
package import LibcurlTransfer
package import GatewayModel
internal import Mapping
internal import HTTPTypes
internal import Text
internal import Bytes
internal import Foundation

/// Requests to HTTP backends, with libcurl.
enum HTTPBackend {
  /// Returns the backend's answer. Redirects are passed on to the client, as API Gateway does.
  ///
  /// - Parameters:
  ///   - route: the key of the route, for the finding if libcurl is not installed.
  ///   - milliseconds: how long API Gateway waits. The connection is freed a second later.
  ///   - maximumBytes: of the body of the answer.
  static func answer(
    to request: BackendRequest, for route: String, milliseconds: Int,
    maximumBytes: Int = GatewayQuota.payloadBytes
  ) async -> BackendAnswer {
    guard let lines = lines(of: request) else { return .unreachable }
    return await HTTPAnswer.onThread {
      transfer(request, lines, for: route, milliseconds, HTTPAnswer(maximumBytes: maximumBytes))
    }
  }

  /// Returns the header lines for libcurl; nil for a request that HTTP cannot have: a line break or a zero would end
  /// a line or the address.
  static func lines(of request: BackendRequest) -> [String]? {
    guard HTTPRequest.Method(request.method) != nil, request.address.utf8.allSatisfy({ $0 >= .space }),
      request.headers.allSatisfy(HTTPHead.isValid)
    else { return nil }
    let headers = request.headers.filter { !ownHeaders.contains($0.name.lowercased()) }
    let lines = headers.map { $0.value.isEmpty ? $0.name + ";" : "\($0.name): \($0.value)" }
    // A line without a value removes the header that libcurl would add (CURLOPT_HTTPHEADER(3)).
    let removed = ["Accept", "Content-Type", "Expect"].filter { name in
      !headers.contains { $0.name.lowercased() == name.lowercased() }
    }
    return lines + removed.map { $0 + ":" }
  }

  /// Headers of the connection to the backend, and the encodings of an answer, which libcurl decodes.
  private static let ownHeaders: Set<String> = [
    "accept-encoding", "connection", "content-length", "expect", "transfer-encoding",
  ]

  private static func isLoopback(_ address: String) -> Bool {
    guard let scheme = address.firstByteRange(of: "://") else { return false }
    return LoopbackHost.isLoopback(String(address[scheme.upperBound...].head(before: "/", "?", "#")))
  }

  private static func transfer(
    _ request: BackendRequest, _ lines: [String], for route: String, _ milliseconds: Int, _ empty: HTTPAnswer
  ) -> BackendAnswer {
    var answer = empty
    do throws(TransferFailure) {
      // The proxy of the environment would not reach this machine itself.
      try answer.receive(
        request.method, request.address.replacingBytes(of: " ", with: "%20"), lines, body: request.body,
        milliseconds: milliseconds + 1000, allowsHTTP: true, isProxied: !isLoopback(request.address)
      ) { libcurl in
        // All encodings of this libcurl.
        libcurl.set(CURLOPT_ACCEPT_ENCODING, "")
      }
    } catch {
      switch error.reason {
      case .libraryNotLoaded, .libraryUnusable:
        return .notEmulated(
          Diagnostic(
            path: route,
            problem: "HTTP backends are called with libcurl, and it cannot be used: \(error.text)",
            cure: "install it: apt-get install libcurl4, dnf install libcurl-minimal"))
      default: return .unreachable
      }
    }
    return answer.response.map { .response($0) } ?? .unreachable
  }
}

/// An answer, as libcurl hands it over.
package struct HTTPAnswer: AnswerReceiver {
  /// The answer up to now; nil before a status.
  package private(set) var response: GatewayResponse?
  private var isInHead = false
  private var headBytes = 0
  private let maximumBytes: Int
  private let endsAtUpgrade: Bool
  /// Whether the head is whole.
  package var hasHead: Bool { response != nil && !isInHead }

  /// - Parameters:
  ///   - maximumBytes: of the body; API Gateway's quota, or that of a stream.
  ///   - endsAtUpgrade: whether the transfer ends at a 101, as for a WebSocket that is not used.
  package init(maximumBytes: Int = GatewayQuota.payloadBytes, endsAtUpgrade: Bool = false) {
    (self.maximumBytes, self.endsAtUpgrade) = (maximumBytes, endsAtUpgrade)
  }

  /// Runs a transfer: libcurl blocks its thread, and a task may not block one of the few that run all tasks.
  package static func onThread<Value: Sendable>(_ transfer: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: transfer()) }
    }
  }

  /// Sends a request as it is, and follows no redirect.
  ///
  /// - Parameters:
  ///   - milliseconds: how long it may take.
  ///   - isProxied: whether the proxy of the environment is used, as by every client of this machine.
  ///   - more: sets other options.
  package mutating func receive(
    _ method: String, _ url: String, _ lines: [String], body: [UInt8], milliseconds: Int, allowsHTTP: Bool,
    isProxied: Bool, _ more: (Libcurl) -> Void
  ) throws(TransferFailure) {
    let libcurl = try Libcurl(isFreed: true)
    libcurl.trust(certificateFile: nil, proxy: nil, allowsHTTP: allowsHTTP)
    if isProxied {
      libcurl.clear(CURLOPT_PROXY)
      libcurl.clear(CURLOPT_NOPROXY)
    }
    libcurl.set(CURLOPT_URL, url)
    // `.` and `..` as they were sent.
    libcurl.set(CURLOPT_PATH_AS_IS, 1)
    libcurl.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    libcurl.set(CURLOPT_HTTP09_ALLOWED, 0)
    libcurl.set(CURLOPT_TIMEOUT_MS, milliseconds)
    // Without SIGALRM, which would interrupt any thread.
    libcurl.set(CURLOPT_NOSIGNAL, 1)
    // The answer to HEAD has no body, whatever its Content-Length.
    let isHead = method == "HEAD"
    if isHead { libcurl.set(CURLOPT_NOBODY, 1) }
    libcurl.set(CURLOPT_CUSTOMREQUEST, method)
    more(libcurl)
    let hasBody = !isHead && (!body.isEmpty || ["PATCH", "POST", "PUT"].contains(method))
    try libcurl.send(hasBody ? body : nil, headers: lines, into: &self)
  }

  /// Receives one line of a head. A second status line follows an interim answer, whose fields are ignored (RFC 9110
  /// section 15.2), and so are trailers.
  package mutating func take(line: [UInt8]) -> Bool {
    if line.starts(with: "HTTP/".utf8) {
      let digits = line.drop { $0 != .space }.dropFirst().prefix(3)
      response = Int(String(decoding: digits, as: UTF8.self)).map { GatewayResponse(status: $0) }
      isInHead = true
    } else if line.allSatisfy({ $0 == .carriageReturn || $0 == .lineFeed }) {
      isInHead = false
      // What follows is not HTTP.
      if endsAtUpgrade, response?.status == 101 { return false }
    } else if isInHead, let colon = line.firstIndex(of: .colon) {
      let name = String(decoding: line[..<colon], as: UTF8.self)
      let value = line[(colon + 1)...].filter { $0 != .carriageReturn && $0 != .lineFeed }
      if !Self.dropped.contains(name.lowercased()) {
        response?.headers.append(.init(name, String(decoding: value, as: UTF8.self).trimmingBlanks))
      }
    }
    headBytes += line.count
    return headBytes <= GatewayQuota.payloadBytes
  }

  /// Receives the next piece of the body, up to the maximum.
  package mutating func take(piece: [UInt8]) -> Bool {
    response?.body += piece
    return (response?.body.count ?? 0) <= maximumBytes
  }

  /// Headers of encodings that libcurl has already decoded. The server of the gateway drops the others of the
  /// connection; a REST API renames them before.
  private static let dropped: Set<String> = ["transfer-encoding", "content-encoding"]
}
