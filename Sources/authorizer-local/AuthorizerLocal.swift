internal import ArgumentParser
internal import Dispatch
internal import Emulator
internal import Foundation

/// The command line: only the answer on standard output, the rest on standard error.
@main
struct AuthorizerLocal: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "authorizer-local",
    abstract: "Runs an API Gateway Lambda authorizer on this machine as the cloud would.",
    discussion: """
      Examples:
        authorizer-local invoke events/rest-token-good.json
        authorizer-local test events
        curl -H "Authorization: Bearer $(authorizer-local token good)" https://api.example.com/pets
        authorizer-local explain events/rest-token-expired.json
        authorizer-local evaluate policy.json --arn "$ARN"

      Exit codes:
        0   a verdict was given
        1   an expectation was not met, or the answer is no
        2   the function failed
        3   the function died or timed out
        64  usage
        69  something needed is not there
      """,
    version: "authorizer-local \(Release.version)",
    subcommands: [
      InvokeCommand.self, TestCommand.self, TokenCommand.self, KeysCommand.self, EventCommand.self,
      EvaluateCommand.self, ExplainCommand.self, JWSCommand.self, ConfigCommand.self, BenchCommand.self,
      ServeCommand.self, PackageCommand.self, DoctorCommand.self,
    ])

  static func main() async {
    let interruption = Interruption()
    defer { interruption.stop() }
    let end = await end()
    FunctionPackage.removeAll()
    if end != 0 { Foundation.exit(end) }
  }

  /// Runs the command; its exit code.
  private static func end() async -> Int32 {
    do {
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      return 0
    } catch let failure as CommandFailure {
      Terminal.error(failure.message, hint: failure.hint)
      return failure.code.rawValue
    } catch let code as ExitCode {
      return code.rawValue
    } catch {
      return end(after: error)
    }
  }

  /// The parser's own ends: help is an answer, everything else a usage error in our words' manner.
  private static func end(after error: any Error) -> Int32 {
    let code = exitCode(for: error)
    if code == .success {
      Terminal.answer(fullMessage(for: error))
      return 0
    }
    if let unknown = UnknownCommand.find(
      in: CommandLine.arguments.dropFirst(), among: configuration.subcommands)
    {
      Terminal.error(unknown.message, hint: unknown.hint)
      return CommandExit.usage.rawValue
    }
    let message = message(for: error)
    Terminal.error(
      message.prefix(1).lowercased() + message.dropFirst(), hint: "see authorizer-local help")
    return code == .validationFailure ? CommandExit.usage.rawValue : code.rawValue
  }
}

/// What is running.
enum Release {
  /// The version of the changelog's head (semver.org 2.0.0).
  static let version = "0.1.0-unreleased"
}

/// Ctrl-C and its like: the function has a process group of its own, so the terminal's signal does not reach it.
private struct Interruption {
  private let sources: [any DispatchSourceSignal]

  init() {
    // A reader that went away must not end us before the function is ended.
    _ = signal(SIGPIPE, SIG_IGN)
    sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      _ = signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        FunctionProcess.killAll()
        FunctionPackage.removeAll()
        // As a shell reports it: 128 and the signal's number.
        _exit(128 + number)
      }
      source.resume()
      return source
    }
  }

  func stop() {
    for source in sources { source.cancel() }
  }
}
