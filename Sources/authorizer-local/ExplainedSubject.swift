internal import Authorizer
internal import JSON

/// What `explain` was asked about.
enum ExplainedSubject {
  /// A token as such.
  case token([UInt8])
  /// An event.
  case event([UInt8])
  /// The value of a header, in an event that has no other meaning.
  case header(event: [UInt8])

  /// The file that an argument names; `nil` where it is itself a token.
  static func file(_ argument: String) -> String? {
    argument == "-" || argument.hasSuffix(".json") || FileSystem.exists(argument) ? argument : nil
  }

  /// Reads an argument: a file, `-`, or the text itself.
  ///
  /// - Throws: `CommandFailure` where a file cannot be read, or an event is no JSON or cannot be filled.
  init(_ argument: String, tokens: String?) throws(CommandFailure) {
    let path = Self.file(argument)
    let bytes = Self.trimmed(
      try path.map { path throws(CommandFailure) in
        try FileSystem.bytes(at: path)
      } ?? Array(argument.utf8))
    guard !bytes.isEmpty else {
      throw CommandFailure(.usage, "there is nothing to explain", hint: "give a token or an event file")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let value = Self.without("authorization:", text)
    if bytes.first == 0x7B {
      let name = path ?? "the argument"
      self = .event(
        try EventTokens(given: tokens).rendered(
          bytes, name: name == "-" ? "standard input" : name, directory: FileSystem.directory(of: path ?? "-")
        ).bytes)
    } else if value != nil || Self.without("bearer ", text) != nil || Self.without("dpop ", text) != nil {
      self = .header(event: Self.event(authorization: value ?? text))
    } else {
      self = .token(bytes)
    }
  }

  /// A TOKEN event with this header, so that the authorizer itself takes it apart.
  private static func event(authorization: String) -> [UInt8] {
    JSONTree.object([
      .init(name: "type", value: .string("TOKEN")),
      .init(
        name: "methodArn", value: .string("arn:aws:execute-api:eu-west-1:123456789012:api/stage/GET/")),
      .init(name: "authorizationToken", value: .string(authorization)),
    ]).bytes()
  }

  /// What follows a word in any case, blanks at either end left out; `nil` where it begins otherwise.
  private static func without(_ word: String, _ text: String) -> String? {
    guard text.lowercased().hasPrefix(word) else { return nil }
    return String(decoding: trimmed(Array(text.utf8.dropFirst(word.utf8.count))), as: UTF8.self)
  }

  private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
    let isBlank = { (byte: UInt8) in [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
    let rest = bytes.drop(while: isBlank)
    return rest.lastIndex { !isBlank($0) }.map { Array(rest[...$0]) } ?? []
  }
}
