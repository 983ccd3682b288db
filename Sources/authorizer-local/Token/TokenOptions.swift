internal import GatewayEmulator
internal import LambdaEmulator
internal import JSON
internal import TestTokens

/// What `token` is told on the command line.
enum TokenOptions: Sendable {
  /// A token of `tokens.json`, or of the given file.
  case named(String, tokens: String?)
  /// A token in the shape of an issuer's.
  case shaped(TokenShape)

  /// Returns the token, signed with a development key.
  func token(on machine: Machine) throws(CommandFailure) -> String {
    switch self {
    case .named(let name, let tokens):
      let file = try TokenFile.nearest(
        to: machine.files.currentDirectory, given: tokens ?? Self.sampleTokens(machine.files), on: machine)
      return try file.token(named: name)
    case .shaped(let shape):
      let tree = try shape.recipe(
        at: machine.now(), confirmation: try shape.bindings.isEmpty ? nil : shape.confirmation(on: machine))
      let recipe: TokenRecipe
      do throws(TokenRecipesError) {
        recipe = try TokenRecipe(tree, name: "token")
      } catch {
        throw CommandFailure(.usage, error.description)
      }
      return try TokenFile.token(recipe, on: machine)
    }
  }

  /// At the root of a repository, the recipes of the sample events are used.
  private static func sampleTokens(_ files: FileSystem) -> String? {
    let here = files.currentDirectory
    if files.nearest(TokenFile.name, from: here) != nil { return nil }
    return files.nearest("events/" + TokenFile.name, from: here)
  }
}

/// The claims of a token, from the options of the command line.
struct TokenShape: Sendable {
  typealias Claim = (name: String, value: String)

  var preset: String?
  var audiences: [String] = []
  var subject: String?
  var expires: String?
  var claims: [Claim] = []
  var algorithm: String?
  var bindings: [Binding] = []

  /// What a token is bound to (RFC 7800).
  enum Binding: Equatable, Sendable {
    /// The development key for DPoP.
    case proof
    /// The client certificate in this file.
    case certificate(path: String)
  }

  /// Returns the recipe of the token.
  ///
  /// - Parameters:
  ///   - now: the time that a relative expiry refers to.
  ///   - confirmation: the claim `cnf`; `nil` if the token is not bound.
  func recipe(at now: Int64, confirmation: JSONTree?) throws(CommandFailure) -> JSONTree {
    var claims = try claimMembers(at: now)
    if let confirmation { claims.append(.init(name: "cnf", value: confirmation)) }
    return .members([
      "preset": preset.map { .string($0) }, "algorithm": algorithm.map { .string($0) },
      "claims": JSONTree.object(claims).unlessEmpty,
    ])
  }

  /// Returns the claim `cnf` for the bindings (RFC 9449 section 6.1, RFC 8705 section 3.1).
  func confirmation(on machine: Machine) throws(CommandFailure) -> JSONTree {
    var members: [JSONTree.Member] = []
    for binding in bindings {
      switch binding {
      case .proof:
        members.append(.init(name: "jkt", value: .string(try machine.development.proofThumbprint())))
      case .certificate(let path):
        members.append(
          .init(name: "x5t#S256", value: .string(try Self.thumbprint(ofCertificateAt: path, machine))))
      }
    }
    return .object(members)
  }

  private static func thumbprint(
    ofCertificateAt path: String, _ machine: Machine
  ) throws(CommandFailure) -> String {
    guard let certificate = X509Certificate(pem: try machine.files.bytes(at: path)) else {
      throw CommandFailure(
        .usage, Printable.text("\(path) has no certificate"),
        hint: "give a file in PEM: -----BEGIN CERTIFICATE-----")
    }
    do throws(SigningKeyError) {
      return try certificate.thumbprint()
    } catch {
      throw CommandFailure(.unavailable, error.description)
    }
  }

  private func claimMembers(at now: Int64) throws(CommandFailure) -> [JSONTree.Member] {
    var members: [JSONTree.Member] = []
    if !audiences.isEmpty {
      let known = preset.flatMap { TokenPreset($0) }
      let claim =
        known.map { $0.audienceClaim(audiences) } ?? TokenPreset.standardAudienceClaim(audiences)
      guard let claim else {
        throw CommandFailure(
          .usage, "a token of \(preset ?? "") has exactly one client", hint: "give --audience once")
      }
      members.append(claim)
    }
    if let subject { members.append(.init(name: "sub", value: .string(subject))) }
    if let expires {
      members.append(.init(name: "exp", value: Self.moment(expires, at: now) ?? .string(expires)))
    }
    for (name, text) in claims {
      let value = try? JSONTree(parsing: Array(text.utf8), limits: .configuration)
      members.append(.init(name: name, value: value ?? .string(text)))
    }
    return members
  }

  /// Returns a time as the claim's value. An offset from now is resolved by the recipe. `nil` for anything else.
  static func moment(_ text: String, at now: Int64) -> JSONTree? {
    if RelativeTime(text) != nil { return .string(text) }
    if let seconds = Int64(text), seconds >= 0, text.first != "+" { return .number(String(seconds)) }
    return Moment.parse(text, at: now).map { .number(String($0)) }
  }
}
