internal import Foundation
internal import Synchronization

/// An interpreter of this machine.
public struct Interpreter: Hashable, Sendable {
  /// Its absolute path.
  public let path: String
  /// Its version.
  public let version: InterpreterVersion

  /// Creates an interpreter.
  init(path: String, version: InterpreterVersion) {
    self.path = path
    self.version = version
  }

  /// What was found so far, by path: asking starts a process.
  private static let known = Mutex<[String: Interpreter?]>([:])

  /// The time that an interpreter has to print its version, in seconds. Our choice: a wrapper script may be slow.
  private static let limitSeconds = 20.0

  /// Returns the best interpreter on the user's `PATH`; `nil` if there is none.
  ///
  /// Only absolute folders count: a template's folder must not decide what runs.
  static func find(
    _ language: HandlerLanguage, for wanted: InterpreterVersion?, inheriting environment: [String: String]
  ) -> Interpreter? {
    let folders = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
      .filter { $0.hasPrefix("/") }
    for name in language.interpreters(for: wanted) {
      for folder in folders {
        let path = "\(folder)/\(name)"
        if FileManager.default.isExecutableFile(atPath: path), let found = ask(path, environment) {
          return found
        }
      }
    }
    return nil
  }

  private static func ask(_ path: String, _ environment: [String: String]) -> Interpreter? {
    if let found = known.withLock({ $0[path] }) { return found }
    let answer = version(of: path, environment).map { Interpreter(path: path, version: $0) }
    known.withLock { $0[path] = .some(answer) }
    return answer
  }

  private static func version(of path: String, _ environment: [String: String]) -> InterpreterVersion? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["--version"]
    process.environment = environment.filter { ["PATH", "HOME", "LANG"].contains($0.key) }
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    // Python 2 prints it there.
    process.standardError = output
    guard (try? process.run()) != nil else { return nil }
    let identifier = process.processIdentifier
    let killer = DispatchWorkItem { ProcessCalls.end(identifier) }
    DispatchQueue.global().asyncAfter(deadline: .now() + limitSeconds, execute: killer)
    let data = (try? output.fileHandleForReading.read(upToCount: 1 << 12)) ?? Data()
    process.waitUntilExit()
    killer.cancel()
    // A version manager's shim for a version that is not installed prints an error with numbers.
    guard process.terminationReason == .exit, process.terminationStatus == 0 else { return nil }
    // `Python 3.12.1`, `v22.1.0`.
    let words = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    let number = words.lazy.map { $0.drop { !$0.isNumber } }.first { !$0.isEmpty }
    return number.flatMap { InterpreterVersion($0) }
  }
}
