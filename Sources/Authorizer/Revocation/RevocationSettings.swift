import FunctionHost
import JOSE
import JSON

/// Which issuers' revocations are looked up, where, and how long an answer is valid.
public struct RevocationSettings: Equatable, Sendable {
  /// The store of the revocations.
  public let store: Store
  /// The indexes of the issuers whose tokens are looked up.
  public let issuers: [Int]
  /// How long an answer is valid before the next lookup.
  public let freshSeconds: Int64
  /// How much longer an answer is used while the store is unreachable; 0 for no longer.
  public let lastKnownSeconds: Int64
  /// The number of subjects whose answers are cached.
  public let entries: Int

  /// A store of revocations.
  public enum Store: Equatable, Sendable {
    /// The file that the identity function writes beside its SQLite database.
    case file(String)
    /// The table of the identity function; in the function's own region if none is named.
    case dynamoDB(table: String, region: String?)
  }

  /// Seconds: a revocation takes effect within half a minute.
  package static let defaultFreshSeconds: Int64 = 30
  /// About 200 bytes each with a subject of 44 bytes, 2 MB in total; 400 bytes each with the longest subject.
  package static let defaultEntries = 10_000
  /// 40 MB at most (our own limit).
  static let maximumEntries: Int64 = 100_000
}

extension RevocationSettings {
  /// Reads `revocation`; returns `nil` if it is absent or problems were reported.
  ///
  /// - Parameter issuers: all issuers; `nil` if some could not be read.
  static func reading(_ reader: inout ObjectReader, _ issuers: [Settings.IssuerSettings]?)
    -> RevocationSettings?
  {
    guard var revocation = reader.reader("revocation") else { return nil }
    let store = store(&revocation)
    let issuerIndexes = issuerIndexes(&revocation, issuers)
    // One hour and one day: a longer store outage must not go unnoticed.
    let fresh = revocation.integer("freshSeconds", in: 0...3600) ?? defaultFreshSeconds
    let lastKnown = revocation.integer("lastKnownSeconds", in: 0...86_400) ?? 0
    let entries = revocation.integer("entries", in: 1...maximumEntries).map { Int($0) } ?? defaultEntries
    revocation.finish()
    guard let store, let issuerIndexes else { return nil }
    return RevocationSettings(
      store: store, issuers: issuerIndexes, freshSeconds: fresh, lastKnownSeconds: lastKnown, entries: entries
    )
  }

  private static func store(_ revocation: inout ObjectReader) -> Store? {
    let file = revocation.text("file")
    var table = revocation.reader("dynamoDB")
    let hasFile = revocation.value("file") != nil
    let hasTable = revocation.value("dynamoDB") != nil
    guard hasFile != hasTable else {
      revocation.problems.add(
        revocation.path, hasFile ? "\"file\" or \"dynamoDB\", not both" : "missing: \"file\" or \"dynamoDB\"")
      return nil
    }
    if let file { return .file(file) }
    guard table != nil else { return nil }
    let name = table?.text("table")
    let region = table?.text("region")
    if table?.value("table") == nil {
      table?.add("table", "missing: the name of the identity function's table")
    }
    if let name, !isTableName(name) {
      table?.add("table", "3 to 255 letters, digits, underscores, hyphens and dots are expected")
    }
    if let region, !isRegion(region) { table?.add("region", "a region such as eu-west-1 is expected") }
    table?.finish()
    return name.map { .dynamoDB(table: $0, region: region) }
  }

  private static func issuerIndexes(_ revocation: inout ObjectReader, _ issuers: [Settings.IssuerSettings]?)
    -> [Int]?
  {
    let names = revocation.texts("issuers")
    guard let issuers else { return nil }
    guard let names else {
      guard revocation.value("issuers") == nil else { return nil }
      let issuerIndexes = issuers.indices.filter { issuers[$0].isApple }
      if issuerIndexes.isEmpty {
        revocation.add(
          "issuers", "missing: no issuer has the preset apple; name the issuers whose tokens may be revoked")
      }
      return issuerIndexes.isEmpty ? nil : issuerIndexes
    }
    var issuerIndexes: [Int] = []
    for (index, name) in names.enumerated() {
      let issuerIndex = issuers.firstIndex { $0.profile.name.utf8.elementsEqual(name.utf8) }
      if let issuerIndex, !issuerIndexes.contains(issuerIndex) {
        issuerIndexes.append(issuerIndex)
      } else {
        revocation.add("issuers[\(index)]", issuerIndex == nil ? "no issuer has this name" : "duplicate")
      }
    }
    return issuerIndexes
  }

  /// DynamoDB, "Naming rules".
  private static func isTableName(_ name: String) -> Bool {
    (3...255).contains(name.utf8.count)
      && name.utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
  }

  /// Whether the name is a valid region. It becomes part of a host name.
  private static func isRegion(_ name: String) -> Bool {
    (1...32).contains(name.utf8.count)
      && name.utf8.allSatisfy { ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2D }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10
  }
}
