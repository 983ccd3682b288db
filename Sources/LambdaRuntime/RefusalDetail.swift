import Bytes
import JSON

/// The Runtime API's reason for a refusal: `errorType` and `errorMessage` of its JSON body, or the beginning of another
/// body. It is safe for one line of a log.
package struct RefusalDetail: Equatable, Sendable, CustomStringConvertible {
  /// The reason, at most ``byteLimit`` bytes without control characters; empty if the body is empty.
  package let description: String

  /// The maximum size of the detail in bytes (this project's limit). The Runtime API's own messages are below 200.
  package static let byteLimit = 512

  /// Reads the detail from the body of a 4xx or 5xx answer.
  init(body: [UInt8]) {
    var words: [UInt8] = []
    if let document = try? JSONDocument(parsing: body, limits: .event) {
      words = document.root["errorType"]?.utf8 ?? []
      if let message = document.root["errorMessage"]?.utf8 {
        if !words.isEmpty { words += ": ".utf8 }
        words += message
      }
    }
    if words.isEmpty { words = body }
    // With a line break the sender could forge a new event in the log.
    let line = words.prefix(Self.byteLimit).map { $0.isFieldCharacter ? $0 : .space }
    description = String(decoding: line, as: UTF8.self)
  }

  /// The detail in the form that ends a message.
  var clause: String { description.isEmpty ? "" : ": " + description }
}
