/// Copies of a part of an array. Embedded Swift 6.3 compiles `Array.init` and `append(contentsOf:)` of a slice to a loop
/// over single bytes, and these to copies of memory.
extension Array<UInt8> {
  /// Creates a copy of these bytes.
  package init(copying bytes: Span<UInt8>) {
    self.init(capacity: bytes.count) { output in
      for index in bytes.indices { output.append(bytes[index]) }
    }
  }

  /// Creates a copy of a part of these bytes.
  package init(copying bytes: [UInt8], in range: Range<Int>) {
    self.init(copying: bytes.span.extracting(range))
  }

  /// Appends a copy of these bytes.
  package mutating func append(copying bytes: Span<UInt8>) {
    append(addingCapacity: bytes.count) { output in
      for index in bytes.indices { output.append(bytes[index]) }
    }
  }

  /// Appends a copy of these bytes.
  package mutating func append(copying bytes: [UInt8]) { append(copying: bytes.span) }
}
