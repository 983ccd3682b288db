import Bytes
import POSIX

/// Calls DynamoDB through `call-dynamodb`, a process that keeps its connection open. It is started at the first call
/// and restarted after it hung or ended. Copies share the process, which ends with the last of them.
package struct ProcessTransport: DynamoDBTransport {
  private let arguments: [String]
  private let environment: [String]
  private var process: CallProcess?

  /// The only environment variables that the process gets: AWS's, OpenSSL's for certificates, and the loader's, where
  /// Lambda lists layers.
  package static let variables = [
    "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
    "AWS_ENDPOINT_URL_DYNAMODB", "LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR",
  ]

  /// The extra milliseconds after a call's timeout before the process counts as hung. Enough to read an answer on a
  /// busy machine, and short because libcurl may wait for a name lookup that it cannot interrupt.
  private static let overtimeMilliseconds: Int64 = 250

  /// Creates a transport that starts this executable.
  ///
  /// - Parameters:
  ///   - executable: its path, as for `execve(2)`; ``executable(beside:)`` finds the deployed one.
  ///   - allowsLoopbackHTTP: whether `AWS_ENDPOINT_URL_DYNAMODB` may be plain http to this machine, for development.
  ///   - certificateFile: a PEM file of certificates that are trusted instead of the system's.
  ///   - proxy: `http://host:port` or `https://host:port`; `nil` for no proxy. Proxy variables of the environment are
  ///     ignored.
  ///   - variable: reads an environment variable.
  package init(
    executable: String, allowsLoopbackHTTP: Bool = false, certificateFile: String? = nil,
    proxy: String? = nil,
    variable: (String) -> String?
  ) {
    var arguments = [executable]
    if allowsLoopbackHTTP { arguments.append("--allow-loopback-http") }
    if let certificateFile { arguments += ["--ca-file", certificateFile] }
    if let proxy { arguments += ["--proxy", proxy] }
    self.arguments = arguments
    var environment: [String] = []
    for name in Self.variables {
      if let value = variable(name) { environment.append(name + "=" + value) }
    }
    self.environment = environment
  }

  /// The path of `call-dynamodb` in the folder of a running executable.
  ///
  /// - Parameter runningExecutable: the path of this process. Without a slash it is a name in the working directory.
  package static func executable(beside runningExecutable: String) -> String {
    let path = Array(runningExecutable.utf8)
    guard let slash = path.lastIndex(of: .slash) else { return "./call-dynamodb" }
    return String(decoding: path[...slash], as: UTF8.self) + "call-dynamodb"
  }

  /// Sends one request; starts the process if none runs.
  package mutating func send(_ call: DynamoDBCall) -> Result<DynamoDBAnswer, CallFailure> {
    let deadline = SystemCalls.monotonicMilliseconds + call.totalMilliseconds + Self.overtimeMilliseconds
    let running: CallProcess
    if let process {
      running = process
    } else {
      switch CallProcess.started(arguments: arguments, environment: environment) {
      case .success(let process): running = process
      case .failure(let failure): return .failure(failure)
      }
    }
    let result = running.exchange(CallFrame.request(call), deadline: deadline)
    // After an incomplete answer it is unknown what the next bytes belong to.
    process = running.isUsable ? running : nil
    return result
  }
}

/// A running `call-dynamodb`. It is killed and reaped when the last reference goes.
final class CallProcess {
  private let process: Int32
  private let stream: Int32
  /// Whether it waits for a request.
  private(set) var isUsable = true

  private init(process: Int32, stream: Int32) {
    self.process = process
    self.stream = stream
  }

  deinit {
    SystemCalls.close(stream)
    SystemCalls.killGroup(process)
    _ = SystemCalls.reap(process, waits: true)
  }

  static func started(arguments: [String], environment: [String]) -> Result<CallProcess, CallFailure> {
    guard let streams = SystemCalls.streamPair() else {
      return .failure(CallFailure(.executable, SystemCalls.text(ofError: SystemCalls.errorNumber)))
    }
    let spawned = SystemCalls.spawn(
      arguments: arguments, environment: environment, input: streams.theirs, output: streams.theirs)
    SystemCalls.close(streams.theirs)
    guard spawned.errorNumber == 0 else {
      SystemCalls.close(streams.ours)
      let reason = SystemCalls.text(ofError: spawned.errorNumber)
      return .failure(CallFailure(.executable, arguments[0] + " cannot be started: " + reason))
    }
    return .success(CallProcess(process: spawned.process, stream: streams.ours))
  }

  /// Sends one request and returns its answer. The deadline is on the monotonic clock.
  func exchange(_ request: [UInt8], deadline: Int64) -> Result<DynamoDBAnswer, CallFailure> {
    isUsable = false
    var sent = 0
    while sent < request.count {
      switch SystemCalls.send(request, from: sent, to: stream) {
      case .moved(let count): sent += count
      case .wouldBlock:
        if let failure = wait(toWrite: true, deadline: deadline) { return .failure(failure) }
      case .ended: return .failure(CallFailure(.process, "call-dynamodb has ended"))
      }
    }
    do {
      guard let head = CallFrame.AnswerHead(try receive(CallFrame.answerHeadBytes, deadline: deadline)) else {
        return .failure(
          CallFailure(.process, "call-dynamodb has another version; deploy both programs of one build"))
      }
      let body = try receive(head.bodyBytes, deadline: deadline)
      isUsable = true
      guard let kind = head.outcome.failure else {
        return .success(DynamoDBAnswer(status: head.status, body: body))
      }
      return .failure(CallFailure(kind, printable(body)))
    } catch {
      return .failure(error)
    }
  }

  private func receive(_ count: Int, deadline: Int64) throws(CallFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      switch SystemCalls.receive(stream, limit: count - bytes.count, appendingTo: &bytes) {
      case .moved: continue
      case .wouldBlock: if let failure = wait(toWrite: false, deadline: deadline) { throw failure }
      case .ended: throw CallFailure(.process, "call-dynamodb has ended")
      }
    }
    return bytes
  }

  private func wait(toWrite: Bool, deadline: Int64) -> CallFailure? {
    let remaining = deadline - SystemCalls.monotonicMilliseconds
    guard remaining > 0 else { return CallFailure(.timeout, "call-dynamodb does not answer") }
    SystemCalls.wait(for: stream, toWrite: toWrite, milliseconds: remaining)
    return nil
  }

  /// Keeps only printable ASCII, because the text goes to a log.
  private func printable(_ bytes: [UInt8]) -> String {
    let line = bytes.prefix(CallLimit.diagnosisBytes).filter { $0.isPrintable }
    return String(decoding: line, as: UTF8.self)
  }
}

extension CallOutcomeCode {
  /// `nil` for an answer.
  fileprivate var failure: CallFailure.Kind? {
    switch self {
    case .answered: nil
    case .nameResolution: .nameResolution
    case .connect: .connect
    case .timeout: .timeout
    case .tls: .tls
    case .tooLarge: .tooLarge
    case .transfer: .transfer
    case .libraryMissing: .libraryMissing
    case .configuration: .configuration
    }
  }
}
