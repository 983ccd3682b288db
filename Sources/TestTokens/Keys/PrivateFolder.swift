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
/// All files are opened relative to the opened folder, which is checked each time: another user, or the author of a
/// working tree, must not decide which file is read or written. Each function throws `inaccessible` with the path and the
/// system's reason, or `untrusted`.
struct PrivateFolder: Sendable {
  let path: String

  /// Creates the folder (0700) unless it exists; its parent must exist.
  func create() throws(DevelopmentKeysError) {
    if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw refusal(path) }
  }

  func path(of name: String) -> String { path + "/" + name }

  /// The bytes of a file; `nil` if it or the folder does not exist. If other users could read it, as after a copy, it
  /// becomes 0600.
  func contents(of name: String) throws(DevelopmentKeysError) -> [UInt8]? {
    guard let folder = try openIfPresent() else { return nil }
    defer { close(folder) }
    let file = path(of: name)
    // O_NONBLOCK: a pipe must not stop this process.
    let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let descriptor = unsafe openat(folder, name, flags)
    if descriptor < 0 {
      if errno == ENOENT { return nil }
      throw refusal(file)
    }
    defer { close(descriptor) }
    try check(descriptor, file)
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
    let folder = try opened()
    defer { close(folder) }
    // A random name, so that nothing can be there already.
    let draft = name + "." + String(UInt64.random(in: 0 ... .max), radix: 16)
    do throws(DevelopmentKeysError) {
      try store(bytes, as: draft, in: folder)
      if unsafe renameat(folder, draft, folder, name) != 0 { throw refusal(path(of: name)) }
    } catch {
      unsafe unlinkat(folder, draft, 0)
      throw error
    }
  }

  /// Runs `body` with an exclusive lock of this folder against other processes and threads; flock(2).
  func locked<Result>(_ body: () throws(DevelopmentKeysError) -> Result) throws(DevelopmentKeysError)
    -> Result
  {
    let folder = try opened()
    defer { close(folder) }
    let file = path(of: "lock")
    let descriptor = unsafe openat(folder, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw refusal(file) }
    // Closing the descriptor releases the lock.
    defer { close(descriptor) }
    try check(descriptor, file)
    while flock(descriptor, LOCK_EX) != 0 {
      if errno != EINTR { throw refusal(file) }
    }
    return try body()
  }

  /// Returns the value of a file, which is made on the first use: of concurrent starts one makes it, and all get the
  /// same value. The folder is excluded from git.
  ///
  /// - Parameters:
  ///   - read: gets the bytes of the file, and its path.
  ///   - make: returns a new value and the bytes of its file.
  func value<Value>(
    of name: String, read: (_ bytes: [UInt8], _ path: String) throws(DevelopmentKeysError) -> Value,
    make: () throws(DevelopmentKeysError) -> (value: Value, bytes: [UInt8])
  ) throws(DevelopmentKeysError) -> Value {
    let path = path(of: name)
    if let bytes = try contents(of: name) { return try read(bytes, path) }
    try create()
    return try locked { () throws(DevelopmentKeysError) in
      if let bytes = try contents(of: name) { return try read(bytes, path) }
      let made = try make()
      try replace(".gitignore", with: Array("*\n".utf8))
      try replace(name, with: made.bytes)
      return made.value
    }
  }

  private func refusal(_ path: String) -> DevelopmentKeysError {
    if errno == ELOOP { return .untrusted(path: path, reason: "is a symbolic link") }
    return .inaccessible(path: path, reason: unsafe String(cString: strerror(errno)))
  }

  private func store(
    _ bytes: [UInt8], as name: String, in folder: Int32
  ) throws(DevelopmentKeysError) {
    let file = path(of: name)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = unsafe openat(folder, name, flags, 0o600)
    guard descriptor >= 0 else { throw refusal(file) }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw refusal(file)
      }
    }
    if fsync(descriptor) != 0 { throw refusal(file) }
  }

  // MARK: Checks

  private func opened() throws(DevelopmentKeysError) -> Int32 {
    guard let folder = try openIfPresent() else {
      errno = ENOENT
      throw refusal(path)
    }
    return folder
  }

  /// Opens the folder; `nil` if it does not exist. Permissions of other users are removed, as after mkdir(1) with the
  /// usual umask.
  private func openIfPresent() throws(DevelopmentKeysError) -> Int32? {
    let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if folder < 0 {
      if errno == ENOENT { return nil }
      throw refusal(path)
    }
    do throws(DevelopmentKeysError) {
      var status = try attributes(of: folder, path)
      if status.st_uid != geteuid() { throw .untrusted(path: path, reason: "belongs to another user") }
      if status.st_mode & 0o077 != 0, fchmod(folder, 0o700) == 0 {
        status = try attributes(of: folder, path)
      }
      if status.st_mode & 0o022 != 0 {
        throw .untrusted(path: path, reason: "can be written to by other users")
      }
    } catch {
      close(folder)
      throw error
    }
    return folder
  }

  /// Refuses everything but a regular file of this user with one name, and removes permissions of other users.
  private func check(_ descriptor: Int32, _ file: String) throws(DevelopmentKeysError) {
    let status = try attributes(of: descriptor, file)
    guard status.st_mode & 0o170000 == 0o100000 else {
      throw .untrusted(path: file, reason: "is not a regular file")
    }
    if status.st_uid != geteuid() { throw .untrusted(path: file, reason: "belongs to another user") }
    if status.st_nlink != 1 { throw .untrusted(path: file, reason: "has a second name (a hard link)") }
    // A file system without permissions refuses this, which does no harm in a folder of this user.
    if status.st_mode & 0o077 != 0 { fchmod(descriptor, 0o600) }
  }

  private func attributes(of descriptor: Int32, _ path: String) throws(DevelopmentKeysError) -> stat {
    var status = stat()
    if unsafe fstat(descriptor, &status) != 0 { throw refusal(path) }
    return status
  }
}
