import Testing
import UserStore

/// The deletion of expired rows.
@Suite("SQLite store: expired nonces and notifications")
struct ForgettingTests {
  private static func nonce(_ number: Int, until seconds: Int64) -> NonceUse {
    NonceUse(
      digest: [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)], expiresAt: seconds)
  }

  @Test("Each call deletes some expired rows and no valid ones")
  func bounded() throws {
    let folder = try StoreFolder()
    let store = try folder.store()
    for number in 0..<100 {
      try store.signIn("s", nonce: Self.nonce(number, until: number < 50 ? 1000 : 3000), at: 500_000)
      try store.tell(.revocation, "another", jti: "\(number)", at: 1, received: number < 50 ? 0 : 500_000)
    }
    #expect(try store.count("SELECT count(*) FROM nonce") == 100)
    try store.signIn("s", at: 2_000_000)
    #expect(try store.count("SELECT count(*) FROM nonce") == 80)
    let later = AccountEvent.rememberedSeconds * 1000
    try store.signIn("s", at: later)
    #expect(try store.count("SELECT count(*) FROM event") == 80)
    for _ in 0..<10 { try store.signIn("s", at: later) }
    #expect(try store.count("SELECT count(*) FROM nonce") == 0)
    #expect(try store.count("SELECT count(*) FROM event") == 50)
  }

  @Test("A nonce expires in its second, even if it is not yet deleted")
  func expiry() throws {
    let folder = try StoreFolder()
    let store = try folder.store()
    // More rows that expire earlier than one call deletes.
    for number in 0..<70 { try store.signIn("s", nonce: Self.nonce(number, until: 900), at: 500_000) }
    let nonce = Self.nonce(999, until: 1000)
    try store.signIn("s", nonce: nonce, at: 500_000)
    #expect(try store.signIn("s", nonce: nonce, at: 899_999) == .nonceUsedBefore)
    #expect(try store.signIn("s", nonce: nonce, at: 999_999) == .nonceUsedBefore)
    #expect(try store.signIn("s", nonce: nonce, at: 1_000_000) != .nonceUsedBefore)
  }
}
