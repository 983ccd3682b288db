internal import Text
internal import LambdaEmulator
internal import TestTokens
internal import ArgumentParser
internal import Foundation

/// What a command takes from outside: files, variables, time and terminal. A test makes a machine of its own.
struct Machine: Sendable {
  var files: FileSystem
  let environment: [String: String]
  let terminal: Terminal
  /// The programs and files of this release.
  let installation: Installation
  /// The development keys, and the folder of local users.
  let development: DevelopmentState
  /// This program as it was called.
  let program: String
  /// The version of this program.
  var release = ""
  /// Returns the Unix time in seconds.
  private(set) var now: @Sendable () -> Int64
  /// Removes the variables from this process, before foreign code starts that could look there.
  var forgetVariables: @Sendable () -> Void = {}

  /// - Parameter executable: path of this program, without symbolic links.
  init(
    files: FileSystem, environment: [String: String], terminal: Terminal, executable: String,
    program: String = "authorizer-local", now: @escaping @Sendable () -> Int64 = Moment.current,
    generateKeys: @escaping @Sendable () throws(DevelopmentKeysError) -> DevelopmentKeys = DevelopmentKeys
      .generate
  ) {
    self.files = files
    self.environment = environment
    self.terminal = terminal
    self.program = program
    self.now = now
    installation = Installation(executable: executable, files: files, terminal: terminal)
    development = DevelopmentState(
      files: files, environment: environment, terminal: terminal, generateKeys: generateKeys)
  }

  /// This machine with a clock that stops when it is first read.
  var stopping: Machine {
    var machine = self
    let time = Once(now)
    machine.now = { time.value }
    return machine
  }

  static var current: Machine {
    let environment = ProcessInfo.processInfo.environment
    var machine = Machine(
      files: FileSystem(currentDirectory: FileManager.default.currentDirectoryPath), environment: environment,
      terminal: Terminal(environment: environment), executable: Installation.executable(),
      program: CommandLine.arguments.first ?? "authorizer-local")
    machine.forgetVariables = { HandlerFunction.forget(environment) }
    return machine
  }

  /// This program as a word for a shell, in any folder: a relative path would be wrong in another one.
  var command: String {
    ShellWord.quoted(
      program.containsBytes(of: "/") ? files.absolute(program) : program, or: "authorizer-local")
  }

  var timeouts: TimeoutFactor { TimeoutFactor(environment: environment) }
}

/// A command of this program.
protocol LocalCommand: ParsableCommand {
  /// Runs the command.
  ///
  /// - Throws: `CommandFailure` if the command could not do its work, and `CommandExit` if the answer is no.
  func run(on machine: Machine) async throws
}
