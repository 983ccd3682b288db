import Bytes

/// Escapes, decoding and comparison of strings, always on bytes.
///
/// Member names and claims are compared by code point without normalization (RFC 7519 section 7.3). For valid UTF-8
/// this equals a comparison of bytes. Swift's `String ==` compares canonical equivalence instead.
enum JSONString {
  /// Validates the escape at `index` and returns the index after it; a surrogate pair counts as one escape.
  static func end(ofEscapeAt index: Int, in text: Span<UInt8>) throws(JSONError) -> Int {
    guard index + 1 < text.count else { throw .unexpectedEnd(offset: text.count) }
    switch text[index + 1] {
    case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: return index + 2
    case 0x75: break
    default: throw .invalidEscape(offset: index)
    }
    let unit = try codeUnit(at: index, in: text)
    switch unit {
    case 0xD800..<0xDC00:
      let low = index + 6
      guard low + 1 < text.count, text[low] == 0x5C, text[low + 1] == 0x75 else {
        throw .loneSurrogate(offset: index)
      }
      guard 0xDC00..<0xE000 ~= (try codeUnit(at: low, in: text)) else {
        throw .loneSurrogate(offset: index)
      }
      return low + 6
    case 0xDC00..<0xE000: throw .loneSurrogate(offset: index)
    default: return index + 6
    }
  }

  /// The decoded bytes of a string node.
  static func decoded(_ text: Span<UInt8>, _ node: JSONNode) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(node.end - node.start))
    var cursor = Cursor(node)
    while let byte = cursor.next(in: text) { bytes.append(byte) }
    return bytes
  }

  /// A hash of the decoded bytes. Equal hashes do not mean equal strings; `areEqual` decides.
  static func hash(_ text: Span<UInt8>, _ node: JSONNode) -> UInt16 {
    if node.kind == .string { return hash(text.extracting(node.range)) }
    return hash(decoded(text, node).span)
  }

  /// The odd constant of the hash: 2^64 divided by the golden ratio (Knuth, "The Art of Computer Programming", section
  /// 6.4).
  static let hashFactor: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Multiplies words of eight bytes by a constant and takes the highest bits, which depend on all others.
  static func hash(_ bytes: Span<UInt8>) -> UInt16 {
    let factor = hashFactor
    let count = bytes.count
    var hash = UInt64(truncatingIfNeeded: count)
    if count >= 8 {
      var index = 0
      while index < count - 8 {
        hash = (hash ^ bytes.word(at: index)) &* factor
        hash ^= hash >> 32
        index += 8
      }
      hash ^= bytes.word(at: count - 8)
    } else if count > 3 {
      // Both halves may overlap.
      hash ^= UInt64(fourBytes(bytes, at: 0)) << 32 | UInt64(fourBytes(bytes, at: count - 4))
    } else {
      for index in bytes.indices { hash = hash << 8 | UInt64(bytes[index]) }
    }
    return UInt16(truncatingIfNeeded: (hash &* factor) >> 48)
  }

  @inline(__always)
  private static func fourBytes(_ bytes: Span<UInt8>, at index: Int) -> UInt32 {
    UInt32(bytes[index]) | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2]) << 16
      | UInt32(bytes[index + 3]) << 24
  }

  static func areEqual(_ text: Span<UInt8>, _ left: JSONNode, _ right: JSONNode) -> Bool {
    var left = Cursor(left)
    var right = Cursor(right)
    while true {
      let byte = left.next(in: text)
      guard byte == right.next(in: text) else { return false }
      if byte == nil { return true }
    }
  }

  /// Whether the left string precedes the right one in byte order; `nil` if they are equal.
  static func precedes(_ text: Span<UInt8>, _ left: JSONNode, _ right: JSONNode) -> Bool? {
    var left = Cursor(left)
    var right = Cursor(right)
    while true {
      switch (left.next(in: text), right.next(in: text)) {
      case (nil, nil): return nil
      case (nil, _): return true
      case (_, nil): return false
      case (let leftByte?, let rightByte?): if leftByte != rightByte { return leftByte < rightByte }
      }
    }
  }

  /// Whether a string equals these lower-case bytes, ignoring the case of ASCII letters.
  static func isEqual(
    _ text: Span<UInt8>, _ node: JSONNode, ignoringASCIICaseTo lowerCase: some Collection<UInt8>
  ) -> Bool {
    guard node.kind == .escapedString || Int(node.end - node.start) == lowerCase.count else { return false }
    var cursor = Cursor(node)
    for expected in lowerCase {
      guard let byte = cursor.next(in: text) else { return false }
      guard (0x41...0x5A ~= byte ? byte | 0x20 : byte) == expected else { return false }
    }
    return cursor.next(in: text) == nil
  }

  /// Whether the decoded string has exactly these bytes. Most strings have another length.
  @inline(__always)
  static func isEqual(_ text: Span<UInt8>, _ node: JSONNode, to bytes: Span<UInt8>) -> Bool {
    if node.kind == .string { return text.extracting(node.range).equals(bytes) }
    // No escape is shorter than what it stands for.
    guard node.range.count > bytes.count else { return false }
    return decoded(text, node).span.equals(bytes)
  }

  /// Iterates over the decoded bytes of a string whose escapes have been validated.
  private struct Cursor {
    private var index: Int
    private let end: Int
    private let hasEscapes: Bool
    /// The remaining bytes of an escaped scalar, lowest byte first.
    private var pending: UInt32 = 0
    private var pendingCount = 0

    init(_ node: JSONNode) {
      index = Int(node.start)
      end = Int(node.end)
      hasEscapes = node.kind == .escapedString
    }

    mutating func next(in text: Span<UInt8>) -> UInt8? {
      if pendingCount > 0 {
        let byte = UInt8(truncatingIfNeeded: pending)
        pending >>= 8
        pendingCount -= 1
        return byte
      }
      guard index < end else { return nil }
      let byte = text[index]
      guard hasEscapes, byte == 0x5C else {
        index += 1
        return byte
      }
      return unescape(text)
    }

    private mutating func unescape(_ text: Span<UInt8>) -> UInt8 {
      let kind = text[index + 1]
      switch kind {
      case 0x62: return simple(0x08)
      case 0x66: return simple(0x0C)
      case 0x6E: return simple(0x0A)
      case 0x72: return simple(0x0D)
      case 0x74: return simple(0x09)
      case 0x75: return scalar(text)
      default: return simple(kind)
      }
    }

    private mutating func simple(_ byte: UInt8) -> UInt8 {
      index += 2
      return byte
    }

    private mutating func scalar(_ text: Span<UInt8>) -> UInt8 {
      var value = JSONString.hexadecimal(at: index + 2, in: text)
      index += 6
      if 0xD800..<0xDC00 ~= value {
        let low = JSONString.hexadecimal(at: index + 2, in: text)
        value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
        index += 6
      }
      func tail(_ shift: UInt32) -> UInt32 { 0x80 | (value >> shift) & 0x3F }
      switch value {
      case ..<0x80:
        return UInt8(value)
      case ..<0x800:
        (pending, pendingCount) = (tail(0), 1)
        return UInt8(0xC0 | value >> 6)
      case ..<0x10000:
        (pending, pendingCount) = (tail(6) | tail(0) << 8, 2)
        return UInt8(0xE0 | value >> 12)
      default:
        (pending, pendingCount) = (tail(12) | tail(6) << 8 | tail(0) << 16, 3)
        return UInt8(0xF0 | value >> 18)
      }
    }
  }

  private static func codeUnit(at index: Int, in text: Span<UInt8>) throws(JSONError) -> UInt32 {
    guard index + 6 <= text.count else { throw .unexpectedEnd(offset: text.count) }
    for digit in index + 2..<index + 6 {
      guard hexadecimalDigit(text[digit]) != nil else { throw .invalidEscape(offset: index) }
    }
    return hexadecimal(at: index + 2, in: text)
  }

  private static func hexadecimal(at index: Int, in text: Span<UInt8>) -> UInt32 {
    var value: UInt32 = 0
    for digit in index..<index + 4 { value = value << 4 | (hexadecimalDigit(text[digit]) ?? 0) }
    return value
  }

  private static func hexadecimalDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case 0x30...0x39: UInt32(byte - 0x30)
    case 0x41...0x46: UInt32(byte - 0x41 + 10)
    case 0x61...0x66: UInt32(byte - 0x61 + 10)
    default: nil
    }
  }
}

/// Strict UTF-8 (RFC 3629 section 4, the well-formed byte sequences of Unicode table 3-7).
enum UTF8Scanner {
  /// Returns the index after the non-ASCII scalar that begins at `index`.
  static func end(ofScalarAt index: Int, in text: Span<UInt8>) throws(JSONError) -> Int {
    let first = text[index]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    case 0xF1...0xF3: length = 4
    default: throw .invalidUTF8(offset: index)
    }
    guard index + length <= text.count, second ~= text[index + 1] else {
      throw .invalidUTF8(offset: index)
    }
    for tail in index + 2..<max(index + 2, index + length) {
      guard 0x80...0xBF ~= text[tail] else { throw .invalidUTF8(offset: index) }
    }
    return index + length
  }
}
