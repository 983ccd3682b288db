internal import Foundation

/// Files by path, with failures that tell the reader which one and why.
enum FileSystem {
  /// The bytes of a file, or of standard input for `-`.
  static func bytes(at path: String) throws(CommandFailure) -> [UInt8] {
    do {
      if path == "-" { return Array(try FileHandle.standardInput.readToEnd() ?? Data()) }
      return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw unreadable(path)
    }
  }

  /// The bytes of a file that has a limit, whatever the file is: a device has no end.
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
    throw CommandFailure(.usage, "\(path) has more than \(limit) bytes", hint: "is it the right file?")
  }

  /// What to say of a file that cannot be read.
  static func unreadable(_ path: String, orElse cure: String? = nil) -> CommandFailure {
    let reason =
      isDirectory(path)
      ? "it is a folder" : exists(path) ? "is it readable for you?" : "there is no such file"
    return CommandFailure(.usage, "cannot read \(path)", hint: cure.map { "\(reason); \($0)" } ?? reason)
  }

  /// A file, or standard input for `-`, to be read piece by piece.
  static func reading(_ path: String) throws(CommandFailure) -> FileHandle {
    if path == "-" { return .standardInput }
    guard !isDirectory(path), let handle = FileHandle(forReadingAtPath: path) else {
      throw unreadable(path)
    }
    return handle
  }

  /// Makes the folder that a file is to lie in, where it is not there.
  static func makeFolder(of path: String) throws {
    try FileManager.default.createDirectory(
      at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
  }

  /// Replaces a file whole, and makes its folder where that is not there.
  static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    do {
      try makeFolder(of: path)
      try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw CommandFailure(
        .usage, "cannot write \(path)", hint: "is its folder writable, and is space left on the device?")
    }
  }

  static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  static func isDirectory(_ path: String) -> Bool {
    (try? URL(fileURLWithPath: path).resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
  }

  static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

  static var currentDirectory: String { FileManager.default.currentDirectoryPath }

  /// The folder that a file lies in; the current one for standard input.
  static func directory(of path: String) -> String {
    path == "-"
      ? currentDirectory : URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
  }

  /// A folder and those above it, up to the root of the repository that it lies in.
  static func upwards(from directory: String) -> [String] {
    var folders: [String] = []
    var folder = URL(fileURLWithPath: directory).standardizedFileURL
    while true {
      folders.append(folder.path)
      let parent = folder.deletingLastPathComponent().standardizedFileURL
      if exists(folder.appendingPathComponent(".git").path) || parent.path == folder.path { return folders }
      folder = parent
    }
  }

  /// The nearest file of this name in a folder or one above it.
  static func nearest(_ name: String, from directory: String) -> String? {
    upwards(from: directory).map { URL(fileURLWithPath: $0).appendingPathComponent(name).path }.first(
      where: exists)
  }
}
