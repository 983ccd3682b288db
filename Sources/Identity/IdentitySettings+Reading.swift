import Bytes
package import FunctionHost
import IssuerKeys
import JOSE
import JSON

extension IdentitySettings {
  /// Reads the configuration of this environment: `IDENTITY_CONFIG`, inline JSON or a path, or `identity.json`.
  ///
  /// - Throws: `ConfigurationError` with every problem found.
  package init(reading source: some ConfigurationSource) throws(ConfigurationError) {
    self = try source.settings { problems in
      var reader = source.reader(
        variable: "IDENTITY_CONFIG", file: "identity.json", hint: "set it to a path or to inline JSON",
        problems)
      return reader?.identitySettings(source)
    }
  }
}

extension ObjectReader {
  fileprivate mutating func identitySettings(_ source: some ConfigurationSource) -> IdentitySettings? {
    _ = value("$schema")
    let receivers = receivers(source)
    let apple = appleSettings(source, isRequired: receivers == nil)
    let nonces = nonceSettings(source)
    let store = storeSettings(source)
    let basePath = basePath()
    let issuer = text("authorizerIssuer") ?? "apple"
    let fetch = fetchSettings(source)
    finish()
    guard let store, problems.problems.isEmpty else { return nil }
    return IdentitySettings(
      apple: apple, receivers: receivers ?? [], nonces: nonces, store: store, basePath: basePath,
      authorizerIssuer: issuer, fetch: fetch, isDevelopment: source.isDevelopment)
  }

  /// The settings of Sign in with Apple; `nil` without `audiences`, or if problems were reported.
  private mutating func appleSettings(
    _ source: some ConfigurationSource, isRequired: Bool
  ) -> AppleSettings? {
    let audiences = texts("audiences")
    let maximumAge = integer("maximumAgeSeconds", in: 1...IssuerPreset.idTokenLifetimeSeconds)
    if value("audiences") == nil {
      if isRequired { add("audiences", "missing: the bundle and Services IDs that the tokens are for") }
      for name in ["keys", "nonce", "maximumAgeSeconds"] where !isRequired && value(name) != nil {
        add(name, "has no effect without \"audiences\", which turn Sign in with Apple on; remove it")
      }
    }
    let keys = keySource(source)
    let age = maximumAge ?? IdentitySettings.defaultMaximumAgeSeconds
    guard let audiences, let keys, let apple = Self.apple,
      let identity = profile(apple, audiences, maximumAgeSeconds: age),
      let notification = profile(.appleNotification, audiences, maximumAgeSeconds: nil)
    else { return nil }
    return AppleSettings(identity: identity, notification: notification, keys: keys)
  }

  private static var apple: IssuerPreset? { try? IssuerPreset(parsing: "apple") }

  private func profile(
    _ preset: IssuerPreset, _ audiences: [String], maximumAgeSeconds: Int64?
  ) -> IssuerProfile? {
    do throws(IssuerProfile.Flaw) {
      return try IssuerProfile(
        name: preset.name, issuers: preset.issuers, audience: .audience(audiences),
        algorithms: preset.algorithms, types: preset.types,
        maximumLifetimeSeconds: preset.maximumLifetimeSeconds, maximumAgeSeconds: maximumAgeSeconds,
        claimRules: preset.claimRules, principal: preset.principal.map { ClaimPath(name: $0) },
        hasSubject: preset.hasSubject, requiresKeyID: preset.requiresKeyID)
    } catch {
      problems.add("audiences", error.description)
      return nil
    }
  }

  /// The key source, configured like an issuer's keys in the authorizer; the default is Apple's own address.
  private mutating func keySource(_ source: some ConfigurationSource) -> KeySource? {
    let configuration = reader("keys").map { KeysConfiguration($0) } ?? KeysConfiguration(path: "keys")
    guard !problems.concerns("keys"), let apple = Self.apple else { return nil }
    let entry = KeysConfiguration.Entry(
      algorithms: apple.algorithms, isFixedByPreset: true, presetAddress: apple.keysURL)
    guard case .published(let keys)? = configuration.material(source, entry, problems) else { return nil }
    return keys
  }

  private mutating func nonceSettings(_ source: some ConfigurationSource) -> NonceSettings? {
    guard var nonce = reader("nonce") else { return nil }
    let lifetime = nonce.integer("lifetimeSeconds", in: NonceSettings.lifetimeRange)
    let configuration = nonce.reader("secret").map { SecretConfiguration($0) }
    if configuration == nil, !problems.concerns("nonce.secret") {
      nonce.add("secret", "missing: at least \(MessageAuthentication.tagBytes) random bytes")
    }
    nonce.finish()
    guard case .secret(let secret)? = configuration?.material(source, [.hs256], problems) else { return nil }
    return NonceSettings(
      authentication: MessageAuthentication(secret: secret),
      lifetimeSeconds: lifetime ?? NonceSettings.defaultLifetimeSeconds)
  }

  private mutating func storeSettings(_ source: some ConfigurationSource) -> StoreSettings? {
    guard var store = reader("store") else {
      if !problems.concerns("store") { add("store", "missing: \"sqlite\" or \"dynamoDB\"") }
      return nil
    }
    let sqlite = store.value("sqlite") == nil ? nil : store.reader("sqlite")
    let dynamoDB = store.value("dynamoDB") == nil ? nil : store.reader("dynamoDB")
    store.finish()
    switch (sqlite, dynamoDB) {
    case (var sqlite?, nil): return sqlite.sqliteStore()
    case (nil, var dynamoDB?): return dynamoDB.dynamoDBStore(source)
    case (nil, nil) where problems.concerns("store.sqlite") || problems.concerns("store.dynamoDB"):
      return nil
    default:
      problems.add("store", "either \"sqlite\" or \"dynamoDB\" is expected")
      return nil
    }
  }

  private mutating func sqliteStore() -> StoreSettings? {
    let path = text("path")
    if path == nil, !problems.concerns("store.sqlite.path") {
      add("path", "missing: the path of the database")
    }
    let revocations = text("revocations")
    if let path, let revocations, path.utf8.elementsEqual(revocations.utf8) {
      add("revocations", "must not be the database; choose another path")
    }
    finish()
    return path.map { .sqlite(path: $0, revocations: revocations) }
  }

  private mutating func dynamoDBStore(_ source: some ConfigurationSource) -> StoreSettings? {
    let table = text("table")
    if table == nil, !problems.concerns("store.dynamoDB.table") {
      add("table", "missing: the name of the table")
    }
    // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
    if let table,
      !(3...255 ~= table.utf8.count
        && table.utf8.allSatisfy { $0.isLetterOrDigit || "_.-".utf8.contains($0) })
    {
      add("table", "3 to 255 letters, digits and _.- are expected")
    }
    let region = text("region")
    if let region,
      !(region.utf8.count <= 32 && region.utf8.allSatisfy { $0.isLetterOrDigit || $0 == .hyphen })
    {
      add("region", "the name of a region is expected, such as eu-central-1")
    }
    if region == nil, !problems.concerns("store.dynamoDB.region"), source.variable("AWS_REGION") == nil {
      add("region", "missing, and AWS_REGION is not set")
    }
    finish()
    return table.map { .dynamoDB(table: $0, region: region) }
  }

  private mutating func basePath() -> [UInt8] {
    guard let text = text("basePath") else { return [] }
    let path = Array(text.utf8)
    let segments = path.split(separator: .slash, omittingEmptySubsequences: false)
    let isPath =
      segments.count > 1 && segments[0].isEmpty
      && segments.dropFirst().allSatisfy { segment in
        !segment.isEmpty && segment.allSatisfy { $0.isLetterOrDigit || "-._~".utf8.contains($0) }
      }
    if !isPath { add("basePath", "a path such as /v1 is expected, without a slash at its end") }
    return path
  }
}
