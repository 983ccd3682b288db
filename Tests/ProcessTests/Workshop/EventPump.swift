import Foundation
import Synchronization
import TestSupport

/// A Runtime API that serves events as fast as they are answered, on a separate thread. To do little work for each,
/// it recognizes requests by their first letter and their length.
final class EventPump: Sendable {
  /// Whether this system has a folder for each process (proc(5)).
  static let hasProcessFolders = FileManager.default.isReadableFile(atPath: "/proc/self/statm")

  /// The reaction to one call of `/next`.
  enum Turn: Sendable {
    case event([UInt8])
    /// Resets the connection instead of answering. The runtime calls again over a new one.
    case reset
    /// Answers 500, after which the runtime ends.
    case end
  }

  /// The totals of all calls.
  struct Count: Equatable, Sendable {
    var connections = 0
    var nexts = 0
    var responses = 0
    var errors = 0
    var other = 0
  }

  let port: UInt16
  private let listener: Int32
  private let turn: @Sendable (Int) -> Turn
  private let count = Mutex(Count())
  private let ended = DispatchSemaphore(value: 0)

  /// Creates a pump that calls `turn` for each `/next`, with the number of earlier calls.
  init(turn: @escaping @Sendable (Int) -> Turn) throws {
    self.turn = turn
    let socket = try LoopbackSocket.listener()
    let listener = socket.descriptor
    self.listener = listener
    port = socket.port
    HangLimit.limitWaits(of: listener)
    Thread.detachNewThread { [self] in
      while serveConnection() {}
      close(listener)
      ended.signal()
    }
  }

  var address: String { "127.0.0.1:\(port)" }

  /// Waits for the end and returns the totals.
  func finish() -> Count {
    ended.wait()
    return count.withLock { $0 }
  }

  /// Serves until the client disconnects; false when no other connection will follow.
  private func serveConnection() -> Bool {
    guard let peer = LoopbackSocket.accepted(by: listener) else { return false }
    defer { close(peer) }
    let connection = LoopbackConnection(descriptor: peer)
    count.withLock { $0.connections += 1 }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var filled = 0
    while true {
      guard let length = Self.requestLength(buffer, filled) else {
        let got = unsafe buffer.withUnsafeMutableBytes {
          unsafe recv(peer, $0.baseAddress?.advanced(by: filled), $0.count - filled - 1, 0)
        }
        guard got > 0 else { return true }
        filled += got
        buffer[filled] = 0
        continue
      }
      let reaction = react(to: buffer, length)
      unsafe buffer.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        unsafe memmove(base, base.advanced(by: length), filled - length)
      }
      filled -= length
      buffer[filled] = 0
      switch reaction {
      case .event(let answer): guard connection.write(answer) else { return true }
      case .reset:
        LoopbackSocket.resetOnClose(peer)
        return true
      case .end:
        _ = connection.write(Array("HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n".utf8))
        return false
      }
    }
  }

  private static let accepted = Array("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n".utf8)

  /// Returns the turn, with the bytes of the whole answer instead of an event.
  private func react(to request: [UInt8], _ length: Int) -> Turn {
    guard request[0] == UInt8(ascii: "G") else {
      let isResponse = Self.place(of: "/response HTTP/1.1", in: request).map { $0 < length } ?? false
      count.withLock { count in
        if isResponse { count.responses += 1 } else { count.errors += 1 }
      }
      return .event(Self.accepted)
    }
    let number = count.withLock { count in
      count.nexts += 1
      return count.nexts - 1
    }
    guard case .event(let event) = turn(number) else { return turn(number) }
    let head = """
      HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nLambda-Runtime-Aws-Request-Id: request-\(number)\r
      Lambda-Runtime-Invocation-Id: attempt-\(number)\r\nLambda-Runtime-Trace-Id: Root=1-\(number);Sampled=0\r
      Lambda-Runtime-Deadline-Ms: 4102444800000\r\nContent-Length: \(event.count)\r\n\r\n
      """
    return .event(Array(head.utf8) + event)
  }

  /// Returns the length of the first request in the buffer, which ends with a zero; nil if it is incomplete.
  private static func requestLength(_ buffer: [UInt8], _ filled: Int) -> Int? {
    guard let end = place(of: "\r\n\r\n", in: buffer) else { return nil }
    let headLength = end + 4
    guard let field = place(of: "Content-Length: ", in: buffer), field < headLength else { return headLength }
    let digits = buffer[(field + 16)...].prefix { $0 != UInt8(ascii: "\r") }
    let length = headLength + digits.reduce(0) { $0 * 10 + Int($1 & 15) }
    return length <= filled ? length : nil
  }

  private static func place(of text: String, in buffer: [UInt8]) -> Int? {
    unsafe buffer.withUnsafeBytes { bytes in
      guard let base = unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress else { return nil }
      guard let found = unsafe strstr(base, text) else { return nil }
      return unsafe found - UnsafeMutablePointer(mutating: base)
    }
  }
}
