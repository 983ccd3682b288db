internal import AuthorizerContract
internal import LambdaEmulator
internal import Synchronization
internal import Text

/// What `serve` shows of the lines that a function writes: all of them, or what a user needs to mend it: the hints of
/// the program that calls its handler, each once, what a handler in Python raised, and the last line of a process that
/// died.
final class ServedOutput: Sendable {
  private let function: String
  private let showsAll: Bool
  private let terminal: Terminal
  private let shared = Mutex(Shared())

  private struct Shared {
    var seen: Set<String> = []
    /// The last line of the process.
    var last: String?
  }

  /// - Parameter showsAll: whether all lines are shown.
  init(of function: String, showsAll: Bool, terminal: Terminal) {
    (self.function, self.showsAll, self.terminal) = (function, showsAll, terminal)
  }

  func show(_ line: FunctionLogLine) {
    if showsAll {
      for text in line.shown { terminal.note("\(function): \(text)") }
    } else {
      for text in notable(line) { terminal.note(Printable.text("\(function): \(text)")) }
    }
  }

  private func notable(_ line: FunctionLogLine) -> [String] {
    shared.withLock { shared in
      if line.stream == .platform {
        let mark = " Error: "
        guard line.text.hasBytePrefix("RequestId: "), let range = line.text.firstByteRange(of: mark),
          let last = shared.last
        else { return [] }
        shared.last = nil
        return ["\(line.text[range.upperBound...]); its last line: \(last)"]
      }
      let lines = line.shown
      if let raised = Self.raised(lines) {
        // The process may end after that, which explains no more.
        shared.last = nil
        return [raised]
      }
      if let text = lines.last(where: { !$0.trimmingBlanks.isEmpty }) { shared.last = text }
      guard line.stream == .standardError else { return [] }
      return lines.filter { $0.hasBytePrefix("hint: ") && shared.seen.insert($0).inserted }
    }
  }

  /// The error that a handler raised, with its file and line; `nil` for other output. AWS's clients write an error and
  /// its trace as one event.
  private static func raised(_ lines: [String]) -> String? {
    guard let first = lines.first else { return nil }
    if let error = first.rest(after: "[ERROR] ") {
      let frames = lines.filter { $0.hasBytePrefix("  File \"") }
      let place = frames.last(where: isOwn) ?? frames.last
      return "\(error)" + (place.map { " (\($0.trimmingBlanks))" } ?? "")
    }
    // The first line of a trace of Node.js is the innermost.
    let frames = lines.map { $0.trimmingBlanks }.filter { $0.hasBytePrefix("at ") }
    guard let range = first.firstByteRange(of: "\tERROR\t"),
      let place = frames.first(where: isOwn) ?? frames.first
    else { return nil }
    return "\(first[range.upperBound...]) (\(place))"
  }

  /// Whether a line of a trace is in code of the user, not of the language or of an installed package.
  private static func isOwn(_ frame: String) -> Bool {
    !["/site-packages/", "/lib/python3", "<frozen ", "/node_modules/", "node:"].contains {
      frame.containsBytes(of: $0)
    }
  }
}
