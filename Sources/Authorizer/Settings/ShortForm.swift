internal import Bytes
import FunctionHost
import IssuerKeys
import JOSE
import JSON

/// The three variables that configure a single issuer.
struct ShortForm {
  let issuer: String?
  let audiences: String?
  let keys: String?
  /// The name of the JSON form, if it is present too.
  let document: String?

  /// Returns `nil` if none of the three is set.
  init?(_ source: some ConfigurationSource) {
    issuer = source.variable("AUTHORIZER_ISSUER")
    audiences = source.variable("AUTHORIZER_AUDIENCE")
    keys = source.variable("AUTHORIZER_KEYS")
    if issuer == nil, audiences == nil, keys == nil { return nil }
    if source.variable("AUTHORIZER_CONFIG") != nil {
      document = "AUTHORIZER_CONFIG"
    } else if Self.exists("authorizer.json", source) {
      // Refuse both: a leftover variable must not override a strict file.
      document = "authorizer.json"
    } else {
      document = nil
    }
  }

  private static func exists(_ path: String, _ source: some ConfigurationSource) -> Bool {
    do throws(FileError) {
      _ = try source.file(path, limit: JSONLimits.configuration.bytes)
      return true
    } catch {
      // ENOENT of Linux and macOS (errno(3)).
      return error != .unreadable(errno: 2)
    }
  }

  func settings(_ source: some ConfigurationSource, _ problems: ProblemList) -> Settings? {
    if let document {
      problems.add(
        document,
        "cannot be combined with AUTHORIZER_ISSUER, AUTHORIZER_AUDIENCE or AUTHORIZER_KEYS; use one form")
      return nil
    }
    var configuration = IssuerConfiguration(
      path: "AUTHORIZER_ISSUER",
      paths: [
        "issuer": "AUTHORIZER_ISSUER", "audiences": "AUTHORIZER_AUDIENCE", "keys": "AUTHORIZER_KEYS",
      ])
    if let keys = keys?.trimmed {
      // A variable that is set but blank is an error; falling back to the preset's own address would be a guess.
      if keys.isEmpty { configuration.addMissingKeys(nil, problems) }
      configuration.keys = KeysConfiguration(path: "AUTHORIZER_KEYS", shortForm: keys)
    }
    guard let issuer = issuer?.trimmed, !issuer.isEmpty else {
      problems.add("AUTHORIZER_ISSUER", "missing: a preset or an https issuer")
      // A preset would know the URL of its keys, so none are missing; keys that are named can still be wrong.
      if configuration.keys != nil { _ = configuration.material(nil, source, problems) }
      return nil
    }
    if issuer.hasWebScheme {
      configuration.issuer = issuer
      configuration.algorithms = [.rs256, .es256]
    } else {
      configuration.preset = issuer
    }
    configuration.audiences = audiences.map {
      $0.utf8.split(separator: .comma).map { String(Substring($0)).trimmed }.filter { !$0.isEmpty }
    }
    guard let issuer = configuration.settings(configuration.resolvedPreset(problems), source, problems) else {
      return nil
    }
    return Settings(
      issuers: [issuer], places: CredentialPlaces(sources: [.header("authorization")]),
      warnings: [issuer].claimWarnings(nil), isDevelopment: source.isDevelopment)
  }
}
