internal import DeploymentChecks
internal import Identity
internal import JSON

/// The checks of both functions and of the identity function.
extension DoctorConfiguration {
  /// Whether the function would start.
  var isSound: Bool { deployed != nil || identity != nil }

  /// Whether a function that starts fetches its keys.
  var fetchesKeys: Bool {
    deployed.map { $0.fetchMilliseconds != nil }
      ?? (configuration.document?["keys"]?["pinned"] != .boolean(true))
  }

  /// Examines the configuration of the identity function.
  mutating func examine(_ settings: IdentitySettings) {
    let document = configuration.document
    examineSecrets()
    switch settings.store {
    case .sqlite(let path, _):
      facts.append(("store", "SQLite, \(path)"))
      findings.add(
        .storeDoesNotLast, "store.sqlite",
        "\(path) is on the disk of one execution environment: it is lost with it, and each environment has other users",
        cure:
          "use \"store\": {\"dynamoDB\": {\"table\": …}} as in template/identity.yaml; SQLite is for a single machine"
      )
    case .dynamoDB(let table, let region):
      facts.append(("store", "DynamoDB, \(table)" + (region.map { " in \($0)" } ?? "")))
    }
    let keys = document?["keys"]
    if keys?["pinned"] == .boolean(true) {
      findings.add(
        .pinnedKeys, "keys", "Apple's keys are pinned: a rotation needs a new deployment", cure: "none")
    } else if keys?["seed"] == nil {
      findings.add(
        .noSeed, "keys", "no seed: each cold start fetches Apple's keys before the first sign-in",
        cure: "make a seed: authorizer-local keys fetch")
    }
    examineSeed(keys)
    identity = DeployedIdentity(
      table: configuration.table, secretVariables: configuration.standIns.keys.sorted(),
      basePath: document?.word("basePath") ?? "")
  }

  mutating func examineSecrets() {
    for name in configuration.standIns.keys.sorted()
    where (configuration.variables[name] ?? "").isEmpty || configuration.isUnknown(name) {
      findings.add(
        .secretAssumed, name, "its value is unknown here; the check assumes a valid secret",
        cure: "set the variable")
    }
  }

  /// Examines the age of a seed that is refreshed.
  mutating func examineSeed(_ keys: JSONTree?) {
    guard let keys, let path = keys.word("seed"), keys["pinned"] != .boolean(true),
      let file = configuration.package.file(path),
      let time = (try? JSONTree(parsing: file.bytes, limits: .keySet))?.integer("fetchedAt")
    else { return }
    let age = now - time
    let days = keys.integer("seedMaximumAgeDays") ?? Self.defaultSeedDays
    facts.append(("seed \(path)", "\(age / 86_400) days old, maximum \(days)"))
    let cure = "run authorizer-local keys fetch before each deployment"
    if age < -Self.toleratedSeconds {
      findings.add(
        .seedFromFuture, path, "fetchedAt is \(-age) s in the future: one of the clocks is wrong", cure: cure)
    } else if age >= days * 86_400 {
      findings.add(
        .seedExpired, path, "\(age / 86_400) days old, maximum \(days): the first token waits for a fetch",
        cure: cure)
    }
  }

  /// The default of `seedMaximumAgeDays` (docs/keys.md).
  private static let defaultSeedDays: Int64 = 30
  /// Tolerated difference between the clocks of two machines, in seconds.
  private static let toleratedSeconds: Int64 = 300
}
