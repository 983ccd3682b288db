import Foundation

/// Runs the commands of a page, as a reader would paste them.
enum Shell {
  /// Runs a script in a folder, until its end or the first command that fails.
  ///
  /// - Parameter programs: a folder whose programs are found by their names. Default: `dist` of the workshop.
  static func run(
    _ script: String, in workshop: borrowing Workshop, programs: URL? = nil
  ) throws -> Workshop.Answer {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-euo", "pipefail", "-c", script]
    process.currentDirectoryURL = workshop.folder
    var environment = ProcessInfo.processInfo.environment.merging(Workshop.timeoutFactorVariable) { $1 }
    let programs = programs ?? workshop.folder.appendingPathComponent("dist")
    environment["PATH"] = "\(programs.path):\(environment["PATH"] ?? "/usr/bin:/bin")"
    process.environment = environment
    // Files, unlike pipes, never block the writer.
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
