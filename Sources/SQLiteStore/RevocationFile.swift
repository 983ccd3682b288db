import JSON
import UserStore

/// The file of revocations that the authorizer reads: every subject that withdrew, and when.
struct RevocationFile {
  let path: String

  /// Writes the file anew from what the transaction sees, which then has to commit.
  ///
  /// Inside the transaction there is one writer, so the file never goes back to an older state; and since it is in place
  /// before the commit, whatever is acknowledged is in it.
  func write(from connection: borrowing SQLiteConnection) throws(StoreError) {
    try FileCalls.replace(path, with: contents(of: connection))
  }

  /// Writes the file where it is missing or differs, such as after it was named for the first time.
  func restore(from connection: borrowing SQLiteConnection) throws(StoreError) {
    try connection.transaction { () throws(StoreError) in
      let contents = try contents(of: connection)
      if !FileCalls.isFile(path, holding: contents) { try FileCalls.replace(path, with: contents) }
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
