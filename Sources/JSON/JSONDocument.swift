/// A parsed JSON text that conforms strictly to RFC 8259.
///
/// The parser is strict where the RFC leaves a choice: it refuses duplicate member names, a byte order mark, invalid
/// UTF-8 and lone surrogates. The document stores the text and a node for each of its values; strings and numbers are
/// decoded on access.
package struct JSONDocument: Sendable {
  let storage: JSONStorage

  /// Parses a whole text.
  ///
  /// - Parameters:
  ///   - bytes: the text in UTF-8.
  ///   - limits: the limits for size, depth and counts.
  /// - Throws: `JSONError` with the offset of the first invalid byte.
  package init(parsing bytes: [UInt8], limits: JSONLimits) throws(JSONError) {
    guard bytes.count <= limits.bytes else {
      throw .tooLarge(bytes: bytes.count, limit: limits.bytes)
    }
    var parser = JSONParser(limits: limits)
    storage = JSONStorage(text: bytes, nodes: try parser.parse(bytes.span))
  }

  /// The top-level value.
  package var root: JSONValue { JSONValue(storage: storage, index: 0) }
}

/// A text and its nodes, with unused ones behind them. A class, so that each value of a document refers to one object.
final class JSONStorage: Sendable {
  let text: [UInt8]
  let nodes: [JSONNode]

  init(text: [UInt8], nodes: [JSONNode]) {
    self.text = text
    self.nodes = nodes
  }
}

/// One value of a text, or the name of a member: what it is and where it is.
///
/// The nodes of a text are an array in the order of the text. A member is the node of its name, directly followed by that
/// of its value, and an object or array is followed by all that it contains. `next` is the index after that.
struct JSONNode: Sendable {
  enum Kind: UInt8, Sendable { case object, array, string, escapedString, number, yes, no, null }

  /// The offset of the value's first byte; for a string, of the byte after the quote.
  var start: UInt32
  /// The offset after the value; for a string, of the closing quote.
  var end: UInt32
  /// The index of the node after this value and its contents; for a member's name, after the member.
  var next: UInt32
  /// Of a member's name, to find it and its duplicates; 0 for values.
  var hash: UInt16 = 0
  var kind: Kind

  /// The offsets of a string between its quotes.
  var range: Range<Int> { Int(start)..<Int(end) }
}
