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
      return repository.files(under: "Sources/").filter { $0.path.hasSuffix(".swift") }.flatMap { file in
        file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().filter { _, line in
          !line.drop { $0 == " " }.hasPrefix("//") && line.contains(unquoted)
        }.map { "\(file.path):\($0.offset + 1)" }
      }
    }
  ]
}
