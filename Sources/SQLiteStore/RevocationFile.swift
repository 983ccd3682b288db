import JSON
import UserStore
import Withdrawals

/// The revocation file that the authorizer reads.
///
/// It replaces only an empty file or a revocation file.
struct RevocationFile {
  let path: String
  /// The path of the database, whose files it must not replace.
  let database: String

  /// The suffixes of a database's files (https://www.sqlite.org/tempfiles.html).
  private static let databaseSuffixes = ["", "-wal", "-shm", "-journal"]

  /// Writes the file from the state that the transaction sees, if it differs. The caller must commit afterwards.
  ///
  /// - Parameter seconds: the present time in Unix seconds.
  ///
  /// The transaction allows one writer, so the file never returns to an older state. It is in place before the
  /// commit, so it contains every acknowledged revocation. What `authorizer-local revoke --file` has written stays.
  func write(from connection: borrowing SQLiteConnection, at seconds: Int64) throws(StoreError) {
    let subjects = try subjects(in: connection)
    let withdrawals = try withdrawals(in: connection, at: seconds)
    try FileCalls.locked(path) { () throws(StoreError) in
      let entries = withdrawals.map { WithdrawalEntry.withdrawal($0) }
      let others = Self.others(try existingEntries(), than: subjects + entries, at: seconds)
      // Earlier versions of the authorizer read entries of the first form only.
      let isNeeded = !withdrawals.allSatisfy { $0.key.hasFirstForm }
      let contents = WithdrawalFile.bytes(of: subjects + (isNeeded ? entries : []) + others)
      // The authorizer would refuse every token.
      let limit = WithdrawalFile.limits.bytes
      guard contents.count <= limit else {
        throw .refused("\(path) would be larger than \(limit) bytes: use DynamoDB")
      }
      if !FileCalls.isFile(path, holding: contents) { try FileCalls.replace(path, with: contents) }
    }
  }

  /// Writes the file if it is missing or outdated, for example after the file was added to the configuration.
  func restore(from connection: borrowing SQLiteConnection, at seconds: Int64) throws(StoreError) {
    try connection.transaction { () throws(StoreError) in try write(from: connection, at: seconds) }
  }

  /// The entries of the file that are later than those of the database, or of other keys, and not expired.
  private static func others(
    _ entries: [WithdrawalEntry], than own: [WithdrawalEntry], at seconds: Int64
  ) -> [WithdrawalEntry] {
    var latest: [WithdrawalEntry.Key: Int64] = [:]
    for entry in own { latest[entry.key] = max(latest[entry.key] ?? .min, entry.eventMilliseconds) }
    return entries.filter { entry in
      if let milliseconds = latest[entry.key], milliseconds >= entry.eventMilliseconds { return false }
      guard case .withdrawal(let withdrawal) = entry,
        let expires = withdrawal.expires(writtenAt: entry.eventMilliseconds / 1000)
      else { return true }
      return expires >= seconds
    }
  }

  /// The entries of the existing file.
  ///
  /// - Throws: `StoreError` if it is another file, such as the database under another name.
  private func existingEntries() throws(StoreError) -> [WithdrawalEntry] {
    guard let identity = try FileCalls.identity(of: path) else { return [] }
    for suffix in Self.databaseSuffixes where try FileCalls.identity(of: database + suffix) == identity {
      throw .refused("\(path) is a file of the database: choose another path for the revocation file")
    }
    let limit = WithdrawalFile.limits.bytes
    let bytes = try FileCalls.beginning(of: path, limit: limit + 1)
    if bytes.isEmpty { return [] }
    // A file that is too long to parse is recognized by its beginning.
    if bytes.count > limit, bytes.starts(with: WithdrawalFile.beginning.utf8) { return [] }
    guard bytes.count <= limit, let entries = WithdrawalFile.entries(parsing: bytes) else {
      throw .refused(
        "\(path) exists and is not a revocation file: choose another path, or move the file away")
    }
    return entries
  }

  private func subjects(in connection: borrowing SQLiteConnection) throws(StoreError) -> [WithdrawalEntry] {
    var subjects: [WithdrawalEntry] = []
    let rows = try connection.statement("SELECT subject, eventMilliseconds FROM revocation ORDER BY subject")
    while try rows.step() {
      guard let subject = rows.bytes(0), let milliseconds = rows.integer(1) else {
        throw .unreadable("a revocation without a subject or a time")
      }
      subjects.append(.subject(subject, eventMilliseconds: milliseconds))
    }
    return subjects
  }

  private func withdrawals(
    in connection: borrowing SQLiteConnection, at seconds: Int64
  ) throws(StoreError) -> [Withdrawal] {
    var withdrawals: [Withdrawal] = []
    let rows = try connection.statement(
      """
      SELECT issuer, kind, value, eventMilliseconds FROM withdrawal WHERE expires IS NULL OR expires >= ?1
      ORDER BY issuer, kind, value
      """, [.integer(seconds)])
    while try rows.step() {
      guard let issuer = rows.bytes(0), let kind = rows.bytes(1).flatMap({ WithdrawalKey.Kind(claim: $0) }),
        let value = rows.bytes(2), let milliseconds = rows.integer(3)
      else { throw .unreadable("a withdrawal without a key or a time") }
      let key = WithdrawalKey(issuer: issuer, kind: kind, value: value)
      withdrawals.append(Withdrawal(key, eventMilliseconds: milliseconds))
    }
    return withdrawals
  }
}
