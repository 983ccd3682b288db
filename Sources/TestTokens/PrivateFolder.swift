#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// This file contains every use of libc in this module. Each `unsafe` call passes a string or a buffer that Swift keeps
// alive until the call returns; no pointer is stored.

/// A folder that only its owner can read. Its files are replaced atomically.
///
/// Each function throws `inaccessible` with the path and the system's reason.
struct PrivateFolder: Sendable {
  let path: String

  /// Creates the folder (0700) unless it exists; its parent must exist.
  func create() throws(DevelopmentKeysError) {
    if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw refusal(path) }
  }

  /// Sets 0700 if other users have permissions, as after mkdir(1) with the usual umask. A file system without
  /// permissions refuses that, which does no harm.
  func restrict() {
    var status = stat()
    let isFolder = unsafe lstat(path, &status) == 0 && status.st_mode & 0o170000 == 0o040000
    if isFolder, isOpen(status) { unsafe chmod(path, 0o700) }
  }

  func path(of name: String) -> String { path + "/" + name }

  /// The bytes of a file; `nil` if it does not exist. If other users could read it, as after a copy, it becomes 0600.
  func contents(of name: String) throws(DevelopmentKeysError) -> [UInt8]? {
    let file = path(of: name)
    let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 {
      if errno == ENOENT { return nil }
      throw refusal(file)
    }
    defer { close(descriptor) }
    var status = stat()
    if unsafe fstat(descriptor, &status) == 0, isOpen(status) { fchmod(descriptor, 0o600) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe read(descriptor, &chunk, chunk.count)
      if count == 0 { return bytes }
      if count > 0 {
        bytes.append(contentsOf: chunk[..<count])
      } else if errno != EINTR {
        throw refusal(file)
      }
    }
  }

  /// Replaces a file (0600) with one rename(2): other processes see the old file or the complete new file.
  func replace(_ name: String, with bytes: [UInt8]) throws(DevelopmentKeysError) {
    let file = path(of: name)
    // The name contains the process ID, so that two processes cannot collide. Callers in one process hold the lock.
    let draft = "\(file).\(getpid())"
    do throws(DevelopmentKeysError) {
      try write(bytes, to: draft)
      if unsafe rename(draft, file) != 0 { throw refusal(file) }
    } catch {
      unsafe unlink(draft)
      throw error
    }
  }

  /// Runs `body` with an exclusive lock of this folder against other processes and threads; flock(2).
  func locked<Result>(_ body: () throws(DevelopmentKeysError) -> Result) throws(DevelopmentKeysError)
    -> Result
  {
    let file = path(of: "lock")
    let descriptor = unsafe open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw refusal(file) }
    // Closing the descriptor releases the lock.
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {
      if errno != EINTR { throw refusal(file) }
    }
    return try body()
  }

  /// Whether other users have a permission for a file or folder of this user.
  private func isOpen(_ status: stat) -> Bool {
    status.st_uid == geteuid() && status.st_mode & 0o077 != 0
  }

  private func refusal(_ path: String) -> DevelopmentKeysError {
    .inaccessible(path: path, reason: unsafe String(cString: strerror(errno)))
  }

  private func write(_ bytes: [UInt8], to file: String) throws(DevelopmentKeysError) {
    let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw refusal(file) }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw refusal(file)
      }
    }
    if fsync(descriptor) != 0 { throw refusal(file) }
  }
}

/// write(2), which a method with the same name hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  #if canImport(Darwin)
    unsafe Darwin.write(descriptor, bytes, count)
  #elseif canImport(Glibc)
    unsafe Glibc.write(descriptor, bytes, count)
  #elseif canImport(Musl)
    unsafe Musl.write(descriptor, bytes, count)
  #endif
}
