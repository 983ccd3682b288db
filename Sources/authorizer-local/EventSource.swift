internal import JSON

/// Event files on their way to the function: read, checked, placeholders filled.
struct EventSource {
  let options: FunctionOptions
  /// Sends the file's bytes as they are.
  var isRaw = false

  /// The configuration for the event at this path.
  ///
  /// - Throws: `CommandFailure` where there is none: then no event can be sent.
  func configuration(for path: String) throws(CommandFailure) -> FunctionConfiguration {
    try FunctionConfiguration.forEvent(
      in: FileSystem.directory(of: path), options: options.configuration,
      realKeys: options.configuration.realKeys, isOurs: options.needsConfiguration)
  }

  /// The event in the file at this path, or on standard input for `-`.
  ///
  /// - Throws: `CommandFailure` where it cannot be read or is no JSON (unless raw).
  func body(at path: String, name: String) throws(CommandFailure) -> EventBytes {
    let bytes = try FileSystem.bytes(at: path)
    if isRaw { return EventBytes(bytes: bytes) }
    return try EventTokens(given: options.configuration.tokens).rendered(
      bytes, name: name, directory: FileSystem.directory(of: path))
  }
}

/// An event as it is sent.
struct EventBytes {
  let bytes: [UInt8]
  /// The claims of its tokens that depend on the time of minting, such as `exp`, in seconds since 1970.
  var tokenTimes: Set<Int64> = []
}

/// Fills the `{{token NAME}}` of events.
struct EventTokens {
  /// `--tokens`, in the place of the nearest `tokens.json`.
  let given: String?

  private static let placeholder = "{{"

  /// The event with its placeholders filled; one without any stays as it is, byte for byte.
  func rendered(_ bytes: [UInt8], name: String, directory: String) throws(CommandFailure) -> EventBytes {
    do throws(JSONError) {
      _ = try JSONDocument(parsing: bytes, limits: .event)
    } catch {
      throw CommandFailure(
        .usage, "\(name) is not JSON: \(error.description(in: bytes))",
        hint: "invoke --raw sends a file as it is")
    }
    guard bytes.firstRange(of: Self.placeholder.utf8) != nil else { return EventBytes(bytes: bytes) }
    return try TokenFile.nearest(to: directory, given: given).render(bytes, name: name)
  }
}
