/// How a process ended.
public enum ProcessExit: Equatable, Sendable {
  /// It left with this status.
  case status(Int32)
  /// This signal ended it.
  case signal(Int32)

  /// The signal that a shell's status stands for; `nil` for any other status.
  init?(shellStatus code: Int32) {
    guard Self.signals[code - 128] != nil else { return nil }
    self = .signal(code - 128)
  }

  /// For people: `exit status 3`, `killed by SIGSEGV`.
  public var description: String {
    switch self {
    case .status(let code): "exit status \(code)"
    case .signal(let number): "killed by \(Self.signalName(number))"
    }
  }

  /// The document that Lambda gives to the caller for the invocation it cut off.
  public func errorDocument(requestID: String, type: String = "Runtime.ExitError") -> [UInt8] {
    RuntimeReply.errorBody(message: "RequestId: \(requestID) Error: \(lambdaReason)", type: type)
  }

  /// The end in the words of Lambda's supervisor.
  var lambdaReason: String {
    switch self {
    case .status(0): "Runtime exited without providing a reason"
    case .status(let code): "Runtime exited with error: exit status \(code)"
    case .signal(let number): "Runtime exited with error: signal: \(Self.signalPhrase(number))"
    }
  }

  /// Numbers that POSIX.1-2024 fixes (`kill` utility) or that Linux and Darwin share; names as in signal(7), phrases
  /// as Lambda's supervisor prints them.
  private static let signals: [Int32: (name: String, phrase: String)] = [
    1: ("SIGHUP", "hangup"), 2: ("SIGINT", "interrupt"), 3: ("SIGQUIT", "quit"),
    4: ("SIGILL", "illegal instruction"), 5: ("SIGTRAP", "trace/breakpoint trap"), 6: ("SIGABRT", "aborted"),
    8: ("SIGFPE", "floating point exception"), 9: ("SIGKILL", "killed"),
    11: ("SIGSEGV", "segmentation fault"), 13: ("SIGPIPE", "broken pipe"), 14: ("SIGALRM", "alarm clock"),
    15: ("SIGTERM", "terminated"),
  ]

  private static func signalName(_ number: Int32) -> String { signals[number]?.name ?? "signal \(number)" }

  private static func signalPhrase(_ number: Int32) -> String {
    signals[number]?.phrase ?? "signal \(number)"
  }
}
