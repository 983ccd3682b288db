// Every call of SQLite and of the file system in this module, and so all of its `unsafe`. All are safe for the same
// reasons: a pointer is used only inside the closure that provides it, with the length of its memory, and data from
// SQLite is copied before the next call on the same statement. SQL is a StaticString, so no input can become part of
// it.

import Bytes
import CPOSIX
import POSIX
import CSQLite
import UserStore

/// A value for a parameter of a statement.
enum SQLiteValue {
  case text([UInt8]?)
  case blob([UInt8])
  case integer(Int64?)
}

/// An open database, closed when it is released. Belongs to one thread.
@safe struct SQLiteConnection: ~Copyable {
  private let handle: OpaquePointer

  private init(_ handle: OpaquePointer) { unsafe self.handle = handle }

  /// Opens the file at `path`, which must exist.
  static func open(_ path: String) throws(StoreError) -> SQLiteConnection {
    var opened: OpaquePointer?
    let status = unsafe sqlite3_open_v2(
      path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    // SQLite returns a connection even if opening failed, and it must be closed.
    guard let handle = unsafe opened else { throw .unavailable("SQLite is out of memory") }
    let connection = unsafe SQLiteConnection(handle)
    guard status == SQLITE_OK else { throw Self.error(status) }
    unsafe csqlite_harden(handle)
    return connection
  }

  /// Statements that outlive the connection keep it open until they end (sqlite3_close_v2).
  deinit { unsafe sqlite3_close_v2(handle) }

  /// Whether the database is read-only: SQLite opens it even if the file is not writable.
  var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") != 0 }

  /// Whether no transaction is open.
  var isOutsideTransaction: Bool { unsafe sqlite3_get_autocommit(handle) != 0 }

  /// Whether the last call failed because of another connection's lock.
  var isBusy: Bool {
    let status = unsafe sqlite3_errcode(handle) & 0xFF
    return status == SQLITE_BUSY || status == SQLITE_LOCKED || status == SQLITE_PROTOCOL
  }

  /// Sets how long a statement waits for another connection's lock; 0 or less for no wait.
  func waitForLocks(milliseconds: Int64) {
    unsafe sqlite3_busy_timeout(handle, Int32(clamping: milliseconds))
  }

  /// Runs any number of statements and discards their rows.
  func execute(_ script: StaticString) throws(StoreError) {
    let status = unsafe script.utf8Start.withMemoryRebound(to: CChar.self, capacity: script.utf8CodeUnitCount)
    {
      unsafe sqlite3_exec(handle, $0, nil, nil, nil)
    }
    guard status == SQLITE_OK else { throw Self.error(status) }
  }

  /// Prepares a statement with its parameters.
  func statement(_ sql: StaticString, _ values: [SQLiteValue] = []) throws(StoreError) -> SQLiteStatement {
    var prepared: OpaquePointer?
    let count = sql.utf8CodeUnitCount
    let status = unsafe sql.utf8Start.withMemoryRebound(to: CChar.self, capacity: count) {
      unsafe sqlite3_prepare_v2(handle, $0, Int32(clamping: count), &prepared, nil)
    }
    guard status == SQLITE_OK, let handle = unsafe prepared else { throw Self.error(status) }
    let statement = unsafe SQLiteStatement(handle)
    for (index, value) in values.enumerated() {
      let status = statement.bind(value, to: Int32(clamping: index + 1))
      guard status == SQLITE_OK else { throw Self.error(status) }
    }
    return statement
  }

  /// Runs one statement; returns the number of rows that it inserted, updated or deleted.
  @discardableResult
  func run(_ sql: StaticString, _ values: [SQLiteValue] = []) throws(StoreError) -> Int {
    let statement = try statement(sql, values)
    while try statement.step() {}
    return Int(unsafe sqlite3_changes(handle))
  }

  /// The integer in the first column of the first row.
  func integer(_ sql: StaticString) throws(StoreError) -> Int64 {
    let statement = try statement(sql)
    guard try statement.step(), let value = statement.integer(0) else {
      throw .unreadable("SQLite returned no number")
    }
    return value
  }

  /// The second bytes of SQLITE_IOERR_WRITE, _TRUNCATE, _SHMSIZE and _SHMOPEN, which are macros that Swift does not
  /// import.
  private static let write: Int32 = 3
  private static let truncate: Int32 = 6
  private static let sharedMemorySize: Int32 = 19
  private static let sharedMemoryOpen: Int32 = 18

  /// The error for a result code (https://www.sqlite.org/rescode.html). Its text is SQLite's for the code, which
  /// contains no stored data.
  fileprivate static func error(_ extended: Int32) -> StoreError {
    var text = "SQLite \(extended)"
    if let words = unsafe sqlite3_errstr(extended) { text += unsafe " (" + String(cString: words) + ")" }
    switch extended & 0xFF {
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_CONSTRAINT, SQLITE_MISMATCH,
      SQLITE_FORMAT:
      return .unreadable(text)
    case SQLITE_FULL, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH, SQLITE_TOOBIG:
      return .refused(text)
    // The file cannot grow. SQLITE_FULL is returned only for ENOSPC, not for a quota or a limit.
    case SQLITE_IOERR where [write, truncate, sharedMemorySize, sharedMemoryOpen].contains(extended >> 8):
      return .refused(text)
    default: return .unavailable(text)
    }
  }
}

/// A prepared statement, finalized when it is released.
@safe struct SQLiteStatement: ~Copyable {
  private let handle: OpaquePointer

  fileprivate init(_ handle: OpaquePointer) { unsafe self.handle = handle }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Steps to the next row; returns false after the last.
  func step() throws(StoreError) -> Bool {
    let status = unsafe sqlite3_step(handle)
    if status == SQLITE_ROW { return true }
    guard status == SQLITE_DONE else { throw SQLiteConnection.error(status) }
    return false
  }

  /// The integer in a column of this row; `nil` for NULL.
  func integer(_ column: Int32) -> Int64? {
    unsafe sqlite3_column_type(handle, column) == SQLITE_INTEGER ? sqlite3_column_int64(handle, column) : nil
  }

  /// The bytes of a text or BLOB in a column of this row; `nil` for NULL.
  func bytes(_ column: Int32) -> [UInt8]? {
    guard unsafe sqlite3_column_type(handle, column) != SQLITE_NULL else { return nil }
    // The pointer first: reading it may convert the value, and the count is that of the result.
    let start = unsafe sqlite3_column_blob(handle, column)
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    guard let start = unsafe start, count > 0 else { return [] }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  fileprivate func bind(_ value: SQLiteValue, to index: Int32) -> Int32 {
    switch value {
    case .integer(let number?):
      unsafe sqlite3_bind_int64(handle, index, number)
    case .text(let bytes?):
      unsafe bytes.withUnsafeBytes {
        unsafe csqlite_bind_text(handle, index, $0.baseAddress, Int32(clamping: $0.count))
      }
    case .blob(let bytes):
      unsafe bytes.withUnsafeBytes {
        unsafe csqlite_bind_blob(handle, index, $0.baseAddress, Int32(clamping: $0.count))
      }
    case .text(nil), .integer(nil):
      unsafe sqlite3_bind_null(handle, index)
    }
  }
}

/// The identity of a file, independent of its path (stat(2)).
struct FileIdentity: Equatable {
  let device: UInt64
  let inode: UInt64
}

/// The store's own file operations.
enum FileCalls {
  /// Creates an empty file that only its owner can read, if there is none.
  static func makeIfMissing(_ path: String) throws(StoreError) {
    let descriptor = unsafe cposix_make_private_file(path, 1)
    guard descriptor >= 0 else {
      if cposix_errno() == EEXIST { return }
      throw error("the file cannot be created", cposix_errno())
    }
    close(descriptor)
    try syncFolder(of: path)
  }

  /// Replaces a file atomically and durably.
  ///
  /// Writes a file with a random name in the same folder and renames it, so no existing file or link is followed,
  /// reused or removed. A process that is killed meanwhile leaves the new file behind.
  static func replace(_ path: String, with bytes: [UInt8]) throws(StoreError) {
    let made = path + "." + String(UInt64.random(in: .min ... .max), radix: 16) + ".new"
    let descriptor = unsafe cposix_make_private_file(made, 1)
    guard descriptor >= 0 else { throw error("\(made) cannot be created", cposix_errno()) }
    var number = SystemCalls.write(bytes, to: descriptor)
    if number == 0, fsync(descriptor) != 0 { number = cposix_errno() }
    close(descriptor)
    if number == 0, unsafe rename(made, path) != 0 { number = cposix_errno() }
    guard number == 0 else {
      unsafe unlink(made)
      throw error("\(path) cannot be written", number)
    }
    try syncFolder(of: path)
  }

  /// Runs `body`, which reads and replaces a file, while others that lock its folder wait, as `authorizer-local revoke`.
  static func locked(_ path: String, _ body: () throws(StoreError) -> Void) throws(StoreError) {
    let folder = folder(of: path)
    let descriptor = SystemCalls.lock(folder: folder)
    guard descriptor >= 0 else { throw error("\(folder) cannot be locked", SystemCalls.errorNumber) }
    defer { close(descriptor) }
    try body()
  }

  /// The identity of the file at a path: the same for two names of one file, such as links; `nil` if there is no
  /// file.
  static func identity(of path: String) throws(StoreError) -> FileIdentity? {
    var state = cposix_file_state()
    guard unsafe cposix_state_of_file(path, &state) == 0 else {
      if cposix_errno() == ENOENT { return nil }
      throw error("\(path) cannot be inspected", cposix_errno())
    }
    return FileIdentity(device: state.device, inode: state.inode)
  }

  /// The first bytes of a file, at most `limit`.
  static func beginning(of path: String, limit: Int) throws(StoreError) -> [UInt8] {
    let descriptor = unsafe cposix_open_for_reading(path)
    guard descriptor >= 0 else { throw error("\(path) cannot be read", cposix_errno()) }
    defer { close(descriptor) }
    guard let bytes = SystemCalls.read(descriptor, upTo: limit) else {
      throw error("\(path) cannot be read", SystemCalls.errorNumber)
    }
    return bytes
  }

  /// Whether the file holds exactly these bytes.
  static func isFile(_ path: String, holding bytes: [UInt8]) -> Bool {
    let descriptor = unsafe cposix_open_for_reading(path)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return SystemCalls.read(descriptor, upTo: bytes.count + 1) == bytes
  }

  /// Pauses, so that other processes can proceed.
  static func pause(milliseconds: Int32) { _ = sqlite3_sleep(milliseconds) }

  /// Whether the error is permanent.
  private static func isRefusal(_ number: Int32) -> Bool {
    [ENOSPC, EDQUOT, EFBIG, EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EISDIR, EINVAL].contains(number)
  }

  private static func error(_ what: String, _ number: Int32) -> StoreError {
    let text = what + ": " + SystemCalls.text(ofError: number)
    return isRefusal(number) ? .refused(text) : .unavailable(text)
  }

  private static func folder(of path: String) -> String {
    path.utf8.lastIndex(of: .slash).map { String(path[...$0]) } ?? "."
  }

  private static func syncFolder(of path: String) throws(StoreError) {
    let folder = folder(of: path)
    guard unsafe cposix_sync_path(folder) == 0 else {
      throw error("\(folder) cannot be synced", cposix_errno())
    }
  }
}
