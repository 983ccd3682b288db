internal import JSON

/// Event files on their way to the function: read, checked, placeholders filled.
struct EventSource {
  let options: FunctionOptions
  /// Sends the file's bytes as they are.
  var isRaw = false

  /// An event from a file, or from standard input for `-`.
  ///
  /// - Throws: `CommandFailure` where it cannot be read, is no JSON (unless raw), or has no configuration.
  func event(at path: String, name: String) throws(CommandFailure) -> PreparedEvent {
    let directory = FileSystem.directory(of: path)
    let bytes = try FileSystem.bytes(at: path)
    let tokens = EventTokens(given: options.tokens)
    return PreparedEvent(
      name: name, bytes: isRaw ? bytes : try tokens.rendered(bytes, name: name, directory: directory),
      configuration: try FunctionConfiguration.forEvent(in: directory, options: options))
  }
}

/// Fills the `{{token NAME}}` of events.
struct EventTokens {
  /// `--tokens`, in the place of the nearest `tokens.json`.
  let given: String?

  private static let placeholder = "{{"

  /// The event with its placeholders filled; one without any stays as it is, byte for byte.
  func rendered(_ bytes: [UInt8], name: String, directory: String) throws(CommandFailure) -> [UInt8] {
    do throws(JSONError) {
      _ = try JSONDocument(parsing: bytes, limits: .event)
    } catch {
      throw CommandFailure(
        .usage, "\(name) is not JSON: \(error.description)", hint: "invoke --raw sends a file as it is")
    }
    guard bytes.firstRange(of: Self.placeholder.utf8) != nil else { return bytes }
    return try TokenFile.nearest(to: directory, given: given).render(bytes, name: name)
  }
}
