/// The key set or secret that verifies a token.
package enum VerificationMaterial: Sendable {
  /// The public keys of the issuer.
  case keys(KeySet)
  /// A secret shared with the issuer.
  case secret(SharedSecret)
}
