import Foundation

/// Writes programs that tests start.
///
/// A file that any process has open for writing cannot be executed (ETXTBSY of execve(2)). A child that another test
/// starts meanwhile holds all open descriptors of this process until its own execve(2). So a separate process writes
/// each program: no child of this process inherits its descriptors.
package enum TestProgram {
  /// The failure of the writing process.
  package struct NotWritten: Error {
    package let path: String
    package let status: Int32
  }

  /// Writes a program to an existing folder; replaces an existing file.
  ///
  /// - Parameter text: the content, at most 128 KiB (MAX_ARG_STRLEN of execve(2)); scripts begin with `#!`.
  package static func write(_ text: String, to path: String) throws {
    try run(#"printf '%s' "$2" > "$1.new" && chmod 755 "$1.new" && mv -f "$1.new" "$1""#, path, text)
  }

  /// Copies a program.
  package static func copy(_ source: String, to path: String) throws {
    try run(#"cp "$2" "$1.new" && chmod 755 "$1.new" && mv -f "$1.new" "$1""#, path, source)
  }

  /// Gives a program a second path, where it finds itself and the files beside it.
  ///
  /// The file is linked if the file system can do that, and copied otherwise, so nothing may write to it.
  package static func link(_ source: String, to path: String) throws {
    try run(#"ln -f "$2" "$1.new" 2>/dev/null || cp "$2" "$1.new" && mv -f "$1.new" "$1""#, path, source)
  }

  private static func run(_ script: String, _ path: String, _ argument: String) throws {
    let writer = Process()
    writer.executableURL = URL(filePath: "/bin/sh")
    writer.arguments = ["-c", script, "sh", path, argument]
    writer.environment = ["PATH": "/usr/bin:/bin"]
    try writer.run()
    writer.waitUntilExit()
    guard writer.terminationReason == .exit, writer.terminationStatus == 0 else {
      throw NotWritten(path: path, status: writer.terminationStatus)
    }
  }
}
