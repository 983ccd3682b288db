import Bytes
package import UserStore

/// A store in one SQLite file, shared by any number of threads and processes of one machine, each with its own
/// instance.
///
/// Every change is one transaction that is on disk before the call returns (write-ahead log, `synchronous=FULL`). The
/// file is as durable as its disk; the disk of a Lambda environment is not.
package final class SQLiteStore: UserStore {
  let connection: SQLiteConnection
  let revocations: RevocationFile?
  private let now: () -> Int64

  /// Opens the file, creates it if it is missing, and migrates an older one to the current schema.
  ///
  /// - Parameters:
  ///   - path: the file, in an existing folder; a new file is readable only by its owner (mode 0600).
  ///   - revocationFile: the file to which all revocations are also written for the authorizer; `nil` for none.
  ///   - deadlineMilliseconds: when to stop waiting for other processes' locks, in Unix milliseconds.
  ///   - now: returns the time in Unix milliseconds.
  /// - Throws: `unreadable` for a file that is not a database, or a database of another program or a later version.
  ///   It is never overwritten.
  package convenience init(
    path: String, revocationFile: String? = nil, deadlineMilliseconds: Int64, now: @escaping () -> Int64
  ) throws(StoreError) {
    try self.init(
      path: path, revocationFile: revocationFile, schema: .current,
      deadlineMilliseconds: deadlineMilliseconds,
      now: now)
  }

  init(
    path: String, revocationFile: String?, schema: Schema, deadlineMilliseconds: Int64,
    now: @escaping () -> Int64
  ) throws(StoreError) {
    let path = try Self.checked(path)
    self.now = now
    revocations = try revocationFile.map { file throws(StoreError) in
      RevocationFile(path: try Self.checked(file), database: path)
    }
    try FileCalls.makeIfMissing(path)
    connection = try SQLiteConnection.open(path)
    try setUp(schema, until: deadlineMilliseconds)
  }

  /// Stores a sign-in in one transaction.
  package func keep(_ signIn: SignIn, deadlineMilliseconds: Int64) throws(StoreError) -> SignInOutcome {
    try transaction(until: deadlineMilliseconds) { () throws(StoreError) in
      try deleteExpired(at: signIn.milliseconds / 1000)
      if let time = try revocation(of: signIn.subject), signIn.isRefused(byRevocationAt: time) {
        return .revoked
      }
      if let nonce = signIn.nonce, try !use(nonce, at: signIn.milliseconds / 1000) { return .nonceUsedBefore }
      guard let user = try find(signIn.subject) else { return .created(try create(signIn)) }
      return .found(try update(user, by: signIn))
    }
  }

  package func user(subject: [UInt8], deadlineMilliseconds: Int64) throws(StoreError) -> User? {
    try retryWhileLocked(until: deadlineMilliseconds) { () throws(StoreError) in try find(subject) }
  }

  /// Records an event in one transaction.
  package func record(_ event: AccountEvent, deadlineMilliseconds: Int64) throws(StoreError) -> Recording {
    guard case .relay(let forwards) = event.kind else {
      return try withdraw(WithdrawalOrder(revoking: event), deadlineMilliseconds: deadlineMilliseconds)
    }
    return try transaction(until: deadlineMilliseconds) { () throws(StoreError) in
      let seconds = event.receivedMilliseconds / 1000
      try deleteExpired(at: seconds)
      guard try receive(event.identifier, at: seconds) else { return .seenBefore }
      try setRelay(of: event.subject, forwards, event.eventMilliseconds)
      return .recorded
    }
  }

  /// The maximum number of expired rows that a call deletes from one table. Our own limit, so that no caller waits
  /// for the cleanup of many rows. More than the one row that a call adds, so that expired rows become fewer.
  private static let deletionLimit: Int64 = 20
  /// The pause between two attempts.
  private static let pauseMilliseconds: Int64 = 2
}

extension SQLiteStore {
  /// Checks a path, and adds `./` to relative ones so that SQLite does not read them as a URI or an in-memory
  /// database.
  private static func checked(_ path: String) throws(StoreError) -> String {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw .refused("the path is empty or contains a zero byte")
    }
    return path.utf8.first == .slash ? path : "./" + path
  }

  private func setUp(_ schema: Schema, until deadline: Int64) throws(StoreError) {
    try retryWhileLocked(until: deadline) { () throws(StoreError) in
      try connection.execute("PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON")
    }
    if connection.isReadOnly { throw .refused("the file or its folder cannot be written to") }
    try retryWhileLocked(until: deadline) { () throws(StoreError) in try schema.migrate(connection) }
    try retryWhileLocked(until: deadline) { () throws(StoreError) in try enterWriteAheadLog() }
    try retryWhileLocked(until: deadline) { () throws(StoreError) in
      try revocations?.restore(from: connection, at: now() / 1000)
    }
  }

  /// Switches to the write-ahead log, a persistent setting of the file.
  private func enterWriteAheadLog() throws(StoreError) {
    let answer = try connection.statement("PRAGMA journal_mode = WAL")
    guard try answer.step(), answer.bytes(0)?.elementsEqual("wal".utf8) == true else {
      throw .refused("the file system does not support SQLite's write-ahead log")
    }
  }

  func transaction<Result>(
    until deadline: Int64, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try retryWhileLocked(until: deadline) { () throws(StoreError) in try connection.transaction(body) }
  }

  /// Retries while another connection has the lock and time is left. SQLite usually waits by itself, but returns busy
  /// at once while the file switches to the log or the last connection closes
  /// (https://www.sqlite.org/wal.html#sometimes_queries_return_sqlite_busy_in_wal_mode).
  private func retryWhileLocked<Result>(
    until deadline: Int64, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    while true {
      let rest = deadline - now()
      guard rest > 0 else { throw .unavailable("the deadline has passed") }
      connection.waitForLocks(milliseconds: rest)
      do throws(StoreError) {
        return try body()
      } catch {
        // After a failed COMMIT the last call was the successful rollback, so `isBusy` is false and nothing is
        // retried.
        guard connection.isBusy, now() + Self.pauseMilliseconds < deadline else { throw error }
        FileCalls.pause(milliseconds: Int32(Self.pauseMilliseconds))
      }
    }
  }

  func deleteExpired(at seconds: Int64) throws(StoreError) {
    let values: [SQLiteValue] = [.integer(seconds), .integer(Self.deletionLimit)]
    try connection.run(
      "DELETE FROM nonce WHERE digest IN (SELECT digest FROM nonce WHERE expires <= ?1 ORDER BY expires LIMIT ?2)",
      values)
    try connection.run(
      """
      DELETE FROM event WHERE identifier IN
      (SELECT identifier FROM event WHERE expires <= ?1 ORDER BY expires LIMIT ?2)
      """,
      values)
    try connection.run(
      """
      DELETE FROM withdrawal WHERE (issuer, kind, value) IN
      (SELECT issuer, kind, value FROM withdrawal WHERE expires < ?1 ORDER BY expires LIMIT ?2)
      """,
      values)
  }

  private func find(_ subject: [UInt8]) throws(StoreError) -> User? {
    let row = try connection.statement(
      """
      SELECT identifier, createdMilliseconds, email, isEmailVerified, relayEmail, givenName, familyName,
      transferSubject, relayForwards FROM user WHERE subject = ?1
      """,
      [.text(subject)])
    guard try row.step() else { return nil }
    guard let identifier = row.bytes(0), let created = row.integer(1) else {
      throw .unreadable("a user without an identifier or a time")
    }
    var profile = UserProfile()
    profile.email = row.bytes(2)
    profile.isEmailVerified = row.integer(3) == 1
    profile.relayEmail = row.bytes(4)
    profile.givenName = row.bytes(5)
    profile.familyName = row.bytes(6)
    profile.transferSubject = row.bytes(7)
    return User(
      identifier: identifier, subject: subject, createdMilliseconds: created, profile: profile,
      relayForwards: row.integer(8).map { $0 == 1 })
  }

  private func create(_ signIn: SignIn) throws(StoreError) -> User {
    try connection.run(
      """
      INSERT INTO user (subject, identifier, createdMilliseconds, email, isEmailVerified, relayEmail, givenName,
      familyName, transferSubject) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      """,
      [.text(signIn.subject), .text(signIn.newIdentifier), .integer(signIn.milliseconds)]
        + Self.values(of: signIn.profile))
    return User(
      identifier: signIn.newIdentifier, subject: signIn.subject, createdMilliseconds: signIn.milliseconds,
      profile: signIn.profile)
  }

  private func update(_ user: User, by signIn: SignIn) throws(StoreError) -> User {
    var user = user
    let profile = user.profile.updated(by: signIn)
    guard profile != user.profile else { return user }
    user.profile = profile
    try connection.run(
      """
      UPDATE user SET email = ?2, isEmailVerified = ?3, relayEmail = ?4, givenName = ?5, familyName = ?6,
      transferSubject = ?7 WHERE subject = ?1
      """,
      [.text(user.subject)] + Self.values(of: profile))
    return user
  }

  /// The values of the columns from `email` to `transferSubject`.
  private static func values(of profile: UserProfile) -> [SQLiteValue] {
    [
      .text(profile.email), .integer(profile.isEmailVerified ? 1 : 0), .text(profile.relayEmail),
      .text(profile.givenName), .text(profile.familyName), .text(profile.transferSubject),
    ]
  }

  /// Stores nothing for an unknown subject.
  private func setRelay(of subject: [UInt8], _ forwards: Bool, _ milliseconds: Int64) throws(StoreError) {
    try connection.run(
      """
      UPDATE user SET relayForwards = ?2, relayMilliseconds = ?3
      WHERE subject = ?1 AND (relayMilliseconds IS NULL OR relayMilliseconds < ?3)
      """,
      [.text(subject), .integer(forwards ? 1 : 0), .integer(milliseconds)])
  }
}
