internal import ArgumentParser

/// The exit codes of every command.
enum CommandExit: Int32 {
  /// An expectation was not met, or the answer is no.
  case unmet = 1
  /// The function failed.
  case functionFailed = 2
  /// The function died or timed out.
  case functionDied = 3
  /// The command line or a file named in it is wrong (`EX_USAGE` of sysexits).
  case usage = 64
  /// Something needed is not there (`EX_UNAVAILABLE`).
  case unavailable = 69
}

/// A command that cannot do its work.
struct CommandFailure: Error, Equatable {
  let code: CommandExit
  /// In lower case, without a period.
  let message: String
  /// What to do about it.
  let hint: String?

  init(_ code: CommandExit, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }
}

extension CommandExit {
  /// Ends the command with this code after its answer has been given.
  var exit: ExitCode { ExitCode(rawValue) }
}
