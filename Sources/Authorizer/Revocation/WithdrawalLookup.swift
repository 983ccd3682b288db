import IssuerKeys
package import JOSE
import JSON
package import Withdrawals

/// Which claims of one issuer's tokens are looked up, where `"issuers"` is an object.
package struct WithdrawalLookup: Equatable, Sendable {
  /// Whose tokens.
  package let issuer: IssuerID
  /// The issuer in keys: the first `issuer` of its entry, whichever spelling a token has.
  package let name: String
  /// The claims that are looked up, each once.
  package let kinds: [WithdrawalKey.Kind]
  /// Those of them that every token must have.
  package let required: [WithdrawalKey.Kind]
  /// Whether it has the preset `apple`: then subjects of items of the first form are looked up too.
  package let isApple: Bool

  /// Returns the keys of a token that are looked up, in the order of the configuration, and the kinds of which it has
  /// none.
  package func keys(of token: VerifiedToken) throws(WithdrawalFlaw) -> (
    found: [WithdrawalKey], notLookedUp: [WithdrawalKey.Kind]
  ) {
    var found: [WithdrawalKey] = []
    var notLookedUp: [WithdrawalKey.Kind] = []
    for kind in kinds {
      if let claim = token.claims[kind.claim] {
        guard let value = claim.utf8, !value.isEmpty else { throw .malformed(kind) }
        found.append(WithdrawalKey(issuer: Array(name.utf8), kind: kind, value: value))
      } else if kind == .subject || required.contains(kind) {
        // Without a subject the token's user is unknown.
        throw .missing(kind)
      } else {
        notLookedUp.append(kind)
      }
    }
    return (found, notLookedUp)
  }
}

/// Why a token is refused before anything is looked up.
package enum WithdrawalFlaw: Error, Equatable {
  /// The claim is required and absent, so the token could not be withdrawn.
  case missing(WithdrawalKey.Kind)
  /// The claim is no text.
  case malformed(WithdrawalKey.Kind)

  package var reason: ReasonCode {
    switch self {
    case .missing: .revoked
    case .malformed: .malformedClaim
    }
  }

  /// One line for the operator.
  package var detail: String {
    switch self {
    case .missing(let kind): "the token has no \(kind.claim), by which it could be withdrawn"
    case .malformed(let kind): "the claim \(kind.claim) is no text"
    }
  }
}
