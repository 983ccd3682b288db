internal import Bytes
internal import JSON

/// The recipes of a `tokens.json`, by name.
package struct TokenRecipes: Equatable, Sendable {
  /// The names in the order of the file.
  package private(set) var names: [String] = []
  private var recipes: [String: TokenRecipe] = [:]

  /// Whether this is a name. The characters are limited because of the placeholder `{{token NAME}}`.
  static func isName(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0.isLetterOrDigit || "-._".utf8.contains($0) }
  }

  package init() {}

  /// Reads `{"NAME": {…}, …}`; ignores `$schema`.
  ///
  /// - Parameter signsUnsentClaims: whether recipes may have claims that their preset's issuer never sends.
  /// - Throws: `notJSON`, or `invalid` with every problem of the file.
  package init(parsing bytes: [UInt8], signsUnsentClaims: Bool = true) throws(TokenFileError) {
    let tree: JSONTree
    do throws(JSONError) {
      tree = try JSONTree(parsing: bytes, limits: .configuration)
    } catch {
      throw .notJSON(error)
    }
    guard case .object(let members) = tree else {
      throw .invalid([FileProblem(path: "", text: "is not an object of recipes by name")])
    }
    var reader = TokenRecipeReader(signsUnsentClaims: signsUnsentClaims)
    for member in members where member.name != "$schema" {
      let path = JSONPath.root.member(member.name)
      if !Self.isName(member.name) {
        reader.report("is not a name", at: path, hint: "names have A-Z, a-z, 0-9, dot, hyphen and underscore")
      }
      guard let recipe = reader.recipe(member.value, at: path) else { continue }
      names.append(member.name)
      recipes[member.name] = recipe
    }
    guard reader.problems.isEmpty else { throw .invalid(reader.problems) }
  }

  package subscript(_ name: String) -> TokenRecipe? { recipes[name] }
}
