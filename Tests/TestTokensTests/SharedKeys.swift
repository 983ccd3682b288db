import Testing

@testable import TestTokens

/// Keys shared by all tests, because generating them takes a second.
enum SharedKeys {
  private static let made = Result { try DevelopmentKeys.generate() }

  static func all() throws -> DevelopmentKeys { try made.get() }
}

/// 2026-11-21T10:00:00Z.
let testTime: Int64 = 1_795_255_200

/// Mints the token of a recipe, given as the body of an object: `"preset":"apple"`.
func mint(_ recipe: String, name: String = "good", now: Int64 = testTime) throws -> String {
  let recipes = try TokenRecipes(parsing: Array("{\"\(name)\":{\(recipe)}}".utf8))
  return try TokenMint(recipes: recipes, keys: SharedKeys.all(), now: now).token(named: name)
}

/// The problems reported for a recipe file.
func problems(of file: String) -> [FileProblem] {
  do throws(TokenFileError) {
    _ = try TokenRecipes(parsing: Array(file.utf8))
    return []
  } catch .invalid(let problems) {
    return problems
  } catch {
    return [FileProblem(path: "", text: "not JSON")]
  }
}
