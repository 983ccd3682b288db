import JSON
import UserStore

/// The file of revocations that the authorizer reads: every subject that withdrew, and when.
///
/// It replaces nothing but a file that is empty or a file of revocations.
struct RevocationFile {
  let path: String
  /// The path of the database, whose files it must not be.
  let database: String

  /// The authorizer reads no longer file (`RevocationFile.limits` there).
  private static let limits = JSONLimits(bytes: 16 << 20, depth: 3, membersPerObject: 2)
  /// What `contents(of:)` begins with where there is a revocation.
  private static let beginning = #"{"revocations":[{"sub":"#
  /// What SQLite calls the other files of a database (https://www.sqlite.org/tempfiles.html).
  private static let databaseSuffixes = ["", "-wal", "-shm", "-journal"]

  /// Writes the file anew from what the transaction sees, which then has to commit.
  ///
  /// Inside the transaction there is one writer, so the file never goes back to an older state; and since it is in place
  /// before the commit, whatever is acknowledged is in it.
  func write(from connection: borrowing SQLiteConnection) throws(StoreError) {
    let contents = try contents(of: connection)
    try checkWhatIsThere()
    try FileCalls.replace(path, with: contents)
  }

  /// Writes the file where it is missing or differs, such as after it was named for the first time.
  func restore(from connection: borrowing SQLiteConnection) throws(StoreError) {
    try connection.transaction { () throws(StoreError) in
      let contents = try contents(of: connection)
      try checkWhatIsThere()
      if !FileCalls.isFile(path, holding: contents) { try FileCalls.replace(path, with: contents) }
    }
  }

  /// Refuses to replace another file, such as the database under another name.
  private func checkWhatIsThere() throws(StoreError) {
    guard let identity = try FileCalls.identity(of: path) else { return }
    for suffix in Self.databaseSuffixes where try FileCalls.identity(of: database + suffix) == identity {
      throw .refused("\(path) is a file of the database: name another one for the revocations")
    }
    let bytes = try FileCalls.beginning(of: path, limit: Self.limits.bytes + 1)
    // One that is too long to be read is told by its beginning.
    let isOurs =
      bytes.count > Self.limits.bytes
      ? bytes.starts(with: Self.beginning.utf8) : bytes.isEmpty || Self.isOfRevocations(bytes)
    guard isOurs else {
      throw .refused(
        "\(path) is not a file of revocations and is not replaced: name another one, or move it away")
    }
  }

  private static func isOfRevocations(_ bytes: [UInt8]) -> Bool {
    guard let root = try? JSONDocument(parsing: bytes, limits: limits).root, root.kind == .object,
      let list = root["revocations"], list.kind == .array,
      root.members.allSatisfy({ $0.name.equals("revocations") })
    else { return false }
    return list.elements.allSatisfy {
      $0["sub"]?.utf8 != nil && $0["eventMilliseconds"]?.number?.integer != nil
    }
  }

  private func contents(of connection: borrowing SQLiteConnection) throws(StoreError) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("revocations")
    writer.beginArray()
    let rows = try connection.statement("SELECT subject, eventMilliseconds FROM revocation ORDER BY subject")
    while try rows.step() {
      guard let subject = rows.bytes(0), let milliseconds = rows.integer(1) else {
        throw .unreadable("a revocation without a subject or a time")
      }
      writer.beginObject()
      writer.name("sub")
      writer.string(utf8: subject)
      writer.name("eventMilliseconds")
      writer.integer(milliseconds)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.bytes + [UInt8(ascii: "\n")]
  }
}
