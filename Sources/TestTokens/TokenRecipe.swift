public import JSON

/// How one token is minted: an entry of `tokens.json`, checked.
///
/// | member | meaning |
/// |---|---|
/// | `description` | for people |
/// | `preset` | fills header and claims in the shape of an issuer, `TokenPreset` |
/// | `claims` | put over the preset's; `exp`, `iat`, `nbf`, `auth_time` take `"+10m"`, `"-1h"`, `"+90s"`, `"+2d"` |
/// | `omit` | a claim, or a list of claims, to leave out |
/// | `header`, `omitHeader` | the same for header members |
/// | `key` | `DevelopmentKeyName`; the published key for the algorithm by default |
/// | `algorithm` | the preset's, or RS256, by default |
/// | `secret` | in place of `key`: text, or `{"publicKey": KEY}` for that key's PEM; HS256 by default |
/// | `damage` | `TokenDamage`, or a list of them, done in order after signing |
/// | `unique` | `true`: identifiers such as `jti` differ each time |
/// | `rawHeader`, `rawPayload` | text that is signed as it is; `{{time +10m}}` in it becomes a number |
/// | `raw` | text in place of a token; goes with no other member but `description` |
public struct TokenRecipe: Equatable, Sendable {
  enum Content: Equatable, Sendable {
    case literal(String)
    case signed(SignedTokenRecipe)
  }

  let content: Content

  init(_ content: Content) { self.content = content }

  /// Checks one entry.
  ///
  /// - Parameters:
  ///   - json: the entry.
  ///   - name: the first part of each problem's path.
  /// - Throws: `invalid` with every problem.
  public init(_ json: JSONTree, name: String) throws(TokenRecipesError) {
    var reader = TokenRecipeReader()
    guard let recipe = reader.recipe(json, at: JSONPath.root.member(name)), reader.problems.isEmpty else {
      throw .invalid(reader.problems)
    }
    self = recipe
  }
}

/// A token that is signed before anything is done to it.
struct SignedTokenRecipe: Equatable, Sendable {
  /// A part of the token: composed of members, or as written.
  enum Part: Equatable, Sendable {
    case members([Change], omitting: [String])
    /// May hold `{{time …}}`.
    case literal(PlaceholderText)
  }

  /// A member that is added, or put in the place of the preset's.
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
    /// The confusion of RFC 8725 section 2.1: the PEM of a public key as the secret of an HMAC.
    case publicKeyAsSecret(DevelopmentKeyName)
  }

  let preset: TokenPreset?
  let header: Part
  let payload: Part
  let signer: Signer
  let algorithm: SigningAlgorithm
  let damages: [TokenDamage]
  let isUnique: Bool
}
