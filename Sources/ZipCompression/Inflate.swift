/// DEFLATE decompression (RFC 1951), limited to the size that the archive declares.
///
/// Implemented here and not by zlib: a program that links zlib is built only where zlib's headers are installed, one
/// more package than a build needs otherwise, and `Deflate` needs the same tables.
package struct Inflate {
  private var reader: BitReader
  private var output: [UInt8] = []
  private let size: Int

  /// Returns the data of a DEFLATE stream whose unpacked size is exactly `size` bytes.
  package static func unpack(_ bytes: ArraySlice<UInt8>, size: Int) throws(InflateError) -> [UInt8] {
    var inflate = Inflate(reader: BitReader(bytes: bytes), size: size)
    inflate.output.reserveCapacity(size)
    try inflate.blocks()
    guard inflate.output.count == size else { throw .wrongSize }
    guard inflate.reader.isAtEnd else { throw .trailingBytes }
    return inflate.output
  }

  private mutating func blocks() throws(InflateError) {
    var isLast = false
    while !isLast {
      isLast = try reader.bits(1) == 1
      switch try reader.bits(2) {
      case 0: try stored()
      case 1: try compressed(literals: Self.fixedLiterals, distances: Self.fixedDistances)
      case 2:
        let codes = try dynamicCodes()
        try compressed(literals: codes.literals, distances: codes.distances)
      default: throw .badBlock
      }
    }
  }

  /// Section 3.2.4.
  private mutating func stored() throws(InflateError) {
    reader.alignToByte()
    let length = try reader.bits(16)
    guard try reader.bits(16) == ~length & 0xFFFF else { throw .badBlock }
    guard output.count + length <= size else { throw .wrongSize }
    output += try reader.bytes(length)
  }

  /// Section 3.2.5.
  private mutating func compressed(literals: HuffmanCode, distances: HuffmanCode) throws(InflateError) {
    while true {
      let symbol = try literals.symbol(&reader)
      if symbol < 256 {
        guard output.count < size else { throw .wrongSize }
        output.append(UInt8(symbol))
        continue
      }
      if symbol == 256 { return }
      let index = symbol - 257
      guard index < Self.lengths.count else { throw .badCode }
      let length = Self.lengths[index].base + (try reader.bits(Self.lengths[index].extra))
      let distanceIndex = try distances.symbol(&reader)
      guard distanceIndex < Self.distances.count else { throw .badCode }
      let distance =
        Self.distances[distanceIndex].base + (try reader.bits(Self.distances[distanceIndex].extra))
      guard distance <= output.count else { throw .badDistance }
      guard output.count + length <= size else { throw .wrongSize }
      // Byte by byte, because source and target may overlap.
      for _ in 0..<length { output.append(output[output.count - distance]) }
    }
  }

  /// Section 3.2.7.
  private mutating func dynamicCodes() throws(InflateError) -> (literals: HuffmanCode, distances: HuffmanCode)
  {
    let literalCount = try reader.bits(5) + 257
    let distanceCount = try reader.bits(5) + 1
    let lengthCount = try reader.bits(4) + 4
    guard literalCount <= 286, distanceCount <= 30 else { throw .badCode }
    var codeLengths = [Int](repeating: 0, count: Self.lengthOrder.count)
    for index in 0..<lengthCount { codeLengths[Self.lengthOrder[index]] = try reader.bits(3) }
    let code = try HuffmanCode(codeLengths, mayBeIncomplete: false)
    var lengths: [Int] = []
    while lengths.count < literalCount + distanceCount {
      let symbol = try code.symbol(&reader)
      switch symbol {
      case 0...15: lengths.append(symbol)
      case 16:
        guard let last = lengths.last else { throw .badCode }
        lengths += [Int](repeating: last, count: try reader.bits(2) + 3)
      case 17: lengths += [Int](repeating: 0, count: try reader.bits(3) + 3)
      default: lengths += [Int](repeating: 0, count: try reader.bits(7) + 11)
      }
    }
    guard lengths.count == literalCount + distanceCount, lengths[256] != 0 else { throw .badCode }
    return (
      try HuffmanCode(Array(lengths[..<literalCount]), mayBeIncomplete: true),
      try HuffmanCode(Array(lengths[literalCount...]), mayBeIncomplete: true)
    )
  }

  static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  /// The first length and the extra bits of the symbols from 257 on.
  static let lengths: [(base: Int, extra: Int)] = [
    (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (9, 0), (10, 0), (11, 1), (13, 1), (15, 1), (17, 1),
    (19, 2), (23, 2), (27, 2), (31, 2), (35, 3), (43, 3), (51, 3), (59, 3), (67, 4), (83, 4), (99, 4),
    (115, 4), (131, 5), (163, 5), (195, 5), (227, 5), (258, 0),
  ]

  /// The first distance and the extra bits of each symbol.
  static let distances: [(base: Int, extra: Int)] = [
    (1, 0), (2, 0), (3, 0), (4, 0), (5, 1), (7, 1), (9, 2), (13, 2), (17, 3), (25, 3), (33, 4), (49, 4),
    (65, 5), (97, 5), (129, 6), (193, 6), (257, 7), (385, 7), (513, 8), (769, 8), (1025, 9), (1537, 9),
    (2049, 10), (3073, 10), (4097, 11), (6145, 11), (8193, 12), (12289, 12), (16385, 13), (24577, 13),
  ]

  /// Section 3.2.6.
  private static let fixedLiterals = HuffmanCode(
    complete: [Int](repeating: 8, count: 144) + [Int](repeating: 9, count: 112)
      + [Int](repeating: 7, count: 24) + [Int](repeating: 8, count: 8))
  private static let fixedDistances = HuffmanCode(complete: [Int](repeating: 5, count: 30))
}

/// Why data cannot be unpacked.
package enum InflateError: Error, Equatable {
  case endOfData, badBlock, badCode, badDistance, wrongSize, trailingBytes
}

/// A canonical Huffman code (RFC 1951 section 3.2.2): the number of codes of each length, and the symbols in order.
private struct HuffmanCode {
  private var counts = [Int](repeating: 0, count: 16)
  private var symbols: [Int] = []
  /// The short codes: `symbol << 4 | length` by the next bits of the stream, and 0 where a longer code begins.
  private var short = [UInt16](repeating: 0, count: 1 << shortBits)

  /// The bits of the longest short code. Almost all symbols of a program have one.
  private static let shortBits = 10

  /// - Throws: `badCode` if the code is oversubscribed, or incomplete. `mayBeIncomplete` allows an incomplete code of
  ///   a single symbol.
  init(_ lengths: [Int], mayBeIncomplete: Bool) throws(InflateError) {
    self.init(symbolsOf: lengths)
    var free = 1
    for count in counts[1...] {
      free = free << 1 - count
      if free < 0 { throw .badCode }
    }
    let isSingle = symbols.count <= 1
    if free > 0, !(mayBeIncomplete && isSingle) { throw .badCode }
    enterShortCodes()
  }

  init(complete lengths: [Int]) {
    self.init(symbolsOf: lengths)
    enterShortCodes()
  }

  private init(symbolsOf lengths: [Int]) {
    for length in lengths { counts[length] += 1 }
    counts[0] = 0
    for length in 1...15 {
      symbols += lengths.indices.filter { lengths[$0] == length }
    }
  }

  /// Only for a code that is not oversubscribed.
  private mutating func enterShortCodes() {
    var code = 0
    var index = 0
    for length in 1...Self.shortBits {
      for _ in 0..<counts[length] {
        // Codes are stored with their first bit lowest; the bits above are those of the next symbols.
        let first = (0..<length).reduce(0) { $0 | (code >> $1 & 1) << (length - 1 - $1) }
        for entry in stride(from: first, to: 1 << Self.shortBits, by: 1 << length) {
          short[entry] = UInt16(symbols[index] << 4 | length)
        }
        code += 1
        index += 1
      }
      code <<= 1
    }
  }

  func symbol(_ reader: inout BitReader) throws(InflateError) -> Int {
    let entry = Int(short[reader.next(Self.shortBits)])
    if entry != 0, reader.skip(entry & 15) { return entry >> 4 }
    return try longSymbol(&reader)
  }

  /// Reads a code of any length bit by bit.
  private func longSymbol(_ reader: inout BitReader) throws(InflateError) -> Int {
    var code = 0
    var first = 0
    var index = 0
    for length in 1...15 {
      code |= try reader.bits(1)
      let count = counts[length]
      if code - count < first { return symbols[index + code - first] }
      index += count
      first = (first + count) << 1
      code <<= 1
    }
    throw .badCode
  }
}

/// Reads bits from bytes, the lowest first (section 3.1.1).
private struct BitReader {
  private let data: ArraySlice<UInt8>
  /// The first byte that is not in the buffer.
  private var index: Int
  private var buffer: UInt64 = 0
  /// The bits in the buffer.
  private var count = 0

  init(bytes: ArraySlice<UInt8>) {
    data = bytes
    index = bytes.startIndex
  }

  /// Whether only the rest of a byte is left.
  var isAtEnd: Bool { index == data.endIndex && count < 8 }

  private mutating func fill() {
    while count <= 56, index < data.endIndex {
      buffer |= UInt64(data[index]) << UInt64(count)
      index += 1
      count += 8
    }
  }

  /// Returns the next bits, with zeros after the end of the data, and does not move.
  mutating func next(_ wanted: Int) -> Int {
    if count < wanted { fill() }
    return Int(buffer & (1 << UInt64(wanted) - 1))
  }

  /// Moves over bits; returns false, and does not move, if there are fewer.
  mutating func skip(_ bits: Int) -> Bool {
    guard bits <= count else { return false }
    buffer >>= UInt64(bits)
    count -= bits
    return true
  }

  mutating func bits(_ wanted: Int) throws(InflateError) -> Int {
    let value = next(wanted)
    guard skip(wanted) else { throw .endOfData }
    return value
  }

  mutating func alignToByte() { _ = skip(count % 8) }

  /// Reads whole bytes, at the start of one.
  mutating func bytes(_ wanted: Int) throws(InflateError) -> ArraySlice<UInt8> {
    index -= count / 8
    buffer = 0
    count = 0
    guard data.endIndex - index >= wanted else { throw .endOfData }
    defer { index += wanted }
    return data[index..<index + wanted]
  }
}
