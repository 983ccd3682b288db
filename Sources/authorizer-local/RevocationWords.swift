internal import Authorizer
internal import JOSE

extension RevocationSettings {
  /// Where it is written down who has withdrawn.
  var place: String {
    switch store {
    case .file(let path): path
    case .dynamoDB(let table, let region): "the table \(table)" + (region.map { " in \($0)" } ?? "")
    }
  }

  /// One line for `config check`.
  func text(among all: [Settings.IssuerSettings]) -> String {
    let names = issuers.map { all[$0].profile.name }.joined(separator: ", ")
    let outage =
      lastKnownSeconds == 0
      ? "a failure without the store" : "for \(lastKnownSeconds) s more without the store"
    return "\(place) for \(names), an answer counts \(freshSeconds) s, \(outage)"
  }
}
