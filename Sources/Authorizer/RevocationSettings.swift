import JOSE
import JSON

/// Whose revocations are looked up, where, and how long an answer counts.
public struct RevocationSettings: Equatable, Sendable {
  /// Where they are written down.
  public let store: Store
  /// Places of the issuers whose tokens are looked up, among those of the settings.
  public let issuers: [Int]
  /// How long an answer counts before the store is asked again.
  public let freshSeconds: Int64
  /// How much longer it counts while the store cannot be asked; 0 for no longer.
  public let lastKnownSeconds: Int64
  /// Of how many subjects the answers are kept.
  public let entries: Int

  /// A place where revocations are written down.
  public enum Store: Equatable, Sendable {
    /// The file that the identity function writes beside its SQLite database.
    case file(String)
    /// The identity function's table; in the function's own region where none is named.
    case dynamoDB(table: String, region: String?)
  }

  /// Seconds: a revocation is noticed within half a minute.
  package static let defaultFreshSeconds: Int64 = 30
  /// About 200 bytes each with a subject of 44 bytes, 2 MB for all of them; 400 bytes with the longest one.
  package static let defaultEntries = 10_000
  /// 40 MB at most (our own limit).
  static let maximumEntries: Int64 = 100_000
}

extension RevocationSettings {
  /// Reads `revocation`; `nil` where there is none, or where problems were noted.
  ///
  /// - Parameter issuers: all issuers; `nil` where they are not all known.
  static func reading(_ reader: inout ObjectReader, _ issuers: [Settings.IssuerSettings]?)
    -> RevocationSettings?
  {
    guard var revocation = reader.reader("revocation") else { return nil }
    let store = store(&revocation)
    let places = places(&revocation, issuers)
    // An hour and a day: longer than that, a lost store is to be noticed.
    let fresh = revocation.integer("freshSeconds", in: 0...3600) ?? defaultFreshSeconds
    let lastKnown = revocation.integer("lastKnownSeconds", in: 0...86_400) ?? 0
    let entries = revocation.integer("entries", in: 1...maximumEntries).map { Int($0) } ?? defaultEntries
    revocation.finish()
    guard let store, let places else { return nil }
    return RevocationSettings(
      store: store, issuers: places, freshSeconds: fresh, lastKnownSeconds: lastKnown, entries: entries)
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

  private static func places(_ revocation: inout ObjectReader, _ issuers: [Settings.IssuerSettings]?)
    -> [Int]?
  {
    let names = revocation.texts("issuers")
    guard let issuers else { return nil }
    guard let names else {
      guard revocation.value("issuers") == nil else { return nil }
      let places = issuers.indices.filter { issuers[$0].isApple }
      if places.isEmpty {
        revocation.add(
          "issuers", "missing: no issuer has the preset apple, so name those whose users may withdraw")
      }
      return places.isEmpty ? nil : places
    }
    var places: [Int] = []
    for (index, name) in names.enumerated() {
      let place = issuers.firstIndex { $0.profile.name.utf8.elementsEqual(name.utf8) }
      if let place, !places.contains(place) {
        places.append(place)
      } else {
        revocation.add("issuers[\(index)]", place == nil ? "no issuer has this name" : "stands twice")
      }
    }
    return places
  }

  /// DynamoDB, "Naming rules".
  private static func isTableName(_ name: String) -> Bool {
    (3...255).contains(name.utf8.count)
      && name.utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
  }

  /// It becomes part of a host's name.
  private static func isRegion(_ name: String) -> Bool {
    (1...32).contains(name.utf8.count)
      && name.utf8.allSatisfy { ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2D }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10
  }
}
