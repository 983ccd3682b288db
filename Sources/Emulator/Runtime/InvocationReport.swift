/// The numbers of one invocation, as the platform's `REPORT` line tells them.
public struct InvocationReport: Equatable, Sendable {
  /// How the platform saw the end. An error that the function itself reported is a success to the platform.
  public enum Status: Equatable, Sendable {
    case success
    case timeout
    case error(type: String)
  }

  /// The id that the function was given.
  public let requestID: String
  /// From giving the event to the function's next `/next`, in nanoseconds: what it does after its answer counts.
  public let nanoseconds: UInt64
  /// The initialization that came before this invocation, in nanoseconds; `nil` for a warm one.
  public let initializationNanoseconds: UInt64?
  /// Memory that the function may use, in MB.
  public let memoryMegabytes: Int
  /// The most memory its process ever had resident, in MB; `nil` where the system does not say.
  public let peakMemoryMegabytes: Int?
  /// How it ended.
  public let status: Status

  /// Milliseconds that AWS bills: duration and initialization, rounded up together (OS-only runtimes).
  public var billedMilliseconds: UInt64 {
    (nanoseconds + (initializationNanoseconds ?? 0) + 999_999) / 1_000_000
  }

  /// The `REPORT` line, its fields separated by tabs in the order that CloudWatch Logs shows.
  public var line: String {
    var fields = [
      "REPORT RequestId: \(requestID)", "Duration: \(Self.milliseconds(nanoseconds)) ms",
      "Billed Duration: \(billedMilliseconds) ms", "Memory Size: \(memoryMegabytes) MB",
    ]
    if let peakMemoryMegabytes { fields.append("Max Memory Used: \(peakMemoryMegabytes) MB") }
    if let initializationNanoseconds {
      fields.append("Init Duration: \(Self.milliseconds(initializationNanoseconds)) ms")
    }
    switch status {
    case .success: fields.append("")
    case .timeout: fields.append("Status: timeout")
    case .error(let type): fields += ["Status: error", "Error Type: \(type)"]
    }
    return fields.joined(separator: "\t")
  }

  init(_ end: InvocationEnd, memoryMegabytes: Int, peakMemoryKiB: Int?) {
    requestID = end.invocation.requestID
    nanoseconds = end.nanoseconds
    initializationNanoseconds = end.initializationNanoseconds
    status = end.status
    self.memoryMegabytes = memoryMegabytes
    let used = peakMemoryKiB.map { ($0 + 1023) / 1024 }
    // Who ran out of memory has used all of it, whatever the last look said.
    peakMemoryMegabytes =
      end.status == .error(type: "Runtime.OutOfMemory") ? memoryMegabytes : used
  }

  /// Milliseconds with two decimals.
  static func milliseconds(_ nanoseconds: UInt64) -> String {
    let hundredths = (nanoseconds + 5_000) / 10_000
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}

/// The platform's other lines.
enum PlatformLine {
  static func start(_ invocation: Invocation) -> String {
    "START RequestId: \(invocation.requestID) Version: \(invocation.version)"
  }

  static func end(_ requestID: String) -> String { "END RequestId: \(requestID)" }

  /// Lambda writes one for a failed initialization only; the time of a good one stands in the first `REPORT`.
  static func initialization(_ end: InitializationEnd) -> String? {
    guard let failure = end.failure else { return nil }
    let phase = end.phase == .initialization ? "init" : "invoke"
    let status =
      switch failure.status {
      case .error(let type): "error\tError Type: \(type)"
      case .timeout, .success: "timeout"
      }
    let duration = InvocationReport.milliseconds(end.nanoseconds)
    return "INIT_REPORT Init Duration: \(duration) ms\tPhase: \(phase)\tStatus: \(status)"
  }

  /// What stands before `END` where the platform had to end an invocation.
  static func failure(_ end: InvocationEnd, _ answer: InvocationAnswer?) -> String? {
    let id = end.invocation.requestID
    if end.status == .timeout {
      let seconds = InvocationResult.seconds(end.invocation.timeoutMilliseconds)
      return "\(Timestamp.text(end.at.unixMilliseconds)) \(id) Task timed out after \(seconds) seconds"
    }
    // A function that posted an error in its last moment, or died after its answer, died all the same.
    if let exit = end.exit { return "RequestId: \(id) Error: \(exit.lambdaReason)" }
    return switch answer {
    case .died(let exit), .initializationFailed(.died(let exit)):
      "RequestId: \(id) Error: \(exit.lambdaReason)"
    case .initializationFailed(.notStarted(let reason)): "RequestId: \(id) Error: \(reason)"
    default: nil
    }
  }
}
