internal import GatewayEmulator
internal import LambdaEmulator
internal import JSON
internal import TestTokens

/// The recipe of a token in the shape of an issuer's.
extension TokenCommand {
  private typealias Claim = (name: String, value: String)

  /// What a token is bound to (RFC 7800).
  private enum Binding: Equatable {
    /// The development key for DPoP.
    case proof
    /// The client certificate in this file.
    case certificate(path: String)
  }

  func recipe(on machine: Machine) throws(CommandFailure) -> JSONTree {
    var given = try claim.map { text throws(CommandFailure) -> Claim in
      guard let pair = NamedValues.pair(text) else {
        throw CommandFailure(options: "--claim needs NAME=VALUE, found \(text)")
      }
      return pair
    }
    if let scope {
      guard !given.contains(where: { $0.name == "scope" }) else {
        throw CommandFailure(options: "give --scope or --claim scope, not both")
      }
      // As JSON, so that a scope such as 1 stays a text.
      given.append(("scope", String(decoding: JSONTree.string(scope).bytes(), as: UTF8.self)))
    }
    let bindings = try bindings(given)
    let confirmation = bindings.isEmpty ? nil : try Self.confirmation(bindings, on: machine)
    var claims = try members(given, at: machine.now())
    if let confirmation { claims.append(.init(name: "cnf", value: confirmation)) }
    return .members([
      "preset": preset.map { .string($0) }, "algorithm": algorithm.map { .string($0) },
      "claims": JSONTree.object(claims).unlessEmpty,
    ])
  }

  private func bindings(_ claims: [Claim]) throws(CommandFailure) -> [Binding] {
    let bindings = try bind.map { text throws(CommandFailure) -> Binding in
      if text == "dpop" { return .proof }
      if let pair = NamedValues.pair(text), pair.name == "certificate", !pair.value.isEmpty {
        return .certificate(path: pair.value)
      }
      throw CommandFailure(options: "--bind must be dpop or certificate=FILE, found \(text)")
    }
    if bindings.count(where: { $0 == .proof }) > 1 || bindings.count(where: { $0 != .proof }) > 1 {
      throw CommandFailure(options: "give each kind of --bind once")
    }
    if !bindings.isEmpty, claims.contains(where: { $0.name == "cnf" }) {
      throw CommandFailure(options: "--bind makes the claim cnf: omit --claim cnf")
    }
    return bindings
  }

  /// Returns the claim `cnf` for the bindings (RFC 9449 section 6.1, RFC 8705 section 3.1).
  private static func confirmation(
    _ bindings: [Binding], on machine: Machine
  ) throws(CommandFailure) -> JSONTree {
    .object(
      try bindings.map { binding throws(CommandFailure) -> JSONTree.Member in
        switch binding {
        case .proof: .init(name: "jkt", value: .string(try machine.development.proofThumbprint()))
        case .certificate(let path):
          .init(name: "x5t#S256", value: .string(try thumbprint(ofCertificateAt: path, machine)))
        }
      })
  }

  private static func thumbprint(
    ofCertificateAt path: String, _ machine: Machine
  ) throws(CommandFailure) -> String {
    guard let certificate = X509Certificate(pem: try machine.files.bytes(at: path)) else {
      throw CommandFailure(
        .usage, Printable.text("\(path) has no certificate"),
        hint: "give a file in PEM: -----BEGIN CERTIFICATE-----")
    }
    return try Result { () throws(SigningKeyError) in try certificate.thumbprint() }
      .mapError { CommandFailure(.unavailable, $0.description) }.get()
  }

  private func members(_ given: [Claim], at now: Int64) throws(CommandFailure) -> [JSONTree.Member] {
    var members: [JSONTree.Member] = []
    let known = preset.flatMap { TokenPreset($0) }
    if !audience.isEmpty {
      let claim =
        known.map { $0.audienceClaim(audience) } ?? TokenPreset.standardAudienceClaim(audience)
      guard let claim else {
        throw CommandFailure(
          .usage, "a token of \(preset ?? "") has exactly one client", hint: "give --audience once")
      }
      members.append(claim)
    }
    // A preset that is not known is refused with the recipe.
    if let subject, let known { members += known.claims(of: subject) }
    if let expires {
      members.append(.init(name: "exp", value: Self.moment(expires, at: now) ?? .string(expires)))
    }
    for (name, text) in given {
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
