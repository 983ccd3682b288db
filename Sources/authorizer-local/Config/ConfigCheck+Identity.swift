internal import Text
internal import Templates
internal import FunctionHost
internal import Authorizer
internal import Identity
internal import JOSE
internal import JSON
internal import Withdrawals

/// `config check` for the identity function.
extension ConfigCheck {
  func checkIdentity() throws {
    let source = try source(of: .identity)
    let settings: IdentitySettings
    do throws(ConfigurationError) { settings = try IdentitySettings(reading: source) } catch {
      try refuse(error)
    }
    let warnings = try command.authorizer.map { try self.warnings(settings, authorizer: $0) } ?? []
    machine.terminal.answer(
      json: Self.json([], warnings), if: command.json, else: Self.lines(settings, warnings, document(source)))
  }

  /// Compares the users of receivers with the issuers of a configuration of the authorizer: what is stored for another
  /// name, or another kind of key, is never looked up.
  private func warnings(
    _ settings: IdentitySettings, authorizer path: String
  ) throws -> [ConfigurationProblem] {
    let source = LocalSource(of: path, variables, machine.files)
    let authorizer: Settings
    do throws(ConfigurationError) { authorizer = try source.settings() } catch { try refuse(error) }
    return settings.receivers.enumerated().flatMap { index, receiver in
      receiver.users.enumerated().flatMap { place, user in
        Self.flaws(of: user, authorizer).map {
          ConfigurationProblem(path: "receivers[\(index)].users[\(place)]", message: $0)
        }
      }
    }
  }

  /// Returns why signals about users of an issuer would be without effect. A sender chooses whether it ends a user or a
  /// session: logout tokens may have `sid`, and events a `session`.
  private static func flaws(of user: String, _ authorizer: Settings) -> [String] {
    let entry = authorizer.issuers.firstIndex { issuer in
      issuer.profile.issuers.contains { Receiver.isSame(Array($0.utf8), Array(user.utf8)) }
    }
    guard let entry else {
      return ["the authorizer has no entry with this issuer; its first spelling is expected"]
    }
    let profile = authorizer.issuers[entry].profile
    let id = IssuerID(position: entry)
    let revocation = authorizer.revocation
    let lookup = revocation?.lookups.first { $0.issuer == id }
    // A list looks up items of the first form, which only users of Apple have.
    let isFirstForm =
      authorizer.issuers[entry].isApple && revocation?.lookups.isEmpty == true
      && revocation?.issuers.contains(id) == true
    let kinds = lookup?.kinds ?? (isFirstForm ? [.subject] : [])
    let isSpelledSo = profile.issuers.first?.hasSameBytes(as: user) == true
    return (isSpelledSo ? [] : ["the authorizer looks up \(profile.issuers[0]); write it so"])
      + [WithdrawalKey.Kind.subject, .session].filter { !kinds.contains($0) }.map {
        "the authorizer does not look up \($0.claim), by which the sender may end tokens: add it to "
          + "revocation.issuers.\(profile.name), in an object"
      }
  }

  private func document(_ source: LocalSource) -> JSONTree? {
    let text = source.variable(ShippedFunction.identity.variable) ?? ""
    let bytes = text.hasBytePrefix("/") ? try? machine.files.bytes(at: text) : Array(text.utf8)
    return bytes.flatMap { try? JSONTree(parsing: $0, limits: .configuration) }
  }

  private static func lines(
    _ settings: IdentitySettings, _ warnings: [ConfigurationProblem], _ document: JSONTree?
  ) -> [String] {
    let audiences = document?.words("audiences") ?? []
    let store =
      switch settings.store {
      case .sqlite(let path, let revocations):
        "SQLite, \(path)" + (revocations.map { ", revocations in \($0)" } ?? "")
      case .dynamoDB(let table, let region): "DynamoDB, \(table) in \(region ?? "the function's own region")"
      }
    let hasSignIn = !audiences.isEmpty
    let nonces = document?["nonce"] == nil ? "made by the clients" : "issued by POST /auth/nonce"
    let lines =
      (hasSignIn ? ["  signs users in to \(audiences.joined(separator: " or "))"] : []) + [
        "  users: " + store
      ]
      + (hasSignIn ? ["  nonces: " + nonces] : [])
    let receivers = settings.receivers.map {
      "  receiver \($0.name): ends users of \($0.users.joined(separator: ", "))"
    }
    let found = warnings.map { "warning: \($0.description)" }
    return ([valid(warnings.count)] + lines + receivers + found).map(Printable.text)
  }
}
