import Foundation

/// Commands of a page, as a reader would paste them.
enum Shell {
  /// Runs a script in a folder, to its end or to the first command that fails.
  static func run(_ script: String, in workshop: borrowing Workshop) throws -> Workshop.Answer {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-euo", "pipefail", "-c", script]
    process.currentDirectoryURL = workshop.folder
    process.environment = ProcessInfo.processInfo.environment.merging(Workshop.patienceVariable) { $1 }
    // Files, unlike pipes, are never full.
    let paths = ["out", "err"].map { workshop.folder.appendingPathComponent(".git/readme.\($0)") }
    for path in paths { try Data().write(to: path) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: paths[0])
    process.standardError = try FileHandle(forWritingTo: paths[1])
    try process.run()
    process.waitUntilExit()
    return Workshop.Answer(
      exit: process.terminationStatus, output: try String(contentsOf: paths[0], encoding: .utf8),
      errors: try String(contentsOf: paths[1], encoding: .utf8))
  }
}
