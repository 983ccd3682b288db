internal import Text
internal import Bytes
internal import Foundation
internal import JSON
internal import POSIX

/// Reads and writes files. Failures contain the path and the reason.
struct FileSystem: Sendable {
  /// The folder of relative paths.
  let currentDirectory: String
  /// The file with the name `-`.
  var standardInput = FileHandle.standardInput
  /// Called with the path of each file before it is read, and of each that is looked for.
  var onLook: (@Sendable (_ path: String) -> Void)?

  /// Returns the bytes of a file, or of standard input for `-`.
  func bytes(at path: String) throws(CommandFailure) -> [UInt8] {
    do {
      if path == "-" { return Array(try standardInput.readToEnd() ?? Data()) }
      onLook?(path)
      return Array(try Data(contentsOf: url(path)))
    } catch {
      throw unreadable(path)
    }
  }

  /// Returns the bytes of a file up to a limit. Any file needs one, because a device may have no end.
  func bytes(at path: String, limit: Int) throws(CommandFailure) -> [UInt8] {
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

  /// Returns the document of a configuration file.
  ///
  /// - Parameter name: the file in messages; `nil` for its path.
  func configuration(
    at path: String, named name: String? = nil, orElse code: CommandExit = .usage
  ) throws(CommandFailure) -> JSONTree {
    try JSONTree(
      configuration: bytes(at: path, limit: JSONLimits.configuration.bytes), of: name ?? path, orElse: code)
  }

  /// Returns the failure for a file that cannot be read.
  func unreadable(_ path: String, orElse cure: String? = nil) -> CommandFailure {
    let reason =
      isDirectory(path)
      ? "it is a folder" : exists(path) ? "check its permissions" : "there is no such file"
    return CommandFailure(.usage, "cannot read \(path)", hint: cure.map { "\(reason); \($0)" } ?? reason)
  }

  /// Opens a file, or standard input for `-`.
  func reading(_ path: String) throws(CommandFailure) -> FileHandle {
    if path == "-" { return standardInput }
    onLook?(path)
    guard !isDirectory(path), let handle = FileHandle(forReadingAtPath: place(of: path)) else {
      throw unreadable(path)
    }
    return handle
  }

  /// Creates the folder of a file if it does not exist.
  func makeFolder(of path: String) throws {
    try FileManager.default.createDirectory(
      at: url(path).deletingLastPathComponent(), withIntermediateDirectories: true)
  }

  /// Refuses to write to a path on which a link of the working folder or its repository is: its author may be another
  /// one, and the file would be written elsewhere. Links outside are the user's own, such as `/tmp` on macOS.
  func refuseLinks(to path: String) throws(CommandFailure) {
    let folders = upwards(from: currentDirectory)
    let top = folders.last { exists($0 + "/.git") } ?? absolute(currentDirectory)
    // The system follows a link before `..`, and Foundation does not if a folder is missing.
    for path in [url(path).path, absolute(path)] {
      var part = ""
      for name in path.splitBytes(at: "/") {
        part += "/" + name
        guard FileStatus.kind(of: part) == .link, absolute(part).hasBytePrefix(top + "/") else { continue }
        throw CommandFailure(
          .usage, Printable.text("\(part) is a symbolic link: files would be written to another location"),
          hint: "remove it, or give the folder that it leads to")
      }
    }
  }

  /// Replaces a file atomically, and creates its folder if it does not exist.
  func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    try refuseLinks(to: path)
    guard (try? replace(path, with: bytes)) != nil else { throw unwritable(path) }
  }

  /// Runs `body`, which reads and writes a file, while other runs for the same folder wait, and a function that
  /// writes a revocation file there.
  func locked<Result>(
    _ path: String, _ body: () throws(CommandFailure) -> Result
  ) throws(CommandFailure) -> Result {
    try refuseLinks(to: path)
    guard (try? makeFolder(of: path)) != nil else { throw unwritable(path) }
    let folder = SystemCalls.lock(folder: directory(of: path))
    guard folder >= 0 else { throw unwritable(path) }
    defer { SystemCalls.close(folder) }
    return try body()
  }

  private func unwritable(_ path: String) -> CommandFailure {
    CommandFailure(
      .usage, "cannot write \(path)",
      hint: "check that its folder is writable and the device has free space")
  }

  /// The same, with the system's error.
  func replace(_ path: String, with bytes: [UInt8]) throws {
    try makeFolder(of: path)
    try Data(bytes).write(to: url(path), options: .atomic)
  }

  func exists(_ path: String) -> Bool {
    onLook?(path)
    return FileManager.default.fileExists(atPath: place(of: path))
  }

  func isDirectory(_ path: String) -> Bool {
    (try? url(path).resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
  }

  /// Returns the attributes of a file, of a symbolic link itself.
  func attributes(of path: String) -> [FileAttributeKey: Any] {
    (try? FileManager.default.attributesOfItem(atPath: place(of: path))) ?? [:]
  }

  func absolute(_ path: String) -> String { url(path).standardizedFileURL.path }

  /// Returns the folder of a file; the current one for standard input.
  func directory(of path: String) -> String {
    path == "-" ? currentDirectory : url(path).standardizedFileURL.deletingLastPathComponent().path
  }

  /// Returns a folder and its parents, up to the root of its repository, and without a parent such as `/tmp`, to which
  /// every user can add files.
  func upwards(from directory: String) -> [String] {
    var folders: [String] = []
    var folder = url(directory).standardizedFileURL
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
  func nearest(_ name: String, from directory: String) -> String? {
    upwards(from: directory).map { URL(fileURLWithPath: $0).appendingPathComponent(name).path }.first(
      where: exists)
  }

  /// The paths of a template below a folder, best first.
  static let templateNames = ["template/template.yaml", "template.yaml", "template.yml"]

  /// The template that is used if none is given: that of the nearest folder with one.
  var nearestTemplate: String? {
    upwards(from: currentDirectory).flatMap { folder in Self.templateNames.map { "\(folder)/\($0)" } }
      .first(where: exists)
  }

  /// Returns a path for the system: a relative one begins in the current folder.
  func place(of path: String) -> String {
    // Foundation itself interprets a leading tilde.
    guard let first = path.utf8.first, first != .slash, first != .tilde, !currentDirectory.isEmpty else {
      return path
    }
    return currentDirectory + "/" + path
  }

  private func url(_ path: String) -> URL { URL(fileURLWithPath: place(of: path)) }
}
