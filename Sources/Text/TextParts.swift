/// Texts that are searched in others, by bytes.
package struct TextParts: Sendable {
  /// The parts by their first byte, because no part begins at most places of a text.
  private let byFirstByte: [[[UInt8]]]

  /// An empty part is in no text.
  package init(_ parts: [String]) {
    var byFirstByte = [[[UInt8]]](repeating: [], count: 256)
    for part in parts.map({ Array($0.utf8) }) {
      if let first = part.first { byFirstByte[Int(first)].append(part) }
    }
    self.byFirstByte = byFirstByte
  }

  /// Whether a text contains one of the parts.
  package func isAny(in text: String) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.indices.contains { start in
      byFirstByte[Int(bytes[start])].contains { bytes[start...].starts(with: $0) }
    }
  }
}
