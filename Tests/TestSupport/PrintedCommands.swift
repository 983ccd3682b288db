import Foundation

/// The commands that a program prints for copying, and what shells do with them.
package enum PrintedCommands {
  /// The programs whose commands are printed.
  private static let programs = ["authorizer-local", "curl", "git", "strip", "cd"]
  /// The options that are printed without their command.
  private static let options = [
    "--parameter", "--run", "--run-with", "--env", "--context", "--config", "--function", "--handler",
  ]
  /// What follows a command on its line. A reader copies the part before it.
  private static let tails = [
    ")", ", or a Default", " gives it a value", " writes it", " shows how to fix it",
    ", commit, and delete the folder", " any program",
  ]

  /// Returns the commands in an output, from the name of the program or option to the end of the line.
  package static func found(in output: String) -> [String] {
    output.utf8.split(separator: UInt8(ascii: "\n")).flatMap { bytes in
      let line = Substring(bytes)
      return programs.compactMap { rest(of: line, from: $0 + " ") }
        + options.compactMap { rest(of: line, from: $0 + " ") }.map { "authorizer-local serve " + $0 }
    }
  }

  private static func rest(of line: Substring, from start: String) -> String? {
    let (bytes, start) = (Array(line.utf8), Array(start.utf8))
    // A word of its own: not `cd ` in `abcd `.
    let place = bytes.indices.first { index in
      bytes[index] == start[0] && bytes[index...].starts(with: start)
        && (index == 0 || [UInt8(ascii: " "), UInt8(ascii: "(")].contains(bytes[index - 1]))
    }
    guard let place else { return nil }
    var command = bytes[place...]
    while let tail = tails.first(where: { command.suffix($0.utf8.count).elementsEqual($0.utf8) }) {
      command = command.dropLast(tail.utf8.count)
    }
    return String(decoding: command, as: UTF8.self)
  }

  /// What one command line started.
  package struct Run: Equatable, Sendable {
    /// The line.
    package let line: String
    /// The programs that were started, each with its arguments.
    package let calls: [[String]]
    /// The files that were created.
    package let files: [String]

    /// Whether only this program was started.
    package func isAlone(_ program: String) -> Bool { files.isEmpty && calls.map(\.first) == [program] }
  }

  /// The shells of this machine that read the POSIX language, each once.
  package static let shells = ["/bin/sh", "/bin/bash", "/bin/zsh", "/usr/bin/zsh", "/bin/ksh"].filter {
    FileManager.default.isExecutableFile(atPath: $0)
  }.reduce(into: [String]()) { shells, path in
    func target(_ path: String) -> String { URL(filePath: path).resolvingSymlinksInPath().path }
    if !shells.contains(where: { target($0) == target(path) }) { shells.append(path) }
  }

  /// The failure of a shell that ran no lines.
  package struct NotRun: Error {
    package let shell: String
    package let status: Int32
  }

  /// Runs each line in an empty folder. Every program that the lines can find only records how it was called.
  package static func run(_ lines: [String], in shell: String) throws -> [Run] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "commands-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ["bin", "calls", "places"] {
      try FileManager.default.createDirectory(
        at: folder.appending(path: name), withIntermediateDirectories: true)
    }
    for name in programs.dropLast() + ["touch", "recorded-cd"] {
      try TestProgram.write(recorder, to: folder.appending(path: "bin/" + name).path)
    }
    for index in lines.indices {
      try FileManager.default.createDirectory(
        at: folder.appending(path: "places/\(index)"), withIntermediateDirectories: false)
    }
    let process = Process()
    process.executableURL = URL(filePath: shell)
    process.arguments = ["-c", driver, "sh", folder.path] + lines
    process.environment = ["PATH": folder.appending(path: "bin").path, "TOKEN": "t", "HOME": folder.path]
    (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, FileHandle.nullDevice)
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw NotRun(shell: shell, status: process.terminationStatus)
    }
    return try lines.enumerated().map { index, line in
      let record = try? Data(contentsOf: folder.appending(path: "calls/\(index)"))
      return Run(
        line: line, calls: calls(in: record ?? Data()),
        files: try FileManager.default.contentsOfDirectory(
          atPath: folder.appending(path: "places/\(index)").path))
    }
  }

  /// Runs each line in a subshell, as a shell reads a line that was pasted. It calls no program itself.
  private static let driver = """
    folder=$1; shift; number=0
    for line do
      ( cd "$folder/places/$number" || exit
        RECORD=$folder/calls/$number; export RECORD
        cd() { recorded-cd "$@"; }
        eval "$line" )
      number=$((number + 1))
    done
    exit 0
    """

  /// Each argument ends with a zero byte, and each call with one more line feed.
  private static let recorder = """
    #!/bin/sh
    { printf '%s\\0' "${0##*/}" "$@"; printf '\\n\\0'; } >>"$RECORD"

    """

  private static func calls(in record: Data) -> [[String]] {
    var calls: [[String]] = []
    var call: [String] = []
    for part in record.split(separator: 0, omittingEmptySubsequences: false).dropLast() {
      let text = String(decoding: part, as: UTF8.self)
      guard text == "\n" else {
        call.append(text)
        continue
      }
      calls.append(call.map { $0 == "recorded-cd" ? "cd" : $0 })
      call = []
    }
    return calls
  }
}
