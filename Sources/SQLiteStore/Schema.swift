import UserStore

/// The database schema and its migrations.
///
/// The file's `user_version` is the number of migrations applied to it. A released migration is never changed; add a
/// new one after it.
struct Schema {
  /// Each migrates from the previous version; all missing ones run in one transaction.
  let migrations: [StaticString]

  /// The version of a file with all migrations applied.
  var version: Int64 { Int64(migrations.count) }

  /// `application_id` of our files, "auth" in ASCII (https://www.sqlite.org/pragma.html#pragma_application_id): it
  /// prevents the use of another program's database.
  static let applicationID: Int64 = 0x6175_7468

  static let current = Schema(migrations: [
    """
    CREATE TABLE user (
      subject TEXT NOT NULL PRIMARY KEY,
      identifier TEXT NOT NULL UNIQUE,
      createdMilliseconds INTEGER NOT NULL,
      email TEXT,
      isEmailVerified INTEGER NOT NULL,
      relayEmail TEXT,
      givenName TEXT,
      familyName TEXT,
      transferSubject TEXT,
      relayForwards INTEGER,
      relayMilliseconds INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE nonce (digest BLOB NOT NULL PRIMARY KEY, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX nonceExpiry ON nonce (expires);
    CREATE TABLE event (identifier TEXT NOT NULL PRIMARY KEY, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX eventExpiry ON event (expires);
    CREATE TABLE revocation (
      subject TEXT NOT NULL PRIMARY KEY, eventMilliseconds INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    PRAGMA application_id = 0x61757468;
    PRAGMA user_version = 1;
    """,
    """
    CREATE TABLE withdrawal (
      issuer TEXT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, eventMilliseconds INTEGER NOT NULL,
      expires INTEGER, PRIMARY KEY (issuer, kind, value)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX withdrawalExpiry ON withdrawal (expires) WHERE expires IS NOT NULL;
    PRAGMA user_version = 2;
    """,
  ])

  /// Migrates a connection's file to this version.
  ///
  /// - Throws: `unreadable` for a file of a later version or of another program, which is left unchanged.
  func migrate(_ connection: borrowing SQLiteConnection) throws(StoreError) {
    if try missing(in: connection) == 0 { return }
    try connection.transaction { () throws(StoreError) in
      // Another process may have migrated while this one waited for the lock.
      let missing = try missing(in: connection)
      for migration in migrations.suffix(missing) { try connection.execute(migration) }
      guard try self.missing(in: connection) == 0 else {
        throw .unreadable("the migrations do not lead to version \(version)")
      }
    }
  }

  /// The number of migrations missing from a file. One statement reads a consistent state, since another process may
  /// migrate meanwhile.
  private func missing(in connection: borrowing SQLiteConnection) throws(StoreError) -> Int {
    let row = try connection.statement(
      """
      SELECT (SELECT user_version FROM pragma_user_version), (SELECT application_id FROM pragma_application_id),
      (SELECT count(*) FROM sqlite_schema)
      """)
    guard try row.step(), let found = row.integer(0), let application = row.integer(1),
      let tables = row.integer(2)
    else { throw .unreadable("SQLite returned no version") }
    if application != Self.applicationID {
      guard application == 0, found == 0, tables == 0 else {
        throw .unreadable("the file is a database of another program")
      }
      return migrations.count
    }
    guard found >= 1 else { throw .unreadable("the file has no version") }
    guard found <= version else {
      throw .unreadable("the file has version \(found), but this function supports at most \(version)")
    }
    return Int(version - found)
  }
}

extension SQLiteConnection {
  /// Runs `body` in an exclusive write transaction.
  borrowing func transaction<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try execute("BEGIN IMMEDIATE")
    do throws(StoreError) {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // SQLite rolls back by itself after some errors, and a failed COMMIT may leave the transaction open.
      if !isOutsideTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }
}
