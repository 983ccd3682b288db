import Foundation
import TestSupport

/// `user-writer` as a process: it stores users and revocations and prints one line for each.
final class UserWriter {
  private let process = Process()
  private let output = Pipe()
  private let watchdog: DispatchWorkItem
  private var text = Data()

  init(
    _ folder: StoreFolder, prefix: String, users: Int, fileLimit: Int = 0, user: UInt32? = nil
  ) throws {
    process.executableURL = Checkout.built("user-writer")
    process.arguments =
      [folder.database, folder.revocations, prefix, "\(users)", "\(fileLimit)"]
      + (user.map { ["\($0)"] } ?? [])
    process.standardOutput = output
    try process.run()
    // A failing test must not wait forever.
    watchdog = HangLimit.killer(of: process.processIdentifier)
  }

  deinit {
    watchdog.cancel()
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  /// Waits until it printed this many lines, or ended.
  func read(lines: Int) {
    while text.count(where: { $0 == 0x0A }) < lines {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return }
      text += more
    }
  }

  func stop() { _ = kill(process.processIdentifier, SIGKILL) }

  /// Waits until it ends; returns its status and lines.
  func finish() throws -> (status: Int32, lines: [String]) {
    text += try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    watchdog.cancel()
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    return (process.terminationStatus, lines)
  }
}
