internal import ArgumentParser
internal import JSON
internal import TestTokens

struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Prints a token signed with a development key.",
    discussion: """
      Prints the token with this name in the nearest tokens.json, or a token in the shape of an issuer's. Deployed \
      functions refuse both: their key IDs begin with development-.

      Examples:
        authorizer-local token good
        authorizer-local token --preset apple --audience com.example.app --subject 001234.abc --expires +10m
        authorizer-local token --preset auth0:example.eu.auth0.com --audience api --claim 'scope=read write'
      """)

  @Argument(help: "Name in tokens.json.")
  var name: String?

  @Option(help: "File with token recipes. Default: the nearest tokens.json.")
  var tokens: String?

  @Option(
    help:
      "Issuer preset of the token: \(TokenPreset.names.joined(separator: ", ")). A tenant follows a colon.")
  var preset: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: "The aud claim; client_id for cognito-access. Repeatable for a list.")
  var audience: [String] = []

  @Option(parsing: .unconditional, help: "The sub claim.")
  var subject: String?

  // A time in the past begins with a dash.
  @Option(
    parsing: .unconditional,
    help: "The exp claim: +10m, -1h, +90s, +2d from now, 2026-11-21T10:00:00Z, or seconds since 1970.")
  var expires: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: "Another claim. A value that is JSON is used as JSON, any other as text. Repeatable.")
  var claim: [String] = []

  @Option(help: "Signature algorithm. Overrides the preset's.")
  var algorithm: String?

  func validate() throws {
    if name == nil, preset == nil {
      throw ValidationError("give the name of a token in tokens.json, or --preset")
    }
    if name != nil, preset != nil || !audience.isEmpty || subject != nil || expires != nil || !claim.isEmpty {
      throw ValidationError("a named token takes no other claims; change tokens.json, or use --preset")
    }
    if let expires, Self.moment(expires) == nil {
      throw ValidationError(Moment.problem("--expires", expires))
    }
    for claim in claim where !claim.dropFirst().contains("=") {
      throw ValidationError("--claim needs NAME=VALUE, found \(claim)")
    }
  }

  func run() throws {
    if let name {
      let file = try TokenFile.nearest(to: FileSystem.currentDirectory, given: tokens ?? Self.sampleTokens())
      Terminal.answer(exact: try file.token(named: name))
    } else {
      let tree = try recipeTree()
      let recipe: TokenRecipe
      do throws(TokenRecipesError) {
        recipe = try TokenRecipe(tree, name: "token")
      } catch {
        throw CommandFailure(.usage, error.description)
      }
      Terminal.answer(exact: try TokenFile.token(recipe))
    }
  }

  /// At the root of a repository, the recipes of the sample events are used.
  private static func sampleTokens() -> String? {
    let here = FileSystem.currentDirectory
    if FileSystem.nearest(TokenFile.name, from: here) != nil { return nil }
    return FileSystem.nearest("events/" + TokenFile.name, from: here)
  }

  /// Returns a time as the claim's value. An offset from now is resolved by the recipe. `nil` for anything else.
  private static func moment(_ text: String) -> JSONTree? {
    if RelativeTime(text) != nil { return .string(text) }
    if let seconds = Int64(text), seconds >= 0, text.first != "+" { return .number(String(seconds)) }
    return Moment.parse(text).map { .number(String($0)) }
  }

  private func recipeTree() throws(CommandFailure) -> JSONTree {
    var claims: [JSONTree.Member] = []
    func set(_ name: String, _ value: JSONTree) { claims.append(.init(name: name, value: value)) }
    if !audience.isEmpty {
      let known = preset.flatMap { TokenPreset($0) }
      let claim = known.map { $0.audienceClaim(audience) } ?? TokenPreset.standardAudienceClaim(audience)
      guard let claim else {
        throw CommandFailure(
          .usage, "a token of \(preset ?? "") has exactly one client", hint: "give --audience once")
      }
      claims.append(claim)
    }
    if let subject { set("sub", .string(subject)) }
    if let expires { set("exp", Self.moment(expires) ?? .string(expires)) }
    for claim in claim {
      guard let sign = claim.dropFirst().firstIndex(of: "=") else { continue }
      let text = String(claim[claim.index(after: sign)...])
      set(
        String(claim[..<sign]),
        (try? JSONTree(parsing: Array(text.utf8), limits: .configuration)) ?? .string(text))
    }
    var members: [JSONTree.Member] = []
    if let preset { members.append(.init(name: "preset", value: .string(preset))) }
    if let algorithm { members.append(.init(name: "algorithm", value: .string(algorithm))) }
    if !claims.isEmpty { members.append(.init(name: "claims", value: .object(claims))) }
    return .object(members)
  }
}
