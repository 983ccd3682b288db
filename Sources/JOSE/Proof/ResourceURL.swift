import Bytes

/// The URL of a request without query and fragment, in the normal form of RFC 3986 sections 6.2.2 and 6.2.3.
///
/// A path with dot segments has no normal form here: servers disagree on it, so it is refused.
struct ResourceURL: Equatable, Sendable {
  let origin: WebOrigin
  let path: URLPath

  /// Parses an absolute `http` or `https` URL; query and fragment are ignored (RFC 9449 section 4.3, item 9).
  init?(parsing url: [UInt8]) {
    guard url.allSatisfy({ $0.isVisible }), let (origin, start) = WebOrigin.prefix(of: url) else {
      return nil
    }
    let end = url[start...].firstIndex { $0 == .questionMark || $0 == .numberSign } ?? url.endIndex
    // An empty path is the path "/" (RFC 3986 section 6.2.3).
    guard let path = start == end ? URLPath(parsing: [.slash]) : URLPath(parsing: url[start..<end]) else {
      return nil
    }
    self.origin = origin
    self.path = path
  }

  /// The URL as text.
  var text: [UInt8] { origin.text + path.text }
}

/// The path of a URL in normal form.
struct URLPath: Equatable, Sendable {
  let text: [UInt8]

  /// Parses a path that begins with a slash. Returns `nil` for a character that RFC 3986 section 3.3 does not allow, an
  /// incomplete percent-encoding or a dot segment.
  init?(parsing path: ArraySlice<UInt8>) {
    guard path.first == .slash else { return nil }
    var normal: [UInt8] = []
    normal.reserveCapacity(path.count)
    var index = path.startIndex
    while index < path.endIndex {
      let byte = path[index]
      if byte == .percent {
        guard index + 2 < path.endIndex, let high = path[index + 1].hexadecimalValue,
          let low = path[index + 2].hexadecimalValue
        else { return nil }
        let value = high << 4 | low
        if Self.isUnreserved(value) {
          normal.append(value)
        } else {
          normal += [.percent, Self.digit(high), Self.digit(low)]
        }
        index += 3
      } else {
        guard Self.isUnreserved(byte) || Self.isOtherPathCharacter(byte) else { return nil }
        normal.append(byte)
        index += 1
      }
    }
    let segments = normal.split(separator: .slash, omittingEmptySubsequences: false)
    guard !segments.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) else {
      return nil
    }
    text = normal
  }

  /// RFC 3986 section 2.3.
  private static func isUnreserved(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || byte == .hyphen || byte == .dot || byte == .underscore || byte == .tilde
  }

  /// The slash and the other characters of `pchar` (RFC 3986 section 3.3).
  private static func isOtherPathCharacter(_ byte: UInt8) -> Bool { "/:@!$&'()*+,;=".utf8.contains(byte) }

  /// A capital hexadecimal digit (RFC 3986 section 6.2.2.1).
  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? .digitZero + value : 0x37 + value }
}
