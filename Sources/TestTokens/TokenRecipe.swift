package import JSON

/// The recipe of one token: a validated entry of `tokens.json`.
///
/// | member | meaning |
/// |---|---|
/// | `description` | a comment |
/// | `preset` | sets header and claims as an issuer does, `TokenPreset` |
/// | `claims` | override the preset's; `exp`, `iat`, `nbf`, `auth_time` take `"+10m"`, `"-1h"`, `"+90s"`, `"+2d"` |
/// | `omit` | a claim, or a list of claims, to omit |
/// | `header`, `omitHeader` | the same for header members |
/// | `key` | `DevelopmentKeyName`; default: the published key for the algorithm |
/// | `algorithm` | default: the preset's, or RS256 |
/// | `secret` | instead of `key`: text, or `{"publicKey": KEY}` for that key's PEM; default algorithm: HS256 |
/// | `damage` | `TokenDamage`, or a list of them, applied in order after signing |
/// | `unique` | `true`: identifiers such as `jti` differ each time |
/// | `bind` | `"dpop"`: the claim `cnf` has the thumbprint of the development key for DPoP |
/// | `rawHeader`, `rawPayload` | text that is signed unchanged, except that `{{time +10m}}` becomes a number |
/// | `raw` | text instead of a token; cannot be combined with other members except `description` |
package struct TokenRecipe: Equatable, Sendable {
  enum Content: Equatable, Sendable {
    case literal(String)
    case signed(SignedTokenRecipe)
  }

  let content: Content

  init(_ content: Content) { self.content = content }

  /// Validates one entry.
  ///
  /// - Parameters:
  ///   - json: the entry.
  ///   - name: the first part of each problem's path.
  ///   - signsUnsentClaims: whether it may have claims that its preset's issuer never sends.
  /// - Throws: `invalid` with every problem.
  package init(
    _ json: JSONTree, name: String, signsUnsentClaims: Bool = true
  ) throws(TokenFileError) {
    var reader = TokenRecipeReader(signsUnsentClaims: signsUnsentClaims)
    guard let recipe = reader.recipe(json, at: JSONPath.root.member(name)), reader.problems.isEmpty else {
      throw .invalid(reader.problems)
    }
    self = recipe
  }
}

struct SignedTokenRecipe: Equatable, Sendable {
  /// A part of the token: members, or literal text.
  enum Part: Equatable, Sendable {
    case members([Change], omitting: [String])
    /// May contain `{{time …}}`.
    case literal(PlaceholderText)
  }

  /// A member that is added, or that replaces the preset's member.
  struct Change: Equatable, Sendable {
    enum Value: Equatable, Sendable {
      case json(JSONTree)
      case time(RelativeTime)
    }

    let name: String
    let value: Value
  }

  enum Signer: Equatable, Sendable {
    case developmentKey(DevelopmentKeyName)
    case secret(String)
    /// The algorithm confusion of RFC 8725 section 2.1: the PEM of a public key as the secret of an HMAC.
    case publicKeyAsSecret(DevelopmentKeyName)
  }

  let preset: TokenPreset?
  let header: Part
  let payload: Part
  let signer: Signer
  let algorithm: SigningAlgorithm
  let damages: [TokenDamage]
  let isUnique: Bool
  /// Whether the token is bound to the development key for DPoP.
  let isBound: Bool

  /// The value of `bind`.
  static let proofBinding = "dpop"
}
