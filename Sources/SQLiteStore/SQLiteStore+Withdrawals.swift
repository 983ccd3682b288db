package import UserStore
import Withdrawals

extension SQLiteStore {
  /// Stores withdrawals in one transaction; they are in the revocation file before the transaction ends.
  package func withdraw(_ order: WithdrawalOrder, deadlineMilliseconds: Int64) throws(StoreError)
    -> Recording
  {
    try transaction(until: deadlineMilliseconds) { () throws(StoreError) in
      let seconds = order.receivedMilliseconds / 1000
      try deleteExpired(at: seconds)
      if let identifier = order.identifier, try !receive(identifier, at: seconds) { return .seenBefore }
      var changes = 0
      for withdrawal in order.withdrawals { changes += try store(withdrawal, at: seconds) }
      if changes > 0 { try revocations?.write(from: connection, at: seconds) }
      return .recorded
    }
  }

  /// Stores the identifier of a message; returns false if it was stored before.
  func receive(_ identifier: [UInt8], at seconds: Int64) throws(StoreError) -> Bool {
    try connection.run(
      """
      INSERT INTO event (identifier, expires) VALUES (?1, ?2)
      ON CONFLICT DO UPDATE SET expires = excluded.expires WHERE expires <= ?3
      """,
      [.text(identifier), .integer(seconds + AccountEvent.rememberedSeconds), .integer(seconds)]) > 0
  }

  /// The event time of a subject's revocation in Unix milliseconds.
  func revocation(of subject: [UInt8]) throws(StoreError) -> Int64? {
    let row = try connection.statement(
      """
      SELECT eventMilliseconds FROM revocation WHERE subject = ?1
      UNION ALL SELECT eventMilliseconds FROM withdrawal WHERE issuer = ?2 AND kind = 'sub' AND value = ?1
      ORDER BY eventMilliseconds DESC
      """,
      [.text(subject), .text(WithdrawalKey.apple(subject).issuer)])
    guard try row.step() else { return nil }
    guard let time = row.integer(0) else { throw .unreadable("a revocation without a time") }
    return time
  }

  /// Returns the number of changed rows; none if an event that is as late is stored.
  private func store(_ withdrawal: Withdrawal, at seconds: Int64) throws(StoreError) -> Int {
    let key = withdrawal.key
    let changes = try connection.run(
      """
      INSERT INTO withdrawal (issuer, kind, value, eventMilliseconds, expires) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT DO UPDATE SET eventMilliseconds = excluded.eventMilliseconds, expires = excluded.expires
      WHERE eventMilliseconds < excluded.eventMilliseconds OR expires < ?6
      """,
      [
        .text(key.issuer), .text(Array(key.kind.claim.utf8)), .text(key.value),
        .integer(withdrawal.eventMilliseconds), .integer(withdrawal.expires(writtenAt: seconds)),
        .integer(seconds),
      ])
    guard key.hasFirstForm else { return changes }
    return try changes
      + connection.run(
        """
        INSERT INTO revocation (subject, eventMilliseconds) VALUES (?1, ?2)
        ON CONFLICT DO UPDATE SET eventMilliseconds = excluded.eventMilliseconds
        WHERE eventMilliseconds < excluded.eventMilliseconds
        """,
        [.text(key.value), .integer(withdrawal.eventMilliseconds)])
  }
}
