internal import JSON

/// Reads event files, checks them and fills placeholders.
struct EventSource {
  let options: FunctionOptions
  let machine: Machine
  private let isRaw: Bool

  /// All events of a source have tokens of one time. Those of one recipe are the same token, as of one caller, unless
  /// their algorithm signs with random numbers.
  ///
  /// - Parameter isRaw: sends the file's bytes as they are.
  init(options: FunctionOptions, machine: Machine, isRaw: Bool = false) {
    (self.options, self.machine, self.isRaw) = (options, machine.stopping, isRaw)
  }

  /// Returns the configuration for the event at this path.
  ///
  /// - Throws: `CommandFailure` if there is no configuration.
  func configuration(for path: String) throws(CommandFailure) -> FunctionConfiguration {
    // A handler of another author gets no variables of this project.
    if options.handler != nil { return FunctionConfiguration(variables: [:], taskRoot: nil) }
    return try FunctionConfiguration.forEvent(
      in: machine.files.directory(of: path), options: options.configuration,
      realKeys: options.configuration.realKeys, isOurs: options.needsConfiguration, on: machine)
  }

  /// Returns the bytes to send for the file at this path, or for standard input (`-`).
  ///
  /// - Throws: `CommandFailure` if the file cannot be read or is not JSON (unless raw).
  func body(at path: String, name: String) throws(CommandFailure) -> EventBytes {
    let bytes = try machine.files.bytes(at: path)
    if isRaw { return EventBytes(bytes: bytes) }
    return try EventTokens(given: options.configuration.tokens, machine: machine).rendered(
      bytes, name: name, directory: machine.files.directory(of: path))
  }
}

/// Fills the `{{token NAME}}` of events.
struct EventTokens {
  let given: TokenSource
  let machine: Machine

  private static let placeholder = "{{"

  /// Returns the event with its placeholders filled; an event without placeholders is returned unchanged.
  func rendered(_ bytes: [UInt8], name: String, directory: String) throws(CommandFailure) -> EventBytes {
    let root = try Result { () throws(JSONError) in try JSONDocument(parsing: bytes, limits: .event).root }
      .mapError {
        CommandFailure(
          .usage, "\(name) is not JSON: \($0.description(in: bytes))",
          hint: "send a file unchanged with invoke --raw")
      }.get()
    if root["captured"] != nil {
      guard let captured = CapturedRequest(root, unixMilliseconds: machine.now() * 1000) else {
        throw CommandFailure(
          .usage, "\(name) is not a captured event",
          hint: "capture it again with the files of init --for capture")
      }
      return try TokenFile(parsing: captured.recipes, of: name, on: machine)
        .render(captured.request.event, name: name)
    }
    guard bytes.firstRange(of: Self.placeholder.utf8) != nil else { return EventBytes(bytes: bytes) }
    return try TokenFile.nearest(to: directory, given: given, on: machine).render(bytes, name: name)
  }
}
