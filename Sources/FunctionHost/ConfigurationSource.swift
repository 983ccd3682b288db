import Bytes
import JSON

/// The source of a configuration: the environment and the files that were deployed with the function.
package protocol ConfigurationSource {
  /// Returns the value of an environment variable.
  func variable(_ name: String) -> String?

  /// Returns the bytes of a file. A relative path starts at the function's directory.
  ///
  /// - Throws: `FileError` if the file cannot be read or is larger than the limit in bytes.
  func file(_ path: String, limit: Int) throws(FileError) -> [UInt8]
}

extension ConfigurationSource {
  /// Whether `AUTHORIZER_DEVELOPMENT` is exactly `1`.
  package var isDevelopment: Bool { variable("AUTHORIZER_DEVELOPMENT")?.utf8.elementsEqual("1".utf8) == true }

  /// Returns settings after reading them, and after checking the clock's variable, which all settings share.
  ///
  /// - Throws: `ConfigurationError` with all problems.
  package func settings<Value>(_ read: (ProblemList) -> Value?) throws(ConfigurationError) -> Value {
    let problems = ProblemList()
    if let problem = ClockOffset.problem(self) { problems.add(ClockOffset.variable, problem) }
    let settings = read(problems)
    guard problems.problems.isEmpty, let settings else {
      throw ConfigurationError(problems: problems.problems)
    }
    return settings
  }

  /// Returns a reader of a configuration: inline JSON, which begins with a brace, or the content of a file.
  package func reader(
    variable name: String, file defaultPath: String, hint: String, _ problems: ProblemList
  ) -> ObjectReader? {
    let text = variable(name)
    if let text, text.trimmed.isEmpty {
      problems.add(name, "blank; " + hint)
      return nil
    }
    let isInline = text?.utf8.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == .openingBrace
    let path = isInline ? name : text ?? defaultPath
    let bytes: [UInt8]
    do throws(FileError) {
      let limit = JSONLimits.configuration.bytes
      bytes = if let text, isInline { Array(text.utf8) } else { try file(path, limit: limit) }
    } catch {
      if case .tooLarge = error {
        problems.add(path, error.description + ", the limit of a configuration")
        return nil
      }
      // Quoted JSON and the like may contain a secret, so the message quotes only text that looks like a path.
      let isPath =
        path.utf8.count <= 256 && !path.utf8.contains { $0 <= 0x20 || [0x22, 0x27, 0x7B].contains($0) }
      let what = isPath ? "\(path): \(error.description)" : "neither a path nor JSON that begins with a brace"
      problems.add(name, "\(what); \(hint)")
      return nil
    }
    do throws(JSONError) {
      let root = try JSONDocument(parsing: bytes, limits: .configuration).root
      if root.kind == .object { return ObjectReader(root, path: "", problems) }
      problems.add(path, "an object is expected")
    } catch {
      problems.add(path, "not JSON: \(error.description(in: bytes))")
    }
    return nil
  }
}

/// Why a file could not be read.
package enum FileError: Error, Equatable, Sendable {
  /// The `errno` of the failed call.
  case unreadable(errno: Int32)
  /// The file is larger than the limit.
  case tooLarge(limit: Int)

  /// The error for a person.
  package var description: String {
    switch self {
    case .unreadable(2): "no such file"
    case .unreadable(13): "permission denied"
    case .unreadable(21): "it is a directory"
    case .unreadable(22): "not a regular file"
    case .unreadable(let number): "cannot be read (errno \(number))"
    case .tooLarge(let limit): "larger than \(limit) bytes"
    }
  }
}

extension String {
  /// The text without white space at either end.
  package var trimmed: String {
    let isBlank = { (byte: UInt8) in [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
    let rest = utf8.drop(while: isBlank)
    guard let last = rest.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(decoding: rest[...last], as: UTF8.self)
  }
}
