import Bytes

/// Fetches key sets, each with a separate process of the executable `fetch-keys`: the function is a fully static
/// binary that cannot load libcurl or the C library's name service.
///
/// No work is done before the first fetch. A call returns when every fetch has ended and its process is reaped, at the
/// deadline at the latest.
package struct KeyFetcher: Sendable {
  private let executable: String
  private let options: [String]
  private let environment: [String]

  /// The milliseconds that a process may run in addition to the time of its transfer. A busy machine needs time to
  /// start it; the limit is needed because libcurl may wait for a name resolution that it cannot stop.
  private static let overtime: Int64 = 1000

  /// The maximum number of concurrent fetches: a process with libcurl uses about 10 MB, and a function may have 128 MB.
  package static let parallelFetches = 8

  /// Creates a fetcher that starts this executable.
  ///
  /// - Parameters:
  ///   - executable: its path for `execve(2)`. ``executable(beside:)`` returns the deployed one.
  ///   - certificateFile: a file of certificates in PEM that are trusted instead of the system's.
  ///   - proxy: `http://host:port` or `https://host:port`. Without it no proxy is used; the environment is ignored.
  ///   - variable: reads an environment variable. `LD_LIBRARY_PATH` (which contains Lambda's layers), `SSL_CERT_FILE`
  ///     and `SSL_CERT_DIR` are passed to the process if they are set, and no other variables.
  package init(
    executable: String, certificateFile: String? = nil, proxy: String? = nil,
    variable: (String) -> String? = { _ in nil }
  ) {
    self.executable = executable
    var options: [String] = []
    if let certificateFile { options += ["--ca-file", certificateFile] }
    if let proxy { options += ["--proxy", proxy] }
    self.options = options
    var environment: [String] = []
    for name in ["LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR"] {
      if let value = variable(name) { environment.append(name + "=" + value) }
    }
    self.environment = environment
  }

  /// Returns the path of `fetch-keys` in the folder of a running executable.
  ///
  /// - Parameter runningExecutable: the path of this process, its argument 0. Without a slash it is a name in the
  ///   working directory.
  package static func executable(beside runningExecutable: String) -> String {
    let path = Array(runningExecutable.utf8)
    guard let slash = path.lastIndex(of: .slash) else { return "./fetch-keys" }
    return String(decoding: path[...slash], as: UTF8.self) + "fetch-keys"
  }

  /// Fetches all key sets, up to ``parallelFetches`` at once.
  ///
  /// - Parameters:
  ///   - requests: the requests.
  ///   - deadlineMilliseconds: the end of the call, on the clock of `now`. Processes that still run are killed.
  ///   - now: monotonic time in milliseconds.
  /// - Returns: the results, in the order of the requests.
  package func fetch(
    _ requests: [KeyFetchRequest], deadlineMilliseconds: Int64, now: () -> Int64
  ) -> [KeyFetchResult] {
    var results = requests.map { _ in KeyFetchResult.failure(.deadlineExceeded) }
    var running: [(index: Int, process: FetchProcess, endsAt: Int64)] = []
    var waiting = requests.indices
    while !waiting.isEmpty || !running.isEmpty {
      let time = now()
      let remaining = deadlineMilliseconds - time
      guard remaining > 0 else { break }
      while running.count < Self.parallelFetches, let index = waiting.popFirst() {
        switch start(requests[index], remainingMilliseconds: remaining) {
        case .success(let process):
          running.append((index, process, time + Int64(requests[index].totalMilliseconds) + Self.overtime))
        case .failure(let error): results[index] = .failure(error)
        }
      }
      guard !running.isEmpty else { continue }
      let next = running.map { $0.endsAt }.min() ?? deadlineMilliseconds
      let limit = max(1, min(remaining, next - time))
      FetchProcess.advance(running.map { $0.process }, upToMilliseconds: limit)
      let after = now()
      running.removeAll { index, process, endsAt in
        if let result = process.result {
          results[index] = result
          return true
        }
        guard after >= endsAt else { return false }
        process.end()
        return true
      }
    }
    for (_, process, _) in running { process.end() }
    return results
  }

  private func start(
    _ request: KeyFetchRequest, remainingMilliseconds: Int64
  ) -> Result<FetchProcess, KeyFetchError> {
    let total = min(Int64(request.totalMilliseconds), remainingMilliseconds)
    let connect = min(Int64(request.connectMilliseconds), total)
    var arguments = [
      executable, "--connect-timeout-ms", "\(max(1, connect))", "--timeout-ms", "\(max(1, total))",
    ]
    if request.address.scheme == .http { arguments.append("--allow-loopback-http") }
    arguments += options
    // The address is passed on standard input: every process can read arguments, and a query may contain a secret.
    arguments.append("-")
    return FetchProcess.started(
      arguments: arguments, environment: environment, input: Array(request.address.text.utf8))
  }
}
