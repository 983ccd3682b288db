import Foundation
import TestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

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

  func send(_ bytes: [UInt8]) -> Bool {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { all in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: all[sent...])
        return unsafe SystemCall.send(descriptor, rest.baseAddress, rest.count, flags)
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

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

/// System calls with the same names as methods in these files.
enum SystemCall {
  static func listen(_ descriptor: Int32, _ backlog: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.listen(descriptor, backlog)
    #else
      Darwin.listen(descriptor, backlog)
    #endif
  }

  static func bind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
    #if canImport(Glibc)
      unsafe Glibc.bind(descriptor, address, size)
    #else
      unsafe Darwin.bind(descriptor, address, size)
    #endif
  }

  static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.send(descriptor, bytes, count, flags)
    #else
      unsafe Darwin.send(descriptor, bytes, count, flags)
    #endif
  }
}
