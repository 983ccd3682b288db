import Foundation

/// Rules about text that shells, file systems and servers read: they read bytes.
extension Rule {
  static let bytes: [Rule] = [
    Rule(
      "a printed command quotes what it names with ShellWord",
      bad: [
        #"let cure = "add --parameter \(name)=VALUE""#, #"let cure = "add --run '\(name)=VALUE'""#,
        #"let hint = "run --run NAME='\(command)'""#,
        #"let hint = "authorizer-local keys fetch x -o \(path) writes it""#,
        #"let hint = "(git rm -r \(path))""#, #"let line = "cd \(folder)""#,
        #"let line = "curl --cacert '\(path)'""#,
      ].map { ["Sources/A/B.swift": $0 + "\n"] },
      good: [
        "Sources/A/B.swift": #"""
        // as in "cd \(folder)"
        let cure = "add --parameter \(ShellWord.assignment(name, "VALUE"))"
        let hint = "authorizer-local package --name \(function.rawValue) --config \(ShellWord.path(path, or: "FILE"))"
        let problem = "--parameter needs NAME=VALUE, found \(text)"
        let version = "authorizer-local \(Release.version)", place = "abcd \(folder)"
        """#
      ]
    ) { repository in
      // An option or a program, with arguments that are constant, and then an interpolation.
      let unquoted =
        /((^|[ "(])--[a-z][a-z-]*|\b(authorizer-local|curl|git|strip|chmod|cd)( [A-Za-z0-9_.\/=@:-]+)*) '?([A-Za-z0-9_.\/@:-]*=)?'?\\\((?!ShellWord\.|Release\.|[\w.]*\.rawValue\))/
      // Each match has an interpolation, and one of these. The search for them costs less.
      let marks = ["--", "authorizer-local", "curl", "git", "strip", "chmod", "cd"]
      return repository.files(under: "Sources/").filter { $0.path.hasSuffix(".swift") }.flatMap { file in
        file.text.lines(holding: "\\(").filter { _, line in
          marks.contains { line.holds($0) } && !line.drop { $0 == " " }.hasPrefix("//")
            && line.contains(unquoted)
        }.map { "\(file.path):\($0.number)" }
      }
    },
    Rule(
      "Sources search, divide and compare text by bytes or scalars, not by Character",
      bad: [
        #"if path.hasPrefix("/") {}"#, "if names.contains(where: name.hasSuffix) {}",
        #"let parts = path.split(separator: "/")"#, #"if text.contains("://") {}"#,
        #"let end = text.firstIndex(of: "}")"#, #"let end = text.lastIndex(of: ".")"#,
        #"let found = text.firstRange(of: "{{")"#, #"let found = text.range(of: "a")"#,
        #"let word = text.replacing("'", with: "")"#, "let word = text.replacing(old, with: new)",
        #"let parts = text.components(separatedBy: ",")"#,
      ].map { ["Sources/A/B.swift": $0 + "\n"] },
      good: [
        "Sources/A/B.swift": #"""
        // text.hasPrefix("/"), text.contains("/")
        if path.hasBytePrefix("/"), path.utf8.starts(with: "/".utf8), names.contains(name) {}
        let parts = path.splitBytes(at: "/"), bytes = path.utf8.split(separator: .slash)
        let end = text.unicodeScalars.firstIndex(of: "}"), found = bytes.firstRange(of: mark)
        let opening = text.utf8.firstRange(of: "{{".utf8)
        let other = request.replacing(query: "a"), script = "text.split(separator: \"/\")"
        """#
      ]
    ) { repository in
      // With a literal: other sequences have the same methods. The code has no literals, and the text has comments.
      let calls = [
        "contains(", "split(separator: ", "firstIndex(of: ", "lastIndex(of: ", "firstRange(of: ",
        "ranges(of: ",
        "range(of: ",
      ].map { "." + $0 }
      let words = ["hasPrefix", "hasSuffix", "components(separatedBy"]
      let texts = Dictionary(
        uniqueKeysWithValues: repository.files(under: "Sources/").map { ($0.path, $0.text) })
      return repository.swift(under: "Sources/").flatMap { file in
        let found = file.code.text.lines(holding: calls + words + [".replacing("])
        let lines = found.isEmpty ? [] : (texts[file.path] ?? "").allLines
        return found.filter { number, code in
          if words.contains(where: code.holdsWord)
            || code.holds(".replacing(") && code.holds(", with:")
          {
            return true
          }
          let called = calls.filter { code.holds($0) }
          guard !called.isEmpty else { return false }
          let text = lines[number - 1].replacing(".unicodeScalars.", with: "_")
            .replacing(/firstRange\(of: "[^"]*"\.utf8\)/, with: "_")
          return called.contains { text.contains($0 + "\"") }
        }.map { "\(file.path):\($0.number)" }
      }
    },
  ]
}
