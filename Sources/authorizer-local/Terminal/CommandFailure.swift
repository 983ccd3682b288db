/// The exit codes of every command. As an error, a code ends the command after its answer was printed.
enum CommandExit: Int32, Error {
  /// An expectation failed, or the answer is no.
  case unmet = 1
  /// The function failed, or an analysis has no result.
  case functionFailed = 2
  /// The function died or timed out.
  case functionDied = 3
  /// The command line or a file named in it is wrong (`EX_USAGE` of sysexits).
  case usage = 64
  /// A required file or program is missing (`EX_UNAVAILABLE`).
  case unavailable = 69
}

/// A failure of a command, with its exit code.
struct CommandFailure: Error, Equatable {
  let code: CommandExit
  /// In lower case, without a period.
  let message: String
  /// What to do about it.
  let hint: String?
  /// The invalid file, if several events of a command may read it.
  var sharedFile: String?

  init(_ code: CommandExit, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }
}

extension CommandFailure {
  /// The hint for options that cannot be used.
  static let help = "see authorizer-local help"

  /// Creates the failure for options that cannot be used, as for those that the parser refuses.
  init(options message: String) { self.init(.usage, message, hint: Self.help) }
}

extension [CommandExit] {
  var worst: CommandExit? { self.max { $0.rawValue < $1.rawValue } }
}
