package import Authorizer
internal import JOSE

extension Settings {
  /// Whether a condition compares `exp`, `iat` or `nbf` with a number: what it lets in changes with the time.
  package var comparesTimes: Bool {
    (issuers.map(\.requirement) + (rules?.rules ?? []).map(\.requirement)).contains { $0.comparesTime }
  }
}

extension Requirement {
  var comparesTime: Bool {
    (any + not).contains { $0.comparesTime }
      || claims.contains { claim in
        guard ["exp", "iat", "nbf"].contains(claim.claim.text), case .oneOf(let values) = claim.condition
        else { return false }
        return values.contains { if case .integer = $0 { true } else { false } }
      }
  }
}
