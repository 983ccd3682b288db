internal import Foundation
internal import JSON
internal import TestTokens

/// A `tokens.json` and the keys that its tokens are signed with.
struct TokenFile {
  static let name = "tokens.json"

  private let mint: TokenMint

  /// The file given, else the nearest one; without any, every placeholder is an unknown token.
  static func nearest(to directory: String, given: String?) throws(CommandFailure) -> TokenFile {
    guard let path = given ?? FileSystem.nearest(name, from: directory) else {
      throw CommandFailure(
        .usage, "no \(name) for the tokens asked for",
        hint: "write one beside the events, or give --tokens FILE")
    }
    let bytes = try FileSystem.bytes(at: path)
    let recipes: TokenRecipes
    do throws(TokenRecipesError) {
      recipes = try TokenRecipes(parsing: bytes)
    } catch {
      if case .notJSON(let flaw) = error {
        throw CommandFailure(.usage, "\(path) is not JSON: \(flaw.description(in: bytes))")
      }
      throw CommandFailure(.usage, "\(path): \(error.description)")
    }
    return TokenFile(mint: try mint(recipes))
  }

  /// A token by its name in the file.
  func token(named name: String) throws(CommandFailure) -> String {
    do throws(TokenMintError) {
      return try mint.token(named: name)
    } catch {
      throw CommandFailure(.usage, error.description, hint: error.hint)
    }
  }

  /// A token of a recipe that stands in no file.
  static func token(_ recipe: TokenRecipe) throws(CommandFailure) -> String {
    let mint = try mint(TokenRecipes())
    do throws(TokenMintError) {
      return try mint.token(recipe, name: "token")
    } catch {
      throw CommandFailure(.usage, error.description, hint: error.hint)
    }
  }

  /// An event with its placeholders filled.
  func render(_ bytes: [UInt8], name: String) throws(CommandFailure) -> EventBytes {
    do throws(EventTemplateError) {
      let event = try EventTemplate(parsing: bytes).filled(with: mint)
      return EventBytes(bytes: event.tree.bytes(), tokenTimes: event.tokenTimes)
    } catch {
      throw CommandFailure(.usage, "\(name): \(error.description)")
    }
  }

  private static func mint(_ recipes: TokenRecipes) throws(CommandFailure) -> TokenMint {
    TokenMint(
      recipes: recipes, keys: try DevelopmentKeySet.keys(), now: Int64(Date().timeIntervalSince1970))
  }
}
