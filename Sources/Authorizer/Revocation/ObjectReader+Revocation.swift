import Bytes
import FunctionHost
import IssuerKeys
import JOSE
import JSON
import Withdrawals

extension ObjectReader {
  /// Reads `revocation`; returns `nil` if it is absent or problems were reported.
  ///
  /// - Parameter issuers: all issuers; `nil` if some could not be read.
  mutating func revocationSettings(of issuers: [Settings.IssuerSettings]?) -> RevocationSettings? {
    guard var revocation = reader("revocation") else { return nil }
    let store = revocation.revocationStore()
    let isObject = revocation.value("issuers")?.kind == .object
    let lookups = isObject ? revocation.withdrawalLookups(among: issuers) : []
    let revocable =
      isObject ? lookups?.map { $0.issuer } : revocation.revocableIssuers(among: issuers)
    // One hour and one day: a longer store outage must not go unnoticed.
    let fresh =
      revocation.integer("freshSeconds", in: 0...3600)
      ?? RevocationSettings.defaultFreshSeconds
    let lastKnown = revocation.integer("lastKnownSeconds", in: 0...86_400) ?? 0
    let entries = revocation.integer("entries", in: 1...RevocationSettings.maximumEntries)
    revocation.finish()
    guard let store, let revocable, let lookups else { return nil }
    return RevocationSettings(
      store: store, issuers: revocable, freshSeconds: fresh, lastKnownSeconds: lastKnown,
      entries: entries.map { Int($0) } ?? RevocationSettings.defaultEntries, lookups: lookups)
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

  private mutating func revocableIssuers(among issuers: [Settings.IssuerSettings]?) -> [IssuerID]? {
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
      let issuer = issuers.id(ofName: name)
      if let issuer, !revocable.contains(issuer) {
        revocable.append(issuer)
      } else {
        add("issuers[\(index)]", issuer == nil ? "no issuer has this name" : "duplicate")
      }
    }
    return revocable
  }

  /// Reads `issuers` as an object: the names of issuers, each with the claims that are looked up.
  private mutating func withdrawalLookups(among issuers: [Settings.IssuerSettings]?) -> [WithdrawalLookup]? {
    guard let object = value("issuers") else { return nil }
    if object.memberCount == 0 { add("issuers", "at least one issuer is expected, such as \(Self.example)") }
    var lookups: [WithdrawalLookup] = []
    for (member, wanted) in object.members {
      let name = member.text ?? ""
      let place = "issuers." + name
      var kinds: [WithdrawalKey.Kind]?
      var required: [WithdrawalKey.Kind] = []
      if wanted.kind == .object {
        guard var form = ObjectReader(wanted, path: path(of: place), problems) else { continue }
        let list = form.value("keys")
        kinds = form.kinds(list, "keys")
        if let list = form.value("required") {
          required = form.kinds(list, "required") ?? []
          for (index, kind) in required.enumerated() where kinds?.contains(kind) == false {
            form.add("required[\(index)]", "\(kind.claim) is not looked up; add it to \"keys\"")
          }
        }
        form.finish()
      } else {
        kinds = self.kinds(wanted, place)
      }
      guard let issuers else { continue }
      guard let issuer = issuers.id(ofName: name) else {
        add(place, "no issuer has this name")
        continue
      }
      guard let kinds, let first = issuers[issuer.position].profile.issuers.first else { continue }
      lookups.append(
        WithdrawalLookup(
          issuer: issuer, name: first, kinds: kinds, required: required,
          isApple: issuers[issuer.position].isApple))
    }
    return lookups
  }

  private static let example = "{\"apple\": [\"sub\"]}"

  /// Reads a list of claims that withdrawals name; `nil` if problems were reported.
  private func kinds(_ list: JSONValue?, _ place: String) -> [WithdrawalKey.Kind]? {
    guard let list, list.kind == .array, list.elements.first(where: { _ in true }) != nil else {
      add(
        place,
        "a non-empty list of sub, sid, jti and origin_jti is expected"
          + (place.utf8.contains(.dot) ? ", or {\"keys\": …, \"required\": …}" : ""))
      return nil
    }
    var kinds: [WithdrawalKey.Kind] = []
    for (index, element) in list.elements.enumerated() {
      let kind = element.utf8.flatMap { WithdrawalKey.Kind(claim: $0) }
      if let kind, !kinds.contains(kind) {
        kinds.append(kind)
      } else {
        add("\(place)[\(index)]", kind == nil ? "one of sub, sid, jti, origin_jti is expected" : "duplicate")
      }
    }
    return kinds
  }
}

extension [Settings.IssuerSettings] {
  fileprivate func id(ofName name: String) -> IssuerID? {
    firstIndex { $0.profile.name.utf8.elementsEqual(name.utf8) }.map { IssuerID(position: $0) }
  }

  /// Adds what the identity function needs to withdraw a token to the contexts of the issuers that are looked up.
  mutating func add(_ lookups: [WithdrawalLookup]) {
    for lookup in lookups { self[lookup.issuer.position].content.context.add(lookup) }
  }
}
