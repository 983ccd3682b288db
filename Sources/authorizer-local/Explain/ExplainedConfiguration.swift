internal import Text
internal import Authorizer
internal import Foundation
internal import FunctionHost
internal import JOSE
internal import JSON
internal import TestTokens

/// The configuration that a token is explained with, and the choice of keys for each token.
struct ExplainedConfiguration {
  let source: LocalSource
  /// The key set to verify with, instead of each issuer's own.
  let jwks: String?
  let realKeys: Bool
  let machine: Machine
  /// The settings of `source`, where they are read already.
  var known: Settings?

  /// The settings and the source of their keys.
  struct Reading {
    let settings: Settings
    /// Text for people, such as `the development keys`.
    let keys: String
    /// Why there are no keys. The settings then contain placeholder keys.
    let problem: String?
  }

  /// Returns the settings for a token, or without a token.
  ///
  /// - Throws: `CommandFailure` if the configuration is invalid for other reasons than its keys.
  func reading(for token: [UInt8]?) throws(CommandFailure) -> Reading {
    if let known { return Reading(settings: known, keys: "from the configuration", problem: nil) }
    if let jwks {
      // Read here, so that each unusable key is named.
      let keys = try KeySetFile.read(jwks, on: machine)
      KeySetFile.note(keys.unusable, of: jwks, on: machine.terminal)
      let replaced = try source.replacingKeys(with: machine.files.absolute(jwks))
      return Reading(settings: try Self.settings(replaced), keys: jwks, problem: nil)
    }
    if realKeys || !Self.isDevelopmentToken(token) {
      do throws(ConfigurationError) {
        return Reading(settings: try source.settings(), keys: "from the configuration", problem: nil)
      } catch {
        // If only the keys are wrong, everything else can be explained without them.
        let others = try Self.settings(try source.replacingKeys(with: machine.development.keySetPath()))
        return Reading(
          settings: others, keys: "none", problem: error.problems.map(\.description).joined(separator: "; "))
      }
    }
    let replaced = try source.replacingKeys(with: machine.development.keySetPath())
    return Reading(settings: try Self.settings(replaced), keys: "the development keys", problem: nil)
  }

  /// Whether the token is signed with a development key. Without a token the keys do not matter.
  private static func isDevelopmentToken(_ token: [UInt8]?) -> Bool {
    guard let token else { return true }
    let header = TokenExplanation(of: token, profiles: [], at: 0) { _ in nil }.header
    return header?["kid"]?.text?.hasBytePrefix(DevelopmentKeyName.idPrefix) == true
  }

  private static func settings(_ source: LocalSource) throws(CommandFailure) -> Settings {
    try Result(catching: source.settings).mapError {
      CommandFailure(
        .usage, "the configuration cannot be used:\n" + $0.description,
        hint: "authorizer-local config check reports the same problems")
    }.get()
  }
}

extension LocalSource {
  /// Returns the same configuration, with the keys of one file for each issuer that has public keys.
  func replacingKeys(with path: String) throws(CommandFailure) -> LocalSource {
    var variables = variables
    variables["AUTHORIZER_DEVELOPMENT"] = "1"
    if variables["AUTHORIZER_ISSUER"] != nil {
      variables["AUTHORIZER_KEYS"] = path
    } else if let document, let tree = try? JSONTree(parsing: document, limits: .configuration) {
      let replaced = FunctionConfiguration.withKeys(tree, keySet: path)
      variables["AUTHORIZER_CONFIG"] = String(decoding: replaced.bytes(), as: UTF8.self)
    }
    return LocalSource(variables: variables, taskRoot: taskRoot)
  }

  /// The text of the configuration if it can be read. Its problems are reported when the settings are read.
  private var document: [UInt8]? {
    let text = variable("AUTHORIZER_CONFIG") ?? "authorizer.json"
    if text.drop(while: { $0.isWhitespace }).first == "{" { return Array(text.utf8) }
    return try? file(text, limit: JSONLimits.configuration.bytes)
  }
}
