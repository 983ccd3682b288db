import Authorizer
import TestSupport
import JSON
import TestTokens

/// Two issuers that sign with development keys: `apple`, and `partner` with a maximum token age of ten minutes.
enum TestIssuers {
  /// 2026-11-21T10:00:00Z.
  static let now: Int64 = 1_795_255_200

  static func keys() throws -> DevelopmentKeys { try SharedKeys.all() }

  static let configuration = """
    {
      "issuers": [
        { "preset": "apple", "audiences": ["com.example.app", "com.example.web"],
          "keys": { "seed": "keys.json", "pinned": true } },
        { "name": "partner", "issuer": "https://id.example.com", "audiences": ["api"],
          "algorithms": ["RS256", "ES256"], "maximumAgeSeconds": 600,
          "keys": { "seed": "keys.json", "pinned": true } }
      ]
    }
    """

  static func source() throws -> InMemorySource {
    InMemorySource(
      variables: ["AUTHORIZER_CONFIG": configuration, "AUTHORIZER_DEVELOPMENT": "1"],
      files: ["keys.json": .bytes(try keys().publicKeySet.bytes())])
  }

  static func settings() throws -> Settings { try Settings(reading: source()) }

  static func authorizer() throws -> Authorizer<ScriptedTransport> {
    Authorizer(settings: try settings(), transport: ScriptedTransport(), at: now)
  }

  /// Returns the token of a recipe, which is the body of a JSON object: `"preset":"apple"`.
  static func token(_ recipe: String) throws -> String {
    let recipes = try TokenRecipes(parsing: Array("{\"token\":{\(recipe)}}".utf8))
    return try TokenMint(recipes: recipes, keys: keys(), now: now).token(named: "token")
  }
}
