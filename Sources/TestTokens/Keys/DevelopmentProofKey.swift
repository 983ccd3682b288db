internal import Bytes
import JSON

/// The key of a client that proves possession with DPoP (RFC 9449).
package struct DevelopmentProofKey: Sendable {
  private let key: SigningKey

  private static let fileName = "dpop.json"

  /// Generates a new key and does not store it.
  ///
  /// - Throws: `notMade`.
  package static func generate() throws(DevelopmentKeysError) -> DevelopmentProofKey {
    do throws(SigningKeyError) {
      return DevelopmentProofKey(key: try .generate(.es256, id: DevelopmentKeyName.idPrefix + "dpop"))
    } catch {
      throw .notMade(error)
    }
  }

  /// Reads the key of a folder, or generates it on the first use. The folder is that of `DevelopmentKeys`, with the same
  /// checks.
  ///
  /// - Throws: `inaccessible`, `untrusted`, `damaged` (the file is not changed), or `notMade`.
  package init(in path: String) throws(DevelopmentKeysError) {
    self = try PrivateFolder(path: path).value(of: Self.fileName, read: Self.read) {
      () throws(DevelopmentKeysError) in
      let made = try Self.generate()
      return (made, made.key.privateJWK.bytes(indentedBy: 2) + [0x0A])
    }
  }

  private init(key: SigningKey) { self.key = key }

  private static func read(
    _ bytes: [UInt8], at path: String
  ) throws(DevelopmentKeysError) -> DevelopmentProofKey {
    guard let tree = try? JSONTree(parsing: bytes, limits: .configuration) else {
      throw .damaged(path: path, reason: "it is not JSON")
    }
    do throws(SigningKeyError) {
      let key = try SigningKey(privateJWK: tree)
      guard key.algorithm == .es256 else { throw .malformedJWK(member: "alg") }
      return DevelopmentProofKey(key: key)
    } catch {
      throw .damaged(path: path, reason: error.description)
    }
  }

  /// The public key with its required members only, in the order of their names (RFC 7638 section 3.2).
  private var publicJWK: JSONTree {
    let members = ["crv", "kty", "x", "y"]
    return .object(
      members.compactMap { name in key.publicJWK?[name].map { JSONTree.Member(name: name, value: $0) } })
  }

  /// `jkt`: the SHA-256 thumbprint of the public key (RFC 9449 section 6.1).
  ///
  /// - Throws: `libcrypto`.
  package func thumbprint() throws(SigningKeyError) -> String {
    Base64URL.text(try Libcrypto.hash(publicJWK.bytes()))
  }

  /// Makes a proof for one request (RFC 9449 section 4.2).
  ///
  /// - Parameters:
  ///   - method: the HTTP method.
  ///   - address: the URL of the request; query and fragment are left out.
  ///   - token: the access token that is sent with it.
  ///   - now: seconds since 1970.
  ///   - entropy: makes the proof unique.
  /// - Throws: `libcrypto`.
  package func proof(
    method: String, address: String, token: String, now: Int64, entropy: () -> UInt64
  ) throws(SigningKeyError) -> String {
    let target = Substring(address.utf8.prefix { $0 != .questionMark && $0 != .numberSign })
    let header = JSONTree.members(["typ": .string("dpop+jwt"), "alg": .string("ES256"), "jwk": publicJWK])
    let number = [entropy(), entropy()].flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
    let payload = JSONTree.members([
      "jti": .string(Base64URL.text(number)), "htm": .string(method), "htu": .string(String(target)),
      "iat": .number(String(now)),
      "ath": .string(Base64URL.text(try Libcrypto.hash(Array(token.utf8)))),
    ])
    let input = Base64URL.encode(header.bytes()) + [0x2E] + Base64URL.encode(payload.bytes())
    let signature = try key.signature(over: input)
    return String(decoding: input + [0x2E] + Base64URL.encode(signature), as: UTF8.self)
  }
}
