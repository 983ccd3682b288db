import Foundation
import JSON
import Synchronization
import Testing
import TestSupport

@testable import JOSE

/// Runs the vector files and counts the verdicts that agree with their labels.
enum Wycheproof {
  /// The result of one file.
  struct Result: Equatable {
    var cases = 0
    /// Cases whose verdict equals the label.
    var agreed = 0
    /// Cases labeled valid or acceptable that are refused because JOSE is stricter than the vectors: the file's
    /// `strictness`.
    var refusedByRule = 0
    /// The tcIds of all other cases.
    var differences: Set<Int> = []

    mutating func record(_ id: Int, label: String, mustRefuse: Bool = false, accepted: Bool) {
      cases += 1
      // "acceptable" means that a lenient verifier may accept it (MissingNull); this one is strict.
      let isWanted = label == "valid" && !mustRefuse
      if accepted != isWanted {
        differences.insert(id)
      } else if isWanted || label == "invalid" {
        agreed += 1
      } else {
        refusedByRule += 1
      }
    }
  }

  /// One vector file with its algorithm and the intended differences from its labels.
  struct File: Sendable, CustomTestStringConvertible {
    let name: String
    let algorithm: Algorithm
    let cases: Int
    var exceptions: [Int: String] = [:]
    /// Whether the signatures have another salt or MGF1 than JWA allows, so that every case must be refused.
    var isNegative = false
    var testDescription: String { name }

    /// The reason why cases labeled valid or acceptable are refused.
    var strictness: String? {
      switch algorithm.scheme.padding {
      case .hmac: "a tag shorter than the digest (RFC 7518 section 3.2)"
      case .pss where isNegative: "another salt length or MGF1 digest than RFC 7518 section 3.5 requires"
      case .pkcs1: "a DigestInfo without NULL (RFC 8017 appendix A.2.4)"
      default: nil
      }
    }
  }

  static let folder = SharedMaterial.root.appending(path: "wycheproof")
  static let isPresent = FileManager.default.fileExists(atPath: folder.path)

  static let webSignatureExceptions: [Int: String] = [
    346: "header PS384, JWK alg PS256: a key is used with one algorithm (RFC 8725 section 3.1)",
    350: "header PS384, JWK alg PS256: a key is used with one algorithm (RFC 8725 section 3.1)",
    347: "JWK alg \"ES521\" is not a registered name (RFC 7518 section 3.1)",
    351: "JWK alg \"ES521\" is not a registered name (RFC 7518 section 3.1)",
    367: "labeled invalid, byte-identical to the valid tcId 357",
    370: "labeled invalid, byte-identical to the valid tcId 357",
    372: "a `?` inside the header's base64url, which is not in the alphabet",
    373: "a `?` inside the payload's base64url, which is not in the alphabet",
  ]

  static let signatureFiles: [File] =
    [
      File(name: "ecdsa_secp256r1_sha256_p1363", algorithm: .es256, cases: 262),
      File(name: "ecdsa_secp384r1_sha384_p1363", algorithm: .es384, cases: 280),
      File(name: "ecdsa_secp521r1_sha512_p1363", algorithm: .es512, cases: 318),
      File(name: "ed25519", algorithm: .edDSA, cases: 151),
      File(name: "rsa_pss_2048_sha256_mgf1_32", algorithm: .ps256, cases: 108),
      File(name: "rsa_pss_3072_sha256_mgf1_32", algorithm: .ps256, cases: 108),
      File(name: "rsa_pss_4096_sha256_mgf1_32", algorithm: .ps256, cases: 108),
      File(name: "rsa_pss_2048_sha384_mgf1_48", algorithm: .ps384, cases: 141),
      File(name: "rsa_pss_4096_sha384_mgf1_48", algorithm: .ps384, cases: 141),
      File(name: "rsa_pss_4096_sha512_mgf1_64", algorithm: .ps512, cases: 179),
      File(name: "rsa_pss_4096_sha512_mgf1_32", algorithm: .ps512, cases: 177, isNegative: true),
      File(
        name: "rsa_pss_2048_sha256_mgf1_0", algorithm: .ps256, cases: 103,
        exceptions: [69: "labeled invalid for its salt of 32 bytes, which PS256 requires"],
        isNegative: true),
      File(name: "rsa_pss_2048_sha256_mgf1sha1_20", algorithm: .ps256, cases: 108, isNegative: true),
    ]
    + [
      (2048, 256, Algorithm.rs256, 259), (2048, 384, .rs384, 258), (2048, 512, .rs512, 259),
      (3072, 256, .rs256, 259),
      (3072, 384, .rs384, 259), (3072, 512, .rs512, 260), (4096, 256, .rs256, 258), (4096, 384, .rs384, 259),
      (4096, 512, .rs512, 259),
    ].map { bits, digest, algorithm, cases in
      File(name: "rsa_signature_\(bits)_sha\(digest)", algorithm: algorithm, cases: cases)
    }

  static let macFiles = [
    File(name: "hmac_sha256", algorithm: .hs256, cases: 174),
    File(name: "hmac_sha384", algorithm: .hs384, cases: 174),
    File(name: "hmac_sha512", algorithm: .hs512, cases: 174),
  ]

  /// The results by the names of their files: the page and the tests need the same ones.
  private static let results = Mutex<[String: Result]>([:])

  private static func once(_ name: String, _ run: () throws -> Result) throws -> Result {
    if let result = results.withLock({ $0[name] }) { return result }
    let result = try run()
    results.withLock { $0[name] = result }
    return result
  }

  static func webSignatures() throws -> Result {
    try once("json_web_signature") { try runWebSignatures() }
  }

  static func signatures(_ file: File) throws -> Result { try once(file.name) { try runSignatures(file) } }

  static func macs(_ file: File) throws -> Result { try once(file.name) { try runMACs(file) } }

  private static func runWebSignatures() throws -> Result {
    var result = Result()
    for group in try groups("json_web_signature") {
      let key = group["public"] ?? group["private"]
      for test in tests(group) {
        let accepted = key.map { accepts(test["jws"]?.utf8 ?? [], JSONTree($0)) } ?? false
        result.record(id(test), label: test["result"]?.text ?? "", accepted: accepted)
      }
    }
    return result
  }

  /// Whether a JWS is accepted with a key set of this one JWK.
  private static func accepts(_ text: [UInt8], _ key: JSONTree) -> Bool {
    guard let jws = try? CompactJWS(parsing: text) else { return false }
    var checker = SignatureChecker()
    if key["kty"] == .string("oct") {
      guard key["use"] == nil || key["use"] == .string("sig"),
        key["alg"] == .string(jws.header.algorithm.rawValue),
        case .string(let encoded)? = key["k"], let bytes = Base64URL.decode(Array(encoded.utf8)),
        let secret = try? SharedSecret(bytes, for: [jws.header.algorithm])
      else { return false }
      return checker.verifies(jws, with: .secret(secret))
    }
    let document = JSONTree.object([.init(name: "keys", value: .array([key]))])
    guard let keys = try? KeySet(parsing: document.bytes()), let match = keys.key(for: jws.header) else {
      return false
    }
    return checker.verifies(jws, with: .key(match))
  }

  private static func runSignatures(_ file: File) throws -> Result {
    var result = Result()
    var checker = SignatureChecker()
    for group in try groups(file.name) {
      let key = try verificationKey(group, file)
      for test in tests(group) {
        let accepted = checker.isSignature(
          bytes(test, "sig"), over: bytes(test, "msg")[...], key: key, algorithm: file.algorithm)
        result.record(
          id(test), label: test["result"]?.text ?? "", mustRefuse: file.isNegative, accepted: accepted)
      }
    }
    return result
  }

  private static func runMACs(_ file: File) throws -> Result {
    var result = Result()
    var checker = SignatureChecker()
    for group in try groups(file.name) {
      for test in tests(group) {
        let (key, tag, message) = (bytes(test, "key"), bytes(test, "tag"), bytes(test, "msg")[...])
        // JWS does not allow truncated tags (RFC 7518 section 3.2), so they must be refused for any label.
        let isTruncated = tag.count != file.algorithm.scheme.digest.bytes
        let accepted: Bool
        if let secret = try? SharedSecret(key, for: [file.algorithm]) {
          accepted = checker.isTag(tag, over: message, secret: secret, algorithm: file.algorithm)
        } else {
          // Such a short secret cannot be configured, but the HMAC must still be correct.
          accepted = Libcrypto.hmac(file.algorithm.scheme.digest, key: key, message: message) == tag
        }
        result.record(
          id(test), label: test["result"]?.text ?? "", mustRefuse: isTruncated, accepted: accepted)
      }
    }
    return result
  }

  /// The group's key, created from its numbers, because the JWK of some groups has a salt or exponent that JWA does not
  /// allow.
  private static func verificationKey(_ group: JSONValue, _ file: File) throws -> VerificationKey {
    let key = group["publicKey"]
    if let modulus = key?["modulus"]?.text.map(hexadecimal),
      let exponent = key?["publicExponent"]?.text.map(hexadecimal)
    {
      let number = Array(modulus.drop { $0 == 0 })
      let odd = Array(exponent.drop { $0 == 0 })
      guard let handle = PublicKeyHandle(rsaModulus: number, exponent: odd) else { throw Unusable() }
      return VerificationKey(
        keyID: nil, algorithms: Algorithm.allCases, bits: number.count * 8,
        material: .rsa(modulus: number, exponent: odd), deviations: [], handle: handle)
    }
    if let point = key?["uncompressed"]?.text.map(hexadecimal),
      case .ec(let curve) = file.algorithm.scheme.keyType
    {
      let size = curve.coordinateBytes
      let (x, y) = (Array(point[1...size]), Array(point[(size + 1)...]))
      guard let handle = PublicKeyHandle(curve: curve, x: x, y: y) else { throw Unusable() }
      return VerificationKey(
        keyID: nil, algorithms: [file.algorithm], bits: size * 8, material: .ec(curve, x: x, y: y),
        deviations: [], handle: handle)
    }
    guard let jwk = group["publicKeyJwk"] else { throw Unusable() }
    return try JSONWebKey.key(jwk, policy: KeyPolicy())
  }

  private struct Unusable: Error {}

  private static func groups(_ name: String) throws -> [JSONValue] {
    let bytes = Array(try Data(contentsOf: folder.appending(path: name + "_test.json")))
    let limits = JSONLimits(bytes: 64 << 20, depth: 64, membersPerObject: 4096)
    return try JSONDocument(parsing: bytes, limits: limits).root["testGroups"].map { Array($0.elements) }
      ?? []
  }

  private static func id(_ test: JSONValue) -> Int { Int(test["tcId"]?.number?.integer ?? -1) }

  private static func bytes(_ test: JSONValue, _ name: String) -> [UInt8] {
    hexadecimal(test[name]?.text ?? "")
  }

  private static func hexadecimal(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var first: UInt8?
    for character in text.utf8 {
      let digit = character < 0x3A ? character &- 0x30 : (character | 0x20) &- 0x57
      if let high = first { bytes.append(high << 4 | digit) }
      first = first == nil ? digit : nil
    }
    return bytes
  }

  private static func tests(_ group: JSONValue) -> [JSONValue] {
    group["tests"].map { Array($0.elements) } ?? []
  }
}
