internal import Text
internal import Foundation

/// Files that a command adds to a folder. It never changes a file. A failure removes what the run has written. A run
/// that is interrupted or killed may leave some of the files, each of them whole, and a part of one more under a name
/// that begins with `.new-`; the next run adds the others. Without hard links, that part has the name of the file.
struct NewFiles {
  struct File {
    /// The path in the folder.
    let path: String
    let bytes: [UInt8]
    /// Whether a file of the user may have this path: it is kept.
    var isOptional = false
  }

  /// The absolute path of the folder.
  let folder: String
  let files: [File]
  /// The folder as the user named it.
  private let name: String
  private let system: FileSystem

  /// - Parameter name: the folder; it need not exist.
  init(in name: String, _ files: [File], _ system: FileSystem) {
    self.name = name
    self.files = files
    self.system = system
    folder = system.absolute(name)
  }

  /// Writes the files.
  ///
  /// A file that exists with the same content is left as it is, unless all of them exist: an earlier run was killed.
  ///
  /// - Returns: the paths of the user's files that were kept.
  /// - Throws: `CommandFailure` if another file is there, or if a file cannot be written. Then nothing has changed.
  func write() throws(CommandFailure) -> Set<String> {
    var created: [String] = []
    let (absent, kept) = try absentFiles()
    for file in absent {
      let path = "\(folder)/\(file.path)"
      guard makeFolder(of: path, &created), add(file.bytes, at: path) else {
        for path in created.reversed() { Self.remove(path) }
        throw CommandFailure(
          .usage, "cannot write \(name)/\(file.path); nothing was written",
          hint: "check that the folder is writable and below no file, and that the device has free space")
      }
      created.append(path)
    }
    return kept
  }

  // MARK: What is there

  /// Returns the files that are to be written, and the paths of the user's files that are kept.
  private func absentFiles() throws(CommandFailure) -> (absent: [File], kept: Set<String>) {
    let place = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    if Self.kind(of: folder) != nil, Self.kind(of: place) != .typeDirectory {
      throw CommandFailure(.usage, "\(name) exists and is not a folder", hint: "name another folder")
    }
    var missing: [File] = []
    var present: [String] = []
    var kept: Set<String> = []
    var isOther = false
    for file in files {
      guard let obstacle = obstacle(to: file.path) else {
        missing.append(file)
        continue
      }
      let path = "\(folder)/\(file.path)"
      let isFile = Self.kind(of: path) == .typeRegular
      let same = isFile && (try? system.bytes(at: path, limit: file.bytes.count)) == file.bytes
      if isFile, file.isOptional, !same {
        kept.insert(file.path)
        continue
      }
      if !present.contains(obstacle) { present.append(obstacle) }
      if !same { isOther = true }
    }
    guard isOther || missing.isEmpty else { return (missing, kept) }
    let list = present.map { "  " + Printable.text($0) }.joined(separator: "\n")
    throw CommandFailure(
      .usage, "these files exist in \(name); nothing was written\n\(list)",
      hint: "name another folder, or move these files away")
  }

  /// Returns the path of the file, or of the part of its path that is not a folder; `nil` if nothing is there. A
  /// symbolic link is not a folder here, because the files would be written elsewhere.
  private func obstacle(to path: String) -> String? {
    var part = ""
    for name in path.splitBytes(at: "/") {
      part += (part.isEmpty ? "" : "/") + name
      guard let kind = Self.kind(of: "\(folder)/\(part)") else { return nil }
      if kind != .typeDirectory || part == path { return part }
    }
    return nil
  }

  /// The kind of a file, of a symbolic link itself; `nil` if there is none.
  private static func kind(of path: String) -> FileAttributeType? {
    try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
  }

  // MARK: Writing

  /// Creates the folders of a file, and adds those that did not exist to `created`. Returns whether it succeeded.
  private func makeFolder(of path: String, _ created: inout [String]) -> Bool {
    var missing: [String] = []
    var folder = system.directory(of: path)
    while Self.kind(of: folder) == nil {
      missing.append(folder)
      folder = system.directory(of: folder)
    }
    for folder in missing.reversed() {
      guard
        (try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)) != nil
      else { return false }
      created.append(folder)
    }
    return true
  }

  /// Adds a file. It appears with its whole content or not at all, and never replaces another: link(2) fails if the
  /// name exists. On a file system without hard links, such as FAT, it is written in place. Returns whether it
  /// succeeded.
  private func add(_ bytes: [UInt8], at path: String) -> Bool {
    let new = "\(system.directory(of: path))/.new-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: new) }
    guard (try? Data(bytes).write(to: URL(fileURLWithPath: new), options: .withoutOverwriting)) != nil else {
      return false
    }
    if (try? FileManager.default.linkItem(atPath: new, toPath: path)) != nil { return true }
    guard Self.kind(of: path) == nil else { return false }
    do {
      try Data(bytes).write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
      return true
    } catch {
      // What another program made meanwhile stays.
      if (error as? CocoaError)?.code != .fileWriteFileExists { Self.remove(path) }
      return false
    }
  }

  /// Removes a file, or a folder that is empty.
  private static func remove(_ path: String) {
    let isFolder = kind(of: path) == .typeDirectory
    let names = isFolder ? try? FileManager.default.contentsOfDirectory(atPath: path) : []
    if names?.isEmpty == true { try? FileManager.default.removeItem(atPath: path) }
  }
}
