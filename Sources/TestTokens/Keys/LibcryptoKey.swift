import CLibcrypto

// This file contains every use of libcrypto in this module, except for certificates. Each `unsafe` call passes pointers that outlive the call:
// to objects that this scope owns and frees, or to arrays whose buffers Swift keeps alive until the call returns.

/// Functions of libcrypto that need no key pair.
enum Libcrypto {
  /// The HMAC (RFC 2104) of a message; HMAC(3).
  static func authenticationCode(
    of message: [UInt8], secret: [UInt8], hash: SigningAlgorithm.Hash
  ) throws(SigningKeyError) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: hash.byteCount)
    var length = UInt32(0)
    // A null key would mean "the key of the last call", so an empty secret is passed as one byte with length 0.
    let key = secret.isEmpty ? [0] : secret
    let result = unsafe HMAC(
      hash.function, key, Int32(secret.count), message, message.count, &code, &length)
    guard unsafe result != nil, Int(length) == code.count else { throw failure("HMAC") }
    return code
  }

  /// The SHA-256 of a message; EVP_Digest(3).
  static func hash(_ message: [UInt8]) throws(SigningKeyError) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: SigningAlgorithm.Hash.sha256.byteCount)
    var length = UInt32(0)
    guard unsafe EVP_Digest(message, message.count, &hash, &length, EVP_sha256(), nil) == 1 else {
      throw failure("EVP_Digest")
    }
    return hash
  }

  /// Random bytes from libcrypto, RAND_bytes(3).
  static func randomBytes(count: Int) throws(SigningKeyError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard unsafe RAND_bytes(&bytes, Int32(count)) == 1 else { throw failure("RAND_bytes") }
    return bytes
  }

  /// Returns the oldest error of this thread's queue and clears the queue.
  static func failure(_ function: String) -> SigningKeyError {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0 else { return .libcrypto(function: function, detail: "no reason given") }
    // 256 bytes are enough for every line: ERR_error_string(3).
    var line = [CChar](repeating: 0, count: 256)
    unsafe ERR_error_string_n(code, &line, line.count)
    let text = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return .libcrypto(function: function, detail: String(decoding: text, as: UTF8.self))
  }
}

extension SigningAlgorithm.Hash {
  fileprivate var function: OpaquePointer? {
    switch self {
    case .sha256: unsafe EVP_sha256()
    case .sha384: unsafe EVP_sha384()
    case .sha512: unsafe EVP_sha512()
    }
  }
}

/// An `EVP_PKEY` with its private half.
///
/// Sendable: the key does not change after `init`, and OpenSSL allows threads to sign with one key concurrently, each
/// with its own context (openssl-threads(7)).
@safe final class LibcryptoKey: @unchecked Sendable {
  private let pointer: OpaquePointer

  private init(owning pointer: OpaquePointer) { unsafe self.pointer = unsafe pointer }

  deinit { unsafe EVP_PKEY_free(pointer) }

  // MARK: Creation

  static func generateRSA(modulusBits: Int) throws(SigningKeyError) -> LibcryptoKey {
    unsafe try generate("RSA") { context in
      unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(modulusBits))
    }
  }

  static func generate(on curve: EllipticCurve) throws(SigningKeyError) -> LibcryptoKey {
    unsafe try generate("EC") { context in unsafe EVP_PKEY_CTX_set_group_name(context, curve.rawValue) }
  }

  static func generateEd25519() throws(SigningKeyError) -> LibcryptoKey {
    unsafe try generate("ED25519") { _ in 1 }
  }

  /// `configure` returns libcrypto's result: a positive number means success, EVP_PKEY_CTX_ctrl(3).
  private static func generate(
    _ type: String, configure: (OpaquePointer) -> Int32
  ) throws(SigningKeyError) -> LibcryptoKey {
    guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, type, nil) else {
      throw Libcrypto.failure("EVP_PKEY_CTX_new_from_name")
    }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard unsafe EVP_PKEY_keygen_init(context) > 0, unsafe configure(context) > 0,
      unsafe EVP_PKEY_generate(context, &key) > 0, let key = unsafe key
    else { throw Libcrypto.failure("EVP_PKEY_generate") }
    return unsafe LibcryptoKey(owning: key)
  }

  /// Creates the key with these numbers; `nil` for a secret, which is not an `EVP_PKEY` here.
  ///
  /// - Throws: `inconsistentJWK` if the public and private halves do not match, `libcrypto` if the numbers are not a
  ///   key.
  convenience init?(_ material: KeyMaterial) throws(SigningKeyError) {
    var parameters = try KeyParameters()
    let type: String
    let algorithm: SigningAlgorithm
    switch material {
    case .secret: return nil
    case .rsa(let key):
      type = "RSA"
      algorithm = .rs256
      for component in RSAComponent.allCases {
        try parameters.add(number: key[component], named: component.parameterName)
      }
    case .ellipticCurve(let key):
      type = "EC"
      algorithm = key.curve.algorithm
      try parameters.add(text: key.curve.rawValue, named: "group")
      // 4 marks an uncompressed point, SEC 1 section 2.3.3.
      try parameters.add(octets: [4] + key.x + key.y, named: "pub")
      try parameters.add(number: key.d, named: "priv")
    case .ed25519(let key):
      type = "ED25519"
      algorithm = .edDSA
      try parameters.add(octets: key.x, named: "pub")
      try parameters.add(octets: key.d, named: "priv")
    }
    unsafe try self.init(owning: parameters.makeKey(type))
    guard try isConsistent(for: algorithm) else { throw .inconsistentJWK }
  }

  /// Whether the public half verifies a signature of the private half.
  ///
  /// EVP_PKEY_pairwise_check(3) would also test an RSA key's primes, which takes 30 ms per key and is not needed for
  /// files that this module has written.
  private func isConsistent(for algorithm: SigningAlgorithm) throws(SigningKeyError) -> Bool {
    let message: [UInt8] = [0]
    let signature = try signature(over: message, algorithm)
    guard let context = unsafe EVP_MD_CTX_new() else { throw Libcrypto.failure("EVP_MD_CTX_new") }
    defer {
      unsafe EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    let function = unsafe algorithm.hash?.function
    return unsafe EVP_DigestVerifyInit(context, nil, function, nil, pointer) == 1
      && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }

  // MARK: Reading

  /// The numbers of this key, EVP_PKEY-RSA(7), EVP_PKEY-EC(7), EVP_PKEY-ED25519(7).
  func material() throws(SigningKeyError) -> KeyMaterial {
    if unsafe EVP_PKEY_is_a(pointer, "RSA") == 1 {
      return .rsa(
        try RSAKeyMaterial { component throws(SigningKeyError) in try number(component.parameterName) })
    }
    if unsafe EVP_PKEY_is_a(pointer, "ED25519") == 1 {
      return .ed25519(Ed25519KeyMaterial(x: try octets("pub"), d: try octets("priv")))
    }
    let bits = unsafe EVP_PKEY_get_bits(pointer)
    guard let curve = EllipticCurve.allCases.first(where: { $0.bitCount == bits }) else {
      throw .libcrypto(function: "EVP_PKEY_get_bits", detail: "no curve of \(bits) bits is known")
    }
    let length = curve.coordinateByteCount
    return .ellipticCurve(
      EllipticCurveKeyMaterial(
        curve: curve, x: try number("qx", byteCount: length), y: try number("qy", byteCount: length),
        d: try number("priv", byteCount: length)))
  }

  /// A number in `byteCount` bytes with leading zeros, or in the minimum number of bytes.
  private func number(_ name: StaticString, byteCount: Int? = nil) throws(SigningKeyError) -> [UInt8] {
    var number: OpaquePointer?
    guard unsafe EVP_PKEY_get_bn_param(pointer, name.cString, &number) == 1, let number = unsafe number
    else { throw Libcrypto.failure("EVP_PKEY_get_bn_param") }
    defer { unsafe BN_clear_free(number) }
    return unsafe try Self.bytes(of: number, byteCount: byteCount)
  }

  private static func bytes(
    of number: OpaquePointer, byteCount: Int? = nil
  ) throws(SigningKeyError) -> [UInt8] {
    let count = byteCount ?? Int((unsafe BN_num_bits(number) + 7) / 8)
    var bytes = [UInt8](repeating: 0, count: count)
    guard unsafe BN_bn2binpad(number, &bytes, Int32(count)) == Int32(count) else {
      throw Libcrypto.failure("BN_bn2binpad")
    }
    return bytes
  }

  private func octets(_ name: StaticString) throws(SigningKeyError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Ed25519KeyMaterial.byteCount)
    var length = 0
    guard unsafe EVP_PKEY_get_octet_string_param(pointer, name.cString, &bytes, bytes.count, &length) == 1,
      length == bytes.count
    else { throw Libcrypto.failure("EVP_PKEY_get_octet_string_param") }
    return bytes
  }

  /// `SubjectPublicKeyInfo` in PEM, OSSL_ENCODER_to_data(3).
  func publicKeyPEM() throws(SigningKeyError) -> [UInt8] {
    // The context stores both pointers.
    let form: StaticString = "PEM"
    let structure: StaticString = "SubjectPublicKeyInfo"
    guard
      let context = unsafe OSSL_ENCODER_CTX_new_for_pkey(
        pointer, clibcrypto_public_key_selection(), form.cString, structure.cString, nil)
    else { throw Libcrypto.failure("OSSL_ENCODER_CTX_new_for_pkey") }
    defer { unsafe OSSL_ENCODER_CTX_free(context) }
    var data: UnsafeMutablePointer<UInt8>?
    var length = 0
    guard unsafe OSSL_ENCODER_to_data(context, &data, &length) == 1, let data = unsafe data else {
      throw Libcrypto.failure("OSSL_ENCODER_to_data")
    }
    defer { unsafe clibcrypto_free(data) }
    return unsafe Array(UnsafeBufferPointer(start: data, count: length))
  }

  // MARK: Signing

  /// The signature in libcrypto's form: PKCS#1 and PSS octets, Ed25519's 64 bytes, a DER sequence for ECDSA.
  func signature(
    over message: [UInt8], _ algorithm: SigningAlgorithm
  ) throws(SigningKeyError) -> [UInt8] {
    guard let context = unsafe EVP_MD_CTX_new() else { throw Libcrypto.failure("EVP_MD_CTX_new") }
    defer { unsafe EVP_MD_CTX_free(context) }
    // Belongs to `context`.
    var keyContext: OpaquePointer?
    let function = unsafe algorithm.hash?.function
    guard unsafe EVP_DigestSignInit(context, &keyContext, function, nil, pointer) == 1 else {
      throw Libcrypto.failure("EVP_DigestSignInit")
    }
    if algorithm.isPSS {
      // RFC 7518 section 3.5: the salt is as long as the hash; MGF1 uses the same hash by default.
      guard unsafe EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING) == 1,
        unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, RSA_PSS_SALTLEN_DIGEST) == 1
      else { throw Libcrypto.failure("EVP_PKEY_CTX_set_rsa_padding") }
    }
    var length = 0
    guard unsafe EVP_DigestSign(context, nil, &length, message, message.count) == 1 else {
      throw Libcrypto.failure("EVP_DigestSign")
    }
    var signature = [UInt8](repeating: 0, count: length)
    guard unsafe EVP_DigestSign(context, &signature, &length, message, message.count) == 1 else {
      throw Libcrypto.failure("EVP_DigestSign")
    }
    // A DER sequence may be shorter than the buffer.
    return Array(signature.prefix(length))
  }

  /// An ECDSA signature as `r‖s`, each half `coordinateByteCount` long (RFC 7518 section 3.4).
  func signature(
    over message: [UInt8], _ algorithm: SigningAlgorithm, coordinateByteCount: Int
  ) throws(SigningKeyError) -> [UInt8] {
    let sequence = try signature(over: message, algorithm)
    let parsed = unsafe sequence.withUnsafeBufferPointer { buffer in
      var cursor = buffer.baseAddress
      return unsafe d2i_ECDSA_SIG(nil, &cursor, buffer.count)
    }
    guard let parsed = unsafe parsed else { throw Libcrypto.failure("d2i_ECDSA_SIG") }
    defer { unsafe ECDSA_SIG_free(parsed) }
    guard let r = unsafe ECDSA_SIG_get0_r(parsed), let s = unsafe ECDSA_SIG_get0_s(parsed) else {
      throw Libcrypto.failure("ECDSA_SIG_get0_r")
    }
    return unsafe try Self.bytes(of: r, byteCount: coordinateByteCount)
      + Self.bytes(of: s, byteCount: coordinateByteCount)
  }
}

/// Collects the parameters of a key and owns them until the key is created: OSSL_PARAM_BLD(3) stores pointers, not
/// copies.
@safe private struct KeyParameters: ~Copyable {
  private let builder: OpaquePointer
  private var numbers: [OpaquePointer] = unsafe []
  private var buffers: [UnsafeMutableBufferPointer<UInt8>] = unsafe []

  init() throws(SigningKeyError) {
    guard let builder = unsafe OSSL_PARAM_BLD_new() else { throw Libcrypto.failure("OSSL_PARAM_BLD_new") }
    unsafe self.builder = unsafe builder
  }

  deinit {
    unsafe OSSL_PARAM_BLD_free(builder)
    for index in unsafe numbers.indices { unsafe BN_clear_free(numbers[index]) }
    for index in unsafe buffers.indices { unsafe buffers[index].deallocate() }
  }

  mutating func add(number bytes: [UInt8], named name: StaticString) throws(SigningKeyError) {
    guard let number = unsafe BN_bin2bn(bytes, Int32(bytes.count), nil) else {
      throw Libcrypto.failure("BN_bin2bn")
    }
    unsafe numbers.append(number)
    guard unsafe OSSL_PARAM_BLD_push_BN(builder, name.cString, number) == 1 else {
      throw Libcrypto.failure("OSSL_PARAM_BLD_push_BN")
    }
  }

  mutating func add(octets bytes: [UInt8], named name: StaticString) throws(SigningKeyError) {
    let buffer = unsafe keep(bytes)
    guard
      unsafe OSSL_PARAM_BLD_push_octet_string(builder, name.cString, buffer.baseAddress, buffer.count) == 1
    else { throw Libcrypto.failure("OSSL_PARAM_BLD_push_octet_string") }
  }

  mutating func add(text: String, named name: StaticString) throws(SigningKeyError) {
    let buffer = unsafe keep(Array(text.utf8))
    let characters = unsafe UnsafeRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: CChar.self)
    guard unsafe OSSL_PARAM_BLD_push_utf8_string(builder, name.cString, characters, buffer.count) == 1 else {
      throw Libcrypto.failure("OSSL_PARAM_BLD_push_utf8_string")
    }
  }

  /// EVP_PKEY_fromdata(3); the caller owns the key.
  consuming func makeKey(_ type: String) throws(SigningKeyError) -> OpaquePointer {
    guard let parameters = unsafe OSSL_PARAM_BLD_to_param(builder) else {
      throw Libcrypto.failure("OSSL_PARAM_BLD_to_param")
    }
    defer { unsafe OSSL_PARAM_free(parameters) }
    guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, type, nil) else {
      throw Libcrypto.failure("EVP_PKEY_CTX_new_from_name")
    }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard unsafe EVP_PKEY_fromdata_init(context) == 1,
      unsafe EVP_PKEY_fromdata(context, &key, clibcrypto_key_pair_selection(), parameters) == 1,
      let key = unsafe key
    else { throw Libcrypto.failure("EVP_PKEY_fromdata") }
    return unsafe key
  }

  private mutating func keep(_ bytes: [UInt8]) -> UnsafeMutableBufferPointer<UInt8> {
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = unsafe buffer.initialize(fromContentsOf: bytes)
    unsafe buffers.append(buffer)
    return unsafe buffer
  }
}

extension StaticString {
  /// A pointer that is valid as long as the process, because libcrypto stores it.
  fileprivate var cString: UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
