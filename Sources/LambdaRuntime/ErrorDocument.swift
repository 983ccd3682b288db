import Bytes
import JSON

/// The type and message that a runtime posts if it has no answer. Callers and logs get both.
///
/// Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html, "Invocation error" and "Initialization
/// error".
package struct ErrorDocument: Equatable, Sendable {
  /// The type, also the value of `Lambda-Runtime-Function-Error-Type`.
  package let type: ErrorType
  /// The message, at most ``messageByteLimit`` bytes of UTF-8.
  package let message: String

  /// The maximum size of a message in bytes (this project's limit). Even if escaping makes it six times as long, it
  /// stays below the 1 MiB that managed instances accept for the body of an error.
  package static let messageByteLimit = 128 * 1024

  /// Creates a document; truncates a longer message after the last whole character within the limit.
  package init(type: ErrorType, message: String) {
    self.type = type
    self.message = Self.truncated(message)
  }

  /// `{"errorMessage":"…","errorType":"…"}`.
  package var body: [UInt8] {
    var writer = JSONWriter(capacity: message.utf8.count + type.text.utf8.count + 48)
    writer.beginObject()
    writer.name("errorMessage")
    writer.string(message)
    writer.name("errorType")
    writer.string(type.text)
    writer.endObject()
    return writer.takeBytes()
  }

  private static func truncated(_ message: String) -> String {
    guard message.utf8.count > messageByteLimit else { return message }
    var end = message.utf8.index(message.utf8.startIndex, offsetBy: messageByteLimit)
    while message.utf8[end] & 0xC0 == 0x80 { end = message.utf8.index(before: end) }
    return String(message[..<end])
  }
}

/// An error type that Lambda does not change: `Function.` or `Runtime.`, a capital letter, then one or more letters.
///
/// Lambda searches for `(Runtime|Function)\.[A-Z][a-zA-Z]+` and replaces everything else by `Runtime.Unknown`
/// (aws-lambda-runtime-interface-emulator, `internal/lambda/fatalerror/fatalerror.go`).
package struct ErrorType: Equatable, Sendable {
  /// The text of the type in the header and the body.
  package let text: String

  /// Creates a type from its text; nil if Lambda would change it.
  package init?(_ text: String) {
    let isKept = Self.origins.contains { origin in
      guard text.utf8.starts(with: origin.utf8) else { return false }
      let name = text.utf8.dropFirst(origin.utf8.count)
      return name.count > 1 && name.allSatisfy({ $0.isLetter }) && name.first?.isUppercaseLetter == true
    }
    guard isKept else { return nil }
    self.text = text
  }

  /// Returns `Function.` and `code` with a capital letter: `invalidEvent` becomes `Function.InvalidEvent`. Characters
  /// other than ASCII letters are omitted; a code with fewer than two letters becomes `Function.Unknown`.
  package static func function(_ code: String) -> ErrorType {
    var name = code.utf8.filter { $0.isLetter }
    guard name.count > 1 else { return ErrorType(verified: "Function.Unknown") }
    name[0] &= ~0x20
    return ErrorType(verified: "Function." + String(decoding: name, as: UTF8.self))
  }

  private init(verified text: String) { self.text = text }

  private static let origins = ["Function.", "Runtime."]
}
