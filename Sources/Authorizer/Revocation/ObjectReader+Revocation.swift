import FunctionHost
import IssuerKeys
import JOSE

extension ObjectReader {
  /// Reads `revocation`; returns `nil` if it is absent or problems were reported.
  ///
  /// - Parameter issuers: all issuers; `nil` if some could not be read.
  mutating func revocationSettings(of issuers: [(name: String, isApple: Bool)]?) -> RevocationSettings? {
    guard var revocation = reader("revocation") else { return nil }
    let store = revocation.revocationStore()
    let revocable = revocation.revocableIssuers(among: issuers)
    // One hour and one day: a longer store outage must not go unnoticed.
    let fresh =
      revocation.integer("freshSeconds", in: 0...3600)
      ?? RevocationSettings.defaultFreshSeconds
    let lastKnown = revocation.integer("lastKnownSeconds", in: 0...86_400) ?? 0
    let entries = revocation.integer("entries", in: 1...RevocationSettings.maximumEntries)
    revocation.finish()
    guard let store, let revocable else { return nil }
    return RevocationSettings(
      store: store, issuers: revocable, freshSeconds: fresh, lastKnownSeconds: lastKnown,
      entries: entries.map { Int($0) } ?? RevocationSettings.defaultEntries)
  }

  private mutating func revocationStore() -> RevocationSettings.Store? {
    let file = text("file")
    var table = reader("dynamoDB")
    let hasFile = value("file") != nil
    let hasTable = value("dynamoDB") != nil
    guard hasFile != hasTable else {
      problems.add(
        path, hasFile ? "\"file\" or \"dynamoDB\", not both" : "missing: \"file\" or \"dynamoDB\"")
      return nil
    }
    if let file { return .file(file) }
    return table?.tableReference(missing: "the name of the identity function's table").map { .dynamoDB($0) }
  }

  private mutating func revocableIssuers(
    among issuers: [(name: String, isApple: Bool)]?
  ) -> [IssuerID]? {
    let names = texts("issuers")
    guard let issuers else { return nil }
    guard let names else {
      guard value("issuers") == nil else { return nil }
      let apple = issuers.indices.filter { issuers[$0].isApple }.map { IssuerID(position: $0) }
      if apple.isEmpty {
        add(
          "issuers", "missing: no issuer has the preset apple; name the issuers whose tokens may be revoked")
      }
      return apple.isEmpty ? nil : apple
    }
    var revocable: [IssuerID] = []
    for (index, name) in names.enumerated() {
      let issuer = issuers.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }.map {
        IssuerID(position: $0)
      }
      if let issuer, !revocable.contains(issuer) {
        revocable.append(issuer)
      } else {
        add("issuers[\(index)]", issuer == nil ? "no issuer has this name" : "duplicate")
      }
    }
    return revocable
  }
}
