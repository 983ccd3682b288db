internal import Bytes

package enum Identifiers {
  /// Returns a random UUID (RFC 9562 section 5.4) in lower case.
  package static func requestID() -> String {
    var bytes = (0..<16).map { _ in UInt8.random(in: 0...255) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = Array(String(decoding: bytes.hexadecimal, as: UTF8.self))
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
      .map { String(digits[$0]) }.joined(separator: "-")
  }

  /// Returns an X-Ray trace header: version 1, the time in hexadecimal seconds, 96 random bits; not sampled.
  package static func traceID(unixMilliseconds: Int64) -> String {
    let seconds = String(unixMilliseconds / 1000, radix: 16)
    let root = String(decoding: (0..<12).map { _ in UInt8.random(in: 0...255) }.hexadecimal, as: UTF8.self)
    let parent = String(decoding: (0..<8).map { _ in UInt8.random(in: 0...255) }.hexadecimal, as: UTF8.self)
    return "Root=1-\(seconds)-\(root);Parent=\(parent);Sampled=0"
  }
}
