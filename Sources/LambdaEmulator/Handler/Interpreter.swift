internal import Text
internal import Foundation
internal import Synchronization

package struct Interpreter: Hashable, Sendable {
  /// The absolute path of the interpreter itself. A version manager's shim of the same name (pyenv, asdf, Volta) is
  /// never run with the variables of a function: they would decide which interpreter and which hooks it runs.
  package let path: String
  package let version: InterpreterVersion
}

extension Interpreter {
  /// What was found so far, by path: asking starts a process.
  private static let known = Mutex<[String: Interpreter?]>([:])

  /// The time that an interpreter has to print its version and its path, in seconds. Our choice: a wrapper script may be
  /// slow.
  private static let limitSeconds = 20.0

  /// Returns the best interpreter on the user's `PATH`; `nil` if there is none.
  ///
  /// Only absolute folders count: a template's folder must not decide what runs.
  package static func find(
    _ language: HandlerLanguage, for wanted: InterpreterVersion?, inheriting environment: [String: String]
  ) -> Interpreter? {
    let folders = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").splitBytes(at: ":")
      .filter { $0.hasBytePrefix("/") }
    for name in language.interpreters(for: wanted) {
      for folder in folders {
        let path = "\(folder)/\(name)"
        if FileManager.default.isExecutableFile(atPath: path), let found = ask(path, language, environment) {
          return found
        }
      }
    }
    return nil
  }

  private static func ask(
    _ path: String, _ language: HandlerLanguage, _ environment: [String: String]
  ) -> Interpreter? {
    if let found = known.withLock({ $0[path] }) { return found }
    let answer = output(of: path, language.selfDescription, environment).flatMap(Interpreter.init)
    known.withLock { $0[path] = .some(answer) }
    return answer
  }

  /// Reads what an interpreter prints for ``HandlerLanguage/selfDescription``; `nil` for other text, and if there is no
  /// program at its path.
  private init?(_ output: String) {
    // A wrapper script may print something first.
    let lines = output.split(whereSeparator: \.isNewline).suffix(2).map(String.init)
    guard lines.count == 2, lines[1].utf8.first == UInt8(ascii: "/"),
      let version = InterpreterVersion(lines[0].drop { !$0.isNumber }),
      FileManager.default.isExecutableFile(atPath: lines[1])
    else { return nil }
    self.init(path: lines[1], version: version)
  }

  /// Runs a program; `nil` if it fails. An error of a version manager, for a version that is not installed, has numbers
  /// too.
  private static func output(
    of path: String, _ arguments: [String], _ environment: [String: String]
  ) -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = environment.filter { ["PATH", "HOME", "LANG"].contains($0.key) }
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let identifier = process.processIdentifier
    let killer = DispatchWorkItem { ProcessCalls.end(identifier) }
    DispatchQueue.global().asyncAfter(deadline: .now() + limitSeconds, execute: killer)
    let data = (try? output.fileHandleForReading.read(upToCount: 1 << 12)) ?? Data()
    process.waitUntilExit()
    killer.cancel()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else { return nil }
    return String(decoding: data, as: UTF8.self)
  }
}
