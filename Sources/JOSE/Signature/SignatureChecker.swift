import Bytes

/// Checks signatures with libcrypto and counts the checks. All signature checks of a verifier use this type.
///
/// Checks only that a key made a signature, not the claims: use `TokenVerifier` for tokens. Caches the contexts of
/// the keys in use. Use a checker from one thread only; keys may be shared between threads.
package struct SignatureChecker {
  /// The number of signatures that libcrypto has checked.
  package private(set) var checks = 0
  private let digester: Digester?
  private var contexts: [Entry] = []

  /// Issuers sign with two or three keys at a time. At this limit the oldest context is removed.
  private static let maximumContexts = 16

  private struct Entry {
    /// The reference prevents another key from getting the same identity while the context exists.
    let key: PublicKeyHandle
    let algorithm: Algorithm
    let context: SignatureContext
  }

  /// Creates a checker with an empty cache.
  package init() { digester = Digester() }

  /// The SHA-256 of a text; `nil` only if libcrypto fails.
  func sha256(_ bytes: ArraySlice<UInt8>) -> [UInt8]? { digester?.digest(.sha256, of: bytes) }

  /// Whether this key or secret made the signature of the JWS.
  package mutating func verifies(_ jws: CompactJWS, with key: SignatureKey) -> Bool {
    let message = jws.text[jws.signingInput]
    return switch key {
    case .key(let key): isSignature(jws.signature, over: message, key: key, algorithm: jws.header.algorithm)
    case .secret(let secret):
      isTag(jws.signature, over: message, secret: secret, algorithm: jws.header.algorithm)
    }
  }

  /// Whether this key made the signature of this message.
  mutating func isSignature(
    _ signature: [UInt8], over message: ArraySlice<UInt8>, key: VerificationKey, algorithm: Algorithm
  ) -> Bool {
    let scheme = algorithm.scheme
    guard key.algorithms.contains(algorithm),
      signature.count == scheme.signatureBytes(modulusBytes: key.modulusBytes)
    else { return false }
    switch scheme.padding {
    case .pkcs1, .pss:
      return isEncodedSignature(signature, over: message, key: key.handle, algorithm: algorithm)
    case .ecdsa:
      guard case .ec(let curve) = scheme.keyType, let der = ECDSASignature(signature, curve)?.der else {
        return false
      }
      return isEncodedSignature(der, over: message, key: key.handle, algorithm: algorithm)
    case .edDSA:
      checks += 1
      return Ed25519.verifies(key.handle, signature: signature, message: message)
    case .hmac:
      return false
    }
  }

  /// Whether the tag is the HMAC of this message with this secret.
  mutating func isTag(
    _ tag: [UInt8], over message: ArraySlice<UInt8>, secret: SharedSecret, algorithm: Algorithm
  ) -> Bool {
    let scheme = algorithm.scheme
    guard scheme.padding == .hmac, secret.algorithms.contains(algorithm), tag.count == scheme.digest.bytes
    else { return false }
    checks += 1
    guard let expected = Libcrypto.hmac(scheme.digest, key: secret.bytes, message: message) else {
      return false
    }
    return Libcrypto.areEqualInConstantTime(tag, expected)
  }

  /// Whether this is a signature in libcrypto's encoding.
  private mutating func isEncodedSignature(
    _ signature: [UInt8], over message: ArraySlice<UInt8>, key: PublicKeyHandle, algorithm: Algorithm
  ) -> Bool {
    guard let context = context(key, algorithm),
      let digest = digester?.digest(algorithm.scheme.digest, of: message)
    else { return false }
    checks += 1
    return context.verifies(signature: signature, digest: digest)
  }

  private mutating func context(_ key: PublicKeyHandle, _ algorithm: Algorithm) -> SignatureContext? {
    for entry in contexts where entry.key === key && entry.algorithm == algorithm { return entry.context }
    guard let context = SignatureContext(key, algorithm.scheme) else { return nil }
    if contexts.count == Self.maximumContexts { contexts.removeFirst() }
    contexts.append(Entry(key: key, algorithm: algorithm, context: context))
    return context
  }
}

/// What verifies one signature.
package enum SignatureKey {
  case key(VerificationKey)
  case secret(SharedSecret)
}

/// An ECDSA signature as a DER structure for libcrypto, made from the form of JWS: r followed by s (RFC 7518 section
/// 3.4).
struct ECDSASignature {
  /// `SEQUENCE { r INTEGER, s INTEGER }` (RFC 3279 section 2.2.3).
  let der: [UInt8]

  /// `nil` unless the length is exact and 1 ≤ r, s < n (CVE-2022-21449: zero signatures).
  init?(_ raw: [UInt8], _ curve: Curve) {
    let half = curve.coordinateBytes
    guard raw.count == 2 * half else { return nil }
    let (r, s) = (raw.span.extracting(first: half), raw.span.extracting(last: half))
    let order = curve.order
    guard Self.isInRange(r, order.span), Self.isInRange(s, order.span) else { return nil }
    // The length first, so that one array is enough.
    let content = Self.integerBytes(r) + Self.integerBytes(s)
    // P-521 needs the two-byte form of the length: two integers of 66 bytes and their headers.
    let isLong = content >= 0x80
    let start = isLong ? 3 : 2
    var der = [UInt8](repeating: 0, count: start + content)
    var output = der.mutableSpan
    output[0] = 0x30
    if isLong { output[1] = 0x81 }
    output[start - 1] = UInt8(content)
    Self.write(r, to: &output, at: start)
    Self.write(s, to: &output, at: start + Self.integerBytes(r))
    self.der = der
  }

  /// Whether a number is at least 1 and less than the order, which has as many bytes.
  private static func isInRange(_ number: Span<UInt8>, _ order: Span<UInt8>) -> Bool {
    guard zeros(number) < number.count else { return false }
    // The first different byte decides.
    for index in number.indices where number[index] != order[index] { return number[index] < order[index] }
    return false
  }

  /// The number of leading zeros, which an INTEGER of DER does not have.
  private static func zeros(_ number: Span<UInt8>) -> Int {
    var index = 0
    while index < number.count, number[index] == 0 { index += 1 }
    return index
  }

  /// The length of a nonzero number as an INTEGER of DER, with its header.
  private static func integerBytes(_ number: Span<UInt8>) -> Int {
    let leading = zeros(number)
    // The highest bit of an INTEGER is its sign, so that a zero precedes a large digit.
    let sign = number[leading] >= 0x80 ? 1 : 0
    return 2 + sign + number.count - leading
  }

  /// Writes a nonzero number as an INTEGER. The output must contain zeros: the byte of the sign is not written.
  private static func write(_ number: Span<UInt8>, to output: inout MutableSpan<UInt8>, at index: Int) {
    let (leading, length) = (zeros(number), integerBytes(number))
    output[index] = 0x02
    output[index + 1] = UInt8(length - 2)
    let digits = number.extracting(droppingFirst: leading)
    output.copy(digits, to: index + length - digits.count)
  }
}
