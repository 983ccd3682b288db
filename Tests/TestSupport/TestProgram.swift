import Foundation

/// Programs that tests write and start.
///
/// A file that is open for writing anywhere cannot be executed (ETXTBSY of execve(2)), and a child that another test starts
/// meanwhile holds, until its own execve(2), every descriptor that this process had open. So a process of its own writes
/// every program: what it has open no child of this process ever has.
package enum TestProgram {
  /// What the writing process said.
  package struct NotWritten: Error {
    package let path: String
    package let status: Int32
  }

  /// Writes a program, in a folder that is there, in place of what lay there.
  ///
  /// - Parameter text: the whole file, at most 128 KiB (MAX_ARG_STRLEN of execve(2)); a script begins with `#!`.
  package static func write(_ text: String, to path: String) throws {
    try run(#"printf '%s' "$2" > "$1.new" && chmod 755 "$1.new" && mv -f "$1.new" "$1""#, path, text)
  }

  /// Copies a program.
  package static func copy(_ source: String, to path: String) throws {
    try run(#"cp "$2" "$1.new" && chmod 755 "$1.new" && mv -f "$1.new" "$1""#, path, source)
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
