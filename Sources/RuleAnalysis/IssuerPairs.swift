package import Authorizer
internal import JOSE

/// The issuers of two configurations, paired by `iss`.
package struct IssuerPairs: Sendable {
  /// Each `iss` of both, with the places of its entries.
  package private(set) var pairs: [(issuer: String, old: Int, new: Int)] = []
  /// Each `iss` of one of them.
  package private(set) var onlyOld: [String] = []
  package private(set) var onlyNew: [String] = []

  package init(_ old: Settings, _ new: Settings) {
    var places: [[UInt8]: Int] = [:]
    for (place, entry) in old.issuers.enumerated() {
      for issuer in entry.profile.issuers { places[Array(issuer.utf8)] = place }
    }
    for (place, entry) in new.issuers.enumerated() {
      for issuer in entry.profile.issuers {
        if let other = places.removeValue(forKey: Array(issuer.utf8)) {
          pairs.append((issuer, other, place))
        } else {
          onlyNew.append(issuer)
        }
      }
    }
    onlyOld = places.keys.sorted(by: precedes).map { String(decoding: $0, as: UTF8.self) }
  }
}
