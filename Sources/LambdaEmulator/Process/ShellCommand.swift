internal import Text
internal import Bytes

/// A shell command line of the user.
///
/// The harness measures the process that it starts and reports its exit. With a shell, that process would not be the
/// real program. So the last command of a line replaces the shell by `exec` if that changes nothing else:
/// `cd app && node index.mjs` becomes `cd app && exec node index.mjs`. Lines that need the shell until their end stay
/// unchanged: pipelines, background jobs, traps, compound commands, and built-ins as the last command (POSIX.1-2024,
/// "Shell Command Language").
struct ShellCommand: Equatable {
  let text: String
  /// Whether the last command replaces the shell. If not, the shell reports a signal as a status over 128.
  let isReplaced: Bool

  init(_ text: String) {
    guard let last = Self.lastCommand(of: text) else {
      (self.text, isReplaced) = (text, false)
      return
    }
    isReplaced = true
    self.text = last.isExec ? text : text[..<last.start] + "exec " + text[last.start...]
  }

  /// Returns the start of the last command's first word, after variable assignments; `nil` if it must not replace the
  /// shell.
  private static func lastCommand(of text: String) -> (start: String.Index, isExec: Bool)? {
    guard let words = words(of: text) else { return nil }
    var commands: [[Substring]] = [[]]
    for word in words {
      switch word {
      case .separator: commands.append([])
      case .word(let word): commands[commands.count - 1].append(word)
      }
    }
    // A semicolon at the end produces an empty last command.
    if commands.last?.isEmpty == true { commands.removeLast() }
    let firsts = commands.map { command in command.first { !isAssignment($0) } }
    guard let last = firsts.last, let last, !firsts.contains(where: { $0?.hasSameBytes(as: "trap") == true })
    else { return nil }
    if last == "exec" { return (last.startIndex, true) }
    guard !shellWords.contains(String(last)), last.first != "<", last.first != ">" else { return nil }
    return (last.startIndex, false)
  }

  private enum Word {
    /// `;`, `&&` or `||`.
    case separator
    case word(Substring)
  }

  /// Returns the words of a line of simple commands; `nil` for other lines, or if the line ends inside quotes.
  private static func words(of text: String) -> [Word]? {
    var words: [Word] = []
    var start: String.Index?
    var quote: Unicode.Scalar?
    let scalars = text.unicodeScalars
    var index = text.startIndex
    func end() {
      if let first = start { words.append(.word(text[first..<index])) }
      start = nil
    }
    while index < text.endIndex {
      let character = scalars[index]
      let next = scalars.index(after: index)
      let following = next < text.endIndex ? scalars[next] : nil
      if character == "`" || (character == "$" && following == "("), quote != "'" { return nil }
      if let open = quote {
        if character == open { quote = nil }
        if character == "\\", open == "\"", following != nil { index = next }
      } else {
        switch character {
        case "'", "\"", "\\":
          start = start ?? index
          if character == "\\" {
            guard following != nil else { return nil }
            index = next
          } else {
            quote = character
          }
        case " ", "\t": end()
        case ";", "\n":
          end()
          words.append(.separator)
        case "&", "|":
          // `>&` and `<&` belong to a redirection.
          if character == "&", index > text.startIndex,
            case let before = scalars[scalars.index(before: index)], before == "<" || before == ">"
          {
            break
          }
          guard following == character else { return nil }
          end()
          words.append(.separator)
          index = next
        case "(", ")": return nil
        case "<" where following == "<": return nil
        case "#" where start == nil: return nil
        default: start = start ?? index
        }
      }
      index = scalars.index(after: index)
    }
    end()
    return quote == nil ? words : nil
  }

  private static func isAssignment(_ word: Substring) -> Bool {
    guard let sign = word.utf8.firstIndex(of: .equalsSign), word.utf8.first?.isDecimalDigit == false else {
      return false
    }
    return word[..<sign].utf8.allSatisfy { $0 == .underscore || $0.isLetterOrDigit }
  }

  /// Reserved words and built-ins, which are not programs.
  private static let shellWords: Set<String> = [
    "!", "{", "}", "case", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "then",
    "time",
    "until", "while", "[[", ".", ":", "alias", "bg", "break", "builtin", "cd", "command", "continue",
    "declare", "eval",
    "exit", "export", "fg", "getopts", "hash", "jobs", "local", "read", "readonly", "return", "set", "shift",
    "source",
    "times", "trap", "type", "ulimit", "umask", "unalias", "unset", "wait",
  ]
}

extension FunctionCommand {
  private static let shell = "/bin/sh"

  /// Creates a command that runs a line in the shell.
  package init(shell text: String, environment: [String: String]) {
    self.init(
      executable: Self.shell, arguments: ["-c", ShellCommand(text).text], environment: environment)
  }

  /// Returns the exit of the program, derived from the exit of its shell: a shell exits with 128 plus the number of
  /// the signal that killed its last command (POSIX.1-2024, section 2.8.2).
  package func exit(_ exit: ProcessExit) -> ProcessExit {
    guard case .status(let code) = exit, let signal = ProcessExit(shellStatus: code),
      executable == Self.shell, arguments.count == 2, arguments[0] == "-c",
      !ShellCommand(arguments[1]).isReplaced
    else { return exit }
    return signal
  }
}
