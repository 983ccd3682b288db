import JOSE

/// Issues nonces and knows them again without having stored them: random bytes, the time, and an authentication code over both.
///
/// That a nonce is used once is the store's business.
struct NonceMint {
  private let settings: NonceSettings

  /// Random bytes of a nonce: 128 bits, never the same twice.
  static let randomBytes = 16
  private static let timeBytes = 8
  /// Keeps a code of another purpose under the same secret from being a nonce.
  private static let label = Array("api-gateway-authorizer identity nonce 1\0".utf8)
  /// Clocks of two environments may differ by so many milliseconds: ours, much more than machines of one provider do.
  static let toleranceMilliseconds: Int64 = 5000

  init(_ settings: NonceSettings) { self.settings = settings }

  var lifetimeSeconds: Int64 { settings.lifetimeSeconds }

  /// A nonce of these random bytes, as text; `nil` where libcrypto fails.
  func nonce(random: [UInt8], unixMilliseconds: Int64) -> [UInt8]? {
    var bytes = random
    let time = UInt64(bitPattern: unixMilliseconds)
    for place in 1...Self.timeBytes {
      bytes.append(UInt8(truncatingIfNeeded: time >> UInt64(8 * (Self.timeBytes - place))))
    }
    guard let tag = settings.authentication.tag(over: (Self.label + bytes)[...]) else { return nil }
    return Base64URL.encode(bytes + tag)
  }

  /// Whether a nonce is one of ours and its time has not passed.
  ///
  /// - Returns: the first moment at which it is refused for its age, in Unix milliseconds.
  /// - Throws: `forged`, `expired` or `fromFuture`.
  func check(_ nonce: [UInt8], unixMilliseconds now: Int64) throws(NonceRejection) -> Int64 {
    let body = Self.randomBytes + Self.timeBytes
    guard let bytes = Base64URL.decode(nonce), bytes.count == body + MessageAuthentication.tagBytes,
      settings.authentication.isTag(Array(bytes[body...]), over: (Self.label + bytes[..<body])[...])
    else { throw .forged }
    var time: UInt64 = 0
    for byte in bytes[Self.randomBytes..<body] { time = time << 8 | UInt64(byte) }
    // Only we make such codes, and only for times of our own clock.
    let issued = Int64(bitPattern: time)
    guard issued <= now + Self.toleranceMilliseconds else { throw .fromFuture }
    let end = issued + settings.lifetimeSeconds * 1000
    guard now < end else { throw .expired }
    return end
  }
}
