import Foundation

/// A connection to a local port, byte by byte. Every wait ends at `HangLimit`.
package struct RawConnection: ~Copyable {
  private let descriptor: Int32

  package struct Failed: Error {
    package let reason: String

    package init(reason: String) { self.reason = reason }
  }

  package init(port: Int) throws { descriptor = try LoopbackSocket.connected(port: UInt16(port)) }

  deinit { close(descriptor) }

  /// Sends a text and reads until the answer contains `end`, or until the connection ends.
  package func exchange(_ text: String, until end: String?) throws -> String {
    try write(Array(text.utf8))
    var bytes: [UInt8] = []
    while end.map({ !String(decoding: bytes, as: UTF8.self).contains($0) }) ?? true {
      let more = try read()
      if more.isEmpty { break }
      bytes += more
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Sends a text, ends this side of the connection, and reads until the other side ends too.
  package func exchange(last text: String) throws -> String {
    try write(Array(text.utf8))
    shutdown(descriptor, Int32(SHUT_WR))
    return try exchange("", until: nil)
  }

  /// Sends bytes and reads `count` bytes, or until the connection ends.
  package func exchange(bytes: [UInt8], count: Int) throws -> [UInt8] {
    try write(bytes)
    var answer: [UInt8] = []
    while answer.count < count {
      let more = try read()
      if more.isEmpty { break }
      answer += more
    }
    return answer
  }

  private func write(_ bytes: [UInt8]) throws {
    guard LoopbackConnection(descriptor: descriptor).write(bytes) else {
      throw Failed(reason: "send: \(errno)")
    }
  }

  private func read() throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
    guard count >= 0 else { throw Failed(reason: "recv: \(errno)") }
    return Array(buffer.prefix(count))
  }
}
