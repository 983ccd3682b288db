import Bytes
import KeyFetcher

/// The freshness lifetime of an answer from its Cache-Control and Age fields (RFC 9111 §4.2 and §5).
///
/// Several Cache-Control fields form one list. `max-age` is accepted as a token or quoted, and may repeat the same
/// number. `no-store`, `no-cache` (also for certain fields only), a malformed `max-age` and two different ones make
/// the answer stale immediately, as §4.2.1 recommends. Expires and `s-maxage`, which is for shared caches, are
/// ignored. Only the first Age field is used; a malformed one is ignored.
struct Freshness: Equatable {
  private var maximumAge: Int64?
  private var isStale = false
  private var age: Int64?
  private var hasAge = false

  /// RFC 9111 §1.2.2: larger numbers are treated as 2^31.
  private static let largestSeconds: Int64 = 1 << 31

  /// The remaining seconds; nil if no field defines them.
  var seconds: Int64? {
    if isStale { return 0 }
    return maximumAge.map { max(0, $0 - (age ?? 0)) }
  }

  /// Reads one line of the head, with or without its line end.
  mutating func read(line: [UInt8]) {
    guard let colon = line.firstIndex(of: .colon) else { return }
    let name = line[..<colon].lowercase
    let value = Self.trimmed(line[(colon + 1)...])
    if name.elementsEqual("cache-control".utf8) {
      for directive in Self.elements(of: value) { read(directive: directive) }
    } else if name.elementsEqual("age".utf8), !hasAge {
      hasAge = true
      age = Self.seconds(value)
    }
  }

  private mutating func read(directive: ArraySlice<UInt8>) {
    let equals = directive.firstIndex(of: .equalsSign)
    let name = directive[..<(equals ?? directive.endIndex)].lowercase
    if name.elementsEqual("no-store".utf8) || name.elementsEqual("no-cache".utf8) {
      isStale = true
    } else if name.elementsEqual("max-age".utf8) {
      let value = equals.map { Self.unquoted(directive[($0 + 1)...]) }
      guard let value, let seconds = Self.seconds(value), maximumAge == nil || maximumAge == seconds else {
        isStale = true
        return
      }
      maximumAge = seconds
    }
  }

  /// The elements of a list (RFC 9110 §5.6.1); commas within quotes do not separate them.
  private static func elements(of list: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var elements: [ArraySlice<UInt8>] = []
    var start = list.startIndex
    var isQuoted = false
    var isEscaped = false
    for (index, byte) in zip(list.indices, list) {
      if isEscaped {
        isEscaped = false
      } else if byte == .backslash, isQuoted {
        isEscaped = true
      } else if byte == .quote {
        isQuoted.toggle()
      } else if byte == .comma, !isQuoted {
        elements.append(trimmed(list[start..<index]))
        start = index + 1
      }
    }
    elements.append(trimmed(list[start...]))
    return elements
  }

  /// Parses delta-seconds of RFC 9111 §1.2.2.
  private static func seconds(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard !digits.isEmpty, digits.allSatisfy({ $0.isDecimalDigit }) else { return nil }
    return digits.reduce(0) { min(largestSeconds, $0 * 10 + Int64($1 - UInt8.digitZero)) }
  }

  private static func unquoted(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard text.count >= 2, text.first == .quote, text.last == .quote else { return text }
    return text.dropFirst().dropLast()
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = text
    while let last = rest.last, last.isBlankOrLineEnd { rest.removeLast() }
    return rest.drop { $0.isBlankOrLineEnd }
  }
}

extension UInt8 {
  fileprivate var isBlankOrLineEnd: Bool {
    self == .space || self == .tab || self == .carriageReturn
      || self == .lineFeed
  }
}
