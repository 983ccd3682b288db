internal import GatewayEmulator
internal import LambdaEmulator
internal import ArgumentParser
internal import Dispatch
internal import Foundation

/// The command line. Only the answer goes to standard output; everything else goes to standard error.
@main
struct AuthorizerLocal: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "authorizer-local",
    abstract: "Runs an API Gateway Lambda authorizer on this machine.",
    discussion: """
      Examples:
        authorizer-local init demo
        authorizer-local invoke events/rest-token-good.json
        authorizer-local test events
        curl -H "Authorization: Bearer $(authorizer-local token good)" https://api.example.com/pets
        authorizer-local explain events/rest-token-expired.json
        authorizer-local evaluate policy.json --arn "$ARN"

      Exit codes:
        0   decided
        1   an expectation failed, or the answer is no
        2   the function failed, or an analysis has no result
        3   the function died or timed out
        64  usage error
        69  a required file or program is missing
      """,
    version: "authorizer-local \(Release.version)",
    subcommands: [
      InitCommand.self, InvokeCommand.self, TestCommand.self, TokenCommand.self, ProofCommand.self,
      KeysCommand.self,
      EventCommand.self,
      EvaluateCommand.self, ExplainCommand.self, ConfigCommand.self, BenchCommand.self,
      ServeCommand.self, RevokeCommand.self, RoutesCommand.self, PackageCommand.self, DoctorCommand.self,
      SmokeCommand.self,
    ])

  /// Not async: that would end this thread, for which glibc loads libgcc_s.so.1, and a machine may have none
  /// (pthread_exit(3)).
  static func main() {
    let interruption = Interruption()
    Task.detached {
      let end = await end(of: Array(CommandLine.arguments.dropFirst()), on: .current)
      FunctionPackage.removeAll()
      Foundation.exit(end)
    }
    withExtendedLifetime(interruption) { while true { pause() } }
  }

  /// Runs the command with these arguments and returns its exit code.
  static func end(of arguments: [String], on machine: Machine) async -> Int32 {
    var machine = machine
    machine.release = Release.version
    do {
      var command = try parseAsRoot(arguments)
      if let command = command as? any LocalCommand {
        try await command.run(on: machine)
      } else {
        // A group of commands, which shows its help.
        try command.run()
      }
      return 0
    } catch let failure as CommandFailure {
      let isGeneral = failure.hint == CommandFailure.help
      machine.terminal.error(failure.message, hint: isGeneral ? help(arguments) : failure.hint)
      return failure.code.rawValue
    } catch let exit as CommandExit {
      return exit.rawValue
    } catch {
      return end(after: error, arguments, on: machine)
    }
  }

  /// The hint that names the help of the command.
  private static func help(_ arguments: [String]) -> String {
    let path = UnknownCommand.path(of: arguments[...], among: configuration.subcommands)
    return ([CommandFailure.help] + path).joined(separator: " ")
  }

  /// Returns the exit code for an error of the parser. Help is an answer; everything else is printed as a usage
  /// error.
  private static func end(after error: any Error, _ arguments: [String], on machine: Machine) -> Int32 {
    let code = exitCode(for: error)
    // The parser answers `help` of an unknown command with the general help.
    let isHelp = arguments.first == "help"
    if isHelp || code != .success,
      let unknown = UnknownCommand.find(
        in: isHelp ? arguments.dropFirst() : arguments[...], among: configuration.subcommands)
    {
      machine.terminal.error(unknown.message, hint: unknown.hint)
      return CommandExit.usage.rawValue
    }
    if code == .success {
      let help = fullMessage(for: error, columns: HelpText.unlimited)
      machine.terminal.answer(HelpText.wrapped(help, columns: HelpText.columns(machine.environment)))
      return 0
    }
    let message = message(for: error)
    machine.terminal.error(message.prefix(1).lowercased() + message.dropFirst(), hint: help(arguments))
    return code == .validationFailure ? CommandExit.usage.rawValue : code.rawValue
  }
}

enum Release {
  /// The version (semver.org 2.0.0) of the next release.
  static let version = "0.1.0-unreleased"
}

/// Ends the functions on Ctrl-C and similar signals. A function has its own process group, so the terminal's signal
/// does not reach it.
private struct Interruption {
  private let sources: [any DispatchSourceSignal]

  init() {
    // A closed pipe must not end this process before the function is ended.
    _ = signal(SIGPIPE, SIG_IGN)
    sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      _ = signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        ChildProcess.killAll()
        FunctionPackage.removeAll()
        // The exit code that a shell reports: 128 plus the signal number.
        _exit(128 + number)
      }
      source.resume()
      return source
    }
  }
}
