internal import Foundation

/// The folders with the code of handlers. Only files of code count in them: a handler may write others.
struct WatchedFolders: Sendable {
  /// Their absolute paths.
  let paths: [String]

  /// - Parameter code: the folders and archives with the code of the template's functions that run.
  init(_ options: ServeOptions, code: [String], on machine: Machine) {
    let chosen = [options.function.handler].compactMap { $0 } + options.function.namedHandlers.values
    let folders = chosen.map {
      machine.files.isDirectory($0.path) ? $0.path : machine.files.directory(of: $0.path)
    }
    paths = Set(folders + code).sorted()
  }

  /// Folders that an installation fills, not the user.
  private static let ignored: Set<String> = ["node_modules", "__pycache__", "venv", "site-packages"]
  /// The maximum number of files that are compared twice a second. Our choice: more files would keep a core busy.
  private static let maximumFiles = 5_000

  /// What a function runs, and what it imports.
  private static let extensions: Set<String> = ["py", "js", "mjs", "cjs", "node", "so", "json"]

  /// Returns the state of each file.
  func stamps(_ system: FileSystem) -> [String: FileStamp] {
    var stamps: [String: FileStamp] = [:]
    for path in paths {
      guard system.isDirectory(path) else {
        stamps[path] = FileStamp(path, system)
        continue
      }
      let files = FileManager.default.enumerator(
        at: URL(fileURLWithPath: system.absolute(path)), includingPropertiesForKeys: nil,
        options: [.skipsHiddenFiles])
      for case let file as URL in files ?? FileManager.DirectoryEnumerator() {
        if Self.ignored.contains(file.lastPathComponent) { files?.skipDescendants() }
        guard !file.hasDirectoryPath,
          Self.extensions.contains(file.pathExtension) || file.lastPathComponent == "bootstrap"
        else { continue }
        stamps[file.path] = FileStamp(file.path, system)
        guard stamps.count < Self.maximumFiles else { return stamps }
      }
    }
    return stamps
  }
}
