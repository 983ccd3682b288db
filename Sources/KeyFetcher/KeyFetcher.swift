/// Fetches key sets: each by a process of its own, the executable `fetch-keys`, because the function is one fully static
/// file that can load neither libcurl nor the C library's name service.
///
/// Until the first fetch it has cost a path. A call returns when every fetch has ended and its process is reaped, at
/// the deadline at the latest.
public struct KeyFetcher: Sendable {
  private let executable: String
  private let options: [String]
  private let environment: [String]

  /// Milliseconds that a process may take past the time of its transfer: to start on a busy machine, and no longer, since
  /// libcurl may wait for a name look-up that it cannot stop.
  private static let overtime: Int64 = 1000

  /// The most fetches under way at once: a process with libcurl takes about 10 MB, and a function may have 128.
  public static let parallelFetches = 8

  /// A fetcher that starts this executable.
  ///
  /// - Parameters:
  ///   - executable: its path, as `execve(2)` takes it. ``executable(beside:)`` finds the one that was deployed.
  ///   - certificateFile: a file of certificates in PEM that are trusted in place of the system's.
  ///   - proxy: `http://host:port` or `https://host:port`; without it none is used, whatever the environment says.
  ///   - variable: reads an environment variable. `LD_LIBRARY_PATH` (Lambda names its layers there), `SSL_CERT_FILE` and
  ///     `SSL_CERT_DIR` are handed on where they are set, and nothing else of the environment.
  public init(
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

  /// The path of `fetch-keys` in the folder of a running executable.
  ///
  /// - Parameter runningExecutable: the path that this process was started by, its argument 0. Without a slash it is
  ///   taken for a name in the working directory.
  public static func executable(beside runningExecutable: String) -> String {
    let path = Array(runningExecutable.utf8)
    guard let slash = path.lastIndex(of: .slash) else { return "./fetch-keys" }
    return String(decoding: path[...slash], as: UTF8.self) + "fetch-keys"
  }

  /// Fetches all key sets, up to ``parallelFetches`` at once.
  ///
  /// - Parameters:
  ///   - requests: what to fetch.
  ///   - deadlineMilliseconds: when the call ends, on the clock of `now`. What has not ended by then is killed.
  ///   - now: monotonic time in milliseconds.
  /// - Returns: how each ended, in the order of the requests.
  public func fetch(
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
    // Every process of the machine may read arguments, and an address may have a secret in its query.
    arguments.append("-")
    return FetchProcess.started(
      arguments: arguments, environment: environment, input: Array(request.address.text.utf8))
  }
}
