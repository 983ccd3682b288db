import Bytes

/// Checks whether bytes are one JSON text (RFC 8259).
///
/// The function's own parser is stricter. This one refuses only what Lambda would refuse, so duplicate names and huge
/// numbers are accepted.
struct JSONSyntax {
  /// The maximum nesting of a payload. Our choice: the default of the parser family that Lambda's messages come from
  /// (Jackson's `StreamReadConstraints`).
  static let maximumDepth = 1000

  /// Returns the byte offset at which the text stops being JSON; `nil` for valid JSON.
  static func fault(in bytes: [UInt8]) -> Int? {
    guard String(validating: bytes, as: UTF8.self) != nil else { return bytes.firstIndex { $0 >= 0x80 } ?? 0 }
    var syntax = JSONSyntax(bytes: bytes)
    return syntax.isText() ? nil : syntax.index
  }

  private let bytes: [UInt8]
  private var index = 0

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipSpace() {
    while index < bytes.count, bytes[index] <= 0x20, Self.isSpace(bytes[index]) { index += 1 }
  }

  private mutating func take(_ byte: Character) -> Bool {
    guard next == byte.asciiValue else { return false }
    index += 1
    return true
  }

  private mutating func isText() -> Bool {
    // A list of the open brackets instead of recursion, so that depth does not use the stack.
    var closers: [Character] = []
    while true {
      skipSpace()
      if next == UInt8(ascii: "{") || next == UInt8(ascii: "[") {
        guard closers.count < Self.maximumDepth else { return false }
        let closer: Character = take("{") ? "}" : "]"
        if closer == "]" { index += 1 }
        skipSpace()
        if !take(closer) {
          closers.append(closer)
          if closer == "}", !takeName() { return false }
          continue
        }
      } else if !takeScalar() {
        return false
      }
      guard endValue(&closers) else { return false }
      if closers.isEmpty { return index == bytes.count }
    }
  }

  /// After a value: closes the containers that end here, and continues with the next value if there is one.
  private mutating func endValue(_ closers: inout [Character]) -> Bool {
    while let closer = closers.last {
      skipSpace()
      if take(closer) {
        closers.removeLast()
        continue
      }
      guard take(",") else { return false }
      if closer == "]" { return true }
      skipSpace()
      return takeName()
    }
    skipSpace()
    return true
  }

  private mutating func takeName() -> Bool {
    guard takeString() else { return false }
    skipSpace()
    return take(":")
  }

  private mutating func takeScalar() -> Bool {
    switch next {
    case UInt8(ascii: "\""): takeString()
    case UInt8(ascii: "t"): takeWord("true")
    case UInt8(ascii: "f"): takeWord("false")
    case UInt8(ascii: "n"): takeWord("null")
    default: takeNumber()
    }
  }

  private mutating func takeWord(_ word: StaticString) -> Bool {
    let text = String(describing: word).utf8
    guard bytes[index...].starts(with: text) else { return false }
    index += text.count
    return true
  }

  private mutating func takeString() -> Bool {
    guard take("\"") else { return false }
    while let byte = next {
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return true
      case 0..<0x20: return false
      case UInt8(ascii: "\\"):
        guard let escaped = next else { return false }
        index += 1
        if escaped == UInt8(ascii: "u") {
          guard index + 4 <= bytes.count, bytes[index..<index + 4].allSatisfy(\.isHexadecimalDigit) else {
            return false
          }
          index += 4
        } else if !#""\/bfnrt"#.utf8.contains(escaped) {
          return false
        }
      default: break
      }
    }
    return false
  }

  private mutating func takeNumber() -> Bool {
    _ = take("-")
    if !take("0"), !takeDigits() { return false }
    if take("."), !takeDigits() { return false }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      return takeDigits()
    }
    return true
  }

  private mutating func takeDigits() -> Bool {
    let start = index
    while let byte = next, byte.isDecimalDigit { index += 1 }
    return index > start
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == .space || byte == .tab || byte == .lineFeed || byte == .carriageReturn
  }
}
