package import JOSE

/// `"proofOfPossession"` of an issuer.
enum PossessionSettings: Sendable {
  /// Bound tokens are rejected.
  case refuse
  /// Bindings are not read.
  case ignore
  /// The bindings in these settings are checked.
  case check(ProofSettings)

  /// The same for the checks of a token.
  var ofProfile: ProofOfPossession {
    switch self {
    case .refuse: .refuse
    case .ignore: .ignore
    case .check(let settings): .check(key: settings.dpop != nil, certificate: settings.certificate)
    }
  }

  /// What is checked; `nil` if nothing is.
  var proof: ProofSettings? {
    if case .check(let settings) = self { settings } else { nil }
  }
}

/// The bindings that are checked for one issuer's tokens: at least one.
///
/// A class, since it is copied with the settings of its issuer for each decision.
package final class ProofSettings: Sendable {
  /// Whether tokens that are not bound are rejected.
  package let required: Bool
  /// Whether bindings to a certificate are checked.
  package let certificate: Bool
  /// How bindings to a key are checked; `nil` if they are not.
  package let dpop: DPoPSettings?

  /// `nil` if no binding is checked.
  init?(required: Bool, certificate: Bool, dpop: DPoPSettings?) {
    guard certificate || dpop != nil else { return nil }
    self.required = required
    self.certificate = certificate
    self.dpop = dpop
  }
}

/// `"dpop"` of `"proofOfPossession"`.
package struct DPoPSettings: Sendable {
  package let policy: ProofPolicy
  /// The origins under which clients reach the API; `nil` for the domain name in the event.
  package let origins: [WebOrigin]?
  /// Where used proofs are remembered; `nil` if they are not.
  package let replay: TableReference?
}
