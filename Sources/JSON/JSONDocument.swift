/// A JSON text that has been read from the first byte to the last and obeys RFC 8259 without exception.
///
/// Stricter than the RFC where it leaves a choice: duplicate member names, a byte order mark, invalid UTF-8 and lone
/// surrogates are refused. The reader keeps the text and an index of its values; strings and numbers are decoded when
/// somebody asks for them.
public struct JSONDocument: Sendable {
  let storage: JSONStorage

  /// Reads a whole text.
  ///
  /// - Parameters:
  ///   - bytes: the text in UTF-8.
  ///   - limits: what to refuse unread.
  /// - Throws: `JSONError` with the offset of the first wrong byte.
  public init(parsing bytes: [UInt8], limits: JSONLimits) throws(JSONError) {
    guard bytes.count <= limits.bytes else {
      throw .tooLarge(bytes: bytes.count, limit: limits.bytes)
    }
    var parser = JSONParser(limits: limits, textBytes: bytes.count)
    try parser.parse(bytes.span)
    storage = JSONStorage(text: bytes, nodes: parser.nodes)
  }

  /// The one value that the text consists of.
  public var root: JSONValue { JSONValue(storage: storage, index: 0) }
}

/// The text and the index of its values, shared by all `JSONValue`s of a document.
final class JSONStorage: Sendable {
  let text: [UInt8]
  let nodes: [JSONNode]

  init(text: [UInt8], nodes: [JSONNode]) {
    self.text = text
    self.nodes = nodes
  }
}

/// One value in the index; values stand in the order of the text, a member's name directly before its value.
struct JSONNode: Sendable {
  enum Kind: UInt8, Sendable { case object, array, string, escapedString, number, yes, no, null }

  /// First byte of the value; of a string, the byte after the quote.
  var start: UInt32
  /// The byte after the value; of a string, the closing quote.
  var end: UInt32
  /// Index of the node after this value and all it contains.
  var next: UInt32
  var kind: Kind
}
