@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import Text
import JSON
import TestSupport
import TestTokens

/// Tokens of development keys at a fixed time.
enum TokenSamples {
  /// 2024-06-17T15:02:03.035Z, the time of `GatewayStage`.
  static let milliseconds: Int64 = 1_718_636_523_035
  static let issuer = "https://id.example.com"

  static var keys: DevelopmentKeys { get throws { try SharedKeys.all() } }

  /// The trust in all development keys.
  static var trust: TrustedKeys {
    get throws {
      TrustedKeys(keys: try keys, credentials: nil)
    }
  }

  /// Returns the token of a recipe in JSON (`TokenRecipe`), or the text of a recipe in `raw`.
  static func token(_ recipe: String) throws -> String {
    let recipe = try TokenRecipe(try JSONTree(parsing: Array(recipe.utf8)), name: "token")
    return try TokenMint(recipes: TokenRecipes(), keys: try keys, now: milliseconds / 1000)
      .token(recipe, name: "token")
  }

  static let jwt = TokenAuthorizer(
    name: "Jwt", kind: .jwt(issuer: issuer, audiences: ["api", "other-api"]), source: .header("Authorization")
  )

  static let pool = "us-east-1_Pool00001"

  static func pools(_ validation: String? = nil) -> TokenAuthorizer {
    TokenAuthorizer(
      name: "Pool", kind: .userPools([arn("us-east-1_Other0001"), arn(pool)]),
      source: .header("Authorization"),
      validation: validation.flatMap { try? ValidationExpression($0) })
  }

  static func arn(_ pool: String) -> String { "arn:aws:cognito-idp:us-east-1:123456789012:userpool/\(pool)" }
}

extension TokenAuthorizer {
  /// The verdict about a value at the time of the samples.
  func verdict(
    _ value: String?, scopes: [String] = [], stageVariables: [String: String] = [:],
    trust: TrustedKeys? = nil
  ) throws -> TokenVerdict {
    guard let keys = try (trust ?? TokenSamples.trust).keys else { return .refused(.missing) }
    return verdict(
      on: value, scopes: scopes, stageVariables: stageVariables, keys: keys, at: TokenSamples.milliseconds)
  }
}

extension TokenVerdict {
  /// The reason code of a refusal; `nil` for a valid token.
  var code: String? {
    if case .refused(let reason) = self { reason.code } else { nil }
  }

  /// The claims that the backend receives.
  var claims: [String: String] {
    guard case .allowed(let grant) = self else { return [:] }
    return grant.variables
  }
}
