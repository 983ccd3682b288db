import Foundation
import TestSupport

/// The bytes of a received request.
struct RecordedRequest: Equatable {
  let bytes: [UInt8]

  var raw: String { String(decoding: bytes, as: UTF8.self) }

  /// The request line without its CRLF.
  var line: String { raw.components(separatedBy: "\r\n")[0] }

  var body: String {
    raw.range(of: "\r\n\r\n").map { String(raw[$0.upperBound...]) } ?? ""
  }

  /// The values of the fields with this name, ignoring case.
  func values(_ name: String) -> [String] {
    let head = raw.components(separatedBy: "\r\n\r\n")[0]
    return head.components(separatedBy: "\r\n").dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() else {
        return nil
      }
      return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
  }
}

/// The server side of a connection.
struct Peer {
  let descriptor: Int32
  private var unread: [UInt8] = []

  init(descriptor: Int32) {
    self.descriptor = descriptor
    HangLimit.limitWaits(of: descriptor)
    var on: Int32 = 1
    unsafe setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  mutating func takeRequest() -> RecordedRequest? {
    let emptyLine = Array("\r\n\r\n".utf8)
    var searched = 0
    while true {
      if let range = unread[searched...].firstRange(of: emptyLine) {
        let head = RecordedRequest(bytes: Array(unread[..<range.upperBound]))
        let length = range.upperBound + (head.values("Content-Length").first.flatMap(Int.init) ?? 0)
        while unread.count < length { guard fill() else { return nil } }
        defer { unread.removeFirst(length) }
        return RecordedRequest(bytes: Array(unread[..<length]))
      }
      searched = max(0, unread.count - 3)
      guard fill() else { return nil }
    }
  }

  mutating func takeBytes(_ count: Int) -> Bool {
    while unread.count < count { guard fill() else { return false } }
    return true
  }

  func send(_ bytes: [UInt8]) -> Bool { LoopbackConnection(descriptor: descriptor).write(bytes) }

  /// Whether the connection has ended, also by an error.
  mutating func isAtEnd() -> Bool {
    guard unread.isEmpty else { return false }
    return !fill() && errno != EAGAIN && unread.isEmpty
  }

  private mutating func fill() -> Bool {
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    errno = 0
    let count = unsafe recv(descriptor, &piece, piece.count, 0)
    guard count > 0 else { return false }
    unread += piece[..<count]
    return true
  }
}
