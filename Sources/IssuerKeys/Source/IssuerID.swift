package import JOSE

/// One issuer of a configuration.
public struct IssuerID: Hashable, Sendable {
  /// Its place in the configuration, and so among the profiles of a `TokenVerifier`.
  package let position: Int

  package init(position: Int) { self.position = position }
}

extension CandidateToken {
  /// The issuer in `iss`.
  package var issuer: IssuerID { IssuerID(position: profileIndex) }
}

extension VerifiedToken {
  /// The issuer whose key or secret verified the token.
  package var issuer: IssuerID { IssuerID(position: profileIndex) }
}
