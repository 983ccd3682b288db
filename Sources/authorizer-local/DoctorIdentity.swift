internal import Emulator
internal import Identity
internal import JSON

/// What both functions have, and what the one that signs users in has besides.
extension DoctorConfiguration {
  /// Whether the function would start.
  var isSound: Bool { deployed != nil || identity != nil }

  /// Whether a function that starts has keys that are fetched.
  var fetchesKeys: Bool {
    deployed.map { $0.fetchMilliseconds != nil }
      ?? (configuration.document?["keys"]?["pinned"] != .boolean(true))
  }

  /// The configuration of the function that signs users in.
  mutating func examine(_ settings: IdentitySettings) {
    let document = configuration.document
    for name in configuration.standIns.keys.sorted()
    where (configuration.variables[name] ?? "").isEmpty || configuration.isUnknown(name) {
      add(
        .secretAssumed, name, "its value is not known here, and taken for a sound secret",
        cure: "set the variable")
    }
    switch settings.store {
    case .sqlite(let path, _):
      facts.append(("store", "SQLite, \(path)"))
      add(
        .storeDoesNotLast, "store.sqlite",
        "\(path) is on the disk of one environment: it is gone with it, and two environments know different users",
        cure:
          "\"store\": {\"dynamoDB\": {\"table\": …}}, as template/identity.yaml has it; SQLite is for one machine"
      )
    case .dynamoDB(let table, let region):
      facts.append(("store", "DynamoDB, \(table)" + (region.map { " in \($0)" } ?? "")))
    }
    let keys = document?["keys"]
    if keys?["pinned"] == .boolean(true) {
      add(.pinnedKeys, "keys", "Apple's keys are pinned: a rotation needs a new deployment", cure: "none")
    } else if keys?["seed"] == nil {
      add(
        .noSeed, "keys", "no seed: each cold start fetches Apple's keys before the first sign-in",
        cure: "authorizer-local keys fetch makes a seed")
    }
    examineSeed(keys)
    identity = DeployedIdentity(
      table: configuration.table, secretVariables: configuration.standIns.keys.sorted(),
      basePath: document?.word("basePath") ?? "")
  }

  /// How old a seed is that is refreshed.
  mutating func examineSeed(_ keys: JSONTree?) {
    guard let keys, let path = keys.word("seed"), keys["pinned"] != .boolean(true),
      let file = configuration.package.file(path),
      let time = (try? JSONTree(parsing: file.bytes, limits: .keySet))?.integer("fetchedAt")
    else { return }
    let age = Moment.now - time
    let days = keys.integer("seedMaximumAgeDays") ?? Self.defaultSeedDays
    facts.append(("seed \(path)", "\(age / 86_400) days old, of \(days)"))
    let cure = "authorizer-local keys fetch before each deployment"
    if age < -Self.toleratedSeconds {
      add(.seedFromFuture, path, "fetched \(-age) s from now: one of the clocks is wrong", cure: cure)
    } else if age >= days * 86_400 {
      add(
        .seedExpired, path, "\(age / 86_400) days old, over \(days): the first token waits for a fetch",
        cure: cure)
    }
  }

  /// `seedMaximumAgeDays` where it is not written (docs/keys.md).
  private static let defaultSeedDays: Int64 = 30
  /// What clocks of two machines may differ, in seconds.
  private static let toleratedSeconds: Int64 = 300
}
