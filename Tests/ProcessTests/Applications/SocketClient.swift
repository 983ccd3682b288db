import TestSupport
import Foundation

/// A WebSocket client for short text messages (RFC 6455).
struct SocketClient: ~Copyable {
  private let connection: RawConnection
  private var received: [UInt8] = []

  struct Failed: Error { let answer: String }

  /// Opens the WebSocket.
  init(port: Int, handshake: String) throws {
    let connection = try RawConnection(port: port)
    let answer = try connection.exchange(handshake, until: "\r\n\r\n")
    guard answer.hasPrefix("HTTP/1.1 101 ") else { throw Failed(answer: answer) }
    self.connection = connection
  }

  /// Sends a text of at most 125 bytes in one frame, masked with zeros.
  func send(_ text: String) throws {
    let bytes = Array(text.utf8)
    precondition(bytes.count <= 125)
    _ = try connection.exchange(bytes: [0x81, 0x80 | UInt8(bytes.count), 0, 0, 0, 0] + bytes, count: 0)
  }

  /// Waits for the next text.
  mutating func receive() throws -> String {
    while true {
      if let (opcode, text) = frame() {
        if opcode == 1 { return text }
        if opcode == 8 { throw Failed(answer: "closed") }
        continue
      }
      let more = try connection.exchange(bytes: [], count: 1)
      guard !more.isEmpty else { throw Failed(answer: "ended") }
      received += more
    }
  }

  /// Takes the first whole frame from what was received.
  private mutating func frame() -> (opcode: UInt8, text: String)? {
    guard received.count >= 2 else { return nil }
    var (start, length) = (2, Int(received[1] & 0x7F))
    if length == 126 {
      guard received.count >= 4 else { return nil }
      (start, length) = (4, Int(received[2]) << 8 | Int(received[3]))
    }
    guard received.count >= start + length else { return nil }
    let result = (received[0] & 0x0F, String(decoding: received[start..<start + length], as: UTF8.self))
    received.removeFirst(start + length)
    return result
  }
}
