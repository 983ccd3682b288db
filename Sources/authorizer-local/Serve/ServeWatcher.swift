internal import Foundation
internal import Synchronization
internal import Text

/// The files that `serve` has read or looked for, each as it was then. They need not exist.
final class FollowedFiles: Sendable {
  private let files: FileSystem
  /// The folder with the files that `serve` and the functions write themselves.
  private let ownFolder: String
  private let stamps = Mutex<[String: FileStamp]>([:])

  init(on machine: Machine) {
    files = machine.files
    ownFolder = files.absolute(machine.development.path) + "/"
  }

  func add(_ path: String) {
    let path = files.absolute(path)
    guard !path.hasBytePrefix(ownFolder) else { return }
    stamps.withLock { stamps in
      if stamps[path] == nil { stamps[path] = FileStamp(path, files) }
    }
  }

  /// The first file that differs from its state when it was added.
  var changed: String? {
    stamps.withLock { $0 }.sorted { $0.key < $1.key }.first { FileStamp($0.key, files) != $0.value }?.key
  }
}

/// Waits for a reason to restart. Polls, by size and modification time.
struct ServeWatcher: Sendable {
  private let followed: FollowedFiles
  private let files: FileSystem
  private let folders: WatchedFolders
  private let code: [String: FileStamp]

  /// - Parameter folders: the folders with the code of handlers.
  init(_ followed: FollowedFiles, _ folders: WatchedFolders, _ files: FileSystem) {
    (self.followed, self.folders, self.files) = (followed, folders, files)
    code = folders.stamps(files)
  }

  /// The time between two looks at the files, in milliseconds: our choice, short for a person who waits.
  private static let intervalMilliseconds = 500

  /// Returns the file that changed.
  func change() async throws -> String {
    while true {
      if let path = changed { return path }
      try await Task.sleep(for: .milliseconds(Self.intervalMilliseconds))
    }
  }

  private var changed: String? {
    if let path = followed.changed { return path }
    let now = folders.stamps(files)
    guard now != code else { return nil }
    return Set(now.keys).union(code.keys).sorted().first { now[$0] != code[$0] }
  }
}

/// The size and modification time of a file; equal for all missing files and folders.
struct FileStamp: Equatable, Sendable {
  private let modified: Date?
  private let bytes: Int?

  init(_ path: String, _ files: FileSystem) {
    var attributes = files.attributes(of: path)
    // A folder changes with each file in it.
    if attributes[.type] as? FileAttributeType == .typeDirectory { attributes = [:] }
    modified = attributes[.modificationDate] as? Date
    bytes = attributes[.size] as? Int
  }
}
