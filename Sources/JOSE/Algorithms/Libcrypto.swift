import CLibcrypto

// This file contains every unsafe use of libcrypto in the shipped function. Two arguments show that they are safe:
//
// (1) Ownership. Each C object has exactly one Swift owner that frees it in `deinit` or `defer`, and no pointer leaves
//     the owner. `_free` functions accept NULL (manual pages), so a failed step needs no special case.
// (2) Buffers. A Swift array or string passed to a C parameter is valid during the call, and every call below also
//     passes the array's own count. None of the called functions stores a pointer after it returns.

/// The initialization of libcrypto, and functions without state.
enum Libcrypto {
  /// Initializes libcrypto with the minimum that verification needs. Must be read before every fetch of an algorithm.
  static let isStarted: Bool = OPENSSL_init_crypto(clibcrypto_start_options(), nil) == 1

  /// Whether both byte arrays are equal, compared in constant time (CRYPTO_memcmp(3)).
  static func areEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && (unsafe CRYPTO_memcmp(left, right, left.count)) == 0
  }

  /// The HMAC of a message (HMAC(3)); `nil` if libcrypto fails.
  static func hmac(_ digest: DigestAlgorithm, key: [UInt8], message: ArraySlice<UInt8>) -> [UInt8]? {
    guard isStarted, let function = unsafe Digester.function(digest) else { return nil }
    var output = [UInt8](repeating: 0, count: digest.bytes)
    var length: UInt32 = 0
    let succeeded = unsafe message.withUnsafeBufferPointer { bytes in
      unsafe HMAC(function, key, Int32(key.count), bytes.baseAddress, bytes.count, &output, &length) != nil
    }
    return succeeded && Int(length) == digest.bytes ? output : nil
  }
}

/// Computes digests with one reused context. Use it from one thread only.
@safe final class Digester {
  private let context: OpaquePointer
  /// The last digest. Its memory is used for the next one of the same length, without an allocation, unless a caller still
  /// has it.
  private var last: [UInt8] = []

  /// `nil` if libcrypto is out of memory.
  init?() {
    guard Libcrypto.isStarted, let context = unsafe EVP_MD_CTX_new() else { return nil }
    unsafe self.context = context
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  /// The digest of a message; `nil` if libcrypto fails.
  func digest(_ algorithm: DigestAlgorithm, of message: ArraySlice<UInt8>) -> [UInt8]? {
    guard let function = unsafe Self.function(algorithm) else { return nil }
    if last.count != algorithm.bytes { last = [UInt8](repeating: 0, count: algorithm.bytes) }
    let succeeded = unsafe message.withUnsafeBufferPointer { bytes in
      unsafe EVP_DigestInit_ex2(context, function, nil) == 1
        && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
        && EVP_DigestFinal_ex(context, &last, nil) == 1
    }
    return succeeded ? last : nil
  }

  /// The digest function, fetched once: an implicit fetch on each use is slow in OpenSSL 3 (crypto(7), "Performance").
  static func function(_ algorithm: DigestAlgorithm) -> OpaquePointer? {
    switch algorithm {
    case .sha256: unsafe sha256
    case .sha384: unsafe sha384
    case .sha512: unsafe sha512
    }
  }

  // Never freed: the process uses them until it ends. Read-only after the fetch, so sharing is safe (EVP_MD_fetch(3)).
  nonisolated(unsafe) private static let sha256 = unsafe EVP_MD_fetch(nil, "SHA256", nil)
  nonisolated(unsafe) private static let sha384 = unsafe EVP_MD_fetch(nil, "SHA384", nil)
  nonisolated(unsafe) private static let sha512 = unsafe EVP_MD_fetch(nil, "SHA512", nil)
}

/// A public key object of libcrypto.
///
/// `@unchecked Sendable`: the EVP_PKEY is created in `init` and only read afterwards. libcrypto allows concurrent reads
/// (openssl-threads(7)).
@safe final class PublicKeyHandle: @unchecked Sendable {
  fileprivate let key: OpaquePointer

  deinit { unsafe EVP_PKEY_free(key) }

  /// An RSA key from big-endian modulus and exponent.
  init?(rsaModulus modulus: [UInt8], exponent: [UInt8]) {
    guard Libcrypto.isStarted,
      let key = unsafe clibcrypto_rsa_public_key(modulus, modulus.count, exponent, exponent.count)
    else { return nil }
    unsafe self.key = key
  }

  /// An elliptic-curve key from affine coordinates; `nil` for a point that is not on the curve.
  init?(curve: Curve, x: [UInt8], y: [UInt8]) {
    let point = [0x04] + x + y
    guard Libcrypto.isStarted,
      let key = unsafe clibcrypto_ec_public_key(curve.rawValue, point, point.count)
    else { return nil }
    unsafe self.key = key
  }

  /// An Ed25519 key from 32 bytes.
  init?(ed25519 bytes: [UInt8]) {
    guard Libcrypto.isStarted, bytes.count == 32,
      let key = unsafe EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count)
    else { return nil }
    unsafe self.key = key
  }
}

/// A reusable context that checks signatures of one key with one RSA or ECDSA algorithm. Use it from one thread only.
///
/// EVP_PKEY_verify(3): after `EVP_PKEY_verify_init` a context may verify any number of times.
@safe final class SignatureContext {
  private let context: OpaquePointer

  /// `nil` if libcrypto refuses the combination.
  init?(_ handle: PublicKeyHandle, _ scheme: SignatureScheme) {
    guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, handle.key, nil) else { return nil }
    unsafe self.context = context
    guard unsafe EVP_PKEY_verify_init(context) == 1, unsafe Self.configure(context, scheme) else {
      return nil
    }
  }

  deinit { unsafe EVP_PKEY_CTX_free(context) }

  /// Whether libcrypto returns 1; 0 and negative values mean a wrong signature or an error (EVP_PKEY_verify(3)).
  func verifies(signature: [UInt8], digest: [UInt8]) -> Bool {
    let result = unsafe EVP_PKEY_verify(context, signature, signature.count, digest, digest.count)
    if result != 1 { ERR_clear_error() }
    return result == 1
  }

  private static func configure(_ context: OpaquePointer, _ scheme: SignatureScheme) -> Bool {
    let function = unsafe Digester.function(scheme.digest)
    guard unsafe EVP_PKEY_CTX_set_signature_md(context, function) == 1 else { return false }
    switch scheme.padding {
    case .pkcs1: return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
    case .pss:
      // RFC 7518 section 3.5: the salt is as long as the digest, MGF1 uses the same digest.
      return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
        && EVP_PKEY_CTX_set_rsa_mgf1_md(context, function) == 1
        && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
    case .ecdsa: return true
    case .edDSA, .hmac: return false
    }
  }
}

/// Ed25519 signatures. Ed25519 verifies the message, not a digest, so no context can be reused
/// (EVP_SIGNATURE-ED25519(7)).
enum Ed25519 {
  static func verifies(_ handle: PublicKeyHandle, signature: [UInt8], message: ArraySlice<UInt8>) -> Bool {
    guard let context = unsafe EVP_MD_CTX_new() else { return false }
    defer { unsafe EVP_MD_CTX_free(context) }
    guard unsafe EVP_DigestVerifyInit(context, nil, nil, nil, handle.key) == 1 else { return false }
    let result = unsafe message.withUnsafeBufferPointer { bytes in
      unsafe EVP_DigestVerify(context, signature, signature.count, bytes.baseAddress, bytes.count)
    }
    if result != 1 { ERR_clear_error() }
    return result == 1
  }
}
