internal import Text
internal import Foundation

/// The contract tests of a folder and its subfolders: every `X.json` with its `X.expected.json`.
package struct ContractSuite: Equatable, Sendable {
  /// The tests, sorted by name.
  package let cases: [Case]

  package struct Case: Equatable, Sendable {
    /// Path relative to the suite's folder, without `.json`.
    package let name: String
    /// Path of the event; the file may be missing if there is an expectation.
    package let eventPath: String
    /// Path of the expectation; the file may be missing.
    package let expectationPath: String
  }

  /// Files that are neither an event nor an expectation.
  package static let reservedNames: Set<String> = [
    "tokens.json", "authorizer.json", "authorizer.schema.json", "revocations.json",
  ]

  /// Finds the tests of a folder; hidden files and folders are skipped.
  ///
  /// - Throws: `ContractSuiteError` if the folder does not exist or contains no test.
  package init(directory: String) throws(ContractSuiteError) {
    let root = URL(fileURLWithPath: directory)
    let isDirectory = try? root.resourceValues(forKeys: [.isDirectoryKey]).isDirectory
    guard isDirectory == true else { throw .noDirectory(directory) }
    var names: Set<String> = []
    let files = FileManager.default.enumerator(atPath: directory)
    while let path = files?.nextObject() as? String {
      let parts = path.splitBytes(at: "/")
      guard !parts.contains(where: { $0.hasBytePrefix(".") }), let file = parts.last.map(String.init),
        file.hasByteSuffix(".json"), !Self.reservedNames.contains(file)
      else { continue }
      let suffix = file.hasByteSuffix(Self.expectationSuffix) ? Self.expectationSuffix : ".json"
      names.insert(String(path.dropLast(bytes: suffix.utf8.count)))
    }
    guard !names.isEmpty else { throw .noEvents(directory) }
    cases = names.sorted().map { name in
      Case(
        name: name, eventPath: root.appendingPathComponent(name + ".json").path,
        expectationPath: root.appendingPathComponent(name + Self.expectationSuffix).path)
    }
  }

  private static let expectationSuffix = ".expected.json"
}

/// Why there is nothing to test.
package enum ContractSuiteError: Error, Equatable, Sendable {
  /// The path is not a folder.
  case noDirectory(String)
  /// The folder contains no event.
  case noEvents(String)

  /// The message for the user, in lower case.
  package var description: String {
    switch self {
    case .noDirectory(let path): "no such folder: \(path)"
    case .noEvents(let path): "no events in \(path)"
    }
  }
}
