/// Text in progress, written from its beginning to its end.
///
/// An append to an array asks for its owner and its room, and calls two functions of the standard library. This memory
/// has all its bytes from the start, so that an append is one comparison and one copy.
package struct ByteBuffer: Sendable {
  private var memory: [UInt8]
  /// The number of bytes written.
  package private(set) var count = 0

  /// Creates an empty buffer; it grows when more than `capacity` bytes are written.
  package init(capacity: Int) { memory = [UInt8](repeating: 0, count: capacity) }

  @inline(__always)
  package mutating func append(_ byte: UInt8) {
    makeRoom(1)
    memory[count] = byte
    count += 1
  }

  package mutating func append(_ constant: StaticString) { constant.withBytes { append($0) } }

  /// Appends plain text between quotes.
  package mutating func append(quoted plain: Span<UInt8>) {
    let length = plain.count
    makeRoom(length &+ 2)
    let start = count
    var target = memory.mutableSpan
    target[start] = .quote
    target.copy(plain, to: start &+ 1)
    target[start &+ length &+ 1] = .quote
    count = start &+ length &+ 2
  }

  /// Appends the name of a member in JSON, which has nothing to escape: the constant between quotes and a colon, after a
  /// comma if there are members before it.
  package mutating func append(name constant: StaticString, afterComma: Bool) {
    constant.withBytes { name in
      makeRoom(name.count &+ 4)
      var end = count
      var target = memory.mutableSpan
      if afterComma {
        target[end] = .comma
        end &+= 1
      }
      target[end] = .quote
      target.copy(name, to: end &+ 1)
      end &+= name.count &+ 1
      target[end] = .quote
      target[end &+ 1] = .colon
      count = end &+ 2
    }
  }

  /// Appends these bytes.
  package mutating func append(_ bytes: Span<UInt8>) {
    makeRoom(bytes.count)
    let start = count
    var target = memory.mutableSpan
    target.copy(bytes, to: start)
    count = start &+ bytes.count
  }

  /// Appends these bytes.
  package mutating func append(_ bytes: [UInt8]) { append(bytes.span) }

  /// Appends the UTF-8 of a text. Disfavored, so that a literal is a `StaticString`, whose bytes need no
  /// reference.
  @_disfavoredOverload
  package mutating func append(_ text: String) { text.withBytes { append($0) } }

  /// Appends a number as decimal digits, after a hyphen if it is negative.
  package mutating func append(decimal value: Int64) {
    // 19 digits and a sign.
    makeRoom(20)
    if value < 0 { append(.hyphen) }
    var rest = value.magnitude
    var length = 1
    var power: UInt64 = 10
    while length < 19, rest >= power {
      power &*= 10
      length += 1
    }
    var place = count + length
    count = place
    repeat {
      place -= 1
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      memory[place] = .digitZero | UInt8(truncatingIfNeeded: digit)
      rest = quotient
    } while rest > 0
  }

  /// Discards all bytes; keeps the memory.
  package mutating func removeAll() { count = 0 }

  /// Removes the bytes from `index` on and returns them.
  package mutating func cut(from index: Int) -> [UInt8] {
    let rest = Array(copying: memory, in: index..<count)
    count = index
    return rest
  }

  /// The index of the first byte at or after `start` that is not plain text; the count if there is none.
  package func plainEnd(from start: Int) -> Int {
    PlainText.end(in: memory.span.extracting(0..<count), from: start)
  }

  /// Appends the bytes to an array.
  package func append(to array: inout [UInt8]) { array.append(copying: memory.span.extracting(0..<count)) }

  package var bytes: [UInt8] { Array(copying: memory, in: 0..<count) }

  /// Returns the bytes without a copy and leaves an empty buffer without memory.
  package mutating func takeBytes() -> [UInt8] {
    var bytes: [UInt8] = []
    swap(&bytes, &memory)
    bytes.removeLast(bytes.count - count)
    count = 0
    return bytes
  }

  @inline(__always)
  private mutating func makeRoom(_ length: Int) { if memory.count - count < length { grow(by: length) } }

  /// At least doubles the memory, so that many appends copy each byte a few times at most.
  @inline(never)
  private mutating func grow(by length: Int) {
    memory += [UInt8](repeating: 0, count: memory.count + length)
  }
}
