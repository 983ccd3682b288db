internal import Text
internal import IAMPolicy
internal import Templates
internal import Authorizer
internal import FunctionHost
internal import IssuerKeys
internal import JOSE
internal import JSON

/// One run of `config check`: reads a configuration as the function does, and prints every problem.
struct ConfigCheck {
  let command: ConfigCommand.Check
  let machine: Machine

  /// - Throws: `CommandFailure` if there is nothing to check, and `CommandExit` if it is invalid.
  func run() throws {
    if command.function == .identity { return try checkIdentity() }
    let source = try source(of: .authorizer)
    let settings: Settings
    do throws(ConfigurationError) { settings = try source.settings() } catch { try refuse(error) }
    let warnings = settings.warnings + (try routeWarnings(settings))
    machine.terminal.answer(
      json: Self.json([], warnings, keys: Self.keyLines(settings)), if: command.json,
      else: Self.lines(settings, warnings) + comparisonNote(settings))
  }

  /// Prints every problem. If a secret's variable is missing, also prints how to check without the secret.
  func refuse(_ error: ConfigurationError) throws -> Never {
    machine.terminal.answer(
      json: Self.json(error.problems, []), if: command.json,
      else: error.problems.map { Printable.text($0.description) })
    let suffixes = ["secret.environment", "authorization.environment"]
    if error.problems.contains(where: { problem in suffixes.contains { problem.path.hasByteSuffix($0) } }) {
      machine.terminal.note(
        "hint: the check reads the secret's variable, as the function does: set it to random bytes of the same length"
      )
    }
    throw CommandExit.unmet
  }

  /// All variables, because a secret may be in any of them.
  var variables: [String: String] {
    machine.environment.merging(command.development ? ["AUTHORIZER_DEVELOPMENT": "1"] : [:]) { $1 }
  }

  /// Returns the source of the given configuration: of a file, of the variables, or of the nearest file.
  func source(of function: ShippedFunction) throws(CommandFailure) -> LocalSource {
    let (files, here) = (machine.files, machine.files.currentDirectory)
    var variables = variables
    // Lambda sets AWS_REGION ("Defined runtime environment variables"). The check works with any region.
    if function == .identity { variables["AWS_REGION"] = variables["AWS_REGION"] ?? "us-east-1" }
    let isGiven = function.configuringVariables.contains { variables[$0] != nil }
    guard let path = command.file ?? (isGiven ? nil : files.nearest(function.fileName, from: here)) else {
      guard isGiven else {
        throw CommandFailure(
          .usage, "no configuration to check",
          hint: "name a file: authorizer-local config check" + (function == .identity ? " --identity" : "")
            + " FILE")
      }
      return LocalSource(variables: variables, taskRoot: here)
    }
    guard path != "-" else {
      variables = variables.filter { !LocalSource.shortForm.contains($0.key) }
      variables[function.variable] = String(decoding: try files.bytes(at: path), as: UTF8.self)
      return LocalSource(variables: variables, taskRoot: here)
    }
    // Read here too, so that a wrong path is a usage error and not an invalid configuration.
    guard !files.isDirectory(path), (try? files.bytes(at: path)) != nil else {
      throw files.unreadable(
        path,
        orElse:
          "name a file such as template/\(function.fileName), or omit it to check the nearest \(function.fileName)"
      )
    }
    return LocalSource(of: path, for: function, variables, files)
  }

  /// Returns a summary of the settings, one line for each issuer.
  private static func lines(_ settings: Settings, _ problems: [ConfigurationProblem]) -> [String] {
    let lines = settings.issuers.flatMap { issuer -> [String] in
      let profile = issuer.profile
      let algorithms = profile.algorithms.map(\.rawValue).joined(separator: ", ")
      let line =
        "  \(profile.name): \(profile.issuers.joined(separator: " or ")) for "
        + "\(ExplanationWords.values(profile.audience)), \(algorithms), "
        + ExplanationWords.count(issuer.keys.deployed)
      return [line] + (issuer.proof.map { ["  \(profile.name), bound tokens: " + $0.text] } ?? [])
    }
    let guests = settings.guestRoutes
    let anonymous = guests.isEmpty ? [] : ["  guests: " + guests.joined(separator: ", ")]
    let revocation = settings.revocation.map { ["  revocation: " + $0.text(in: settings)] } ?? []
    let warnings = problems.map { "warning: \($0.description)" }
    let notes = keyLines(settings).map { "note: " + $0 }
    return [valid(warnings.count)]
      + (lines + anonymous + revocation + warnings + notes).map(Printable.text)
  }

  /// Returns the first line of a valid configuration.
  static func valid(_ warnings: Int) -> String {
    "valid" + (warnings == 0 ? "" : warnings == 1 ? ", 1 warning" : ", \(warnings) warnings")
  }

  /// Returns the notes about the keys that are deployed with the function.
  private static func keyLines(_ settings: Settings) -> [String] {
    settings.issuers.flatMap { issuer -> [String] in
      guard case .keys(let keys)? = issuer.keys.deployed else { return [] }
      return KeySetFile.lines(keys).map { "\(issuer.profile.name): \($0)" }
    }
  }

  static func json(
    _ problems: [ConfigurationProblem], _ warnings: [ConfigurationProblem], keys: [String] = []
  ) -> [UInt8] {
    JSONTree.members([
      "valid": .boolean(problems.isEmpty), "problems": .array(problems.map(tree)),
      "warnings": .array(warnings.map(tree)), "keys": .array(keys.map { .string($0) }),
    ]).bytes(indentedBy: 2)
  }

  private static func tree(_ problem: ConfigurationProblem) -> JSONTree {
    .members(["path": .string(problem.path), "message": .string(problem.message)])
  }
}
