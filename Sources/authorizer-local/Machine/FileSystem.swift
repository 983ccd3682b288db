internal import Foundation

/// Reads and writes files. Failures contain the path and the reason.
enum FileSystem {
  /// Returns the bytes of a file, or of standard input for `-`.
  static func bytes(at path: String) throws(CommandFailure) -> [UInt8] {
    do {
      if path == "-" { return Array(try FileHandle.standardInput.readToEnd() ?? Data()) }
      return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw unreadable(path)
    }
  }

  /// Returns the bytes of a file up to a limit. Any file needs one, because a device may have no end.
  static func bytes(at path: String, limit: Int) throws(CommandFailure) -> [UInt8] {
    let handle = try reading(path)
    defer { try? handle.close() }
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      let piece: Data?
      do { piece = try handle.read(upToCount: min(1 << 20, limit + 1 - bytes.count)) } catch {
        throw unreadable(path)
      }
      guard let piece, !piece.isEmpty else { return bytes }
      bytes += piece
    }
    throw CommandFailure(
      .usage, "\(path) has more than \(limit) bytes", hint: "check that it is the right file")
  }

  /// Returns the failure for a file that cannot be read.
  static func unreadable(_ path: String, orElse cure: String? = nil) -> CommandFailure {
    let reason =
      isDirectory(path)
      ? "it is a folder" : exists(path) ? "check its permissions" : "there is no such file"
    return CommandFailure(.usage, "cannot read \(path)", hint: cure.map { "\(reason); \($0)" } ?? reason)
  }

  /// Opens a file, or standard input for `-`.
  static func reading(_ path: String) throws(CommandFailure) -> FileHandle {
    if path == "-" { return .standardInput }
    guard !isDirectory(path), let handle = FileHandle(forReadingAtPath: path) else {
      throw unreadable(path)
    }
    return handle
  }

  /// Creates the folder of a file if it does not exist.
  static func makeFolder(of path: String) throws {
    try FileManager.default.createDirectory(
      at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
  }

  /// Replaces a file atomically, and creates its folder if it does not exist.
  static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    do {
      try makeFolder(of: path)
      try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw CommandFailure(
        .usage, "cannot write \(path)",
        hint: "check that its folder is writable and the device has free space")
    }
  }

  static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  static func isDirectory(_ path: String) -> Bool {
    (try? URL(fileURLWithPath: path).resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
  }

  static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

  static var currentDirectory: String { FileManager.default.currentDirectoryPath }

  /// Returns the folder of a file; the current one for standard input.
  static func directory(of path: String) -> String {
    path == "-"
      ? currentDirectory : URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
  }

  /// Returns a folder and its parents, up to the root of its repository, and without a parent such as `/tmp`, to which
  /// every user can add files.
  static func upwards(from directory: String) -> [String] {
    var folders: [String] = []
    var folder = URL(fileURLWithPath: directory).standardizedFileURL
    while true {
      folders.append(folder.path)
      let parent = folder.deletingLastPathComponent().standardizedFileURL
      if exists(folder.appendingPathComponent(".git").path) || parent.path == folder.path
        || FileStatus.isOpenToAll(parent.path)
      {
        return folders
      }
      folder = parent
    }
  }

  /// Returns the nearest file of this name, in a folder or one of its parents.
  static func nearest(_ name: String, from directory: String) -> String? {
    upwards(from: directory).map { URL(fileURLWithPath: $0).appendingPathComponent(name).path }.first(
      where: exists)
  }
}
