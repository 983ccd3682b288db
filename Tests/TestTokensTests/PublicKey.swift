import CLibcrypto
import Foundation
import JSON
import TestSupport

// This file contains every use of libcrypto in these tests. It is based on the RFCs, not on the module under test. Each
// `unsafe` call passes pointers that outlive the call.

/// An independent verification key, created only from a public JWK.
@safe final class PublicKey {
  private let pointer: OpaquePointer

  struct Unusable: Error { let function: String }

  init(_ jwk: JSONTree) throws {
    let made: OpaquePointer?
    switch jwk["kty"] {
    case .string("RSA"):
      unsafe made = try Self.key(
        "RSA", numbers: [("n", jwk.octets("n")), ("e", jwk.octets("e"))], texts: [], octets: [])
    case .string("EC"):
      guard case .string(let curve)? = jwk["crv"] else { throw Unusable(function: "crv") }
      unsafe made = try Self.key(
        "EC", numbers: [], texts: [("group", curve)],
        octets: [("pub", [4] + jwk.octets("x") + jwk.octets("y"))])
    case .string("OKP"):
      let x = jwk.octets("x")
      unsafe made = EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, x, x.count)
    default: unsafe made = nil
    }
    guard let made = unsafe made else { throw Unusable(function: "EVP_PKEY") }
    unsafe pointer = unsafe made
  }

  deinit { unsafe EVP_PKEY_free(pointer) }

  /// The size of the modulus, or of the group's order, in bits.
  var bitCount: Int { Int(unsafe EVP_PKEY_get_bits(pointer)) }

  /// Whether OpenSSL considers the key valid, EVP_PKEY_public_check(3).
  var isValid: Bool {
    let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil)
    defer { unsafe EVP_PKEY_CTX_free(context) }
    return unsafe EVP_PKEY_public_check(context) == 1
  }

  /// Verifies a JWS signature (RFC 7518 section 3). `algorithm` is the registered name; `isSequence` means that an
  /// ECDSA signature is already in DER.
  func verifies(
    _ signature: [UInt8], over message: [UInt8], _ algorithm: String, isSequence: Bool = false
  ) throws -> Bool {
    let context = unsafe EVP_MD_CTX_new()
    defer { unsafe EVP_MD_CTX_free(context) }
    var keyContext: OpaquePointer?
    // Fetched, because the table of EVP_get_digestbyname(3) is empty if libcrypto was initialized without it.
    let hash = unsafe algorithm == "EdDSA" ? nil : EVP_MD_fetch(nil, "SHA" + algorithm.suffix(3), nil)
    defer { unsafe EVP_MD_free(hash) }
    guard unsafe EVP_DigestVerifyInit(context, &keyContext, hash, nil, pointer) == 1 else { return false }
    if algorithm.hasPrefix("PS") {
      guard let bits = Int32(algorithm.suffix(3)) else { return false }
      guard unsafe EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING) == 1,
        unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, bits / 8) == 1,
        unsafe EVP_PKEY_CTX_set_rsa_mgf1_md(keyContext, hash) == 1
      else { return false }
    }
    let octets = algorithm.hasPrefix("ES") && !isSequence ? try Self.sequence(of: signature) : signature
    return unsafe EVP_DigestVerify(context, octets, octets.count, message, message.count) == 1
  }

  private static func key(
    _ type: String, numbers: [(StaticString, [UInt8])], texts: [(StaticString, String)],
    octets: [(StaticString, [UInt8])]
  ) throws -> OpaquePointer? {
    let builder = unsafe OSSL_PARAM_BLD_new()
    var owned: [OpaquePointer?] = unsafe []
    var copies: [UnsafeMutablePointer<UInt8>] = unsafe []
    defer {
      unsafe OSSL_PARAM_BLD_free(builder)
      for index in unsafe owned.indices { unsafe BN_free(owned[index]) }
      for index in unsafe copies.indices { unsafe copies[index].deallocate() }
    }
    func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<UInt8> {
      let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
      unsafe copy.initialize(from: bytes, count: bytes.count)
      unsafe copies.append(copy)
      return unsafe copy
    }
    for (name, bytes) in numbers {
      let number = unsafe BN_bin2bn(bytes, Int32(bytes.count), nil)
      unsafe owned.append(number)
      unsafe OSSL_PARAM_BLD_push_BN(builder, Self.cString(name), number)
    }
    for (name, text) in texts {
      let bytes = unsafe UnsafeRawPointer(copy(Array(text.utf8))).assumingMemoryBound(to: CChar.self)
      unsafe OSSL_PARAM_BLD_push_utf8_string(builder, Self.cString(name), bytes, text.utf8.count)
    }
    for (name, bytes) in octets {
      unsafe OSSL_PARAM_BLD_push_octet_string(builder, Self.cString(name), copy(bytes), bytes.count)
    }
    let parameters = unsafe OSSL_PARAM_BLD_to_param(builder)
    defer { unsafe OSSL_PARAM_free(parameters) }
    let context = unsafe EVP_PKEY_CTX_new_from_name(nil, type, nil)
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard unsafe EVP_PKEY_fromdata_init(context) == 1,
      unsafe EVP_PKEY_fromdata(context, &key, clibcrypto_public_key_selection(), parameters) == 1
    else { throw Unusable(function: "EVP_PKEY_fromdata") }
    return unsafe key
  }

  /// The pointer of a literal is valid as long as the process, because OpenSSL stores it.
  private static func cString(_ name: StaticString) -> UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  private static func sequence(of signature: [UInt8]) throws -> [UInt8] {
    let half = signature.count / 2
    let left = Array(signature[..<half])
    let right = Array(signature[half...])
    let parts = unsafe ECDSA_SIG_new()
    defer { unsafe ECDSA_SIG_free(parts) }
    // The signature owns both numbers from here on.
    unsafe ECDSA_SIG_set0(
      parts, BN_bin2bn(left, Int32(half), nil), BN_bin2bn(right, Int32(right.count), nil))
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = unsafe i2d_ECDSA_SIG(parts, &bytes)
    defer { unsafe clibcrypto_free(bytes) }
    guard count > 0 else { throw Unusable(function: "i2d_ECDSA_SIG") }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }
}

/// An HMAC by another function than the module uses: EVP_Q_mac(3).
func hmac(_ hash: String, secret: [UInt8], _ message: [UInt8]) -> [UInt8] {
  var code = [UInt8](repeating: 0, count: 64)
  var count = 0
  let key = secret.isEmpty ? [0] : secret
  _ = unsafe EVP_Q_mac(
    nil, "HMAC", nil, hash, nil, key, secret.count, message, message.count, &code, code.count, &count)
  return Array(code.prefix(count))
}

extension JSONTree {
  /// The bytes of a base64url member, decoded by Foundation; empty if it is not base64url.
  func octets(_ name: String) -> [UInt8] {
    guard case .string(let text)? = self[name] else { return [] }
    return base64URLDecoded(text)
  }

  /// The text of a string member; empty if it is not a string.
  func text(_ name: String) -> String {
    guard case .string(let text)? = self[name] else { return "" }
    return text
  }

  /// The members' names in order.
  var names: [String] {
    guard case .object(let members) = self else { return [] }
    return members.map(\.name)
  }
}
