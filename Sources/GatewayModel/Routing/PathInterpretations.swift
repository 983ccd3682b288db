internal import Text
internal import Bytes

/// The other ways to read the path of a request, for which no document and no recording says what API Gateway does:
/// percent signs decoded, empty segments and dot segments removed (RFC 3986 section 5.2.4), no slash at the end, and
/// nothing from a question mark or a number sign on (HTTP APIs are reported to cut a decoded path there: pull request 93
/// of middleapi/standard-server).
///
/// If API Gateway routes by one of them, a path such as `/adm%69n` reaches a guarded route; if it does not, the open
/// greedy one. So `serve` lets such a path in only where each reading finds a route with the same guard.
package enum PathInterpretations {
  /// Returns the readings of a path that differ from the path itself, each once; `nil` for a path with too many.
  package static func others(than path: String) -> [String]? {
    // Almost every path has none of them.
    guard
      path.utf8.contains(.percent) || path.utf8.last == .slash || path.containsBytes(of: "//")
        || path.containsBytes(of: "/.")
        || path.utf8.contains(where: isEnd)
    else { return [] }
    var readings = [path]
    var next = 0
    while next < readings.count {
      if readings.count > maximumReadings { return nil }
      for read in [decoded, withoutEmptySegments, withoutDotSegments, withoutEnd, withoutQuery] {
        let reading = read(readings[next])
        if !readings.contains(where: { $0.utf8.elementsEqual(reading.utf8) }) { readings.append(reading) }
      }
      next += 1
    }
    return Array(readings.dropFirst())
  }

  /// The maximum number of readings: our limit. Five ways in any order give at most 32 without repeated decoding; a path
  /// with more is not for a person's program.
  private static let maximumReadings = 32

  private static func decoded(_ path: String) -> String { PercentText.decoded(path) }

  /// Returns the path without slashes at its end.
  package static func withoutEnd(_ path: String) -> String {
    var bytes = Substring(path).utf8
    while bytes.count > 1, bytes.last == .slash { bytes.removeLast() }
    return String(Substring(bytes))
  }

  /// Returns the path up to the first question mark or number sign.
  private static func withoutQuery(_ path: String) -> String {
    let rest = String(Substring(path.utf8.prefix { !isEnd($0) }))
    return rest.isEmpty ? "/" : rest
  }

  /// Whether a byte ends the path of a URL (RFC 3986 section 3.3).
  private static func isEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }

  /// The parts between slashes, of which the first is empty. A slash is a byte: with a combining character behind it, it
  /// still divides.
  private static func segments(_ path: String) -> [Substring] {
    Substring(path).utf8.split(separator: .slash, omittingEmptySubsequences: false).map { Substring($0) }
  }

  private static func withoutEmptySegments(_ path: String) -> String {
    let end = path.utf8.last == .slash && path.utf8.count > 1 ? "/" : ""
    let segments = segments(path).filter { !$0.isEmpty }
    return segments.isEmpty ? "/" : "/" + segments.joined(separator: "/") + end
  }

  private static func withoutDotSegments(_ path: String) -> String {
    var result: [Substring] = []
    let all = segments(path)
    for (index, segment) in all.enumerated() {
      let isLast = index == all.count - 1
      switch segment {
      case ".": if isLast { result.append("") }
      case "..":
        if result.count > 1 { result.removeLast() }
        if isLast { result.append("") }
      default: result.append(segment)
      }
    }
    return result.count == 1 ? "/" : result.joined(separator: "/")
  }
}
