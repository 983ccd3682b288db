package enum ProcessExit: Equatable, Sendable {
  case status(Int32)
  case signal(Int32)

  /// Creates the signal that a shell's exit status represents; `nil` for any other status.
  package init?(shellStatus code: Int32) {
    guard Self.signals[code - 128] != nil else { return nil }
    self = .signal(code - 128)
  }

  /// The exit as human-readable text: `exit status 3`, `killed by SIGSEGV`.
  package var description: String {
    switch self {
    case .status(let code): "exit status \(code)"
    case .signal(let number): "killed by \(Self.signalName(number))"
    }
  }

  /// The exit in the wording of Lambda's supervisor.
  var lambdaReason: String {
    switch self {
    case .status(0): "Runtime exited without providing a reason"
    case .status(let code): "Runtime exited with error: exit status \(code)"
    case .signal(let number): "Runtime exited with error: signal: \(Self.signalPhrase(number))"
    }
  }

  /// The signal numbers that POSIX.1-2024 defines (`kill` utility) or that Linux and Darwin share; names as in
  /// signal(7), phrases as Lambda's supervisor prints them.
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
