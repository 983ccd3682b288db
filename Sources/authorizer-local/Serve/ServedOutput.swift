internal import AuthorizerContract
internal import LambdaEmulator
internal import Synchronization

/// What `serve` shows of the lines that a function writes: all of them, or the hints of the program that calls its
/// handler, each once. A package that is missing here fails every event, and the hint says what to do.
final class ServedOutput: Sendable {
  private let function: String
  private let showsAll: Bool
  private let terminal: Terminal
  private let seen = Mutex<Set<String>>([])

  /// - Parameter showsAll: whether all lines are shown.
  init(of function: String, showsAll: Bool, terminal: Terminal) {
    (self.function, self.showsAll, self.terminal) = (function, showsAll, terminal)
  }

  func show(_ line: FunctionLogLine) {
    for text in line.shown {
      if showsAll {
        terminal.note("\(function): \(text)")
      } else if line.stream == .standardError, text.utf8.starts(with: "hint: ".utf8),
        seen.withLock({ $0.insert(text).inserted })
      {
        terminal.note(Printable.text("\(function): \(text)"))
      }
    }
  }
}
