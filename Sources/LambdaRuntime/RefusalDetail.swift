import JSON

/// What the Runtime API says about a refusal: the `errorType` and `errorMessage` of its JSON body, or the beginning of a
/// body that is something else. Fit for one line of a log.
public struct RefusalDetail: Equatable, Sendable, CustomStringConvertible {
  /// The words, at most ``byteLimit`` bytes without control characters; empty where the body is.
  public let description: String

  /// Bytes of the detail, at most: ours. The Runtime API's own messages are under 200.
  public static let byteLimit = 512

  /// The detail in the body of a 4xx or 5xx answer.
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
    // A line break in a log begins a new event, which the sender could write as it likes.
    let line = words.prefix(Self.byteLimit).map { $0.isFieldCharacter ? $0 : .space }
    description = String(decoding: line, as: UTF8.self)
  }

  /// The detail as the end of a sentence.
  var clause: String { description.isEmpty ? "" : ": " + description }
}
