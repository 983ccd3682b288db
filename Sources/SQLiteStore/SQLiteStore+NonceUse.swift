import UserStore

extension SQLiteStore {
  /// Consumes a nonce; returns false if it was used before.
  func use(_ nonce: NonceUse, at seconds: Int64) throws(StoreError) -> Bool {
    try connection.run(
      """
      INSERT INTO nonce (digest, expires) VALUES (?1, ?2)
      ON CONFLICT DO UPDATE SET expires = excluded.expires WHERE expires <= ?3
      """,
      [.blob(nonce.digest), .integer(nonce.expiresAt), .integer(seconds)]) > 0
  }
}
