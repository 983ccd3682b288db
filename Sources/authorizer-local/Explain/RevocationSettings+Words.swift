internal import Authorizer
internal import JOSE
internal import Withdrawals

extension RevocationSettings {
  /// The name of the store: a file or a table.
  var place: String {
    switch store {
    case .file(let path): path
    case .dynamoDB(let table): "the table \(table.name)" + (table.region.map { " in \($0)" } ?? "")
    }
  }

  /// Returns one line for `config check`.
  func text(in settings: Settings) -> String {
    let names = issuers.map { issuer in
      let lookup = lookups.first { $0.issuer == issuer }
      let kinds = lookup?.kinds.map {
        $0.claim + (lookup?.required.contains($0) == true ? " (required)" : "")
      }
      return settings[issuer].profile.name + (kinds.map { " by " + $0.joined(separator: " and ") } ?? "")
    }.joined(separator: ", ")
    let outage =
      lastKnownSeconds == 0
      ? "an error without the store" : "\(lastKnownSeconds) s longer without the store"
    return "\(place) for \(names), results cached for \(freshSeconds) s, \(outage)"
  }
}
