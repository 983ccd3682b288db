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

  /// Writes the file from the state that the transaction sees. The caller must commit afterwards.
  ///
  /// - Parameter seconds: the present time in Unix seconds.
  ///
  /// The transaction allows one writer, so the file never returns to an older state. It is in place before the
  /// commit, so it contains every acknowledged revocation.
  func write(from connection: borrowing SQLiteConnection, at seconds: Int64) throws(StoreError) {
    let contents = try contents(of: connection, at: seconds)
    try FileCalls.locked(path) { () throws(StoreError) in
      try checkExistingFile()
      try FileCalls.replace(path, with: contents)
    }
  }

  /// Writes the file if it is missing or outdated, for example after the file was added to the configuration.
  func restore(from connection: borrowing SQLiteConnection, at seconds: Int64) throws(StoreError) {
    try connection.transaction { () throws(StoreError) in
      let contents = try contents(of: connection, at: seconds)
      try FileCalls.locked(path) { () throws(StoreError) in
        try checkExistingFile()
        if !FileCalls.isFile(path, holding: contents) { try FileCalls.replace(path, with: contents) }
      }
    }
  }

  /// Refuses to replace another file, such as the database under another name.
  private func checkExistingFile() throws(StoreError) {
    guard let identity = try FileCalls.identity(of: path) else { return }
    for suffix in Self.databaseSuffixes where try FileCalls.identity(of: database + suffix) == identity {
      throw .refused("\(path) is a file of the database: choose another path for the revocation file")
    }
    let limit = WithdrawalFile.limits.bytes
    let bytes = try FileCalls.beginning(of: path, limit: limit + 1)
    // A file that is too long to parse is recognized by its beginning.
    let isOurs =
      bytes.count > limit
      ? bytes.starts(with: WithdrawalFile.beginning.utf8)
      : bytes.isEmpty || WithdrawalFile.entries(parsing: bytes) != nil
    guard isOurs else {
      throw .refused(
        "\(path) exists and is not a revocation file: choose another path, or move the file away")
    }
  }

  private func contents(
    of connection: borrowing SQLiteConnection, at seconds: Int64
  ) throws(StoreError) -> [UInt8] {
    var subjects: [WithdrawalEntry] = []
    let rows = try connection.statement("SELECT subject, eventMilliseconds FROM revocation ORDER BY subject")
    while try rows.step() {
      guard let subject = rows.bytes(0), let milliseconds = rows.integer(1) else {
        throw .unreadable("a revocation without a subject or a time")
      }
      subjects.append(.subject(subject, eventMilliseconds: milliseconds))
    }
    let withdrawals = try withdrawals(in: connection, at: seconds)
    // Earlier versions of the authorizer read entries of the first form only.
    let isNeeded = !withdrawals.allSatisfy { $0.key.hasFirstForm }
    let contents = WithdrawalFile.bytes(of: subjects + (isNeeded ? withdrawals.map { .withdrawal($0) } : []))
    // The authorizer would refuse every token.
    let limit = WithdrawalFile.limits.bytes
    guard contents.count <= limit else {
      throw .refused("\(path) would be larger than \(limit) bytes: use DynamoDB")
    }
    return contents
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
