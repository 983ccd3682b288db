public import FunctionHost
import IssuerKeys
import JOSE
import JSON

extension IdentitySettings {
  /// Reads the configuration of this environment: `IDENTITY_CONFIG`, inline JSON or a path, or `identity.json`.
  ///
  /// - Throws: `ConfigurationError` with every problem found.
  public init(reading source: some ConfigurationSource) throws(ConfigurationError) {
    let problems = ProblemList()
    let development = source.isDevelopment
    if let problem = ClockOffset.problem(source) { problems.add(ClockOffset.variable, problem) }
    let document = source.document(
      variable: "IDENTITY_CONFIG", file: "identity.json", hint: "set it to a path or to inline JSON",
      problems)
    let settings = document.flatMap { document in
      IdentitySettingsReader(source: source, problems: problems, development: development).settings(document)
    }
    guard problems.problems.isEmpty, let settings else {
      throw ConfigurationError(problems: problems.problems)
    }
    self = settings
  }
}

/// Reads the members of the document.
private struct IdentitySettingsReader<Source: ConfigurationSource> {
  let source: Source
  let problems: ProblemList
  let development: Bool

  func settings(_ document: JSONValue) -> IdentitySettings? {
    guard var reader = ObjectReader(document, path: "", problems) else { return nil }
    _ = reader.value("$schema")
    let audiences = reader.texts("audiences")
    if audiences == nil, !problems.concerns("audiences") {
      reader.add("audiences", "missing: the bundle and Services IDs that the tokens are for")
    }
    let maximumAge = reader.integer("maximumAgeSeconds", in: 1...IssuerPreset.idTokenLifetimeSeconds)
    let keys = keys(&reader)
    let nonces = nonces(&reader)
    let store = store(&reader)
    let basePath = basePath(&reader)
    let issuer = reader.text("authorizerIssuer") ?? "apple"
    let fetch = reader.fetchSettings(source)
    reader.finish()
    let age = maximumAge ?? IdentitySettings.defaultMaximumAgeSeconds
    guard let audiences, let keys, let store, let apple = Self.apple,
      let identity = profile(apple, audiences, maximumAgeSeconds: age),
      let notification = profile(.appleNotification, audiences, maximumAgeSeconds: nil),
      problems.problems.isEmpty
    else { return nil }
    return IdentitySettings(
      identity: identity, notification: notification, keys: keys, nonces: nonces, store: store,
      basePath: basePath, authorizerIssuer: issuer, fetch: fetch, isDevelopment: development)
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
  private func keys(_ reader: inout ObjectReader) -> KeySource? {
    let draft = reader.reader("keys").map { KeysDraft($0) } ?? KeysDraft(path: "keys")
    guard !problems.concerns("keys"), let apple = Self.apple else { return nil }
    let entry = KeysDraft.Entry(
      algorithms: apple.algorithms, isFixedByPreset: true, presetAddress: apple.keysURL)
    guard case .published(let keys)? = draft.material(source, entry, problems, development: development)
    else { return nil }
    return keys
  }

  private func nonces(_ reader: inout ObjectReader) -> NonceSettings? {
    guard var nonce = reader.reader("nonce") else { return nil }
    let lifetime = nonce.integer("lifetimeSeconds", in: NonceSettings.lifetimeRange)
    let draft = nonce.reader("secret").map { SecretDraft($0) }
    if draft == nil, !problems.concerns("nonce.secret") {
      nonce.add("secret", "missing: at least \(MessageAuthentication.tagBytes) random bytes")
    }
    nonce.finish()
    guard case .secret(let secret)? = draft?.material(source, [.hs256], problems) else { return nil }
    return NonceSettings(
      authentication: MessageAuthentication(secret: secret),
      lifetimeSeconds: lifetime ?? NonceSettings.defaultLifetimeSeconds)
  }

  private func store(_ reader: inout ObjectReader) -> StoreSettings? {
    guard var store = reader.reader("store") else {
      if !problems.concerns("store") { reader.add("store", "missing: \"sqlite\" or \"dynamoDB\"") }
      return nil
    }
    let sqlite = store.value("sqlite") == nil ? nil : store.reader("sqlite")
    let dynamoDB = store.value("dynamoDB") == nil ? nil : store.reader("dynamoDB")
    store.finish()
    switch (sqlite, dynamoDB) {
    case (let sqlite?, nil): return self.sqlite(sqlite)
    case (nil, let dynamoDB?): return self.dynamoDB(dynamoDB)
    case (nil, nil) where problems.concerns("store.sqlite") || problems.concerns("store.dynamoDB"):
      return nil
    default:
      problems.add("store", "either \"sqlite\" or \"dynamoDB\" is expected")
      return nil
    }
  }

  private func sqlite(_ sqlite: ObjectReader) -> StoreSettings? {
    var sqlite = sqlite
    let path = sqlite.text("path")
    if path == nil, !problems.concerns("store.sqlite.path") {
      sqlite.add("path", "missing: the path of the database")
    }
    let revocations = sqlite.text("revocations")
    if let path, let revocations, path.utf8.elementsEqual(revocations.utf8) {
      sqlite.add("revocations", "must not be the database; choose another path")
    }
    sqlite.finish()
    return path.map { .sqlite(path: $0, revocations: revocations) }
  }

  private func dynamoDB(_ dynamoDB: ObjectReader) -> StoreSettings? {
    var dynamoDB = dynamoDB
    let table = dynamoDB.text("table")
    if table == nil, !problems.concerns("store.dynamoDB.table") {
      dynamoDB.add("table", "missing: the name of the table")
    }
    // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
    if let table,
      !(3...255 ~= table.utf8.count
        && table.utf8.allSatisfy { $0.isLetterOrDigit || "_.-".utf8.contains($0) })
    {
      dynamoDB.add("table", "3 to 255 letters, digits and _.- are expected")
    }
    let region = dynamoDB.text("region")
    if let region, !(region.utf8.count <= 32 && region.utf8.allSatisfy { $0.isLetterOrDigit || $0 == 0x2D }) {
      dynamoDB.add("region", "the name of a region is expected, such as eu-central-1")
    }
    if region == nil, !problems.concerns("store.dynamoDB.region"), source.variable("AWS_REGION") == nil {
      dynamoDB.add("region", "missing, and AWS_REGION is not set")
    }
    dynamoDB.finish()
    return table.map { .dynamoDB(table: $0, region: region) }
  }

  private func basePath(_ reader: inout ObjectReader) -> [UInt8] {
    guard let text = reader.text("basePath") else { return [] }
    let path = Array(text.utf8)
    let segments = path.split(separator: 0x2F, omittingEmptySubsequences: false)
    let isPath =
      segments.count > 1 && segments[0].isEmpty
      && segments.dropFirst().allSatisfy { segment in
        !segment.isEmpty && segment.allSatisfy { $0.isLetterOrDigit || "-._~".utf8.contains($0) }
      }
    if !isPath { reader.add("basePath", "a path such as /v1 is expected, without a slash at its end") }
    return path
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool { 0x30...0x39 ~= self || 0x41...0x5A ~= self || 0x61...0x7A ~= self }
}
