import JOSE

/// Issues nonces and recognizes them without storing them. A nonce is random bytes, the time, and a message
/// authentication code over both.
///
/// The store ensures that a nonce is used once.
struct NonceMint {
  private let settings: NonceSettings

  /// The number of random bytes in a nonce: 128 bits, so that none repeats.
  static let randomBytes = 16
  private static let timeBytes = 8
  /// Separates nonces from authentication codes made with the same secret for another purpose.
  private static let label = Array("api-gateway-authorizer identity nonce 1\0".utf8)
  /// The allowed clock skew between two environments in milliseconds. Our own limit, far above the skew within one
  /// provider.
  static let toleranceMilliseconds: Int64 = 5000

  init(_ settings: NonceSettings) { self.settings = settings }

  var lifetimeSeconds: Int64 { settings.lifetimeSeconds }

  /// A nonce of these random bytes, as text; `nil` if libcrypto fails.
  func nonce(random: [UInt8], unixMilliseconds: Int64) -> [UInt8]? {
    var bytes = random
    let time = UInt64(bitPattern: unixMilliseconds)
    for place in 1...Self.timeBytes {
      bytes.append(UInt8(truncatingIfNeeded: time >> UInt64(8 * (Self.timeBytes - place))))
    }
    guard let tag = settings.authentication.tag(over: (Self.label + bytes)[...]) else { return nil }
    return Base64URL.encode(bytes + tag)
  }

  /// Checks that this function issued a nonce and that it has not expired.
  ///
  /// - Returns: when it expires, in Unix milliseconds.
  /// - Throws: `forged`, `expired` or `fromFuture`.
  func check(_ nonce: [UInt8], unixMilliseconds now: Int64) throws(NonceRejection) -> Int64 {
    let body = Self.randomBytes + Self.timeBytes
    guard let bytes = Base64URL.decode(nonce), bytes.count == body + MessageAuthentication.tagBytes,
      settings.authentication.isTag(Array(bytes[body...]), over: (Self.label + bytes[..<body])[...])
    else { throw .forged }
    var time: UInt64 = 0
    for byte in bytes[Self.randomBytes..<body] { time = time << 8 | UInt64(byte) }
    // The code is authentic, so the time comes from our own clock and the arithmetic below cannot overflow.
    let issued = Int64(bitPattern: time)
    guard issued <= now + Self.toleranceMilliseconds else { throw .fromFuture }
    let end = issued + settings.lifetimeSeconds * 1000
    guard now < end else { throw .expired }
    return end
  }
}
