internal import Foundation

/// The folders with the code of handlers, for `--watch`.
struct WatchedFolders {
  /// Their absolute paths.
  let paths: [String]

  /// - Parameter template: what the template names; `nil` for `--kind`.
  init(_ options: ServeOptions, template: WatchedTemplate?, on machine: Machine) {
    let chosen = [options.function.handler].compactMap { $0 } + options.function.namedHandlers.values
    var paths = Set(
      chosen.map { machine.files.isDirectory($0.path) ? $0.path : machine.files.directory(of: $0.path) })
    if let template, options.runsFunctions { paths.formUnion(template.code) }
    self.paths = paths.sorted()
  }

  /// Folders that an installation fills, not the user.
  private static let ignored: Set<String> = ["node_modules", "__pycache__", "venv", "site-packages"]
  /// The maximum number of files that are compared twice a second. Our choice: more files would keep a core busy.
  private static let maximumFiles = 5_000

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
        guard !file.hasDirectoryPath else { continue }
        stamps[file.path] = FileStamp(file.path, system)
        guard stamps.count < Self.maximumFiles else { return stamps }
      }
    }
    return stamps
  }
}
