internal import Text

/// The files beside a template: OpenAPI documents and included parts.
package struct TemplateFiles: Sendable {
  /// Why a file is not read, in lower case.
  package struct Problem: Error, Equatable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    /// There is no such file.
    package static let missing = Problem("it does not exist")
  }

  private let read: @Sendable (_ location: String, _ limit: Int) -> Result<String, Problem>
  private let find: @Sendable (_ location: String) -> Result<String, Problem>

  /// The maximum size of a template or of an included file in bytes ("CloudFormation quotas": 1 MB from S3).
  package static let maximumBytes = 1 << 20

  /// Creates a reader of files.
  ///
  /// - Parameter read: returns the text of a file by its path relative to the template; it must refuse files outside of
  ///   the template's repository, because the template may be a stranger's.
  package init(_ read: @escaping @Sendable (String) -> Result<String, Problem>) {
    self.init { location, _ in
      read(location)
    } finding: { _ in
      .failure(.missing)
    }
  }

  /// Creates a reader of files that also finds what a tool has built.
  ///
  /// - Parameters:
  ///   - read: the same, with the maximum size of the file in bytes.
  ///   - find: returns the absolute path of a file or folder by its path relative to the template; it must refuse what
  ///     is outside of the folder in which the tool writes.
  package init(
    reading read: @escaping @Sendable (_ location: String, _ limit: Int) -> Result<String, Problem>,
    finding find: @escaping @Sendable (_ location: String) -> Result<String, Problem>
  ) {
    self.read = read
    self.find = find
  }

  /// What to do about a file that is not read.
  package static let cure = "check the path; --include-root FOLDER permits files in another folder"

  /// No files.
  package static let none = TemplateFiles { _ in
    .failure(Problem("files beside the template are not read here"))
  }

  /// Returns the text of a file.
  ///
  /// - Throws: `Problem` also for a location that is not on this machine.
  package func text(of location: String, limit: Int = maximumBytes) throws(Problem) -> String {
    guard !location.containsBytes(of: "://") else { throw Problem("\(location) is not on this machine") }
    return try read(location, limit).get()
  }

  /// Returns the absolute path of a file or folder that a tool has built.
  func place(of location: String) throws(Problem) -> String { try find(location).get() }
}
