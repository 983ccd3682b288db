// Every `unsafe` copies the bytes of a span into memory whose length is checked directly before, or that is created with
// that length.

/// Copies of a part of an array. Embedded Swift 6.3 compiles `Array.init` and `append(contentsOf:)` of a slice to a loop
/// over single bytes, and these to copies of memory.
extension Array<UInt8> {
  /// Creates a copy of these bytes.
  package init(copying bytes: Span<UInt8>) {
    let length = bytes.count
    self = unsafe bytes.withUnsafeBytes { bytes in
      unsafe [UInt8](unsafeUninitializedCapacity: length) { memory, count in
        guard let source = bytes.baseAddress, let target = memory.baseAddress else { return }
        unsafe UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: length)
        count = length
      }
    }
  }

  /// Creates a copy of a part of these bytes.
  package init(copying bytes: [UInt8], in range: Range<Int>) {
    self.init(copying: bytes.span.extracting(range))
  }

  /// Appends a copy of these bytes.
  package mutating func append(copying bytes: Span<UInt8>) {
    let length = bytes.count
    append(addingCapacity: length) { output in
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe output.withUnsafeMutableBufferPointer { memory, count in
          guard let source = bytes.baseAddress, let target = memory.baseAddress else { return }
          precondition(memory.count - count >= length)
          unsafe UnsafeMutableRawPointer(target + count).copyMemory(from: source, byteCount: length)
          count += length
        }
      }
    }
  }

  /// Appends a copy of these bytes.
  package mutating func append(copying bytes: [UInt8]) { append(copying: bytes.span) }
}

extension MutableSpan<UInt8> {
  /// Replaces as many bytes from `index` on by these bytes. `update(fromContentsOf:)` is a loop over single bytes in
  /// Embedded Swift 6.3.
  @inline(__always)
  package mutating func copy(_ bytes: Span<UInt8>, to index: Int) {
    precondition(index >= 0 && bytes.count <= count &- index)
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe withUnsafeMutableBytes { memory in
        guard let source = bytes.baseAddress, let target = memory.baseAddress else { return }
        unsafe (target + index).copyMemory(from: source, byteCount: bytes.count)
      }
    }
  }
}
