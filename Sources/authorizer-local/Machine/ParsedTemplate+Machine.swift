internal import Templates

extension ParsedTemplate {
  /// Reads a template and the files beside it.
  ///
  /// - Parameter text: the template itself, if `path` does not exist.
  /// - Throws: `CommandFailure` if the file cannot be read.
  init(
    at path: String, text: String? = nil, _ values: TemplateValues, acceptsNoAPI: Bool = false,
    on machine: Machine
  ) throws(CommandFailure) {
    let bytes =
      if let text { Array(text.utf8) } else {
        try machine.files.bytes(at: path, limit: TemplateFiles.maximumBytes)
      }
    self.init(
      String(decoding: bytes, as: UTF8.self), parameters: values.parameters, region: values.region,
      files: .beside(path, includeRoot: values.includeRoot, on: machine), acceptsNoAPI: acceptsNoAPI)
  }

  /// Returns what affects requests.
  ///
  /// - Parameters:
  ///   - path: the path of the template.
  ///   - command: the command that reads it, for the hint.
  /// - Throws: `CommandFailure` with a line for each finding, if the template is refused.
  func gateway(at path: String, for command: String) throws(CommandFailure) -> GatewayTemplate {
    try gateway.mapError {
      CommandFailure(
        .usage, $0.lines(in: path).map { Printable.text($0) }.joined(separator: "\n"),
        hint: $0.hint(
          command, in: path, otherwise: "serve supports no API of this template; correct the lines above"))
    }.get()
  }
}
