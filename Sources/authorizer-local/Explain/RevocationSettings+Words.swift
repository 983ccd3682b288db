internal import Authorizer
internal import JOSE

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
    let names = issuers.map { settings[$0].profile.name }.joined(separator: ", ")
    let outage =
      lastKnownSeconds == 0
      ? "an error without the store" : "\(lastKnownSeconds) s longer without the store"
    return "\(place) for \(names), results cached for \(freshSeconds) s, \(outage)"
  }
}
