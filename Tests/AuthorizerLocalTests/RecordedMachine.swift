import Foundation
import TestSupport
import TestTokens

@testable import authorizer_local

/// A machine with a folder, variables and a clock of its own, whose terminal is recorded.
///
/// The folder looks like a repository, so that nothing above it is searched.
final class RecordedMachine {
  let folder: String
  let machine: Machine
  private let output = RecordedOutput()
  private let errors = RecordedOutput()

  /// The time of its clock: 2026-11-21T10:00:00Z.
  static let now: Int64 = 1_795_255_200

  init(
    _ environment: [String: String] = [:], isTerminal: Bool = false, input: String? = nil,
    failing error: CocoaError? = nil, hasKeys: Bool = false,
    now: @escaping @Sendable () -> Int64 = { RecordedMachine.now }
  ) throws {
    let manager = FileManager.default
    let url = manager.temporaryDirectory.appending(path: "machine-\(UUID().uuidString)")
    folder = url.resolvingSymlinksInPath().path
    try manager.createDirectory(atPath: folder + "/.git", withIntermediateDirectories: true)
    var files = FileSystem(currentDirectory: folder)
    if let input {
      try Data(input.utf8).write(to: URL(fileURLWithPath: folder + "/.git/input"))
      files.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: folder + "/.git/input"))
    }
    let (output, errors) = (output, errors)
    machine = Machine(
      files: files, environment: environment,
      terminal: Terminal(
        output: .init(isTerminal: isTerminal, hasColor: isTerminal) {
          if let error { throw error }
          output.add($0)
        }, errors: .init(isTerminal: isTerminal, hasColor: isTerminal) { errors.add($0) }),
      executable: folder + "/installed/bin/authorizer-local", now: now)
    if hasKeys { try addDevelopmentKeys() }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Standard output.
  var answer: String { output.text }
  /// Standard error.
  var notes: String { errors.text }

  /// Writes a file and creates its folders.
  func write(_ text: String, to path: String) throws {
    try machine.files.write(Array(text.utf8), to: path)
  }

  func text(of path: String) throws -> String {
    String(decoding: try machine.files.bytes(at: path), as: UTF8.self)
  }

  func addDevelopmentKeys() throws {
    try SharedKeys.write(to: URL(fileURLWithPath: folder + "/.development"))
  }

  /// Runs a command line to its end, and returns its exit code.
  func run(words line: String) async -> Int32 {
    await AuthorizerLocal.end(of: line.split(separator: " ").map(String.init), on: machine)
  }

  func run(_ arguments: String...) async -> Int32 { await AuthorizerLocal.end(of: arguments, on: machine) }
}
