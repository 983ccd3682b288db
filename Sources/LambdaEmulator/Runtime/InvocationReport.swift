/// The numbers of one invocation's `REPORT` line.
package struct InvocationReport: Equatable, Sendable {
  /// The status of the invocation for the platform. An error that the function itself reported counts as success.
  package enum Status: Equatable, Sendable {
    case success
    case timeout
    case error(type: String)
  }

  package let requestID: String
  /// The time from sending the event to the function's next `/next`, in nanoseconds. It includes work after the
  /// answer.
  package let nanoseconds: UInt64
  /// The duration of the initialization before this invocation, in nanoseconds; `nil` for a warm start.
  package let initializationNanoseconds: UInt64?
  package let memoryMegabytes: Int
  /// The peak resident memory of the process in MB; `nil` if the system does not report it.
  package let peakMemoryMegabytes: Int?
  package let status: Status

  /// The billed milliseconds: the sum of duration and initialization, rounded up (OS-only runtimes).
  package var billedMilliseconds: UInt64 {
    (nanoseconds + (initializationNanoseconds ?? 0) + 999_999) / 1_000_000
  }

  /// The `REPORT` line, with tab-separated fields in the order of CloudWatch Logs.
  package var line: String {
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
    // A process that ran out of memory used all of it, even if the last sample was lower.
    peakMemoryMegabytes =
      end.status == .error(type: "Runtime.OutOfMemory") ? memoryMegabytes : used
  }

  /// Returns milliseconds with two decimals.
  package static func milliseconds(_ nanoseconds: UInt64) -> String {
    let hundredths = (nanoseconds + 5_000) / 10_000
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}

/// The platform's other log lines.
enum PlatformLine {
  static func start(_ invocation: Invocation) -> String {
    "START RequestId: \(invocation.requestID) Version: \(invocation.version)"
  }

  static func end(_ requestID: String) -> String { "END RequestId: \(requestID)" }

  /// Returns the `INIT_REPORT` line of a failed initialization; `nil` for a successful one, which is part of the
  /// first `REPORT`.
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

  /// Returns the line before `END` if the platform ended the invocation.
  static func failure(_ end: InvocationEnd, _ answer: InvocationAnswer?) -> String? {
    let id = end.invocation.requestID
    if end.status == .timeout {
      let seconds = InvocationResult.seconds(end.invocation.timeoutMilliseconds)
      return "\(Timestamp.text(end.at.unixMilliseconds)) \(id) Task timed out after \(seconds) seconds"
    }
    // The exit is reported even if the function posted an error just before, or exited after its answer.
    if let exit = end.exit { return "RequestId: \(id) Error: \(exit.lambdaReason)" }
    return switch answer {
    case .died(let exit), .initializationFailed(.died(let exit)):
      "RequestId: \(id) Error: \(exit.lambdaReason)"
    case .initializationFailed(.notStarted(let reason)): "RequestId: \(id) Error: \(reason)"
    default: nil
    }
  }
}
