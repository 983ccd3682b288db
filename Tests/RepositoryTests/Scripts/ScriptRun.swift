import Foundation
import TestSupport

/// One run of a program, with its output in files, which never block it.
struct ScriptRun {
  let status: Int32
  let output: String
  let errors: String

  /// - Parameters:
  ///   - words: the program and its arguments. A name without `/` is that of a script of this repository.
  ///   - path: the `PATH`, unless the environment has one.
  ///   - isMerged: whether `output` has both streams.
  init(
    _ words: [String], in folder: URL, path: String = "/usr/bin:/bin", environment: [String: String] = [:],
    isMerged: Bool = false
  ) throws {
    let outputs = try TemporaryFolder("run")
    for name in ["output", "errors"] { try outputs.write("", to: name) }
    let process = Process()
    process.executableURL =
      words[0].contains("/")
      ? URL(filePath: words[0]) : Repository.root.appending(path: "scripts/\(words[0])")
    process.arguments = Array(words.dropFirst())
    process.currentDirectoryURL = folder
    process.environment = ["PATH": path].merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    let output = try FileHandle(forWritingTo: outputs.url.appending(path: "output"))
    process.standardOutput = output
    process.standardError =
      isMerged ? output : try FileHandle(forWritingTo: outputs.url.appending(path: "errors"))
    try process.run()
    process.waitUntilExit()
    status = process.terminationStatus
    self.output = try outputs.text("output")
    errors = try outputs.text("errors")
  }
}
