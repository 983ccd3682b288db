internal import DeploymentSmoke
internal import Foundation
internal import Text

/// What the command line orders, read and checked: the addresses, the tokens and the choice of routes.
struct SmokeOrder {
  let addresses: [DeployedAddress]
  let tokens: [RoleToken]
  let choices: SmokePlan.Choices
  /// Notes about files with tokens that other users can read.
  let notes: [String]

  /// Whether all addresses are plain, so that no token leaves this machine.
  var isPlain: Bool { addresses.allSatisfy(\.isPlain) }

  init(_ command: SmokeCommand, on machine: Machine) throws(SmokeRefusal) {
    var addresses: [DeployedAddress] = []
    for text in command.url { addresses.append(try DeployedAddress(parsing: text)) }
    guard Set(addresses.map(\.isPlain)).count == 1 else { throw .mixedAddresses }
    var (tokens, notes): ([RoleToken], [String]) = ([], [])
    for text in command.token {
      let (role, source) = try RoleToken.source(text)
      guard !tokens.contains(where: { $0.role == role }) else { throw .tokenTwice(role: role) }
      tokens.append(try RoleToken(role: role, try Self.bytes(source, of: role, on: machine)))
      if case .file(let path) = source,
        let mode = machine.files.attributes(of: path)[.posixPermissions] as? Int, mode & 0o044 != 0
      {
        notes.append("warning: --token: other users can read the file of \(role): chmod 600 it")
      }
    }
    var values: [String: String] = [:]
    for text in command.value {
      guard let (name, value) = NamedValues.pair(text) else { throw .valueForm(name: "NAME=VALUE") }
      values[name] = value
    }
    choices = try SmokePlan.Choices(
      methods: command.methods?.splitBytes(at: ",").map(String.init), values: values,
      exceptions: command.except, roles: tokens.map(\.role), wait: command.wait)
    (self.addresses, self.tokens, self.notes) = (addresses, tokens, notes)
  }

  /// The failure of a command that sends nothing.
  static func failure(_ refusal: SmokeRefusal) -> CommandFailure {
    let (problem, hint) = refusal.text
    return CommandFailure(.usage, Printable.text(problem), hint: hint.map { Printable.text($0) })
  }

  /// No error has the name of the file or variable: who mistypes an option may have written the token there.
  private static func bytes(
    _ source: RoleToken.Source, of role: String, on machine: Machine
  ) throws(SmokeRefusal) -> [UInt8] {
    let bytes: [UInt8]? =
      switch source {
      case .variable(let name): machine.environment[name].map { Array($0.utf8) }
      // Room for blanks around the token.
      case .file(let path): try? machine.files.bytes(at: path, limit: 2 * RoleToken.maximumBytes)
      }
    guard let bytes else { throw .tokenMissing(role: role) }
    return bytes
  }
}
