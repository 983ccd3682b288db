internal import Bytes
internal import Text

package enum Identifiers {
  /// Returns a random UUID (RFC 9562 section 5.4) in lower case.
  package static func requestID() -> String {
    var bytes = [UInt8].random(count: 16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.hexadecimal
    let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { digits[$0] }
    return String(decoding: Array(groups.joined(separator: [.hyphen])), as: UTF8.self)
  }

  /// Returns an X-Ray trace header: version 1, the time in hexadecimal seconds, 96 random bits; not sampled.
  package static func traceID(unixMilliseconds: Int64) -> String {
    let parent = String(decoding: [UInt8].random(count: 8).hexadecimal, as: UTF8.self)
    return "\(traceRoot(unixMilliseconds: unixMilliseconds));Parent=\(parent);Sampled=0"
  }

  /// Returns the first field of such a header, with which API Gateway begins a trace.
  package static func traceRoot(unixMilliseconds: Int64) -> String {
    let random = String(decoding: [UInt8].random(count: 12).hexadecimal, as: UTF8.self)
    return "Root=1-\(String(unixMilliseconds / 1000, radix: 16))-\(random)"
  }
}
