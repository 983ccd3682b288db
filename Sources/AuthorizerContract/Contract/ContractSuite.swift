internal import Text
internal import Foundation

/// The contract tests of a folder and its subfolders, every `X.json` with its `X.expected.json`, or one of them.
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

  /// Finds the tests of a folder; hidden files and folders are skipped. The path of an event or an expectation is that
  /// test.
  ///
  /// - Parameter name: the folder in errors; `nil` for its path.
  /// - Throws: `ContractSuiteError` if the folder does not exist or contains no test.
  package init(directory: String, named name: String? = nil) throws(ContractSuiteError) {
    let folder = name ?? directory
    let root = URL(fileURLWithPath: directory)
    guard let isDirectory = try? root.resourceValues(forKeys: [.isDirectoryKey]).isDirectory else {
      throw .noDirectory(folder)
    }
    guard isDirectory else {
      guard let name = Self.name(ofFile: root.lastPathComponent) else { throw .noEvents(folder) }
      cases = [Case(name, in: root.deletingLastPathComponent())]
      return
    }
    var names: Set<String> = []
    let files = FileManager.default.enumerator(atPath: directory)
    while let path = files?.nextObject() as? String {
      let parts = path.splitBytes(at: "/")
      guard !parts.contains(where: { $0.hasBytePrefix(".") }), let file = parts.last.map(String.init),
        let name = Self.name(ofFile: file)
      else { continue }
      names.insert(String(path.dropLast(bytes: file.utf8.count)) + name)
    }
    guard !names.isEmpty else { throw .noEvents(folder) }
    cases = names.sorted().map { Case($0, in: root) }
  }

  /// The name of the test of an event or expectation; `nil` for any other file.
  private static func name(ofFile file: String) -> String? {
    guard file.hasByteSuffix(".json"), !reservedNames.contains(file) else { return nil }
    let suffix = file.hasByteSuffix(expectationSuffix) ? expectationSuffix : ".json"
    return String(file.dropLast(bytes: suffix.utf8.count))
  }

  fileprivate static let expectationSuffix = ".expected.json"
}

extension ContractSuite.Case {
  fileprivate init(_ name: String, in root: URL) {
    self.name = name
    eventPath = root.appendingPathComponent(name + ".json").path
    expectationPath = root.appendingPathComponent(name + ContractSuite.expectationSuffix).path
  }
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
