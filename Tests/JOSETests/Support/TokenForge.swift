import JSON
import TestTokens

@testable import JOSE

/// The keys of all tests of this module, generated once for each run.
struct TestKeys: Sendable {
  let rsa: SigningKey
  let es256: SigningKey
  let es384: SigningKey
  let es512: SigningKey
  let ed25519: SigningKey
  /// The attacker's key, which is not in the key set, with the `kid` of the issuer's key.
  let attackerRSA: SigningKey
  let attackerES256: SigningKey

  static func made() throws -> TestKeys { try result.get() }

  private static let result = Result { try TestKeys() }

  private init() throws {
    rsa = try .generate(.rs256, id: "rsa")
    es256 = try .generate(.es256, id: "es256")
    es384 = try .generate(.es384, id: "es384")
    es512 = try .generate(.es512, id: "es512")
    ed25519 = try .generate(.edDSA, id: "ed25519")
    attackerRSA = try .generate(.rs256, id: "rsa")
    attackerES256 = try .generate(.es256, id: "es256")
  }

  var published: [SigningKey] { [rsa, es256, es384, es512, ed25519] }

  /// The public half of `ed25519` as `SubjectPublicKeyInfo` in PEM (RFC 8410 section 10.1).
  var edwardsPEM: [UInt8] {
    guard case .string(let text)? = ed25519.publicJWK?["x"], let x = Base64URL.decode(Array(text.utf8)) else {
      return []
    }
    let information = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00] + x
    // 44 bytes end in a group of two, which needs one character of padding.
    let base64 =
      TokenForge.base64url(text: information).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 } + ["="]
    return Array("-----BEGIN PUBLIC KEY-----\n\(String(base64))\n-----END PUBLIC KEY-----\n".utf8)
  }
}

/// Creates tokens that a correct issuer would never sign.
enum TokenForge {
  /// The time of every test in Unix seconds.
  static let now: Int64 = 1_800_000_000
  static let issuer = "https://id.example.com"

  static let goodHeader = #"{"alg":"RS256","kid":"rsa"}"#
  static let goodClaims = claims()

  /// The claims of a good token. Each change is the raw JSON of a value; `nil` omits the claim.
  static func claims(_ changes: [(String, String?)] = []) -> String {
    var members: [(name: String, value: String?)] = [
      ("iss", "\"\(issuer)\""), ("sub", "\"u1\""), ("aud", "\"api\""), ("iat", "\(now)"),
      ("exp", "\(now + 600)"),
    ]
    for (name, value) in changes {
      if let index = members.firstIndex(where: { $0.name == name }) {
        members[index].value = value
      } else {
        members.append((name, value))
      }
    }
    let texts = members.compactMap { member in member.value.map { "\"\(member.name)\":\($0)" } }
    return "{" + texts.joined(separator: ",") + "}"
  }

  /// A header for one of the issuer's keys, with additional raw JSON members at its end.
  static func header(_ algorithm: String = "RS256", kid: String = "rsa", adding members: String = "")
    -> String
  {
    #"{"alg":"\#(algorithm)","kid":"\#(kid)"\#(members.isEmpty ? "" : "," + members)}"#
  }

  /// Signs any header and payload.
  static func token(
    header: some Collection<UInt8>, payload: some Collection<UInt8>, key: SigningKey,
    using algorithm: SigningAlgorithm? = nil
  ) throws -> [UInt8] {
    let input = base64url(header) + [0x2E] + base64url(payload)
    return input + [0x2E] + base64url(try key.signature(over: input, using: algorithm))
  }

  /// A good token signed with the issuer's RSA key; the parameters override its parts.
  static func token(
    header: String = goodHeader, claims: String = goodClaims, key: SigningKey? = nil,
    using algorithm: SigningAlgorithm? = nil
  ) throws -> [UInt8] {
    let signer = try key ?? TestKeys.made().rsa
    return try token(header: header.utf8, payload: claims.utf8, key: signer, using: algorithm)
  }

  /// A token with any signature.
  static func token(header: String, claims: String = goodClaims, signature: [UInt8]) -> [UInt8] {
    base64url(header.utf8) + [0x2E] + base64url(claims.utf8) + [0x2E] + base64url(signature)
  }

  /// The three segments of a token.
  static func segments(of token: [UInt8]) -> [[UInt8]] {
    token.split(separator: 0x2E, omittingEmptySubsequences: false).map { Array($0) }
  }

  static func base64url(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    var (bits, count) = (0, 0)
    for byte in bytes {
      (bits, count) = ((bits << 8 | Int(byte)) & 0xFFFF, count + 8)
      while count >= 6 {
        count -= 6
        text.append(alphabet[bits >> count & 0x3F])
      }
    }
    if count > 0 { text.append(alphabet[bits << (6 - count) & 0x3F]) }
    return text
  }

  static func base64url(text bytes: some Collection<UInt8>) -> String {
    String(decoding: base64url(bytes), as: UTF8.self)
  }

  /// The byte offset of the last occurrence of a text in another.
  static func lastOffset(of part: String, in text: String) -> Int {
    let (part, text) = (Array(part.utf8), Array(text.utf8))
    return (0...(text.count - part.count)).last { Array(text[$0..<$0 + part.count]) == part } ?? -1
  }
}
