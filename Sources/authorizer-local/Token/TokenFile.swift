internal import ArgumentParser
internal import JSON
internal import TestTokens

/// The recipes of a `tokens.json` and the keys that sign its tokens.
struct TokenFile {
  static let name = "tokens.json"

  private let mint: TokenMint

  /// Completes the names of the nearest file, or of the nearest one in a folder `events`.
  static let names = CompletionKind.custom { _, _, _ in
    let files = Machine.current.files
    let here = files.currentDirectory
    guard let path = files.nearest(name, from: here) ?? files.nearest("events/" + name, from: here),
      let bytes = try? files.bytes(at: path), let recipes = try? TokenRecipes(parsing: bytes)
    else { return [] }
    return recipes.names
  }

  /// Returns the given file, else the nearest one.
  static func nearest(
    to directory: String, given: TokenSource, on machine: Machine
  ) throws(CommandFailure) -> TokenFile {
    guard let path = given.path ?? machine.files.nearest(name, from: directory) else {
      throw CommandFailure(
        .usage, "no \(name) for the requested tokens",
        hint: "create one beside the events, or give --tokens FILE")
    }
    return try TokenFile(
      parsing: try machine.files.bytes(at: path), of: path, given.signsUnsentClaims, on: machine)
  }

  /// - Parameters:
  ///   - path: the file that has the recipes.
  ///   - signsUnsentClaims: whether recipes may have claims that their preset's issuer never sends.
  init(
    parsing bytes: [UInt8], of path: String, _ signsUnsentClaims: Bool = true, on machine: Machine
  ) throws(CommandFailure) {
    let recipes: TokenRecipes
    do throws(TokenFileError) {
      recipes = try TokenRecipes(parsing: bytes, signsUnsentClaims: signsUnsentClaims)
    } catch {
      if case .notJSON(let flaw) = error {
        throw Self.invalid(path, "\(path) is not JSON: \(flaw.description(in: bytes))")
      }
      throw Self.invalid(path, "\(path): \(error.description)")
    }
    mint = try Self.mint(recipes, machine)
  }

  private static func invalid(_ path: String, _ message: String) -> CommandFailure {
    var failure = CommandFailure(.usage, message)
    failure.sharedFile = path
    return failure
  }

  func token(named name: String) throws(CommandFailure) -> String {
    try Result { () throws(TokenMintError) in try mint.token(named: name) }
      .mapError { CommandFailure(.usage, $0.description, hint: $0.hint) }.get()
  }

  /// Returns a token of a recipe that is not in a file.
  static func token(_ recipe: TokenRecipe, on machine: Machine) throws(CommandFailure) -> String {
    let mint = try mint(TokenRecipes(), machine)
    return try Result { () throws(TokenMintError) in try mint.token(recipe, name: "token") }
      .mapError { CommandFailure(.usage, $0.description, hint: $0.hint) }.get()
  }

  /// Returns the proof for one request with a token.
  ///
  /// - Parameter clockOffsetSeconds: how far its time is ahead of the machine's clock.
  static func proof(
    method: String, address: String, token: String, clockOffsetSeconds: Int64 = 0, on machine: Machine
  ) throws(CommandFailure) -> String {
    let mint = try mint(TokenRecipes(), machine, clockOffsetSeconds: clockOffsetSeconds)
    return try Result { () throws(TokenMintError) in
      try mint.proof(method: method, address: address, token: token)
    }.mapError { CommandFailure(.unavailable, $0.description, hint: $0.hint) }.get()
  }

  /// Returns an event with its placeholders filled.
  func render(_ bytes: [UInt8], name: String) throws(CommandFailure) -> EventBytes {
    let event = try Result { () throws(TokenFileError) in
      try EventTemplate(parsing: bytes).filled(with: mint)
    }.mapError { CommandFailure(.usage, "\(name): \($0.description)") }.get()
    return EventBytes(bytes: event.tree.bytes(), tokenTimes: event.tokenTimes)
  }

  private static func mint(
    _ recipes: TokenRecipes, _ machine: Machine, clockOffsetSeconds: Int64 = 0
  ) throws(CommandFailure) -> TokenMint {
    TokenMint(
      recipes: recipes, keys: try machine.development.keys(), now: machine.now() + clockOffsetSeconds)
  }
}

/// An event as it is sent.
struct EventBytes {
  let bytes: [UInt8]
  /// The claims of its tokens that depend on the time of minting, such as `exp`, in seconds since 1970.
  var tokenTimes: Set<Int64> = []
}
