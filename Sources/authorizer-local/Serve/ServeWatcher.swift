internal import Foundation
internal import Synchronization

/// Waits for a reason to restart. Polls, by size and modification time.
struct ServeWatcher: Sendable {
  private let paths: [String]
  private let files: FileSystem
  private let before: [FileStamp]
  private let folders: WatchedFolders
  private let code: [String: FileStamp]
  private let builder: SourceBuilder?

  /// - Parameters:
  ///   - paths: the served files; they need not exist.
  ///   - folders: the folders with the code of handlers.
  ///   - builder: builds some of the files from sources.
  init(paths: [String], folders: WatchedFolders, _ files: FileSystem, builder: SourceBuilder?) {
    self.paths = paths
    self.files = files
    self.builder = builder
    before = paths.map { FileStamp($0, files) }
    self.folders = folders
    code = folders.stamps(files)
  }

  /// The time between two looks at the files, in milliseconds: our choice, short for a person who waits.
  private static let intervalMilliseconds = 500

  /// Returns when a file differs from its state at creation, or when changed sources have been built.
  func change() async throws {
    while paths.map({ FileStamp($0, files) }) == before, folders.stamps(files) == code {
      try await Task.sleep(for: .milliseconds(Self.intervalMilliseconds))
      if let builder, await builder.hasBuilt() { return }
    }
  }
}

/// Builds the function when Swift sources of the working tree change.
final class SourceBuilder: Sendable {
  private let command: String
  private let root: String
  private let machine: Machine
  private let seen: Mutex<[String: FileStamp]>

  /// Creates a builder; `nil` if there is nothing to build: another function is served, or this folder is not the
  /// checkout of this program. A Makefile of another author must not run unasked.
  init?(_ options: ServeOptions, on machine: Machine) {
    let root = machine.files.currentDirectory
    let isOurs = options.function.needsConfiguration && machine.installation.isCheckout(root)
    guard let command = options.build ?? (isOurs ? Self.makeCommand(in: root, machine.files) : nil) else {
      return nil
    }
    self.command = command
    self.root = root
    self.machine = machine
    seen = Mutex(Self.sources(in: root, machine.files))
  }

  /// Builds changed sources. Returns whether a build succeeded; the errors of a failed build have been shown.
  func hasBuilt() async -> Bool {
    let sources = Self.sources(in: root, machine.files)
    let isChanged = seen.withLock { seen in
      // Changes during the build are built by the next one.
      defer { seen = sources }
      return seen != sources
    }
    guard isChanged else { return false }
    machine.terminal.note("serve: sources changed, building: \(command)")
    let status = await run()
    guard status != 0 else { return true }
    machine.terminal.error(
      "the build failed with exit status \(status)",
      hint: "the previous build is still served; save a file to try again")
    return false
  }

  private func run() async -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.environment = machine.environment
    process.currentDirectoryURL = URL(fileURLWithPath: root)
    process.standardInput = FileHandle.nullDevice
    // Standard output is reserved for answers.
    process.standardOutput = FileHandle.standardError
    return await withCheckedContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do {
        try process.run()
      } catch {
        process.terminationHandler = nil
        continuation.resume(returning: 127)
      }
    }
  }

  /// Returns `make bootstrap` if a Makefile has that target.
  private static func makeCommand(in root: String, _ files: FileSystem) -> String? {
    for name in ["GNUmakefile", "makefile", "Makefile"] where files.exists(root + "/" + name) {
      let bytes = (try? files.bytes(at: root + "/" + name)) ?? []
      let lines = bytes.split(separator: UInt8(ascii: "\n"))
      return lines.contains { $0.starts(with: "bootstrap:".utf8) } ? "make bootstrap" : nil
    }
    return nil
  }

  /// Folders without sources of the function. Hidden folders, such as `.build`, are ignored too.
  private static let ignoredFolders: Set<String> = ["Tests", "dist", "node_modules"]

  private static func sources(in root: String, _ system: FileSystem) -> [String: FileStamp] {
    var stamps: [String: FileStamp] = [:]
    let files = FileManager.default.enumerator(
      at: URL(fileURLWithPath: root), includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
    for case let file as URL in files ?? FileManager.DirectoryEnumerator() {
      if ignoredFolders.contains(file.lastPathComponent) { files?.skipDescendants() }
      if file.pathExtension == "swift" { stamps[file.path] = FileStamp(file.path, system) }
    }
    return stamps
  }
}

/// The size and modification time of a file; equal for all missing files.
struct FileStamp: Equatable, Sendable {
  private let modified: Date?
  private let bytes: Int?

  init(_ path: String, _ files: FileSystem) {
    let attributes = files.attributes(of: path)
    modified = attributes[.modificationDate] as? Date
    bytes = attributes[.size] as? Int
  }
}
