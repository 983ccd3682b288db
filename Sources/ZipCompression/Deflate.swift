/// DEFLATE compression (RFC 1951): the same output for the same data on every machine and with every compiler.
///
/// Implemented here because the output of libraries and programs differs between versions, and so that none has to be
/// installed.
package struct Deflate {
  private let data: [UInt8]
  private var output = BitWriter()
  private var block = DeflateBlock()
  /// The last offset with each hash of three bytes; -1 for none.
  private var heads = [Int32](repeating: -1, count: hashes)
  /// The previous offset with the same hash, by offset modulo the window.
  private var links = [Int32](repeating: -1, count: window)

  /// How far back a repetition may reach, in bytes (RFC 1951 section 2).
  private static let window = 32_768
  private static let hashes = 32_768
  /// Lengths of a repetition, in bytes (section 3.2.5).
  private static let shortest = 3
  private static let longest = 258
  /// The number of offsets that are tried for a repetition. More find hardly longer ones: with 512 instead of 48 an
  /// x86-64 function gets 0.3 % smaller.
  private static let tries = 48
  /// A repetition of this length, in bytes, is used without looking for a longer one at the next offset.
  private static let goodEnough = 64

  /// Returns the data as one DEFLATE stream.
  package static func pack(_ bytes: [UInt8]) -> [UInt8] {
    var deflate = Deflate(data: bytes)
    deflate.compress()
    return deflate.output.finished()
  }

  private mutating func compress() {
    var offset = 0
    var found = repetition(at: 0, longerThan: Self.shortest - 1)
    while offset < data.count {
      enter(offset)
      // Emits a literal if the next offset has a longer repetition (section 4).
      let next =
        found.length < Self.goodEnough
        ? repetition(at: offset + 1, longerThan: max(found.length, Self.shortest - 1))
        : (length: 0, distance: 0)
      if found.length < Self.shortest || next.length > found.length {
        startBlockIfFull()
        block.add(literal: data[offset])
        offset += 1
        found = next
        continue
      }
      startBlockIfFull()
      block.add(length: found.length, distance: found.distance)
      for skipped in offset + 1..<offset + found.length { enter(skipped) }
      offset += found.length
      found = repetition(at: offset, longerThan: Self.shortest - 1)
    }
    block.write(isLast: true, to: &output)
  }

  private mutating func startBlockIfFull() {
    guard block.isFull else { return }
    block.write(isLast: false, to: &output)
    block = DeflateBlock()
  }

  /// Enters an offset in the hash table.
  private mutating func enter(_ offset: Int) {
    guard offset + Self.shortest <= data.count else { return }
    let hash = hash(at: offset)
    links[offset % Self.window] = heads[hash]
    heads[hash] = Int32(offset)
  }

  private func hash(at offset: Int) -> Int {
    let three = UInt32(data[offset]) << 16 | UInt32(data[offset + 1]) << 8 | UInt32(data[offset + 2])
    // Fibonacci hashing: 2^32 divided by the golden ratio.
    return Int((three &* 0x9E37_79B1) >> 17)
  }

  /// The longest repetition at an offset, the nearest of several; length 0 if none is longer than `minimum`.
  private func repetition(at offset: Int, longerThan minimum: Int) -> (length: Int, distance: Int) {
    let limit = min(Self.longest, data.count - offset)
    guard limit > minimum else { return (0, 0) }
    var best = (length: 0, distance: 0)
    var longest = minimum
    var candidate = Int(heads[hash(at: offset)])
    var tries = Self.tries
    while candidate >= 0, offset - candidate <= Self.window, tries > 0 {
      if candidate < offset, data[candidate + longest] == data[offset + longest] {
        let length = sharedLength(candidate, offset, limit)
        if length > longest {
          best = (length, offset - candidate)
          longest = length
          if length == limit { break }
        }
      }
      let before = Int(links[candidate % Self.window])
      // The entry may belong to a later offset: the table holds one window.
      guard before < candidate else { break }
      candidate = before
      tries -= 1
    }
    return best
  }

  private func sharedLength(_ one: Int, _ other: Int, _ limit: Int) -> Int {
    var length = 0
    while length < limit, data[one + length] == data[other + length] { length += 1 }
    return length
  }
}

/// Packs bits into bytes, the lowest first (section 3.1.1).
struct BitWriter {
  private var bytes: [UInt8] = []
  private var buffer: UInt64 = 0
  private var count: UInt64 = 0

  mutating func write(_ value: UInt32, bits: Int) {
    buffer |= UInt64(value) << count
    count += UInt64(bits)
    while count >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: buffer))
      buffer >>= 8
      count -= 8
    }
  }

  mutating func finished() -> [UInt8] {
    if count > 0 { bytes.append(UInt8(truncatingIfNeeded: buffer)) }
    return bytes
  }
}
