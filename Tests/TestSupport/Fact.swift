/// A row of a table of facts: what is tested, and what is expected of it.
package struct Fact: Sendable, CustomStringConvertible {
  package let subject: String
  package let expected: [String]
  package var description: String { subject }

  /// Reads a table: lines without indentation are subjects, and each of them has the indented lines that follow. A
  /// hyphen alone says that nothing is expected; a line that begins with `//` is a comment.
  package static func table(_ text: String) -> [Fact] {
    var facts: [Fact] = []
    var subjects: [Substring] = []
    var expected: [String] = []
    func finish() {
      facts += subjects.map { Fact(subject: String($0), expected: expected == ["-"] ? [] : expected) }
      subjects = []
      expected = []
    }
    for line in text.split(separator: "\n") where !line.hasPrefix("//") {
      if line.hasPrefix("  ") {
        expected.append(String(line.dropFirst(2)))
      } else {
        if !expected.isEmpty { finish() }
        subjects.append(line)
      }
    }
    finish()
    return facts
  }
}

/// Returns the name of an enum's case without its values, by which tables of facts say an error.
package func caseName(_ value: some Any) -> String {
  Mirror(reflecting: value).children.first?.label ?? String(describing: value)
}
