internal import Text

package enum HandlerLanguage: String, CaseIterable, Sendable {
  case python
  case node

  /// A `Runtime` of a template: `python3.12`, `nodejs22.x`.
  init?(runtime: String) {
    if runtime.hasBytePrefix("python") {
      self = .python
    } else if runtime.hasBytePrefix("nodejs") {
      self = .node
    } else {
      return nil
    }
  }

  /// The language of a source file, by its ending.
  init?(file: String) {
    guard let ending = file.splitBytes(at: ".").last,
      let language = Self.allCases.first(where: { $0.endings.containsText("." + ending) })
    else { return nil }
    self = language
  }

  package var name: String { self == .python ? "Python" : "Node.js" }

  /// The endings of its files, in the order in which Lambda's runtime looks for them.
  package var endings: [String] { self == .python ? [".py"] : [".js", ".mjs", ".cjs"] }

  /// The endings of sources that a build turns into such files.
  var sourceEndings: [String] { self == .python ? [] : [".ts", ".mts", ".cts", ".tsx", ".jsx"] }

  /// The folders of a layer that its interpreter searches ("Packaging your layer content").
  package func folders(for wanted: InterpreterVersion?) -> [String] {
    switch self {
    case .python:
      ["python"] + (wanted.map { ["python/lib/python\($0.text)/site-packages"] } ?? [])
    case .node: ["nodejs/node_modules"] + (wanted.map { ["nodejs/node\($0.major)/node_modules"] } ?? [])
    }
  }

  /// The program that calls its handlers.
  package var loop: HandlerLoop { self == .python ? .python : .node }

  /// The oldest interpreter that runs this program: the first version with all of its functions.
  package var oldest: InterpreterVersion {
    self == .python ? InterpreterVersion(major: 3, minor: 8) : InterpreterVersion(major: 18, minor: 0)
  }

  /// The names of the interpreter, best first.
  func interpreters(for wanted: InterpreterVersion?) -> [String] {
    switch self {
    case .node: ["node", "nodejs"]
    case .python: (wanted.map { ["python\($0.major).\($0.minor)"] } ?? []) + ["python3", "python"]
    }
  }

  /// The arguments with which an interpreter prints its version and its own path, on a line each.
  var selfDescription: [String] {
    switch self {
    case .python: ["-c", "import sys; print(sys.version.split()[0]); print(sys.executable)"]
    case .node: ["-p", "process.version + '\\n' + process.execPath"]
    }
  }

  /// The version in a `Runtime`; `nil` for one without.
  package static func version(in runtime: String) -> InterpreterVersion? {
    let digits = runtime.drop { !$0.isNumber }.prefix { $0.isNumber || $0 == "." }
    return InterpreterVersion(digits)
  }

  /// Whether a handler for one version is expected to run on another: Python within 3, Node on any version.
  package func accepts(_ found: InterpreterVersion, for wanted: InterpreterVersion) -> Bool {
    self == .node || found.major == wanted.major
  }

  /// Whether the versions are the same for Lambda: Node has one runtime per major version.
  package func isSame(_ found: InterpreterVersion, as wanted: InterpreterVersion) -> Bool {
    found.major == wanted.major && (self == .node || found.minor == wanted.minor)
  }
}

/// The version of an interpreter, or of a runtime.
package struct InterpreterVersion: Hashable, Comparable, Sendable {
  package let major: Int
  package let minor: Int

  init(major: Int, minor: Int) { (self.major, self.minor) = (major, minor) }

  /// Reads `3.12.1`, `22` or `22.x`.
  init?(_ text: some StringProtocol) {
    let numbers = text.splitBytes(at: ".").map { Int($0) }
    guard let first = numbers.first, let major = first else { return nil }
    self.init(major: major, minor: numbers.dropFirst().first.flatMap { $0 } ?? 0)
  }

  /// The version as in `--version`.
  package var text: String { "\(major).\(minor)" }

  package static func < (left: Self, right: Self) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }
}
