import Foundation
import Testing

/// The installation by `scripts/install` below a temporary prefix, and an empty folder in which to use it.
///
/// The tool is that of the test build, and the functions are those of `dist`. Nothing in the empty folder or above it
/// leads to the checkout. All tests use one installation, because the script takes seconds; none of them changes it.
struct Installed: ~Copyable {
  let workshop: Workshop
  /// The prefix; its path contains a blank.
  let prefix: URL
  /// The empty folder.
  let place: URL

  /// Whether `dist` has all programs.
  static let isPossible = ["bootstrap", "identity", "fetch-keys", "call-dynamodb"].allSatisfy {
    FileManager.default.isExecutableFile(
      atPath: Workshop.packageRoot.appendingPathComponent("dist/\($0)").path)
  }

  static let notPossible: Comment = "a program of dist is not built: make bootstrap"

  init() throws {
    let prefix = try Self.shared.get()
    let workshop = try Workshop()
    let place = workshop.folder.appendingPathComponent("empty")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    // After everything that can fail, because a value that cannot be copied is not initialized conditionally.
    self.workshop = workshop
    self.prefix = prefix
    self.place = place
  }

  /// The folder of the prefix. The test process removes it when it ends.
  private static let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "installed-\(UUID().uuidString)")

  /// The prefix, with the files that the script installs.
  private static let shared = Result {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(at: Installed.folder) }
    let prefix = folder.appendingPathComponent("a prefix")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["scripts/install", Workshop.tool.path, "dist"]
    process.currentDirectoryURL = Workshop.packageRoot
    process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path, "PREFIX": prefix.path]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return prefix
  }

  /// The installed `authorizer-local`.
  var tool: URL { prefix.appendingPathComponent("bin/authorizer-local") }

  func path(_ name: String) -> String { prefix.appendingPathComponent(name).path }

  /// Runs the installed tool, in the empty folder unless another one is given.
  func run(_ arguments: [String], environment: [String: String] = [:], in folder: URL? = nil) throws
    -> Workshop.Answer
  {
    try workshop.execute(arguments, environment: environment, in: folder ?? place, tool: tool)
  }

  /// Starts `serve` of the installed tool, in the empty folder unless another one is given.
  func serve(_ arguments: [String] = [], in folder: URL? = nil) throws -> ServedGateway {
    try ServedGateway(workshop, arguments, in: folder ?? place, tool: tool)
  }

  /// Copies files of the checkout to the empty folder.
  func copy(_ files: [(source: String, destination: String)]) throws {
    for file in files {
      let destination = place.appendingPathComponent(file.destination)
      try FileManager.default.createDirectory(
        at: destination.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        at: Workshop.packageRoot.appendingPathComponent(file.source), to: destination)
    }
  }
}
