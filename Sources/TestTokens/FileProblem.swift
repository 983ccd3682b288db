internal import Bytes
package import JSON

/// One problem in a file, with its path and a hint.
package struct FileProblem: Equatable, Sendable, CustomStringConvertible {
  /// The JSON path, such as `good.claims.exp` or `headers["x.y"][0]`; empty for the whole file.
  package let path: String
  package let text: String
  /// The action that solves the problem.
  package let hint: String?

  package init(path: String, text: String, hint: String? = nil) {
    self.path = path
    self.text = text
    self.hint = hint
  }

  /// The problem on one line, and its hint on a second line.
  package var description: String {
    let line = path.isEmpty ? text : "\(path): \(text)"
    return hint.map { "\(line)\n  hint: \($0)" } ?? line
  }
}

/// Why a `tokens.json` is refused, or an event with placeholders cannot be filled.
package enum TokenFileError: Error, Equatable, Sendable, CustomStringConvertible {
  case notJSON(JSONError)
  /// All problems of the file.
  case invalid([FileProblem])

  /// One line for each problem, followed by its hint.
  package var description: String {
    switch self {
    case .notJSON(let error): error.description
    case .invalid(let problems): problems.map(\.description).joined(separator: "\n")
    }
  }
}

/// A path in a JSON text, in JavaScript syntax.
struct JSONPath: Equatable {
  let text: String

  static let root = JSONPath(text: "")

  func member(_ name: String) -> JSONPath {
    guard !name.isEmpty, name.utf8.allSatisfy({ $0.isLetterOrDigit || "$-_".utf8.contains($0) }) else {
      let escaped = name.utf8.flatMap { $0 == .quote || $0 == .backslash ? [.backslash, $0] : [$0] }
      return JSONPath(text: "\(text)[\"\(String(decoding: escaped, as: UTF8.self))\"]")
    }
    return JSONPath(text: text.isEmpty ? name : "\(text).\(name)")
  }

  func element(_ index: Int) -> JSONPath { JSONPath(text: "\(text)[\(index)]") }
}
