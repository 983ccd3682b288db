@testable import LambdaEmulator
import Foundation
import Logging
import Synchronization

/// A function as a process of its own, and what it writes.
class RecordedFunction: @unchecked Sendable {
  let command: FunctionCommand
  private let written = Mutex<[String]>([])

  /// - Parameters:
  ///   - folder: its task root.
  ///   - variables: override those of Lambda.
  init(_ executable: String, arguments: [String] = [], in folder: URL, _ variables: [String: String]) {
    command = FunctionCommand(
      executable: executable, arguments: arguments,
      environment: LambdaVariables.all(taskRoot: folder.path, inherited: [:]).merging(variables) { $1 })
  }

  /// Starts it, and ends it after the body.
  @discardableResult func run<Result: Sendable>(
    _ body: @escaping @Sendable (ExecutionEnvironment) async throws -> Result
  ) async throws -> Result {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    return try await ExecutionEnvironment.run(
      command, limits: .longTimeouts, clock: .longTimeouts, logger: logger,
      onLine: { [self] line in written.withLock { $0.append(line.text) } }, body)
  }

  /// The lines that it has written so far to both streams.
  var lines: [String] { written.withLock { $0 } }

  /// The ID of its running process, found by its task root.
  func processID() -> Int32? {
    let root = Data("LAMBDA_TASK_ROOT=\(command.environment["LAMBDA_TASK_ROOT"] ?? "")\0".utf8)
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int32($0) }
    return numbers?.first { number in
      FileManager.default.contents(atPath: "/proc/\(number)/environ")?.firstRange(of: root) != nil
    }
  }
}
