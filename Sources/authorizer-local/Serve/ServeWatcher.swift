internal import Foundation
internal import Synchronization

/// Waits for a reason to restart. Polls twice a second, by size and modification time.
struct ServeWatcher: Sendable {
  private let files: [String]
  private let before: [FileStamp]
  private let builder: SourceBuilder?

  /// - Parameters:
  ///   - files: the served files; they need not exist.
  ///   - builder: builds some of the files from sources.
  init(files: [String], builder: SourceBuilder?) {
    self.files = files
    self.builder = builder
    before = files.map(FileStamp.init)
  }

  /// Returns when a file differs from its state at creation, or when changed sources have been built.
  func change() async throws {
    while files.map(FileStamp.init) == before {
      try await Task.sleep(for: .milliseconds(500))
      if let builder, await builder.hasBuilt() { return }
    }
  }
}

/// Builds the function when Swift sources of the working tree change.
final class SourceBuilder: Sendable {
  private let command: String
  private let root: String
  private let seen: Mutex<[String: FileStamp]>

  /// Creates a builder; `nil` if there is nothing to build: another function is served, or this folder is not the
  /// checkout of this program. A Makefile of another author must not run unasked.
  init?(_ serve: ServeCommand) {
    let root = FileSystem.currentDirectory
    let isOurs = serve.options.needsConfiguration && Installation.isCheckout(root)
    guard let command = serve.build ?? (isOurs ? Self.makeCommand(in: root) : nil) else { return nil }
    self.command = command
    self.root = root
    seen = Mutex(Self.sources(in: root))
  }

  /// Builds changed sources. Returns whether a build succeeded; the errors of a failed build have been shown.
  func hasBuilt() async -> Bool {
    let sources = Self.sources(in: root)
    let isChanged = seen.withLock { seen in
      // Changes during the build are built by the next one.
      defer { seen = sources }
      return seen != sources
    }
    guard isChanged else { return false }
    Terminal.note("serve: sources changed, building: \(command)")
    let status = await run()
    guard status != 0 else { return true }
    Terminal.error(
      "the build failed with exit status \(status)",
      hint: "the previous build is still served; save a file to try again")
    return false
  }

  private func run() async -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
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
  private static func makeCommand(in root: String) -> String? {
    for name in ["GNUmakefile", "makefile", "Makefile"] where FileSystem.exists(root + "/" + name) {
      let bytes = (try? FileSystem.bytes(at: root + "/" + name)) ?? []
      let lines = bytes.split(separator: UInt8(ascii: "\n"))
      return lines.contains { $0.starts(with: "bootstrap:".utf8) } ? "make bootstrap" : nil
    }
    return nil
  }

  /// Folders without sources of the function. Hidden folders, such as `.build`, are ignored too.
  private static let ignoredFolders: Set<String> = ["Tests", "dist", "node_modules"]

  private static func sources(in root: String) -> [String: FileStamp] {
    var stamps: [String: FileStamp] = [:]
    let files = FileManager.default.enumerator(
      at: URL(fileURLWithPath: root), includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
    for case let file as URL in files ?? FileManager.DirectoryEnumerator() {
      if ignoredFolders.contains(file.lastPathComponent) { files?.skipDescendants() }
      if file.pathExtension == "swift" { stamps[file.path] = FileStamp(file.path) }
    }
    return stamps
  }
}

/// The size and modification time of a file; equal for all missing files.
private struct FileStamp: Equatable {
  private let modified: Date?
  private let bytes: Int?

  init(_ path: String) {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    modified = attributes?[.modificationDate] as? Date
    bytes = attributes?[.size] as? Int
  }
}
