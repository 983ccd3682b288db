import JSON
import TestTokens
import Testing

@testable import JOSE

/// Creates proofs, good ones and others, and verifies them for one request.
struct ProofForge {
  static let now = TokenForge.now
  static let token = Array("header.payload.signature".utf8)
  static let url = "https://api.example.com/prod/pets"
  static let target = ProofTarget(
    method: Array("GET".utf8), path: Array("/prod/pets".utf8),
    origins: [WebOrigin(parsing: Array("https://api.example.com".utf8))].compactMap { $0 })

  /// The members of the header and the claims, each as raw JSON.
  var header: [(name: String, value: String)]
  var claims: [(name: String, value: String)]
  let key: SigningKey
  var algorithm: SigningAlgorithm?

  /// A good proof of this key.
  init(_ key: SigningKey? = nil, _ algorithm: SigningAlgorithm? = nil) throws {
    self.key = try key ?? TestKeys.made().es256
    self.algorithm = algorithm
    header = [
      ("typ", "\"dpop+jwt\""), ("alg", "\"\((algorithm ?? self.key.algorithm).rawValue)\""),
      ("jwk", try Self.jwk(of: self.key)),
    ]
    claims = [
      ("jti", "\"e1j3V_bKic8-LAEB\""), ("htm", "\"GET\""), ("htu", "\"\(Self.url)\""), ("iat", "\(Self.now)"),
      ("ath", "\"\(try Self.hash(of: Self.token))\""),
    ]
  }

  /// Returns the proof with changed, added or (`nil`) removed members of the header.
  func withHeader(_ name: String, _ value: String?) -> ProofForge {
    var other = self
    Self.change(&other.header, name, value)
    return other
  }

  /// Returns the proof with changed, added or (`nil`) removed claims.
  func withClaim(_ name: String, _ value: String?) -> ProofForge {
    var other = self
    Self.change(&other.claims, name, value)
    return other
  }

  private static func change(
    _ members: inout [(name: String, value: String)], _ name: String, _ value: String?
  ) {
    let index = members.firstIndex { $0.name == name }
    switch (index, value) {
    case (let index?, let value?): members[index].value = value
    case (let index?, nil): members.remove(at: index)
    case (nil, let value?): members.append((name, value))
    case (nil, nil): break
    }
  }

  static func object(_ members: [(name: String, value: String)]) -> String {
    "{" + members.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}"
  }

  /// The signed text.
  func text(signer: SigningKey? = nil) throws -> [UInt8] {
    try TokenForge.token(
      header: Self.object(header), claims: Self.object(claims), key: signer ?? key, using: algorithm)
  }

  /// The flaw of a text; `nil` if it is accepted.
  static func flaw(
    _ text: [UInt8], key: SigningKey? = nil, policy: ProofPolicy? = nil, at now: Int64 = now,
    target: ProofTarget? = target, token: [UInt8] = token
  ) throws -> ProofFlaw? {
    var verifier = try #require(PossessionVerifier())
    let bound = try thumbprint(of: key ?? TestKeys.made().es256)
    let policy = try #require(policy ?? ProofPolicy())
    do throws(ProofFlaw) {
      _ = try verifier.verify(text, for: target, token: token, boundTo: bound, policy, at: now)
      return nil
    } catch {
      return error
    }
  }

  /// The members of a public key that RFC 7638 requires, as a client writes them.
  static func jwk(of key: SigningKey) throws -> String {
    guard case .object(let members)? = key.publicJWK else { return "{}" }
    let names = ["kty", "crv", "x", "y", "n", "e"]
    return String(
      decoding: JSONTree.object(members.filter { names.contains($0.name) }).bytes(), as: UTF8.self)
  }

  static func thumbprint(of key: SigningKey) throws -> Thumbprint {
    var reader = KeyMaterialReader(try JSONDocument(parsing: Array(jwk(of: key).utf8), limits: .token).root)
    let digest = Digester()?.digest(.sha256, of: try reader.material().thumbprintInput[...]) ?? []
    return try #require(Thumbprint(digest: digest))
  }

  static func hash(of token: [UInt8]) throws -> String {
    String(decoding: Base64URL.encode(Digester()?.digest(.sha256, of: token[...]) ?? []), as: UTF8.self)
  }
}
