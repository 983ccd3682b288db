internal import Authorizer
internal import JOSE

extension ProofSettings {
  /// One line for `config check`.
  var text: String {
    var parts: [String] = []
    if let dpop { parts.append(dpop.text) }
    if certificate { parts.append("client certificates") }
    if required { parts.append("tokens that are not bound are refused") }
    return parts.joined(separator: "; ")
  }
}

extension DPoPSettings {
  fileprivate var text: String {
    let algorithms = policy.algorithms.map(\.rawValue).joined(separator: ", ")
    let places =
      origins.map { $0.map { String(decoding: $0.text, as: UTF8.self) }.joined(separator: " or ") }
      ?? "the domain name of the event"
    let table = replay.map { $0.name + ($0.region.map { " in \($0)" } ?? "") }
    let use =
      table.map { "each accepted once, remembered in the table \($0)" }
      ?? "each accepted again for its request, for up to \(policy.windowSeconds) s"
    return "DPoP proofs with \(algorithms) for \(places), \(use)"
  }
}
