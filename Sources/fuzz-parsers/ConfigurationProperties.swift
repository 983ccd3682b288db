@testable internal import Authorizer
@testable internal import FunctionHost
@testable internal import IssuerKeys
@testable internal import JOSE
internal import Bytes
internal import JSON

/// Properties of configurations in both forms.
enum ConfigurationProperties {
  /// Checks a text that begins with a brace as the JSON form, any other text also as the short form: its first three
  /// lines are the variables.
  static func check(_ bytes: [UInt8]) throws(Finding) {
    // An environment variable ends at a NUL and may hold any other byte.
    let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    try check(InputSource(document: text, issuer: nil, audience: nil, keys: nil))
    guard text.utf8.first != .openingBrace else { return }
    let lines = text.utf8.split(separator: .lineFeed, maxSplits: 2, omittingEmptySubsequences: false).map {
      String(Substring($0))
    }
    try check(
      InputSource(
        document: nil, issuer: lines[0], audience: lines.count > 1 ? lines[1] : nil,
        keys: lines.count > 2 ? lines[2] : "keys.json"))
  }

  private static func check(_ source: InputSource) throws(Finding) {
    let settings: Settings
    do throws(ConfigurationError) {
      settings = try Settings(reading: source)
    } catch {
      try Finding.unless(!error.problems.isEmpty, "a refused configuration has a problem")
      try Finding.unless(error.problems.allSatisfy { !$0.message.isEmpty }, "each problem has a message")
      return
    }
    try check(settings)
  }

  private static func check(_ settings: Settings) throws(Finding) {
    try Finding.unless(!settings.issuers.isEmpty, "a configuration has an issuer")
    try Finding.unless(!settings.tokenSources.isEmpty, "a configuration has a token source")
    let names = settings.issuers.map { Array($0.profile.name.utf8) }
    try Finding.unless(Set(names).count == names.count, "no two issuers share a name")
    let issuers = settings.issuers.flatMap { $0.profile.issuers.map { Array($0.utf8) } }
    try Finding.unless(Set(issuers).count == issuers.count, "no two entries share an iss")
    for issuer in settings.issuers {
      let profile = issuer.profile
      try Finding.unless(
        !profile.issuers.isEmpty && !profile.issuers.contains(where: { $0.isEmpty }), "an issuer has its iss")
      try Finding.unless(
        !profile.audience.values.isEmpty && !profile.audience.values.contains(where: { $0.isEmpty }),
        "an issuer has an audience"
      )
      try Finding.unless(0...300 ~= profile.leewaySeconds, "leeway is at most 300 seconds")
      try check(issuer.keys, of: profile)
    }
  }

  /// Key sets are only for public-key algorithms and secrets only for HMAC, which prevents algorithm confusion.
  private static func check(_ material: IssuerKeyMaterial, of profile: IssuerProfile) throws(Finding) {
    let algorithms = profile.algorithms
    try Finding.unless(!algorithms.isEmpty, "an issuer has algorithms")
    switch material {
    case .published(let source):
      try Finding.unless(!algorithms.contains { $0.isSymmetric }, "an issuer with a key set has no HMAC")
      try Finding.unless(
        source.address != nil || source.seed != nil, "an issuer has keys or an address of keys")
      guard let seed = source.seed else { return }
      try Finding.unless(
        seed.keys.keys.contains { $0.algorithms.contains(where: algorithms.contains) },
        "an issuer has a key that fits its algorithms")
    case .secret(let secret):
      try Finding.unless(algorithms.allSatisfy { $0.isSymmetric }, "an issuer with a secret has only HMAC")
      try Finding.unless(algorithms.allSatisfy(secret.algorithms.contains), "a secret fits its algorithms")
    }
  }
}

/// A configuration from the input. Every file contains the same key set, which is also long enough for a secret.
struct InputSource: ConfigurationSource {
  let document: String?
  let issuer: String?
  let audience: String?
  let keys: String?

  func variable(_ name: String) -> String? {
    let value =
      switch name {
      case "AUTHORIZER_CONFIG": document
      case "AUTHORIZER_ISSUER": issuer
      case "AUTHORIZER_AUDIENCE": audience
      case "AUTHORIZER_KEYS": keys
      default: String?.none
      }
    return value?.isEmpty == true ? nil : value
  }

  func file(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    // A configuration file that names itself must not cause an endless loop.
    guard path != document else { throw .unreadable(errno: 2) }
    return ProcessKeys.keySet
  }
}
