internal import Text
internal import Bytes
internal import Authorizer
internal import JSON

/// The input of `explain`.
enum ExplainedSubject {
  /// A token alone.
  case token([UInt8])
  case event([UInt8])
  /// The value of a header, wrapped in an event.
  case header(event: [UInt8])

  /// Returns the file that an argument names; `nil` if the argument is itself a token.
  static func file(_ argument: String, _ files: FileSystem) -> String? {
    argument == "-" || argument.hasByteSuffix(".json") || files.exists(argument) ? argument : nil
  }

  /// Reads an argument: a file, `-`, or the text itself.
  ///
  /// - Throws: `CommandFailure` if a file cannot be read, or an event is not JSON or cannot be filled.
  init(_ argument: String, tokens: TokenSource, on machine: Machine) throws(CommandFailure) {
    let path = Self.file(argument, machine.files)
    let bytes = Self.trimmed(
      try path.map { path throws(CommandFailure) in
        try machine.files.bytes(at: path)
      } ?? Array(argument.utf8))
    guard !bytes.isEmpty else {
      throw CommandFailure(.usage, "there is nothing to explain", hint: "give a token or an event file")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let value = Self.without("authorization:", text)
    if bytes.first == .openingBrace {
      let name = path ?? "the argument"
      self = .event(
        try EventTokens(given: tokens, machine: machine).rendered(
          bytes, name: name == "-" ? "standard input" : name,
          directory: machine.files.directory(of: path ?? "-")
        ).bytes)
    } else if value != nil || Self.without("bearer ", text) != nil || Self.without("dpop ", text) != nil {
      self = .header(event: Self.event(authorization: value ?? text))
    } else {
      self = .token(bytes)
    }
  }

  /// Returns a TOKEN event with this header, so that the authorizer itself parses it.
  private static func event(authorization: String) -> [UInt8] {
    JSONTree.members([
      "type": .string("TOKEN"),
      "methodArn": .string("arn:aws:execute-api:eu-west-1:123456789012:api/stage/GET/"),
      "authorizationToken": .string(authorization),
    ]).bytes()
  }

  /// Returns the text after a prefix in any case, trimmed; `nil` if the text begins otherwise.
  private static func without(_ word: String, _ text: String) -> String? {
    guard text.lowercased().hasBytePrefix(word) else { return nil }
    return String(decoding: trimmed(Array(text.utf8.dropFirst(word.utf8.count))), as: UTF8.self)
  }

  private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
    let isBlank = { (byte: UInt8) in [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
    let rest = bytes.drop(while: isBlank)
    return rest.lastIndex { !isBlank($0) }.map { Array(rest[...$0]) } ?? []
  }
}
