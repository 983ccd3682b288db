import Bytes
import JSON
import UserStore

/// The revocation file that the authorizer reads: the revoked subjects and the times.
///
/// It replaces only an empty file or a revocation file.
struct RevocationFile {
  let path: String
  /// The path of the database, whose files it must not replace.
  let database: String

  /// The authorizer's own limits (`RevocationFile.limits` there).
  private static let limits = JSONLimits(bytes: 16 << 20, depth: 3, membersPerObject: 2)
  /// The beginning of `contents(of:)` if there is a revocation.
  private static let beginning = #"{"revocations":[{"sub":"#
  /// The suffixes of a database's files (https://www.sqlite.org/tempfiles.html).
  private static let databaseSuffixes = ["", "-wal", "-shm", "-journal"]

  /// Writes the file from the state that the transaction sees. The caller must commit afterwards.
  ///
  /// The transaction allows one writer, so the file never returns to an older state. It is in place before the
  /// commit, so it contains every acknowledged revocation.
  func write(from connection: borrowing SQLiteConnection) throws(StoreError) {
    let contents = try contents(of: connection)
    try checkExistingFile()
    try FileCalls.replace(path, with: contents)
  }

  /// Writes the file if it is missing or outdated, for example after the file was added to the configuration.
  func restore(from connection: borrowing SQLiteConnection) throws(StoreError) {
    try connection.transaction { () throws(StoreError) in
      let contents = try contents(of: connection)
      try checkExistingFile()
      if !FileCalls.isFile(path, holding: contents) { try FileCalls.replace(path, with: contents) }
    }
  }

  /// Refuses to replace another file, such as the database under another name.
  private func checkExistingFile() throws(StoreError) {
    guard let identity = try FileCalls.identity(of: path) else { return }
    for suffix in Self.databaseSuffixes where try FileCalls.identity(of: database + suffix) == identity {
      throw .refused("\(path) is a file of the database: choose another path for the revocation file")
    }
    let bytes = try FileCalls.beginning(of: path, limit: Self.limits.bytes + 1)
    // A file that is too long to parse is recognized by its beginning.
    let isOurs =
      bytes.count > Self.limits.bytes
      ? bytes.starts(with: Self.beginning.utf8) : bytes.isEmpty || Self.isRevocationFile(bytes)
    guard isOurs else {
      throw .refused(
        "\(path) exists and is not a revocation file: choose another path, or move the file away")
    }
  }

  private static func isRevocationFile(_ bytes: [UInt8]) -> Bool {
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
    return writer.bytes + [UInt8.lineFeed]
  }
}
