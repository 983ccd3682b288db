import Foundation
import Synchronization
import TestSupport

/// A Runtime API for several workers. Each connection has a thread, so that an answer can wait for other calls.
final class ConcurrentRuntimeAPI: Sendable {
  /// One request.
  struct Call: Sendable {
    let head: String
    let body: String

    var isNext: Bool { head.hasPrefix("GET ") }
    /// The parts of the path after the version, such as `invocation`, `7`, `response`.
    var path: [String] {
      head.split(separator: " ")[1].split(separator: "/").dropFirst(2).map(String.init)
    }
    /// The request id of a post.
    var requestID: String { path.dropFirst().first ?? "" }

    func value(_ name: String) -> String? {
      head.components(separatedBy: "\r\n").first { $0.hasPrefix(name + ": ") }.map {
        String($0.dropFirst(name.count + 2))
      }
    }
  }

  /// The reaction to a request.
  enum Reaction: Sendable {
    case event([UInt8], id: String)
    case status(Int)
    /// Ends the connection.
    case end
  }

  let port: UInt16
  private let react: @Sendable (Call) -> Reaction

  /// Creates a Runtime API that calls `react` for each request, on the connection's thread. It ends with the test
  /// process; its connections end with the function.
  init(_ react: @escaping @Sendable (Call) -> Reaction) throws {
    self.react = react
    let socket = try LoopbackSocket.listener()
    let listener = socket.descriptor
    port = socket.port
    Thread.detachNewThread { [weak self, listener] in
      while true {
        let peer = accept(listener, nil, nil)
        guard peer >= 0, let self else { break }
        Thread.detachNewThread { self.serve(peer) }
      }
      close(listener)
    }
  }

  /// Wakes the thread from accept(2). On macOS shutdown(2) would not.
  deinit { _ = try? RawConnection(port: Int(port)) }

  var address: String { "127.0.0.1:\(port)" }

  private func serve(_ peer: Int32) {
    defer { close(peer) }
    let connection = LoopbackConnection(descriptor: peer)
    var unread: [UInt8] = []
    while let call = Self.takeCall(connection, &unread) {
      switch react(call) {
      case .event(let event, let id):
        let head = """
          HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nLambda-Runtime-Aws-Request-Id: \(id)\r
          Lambda-Runtime-Invocation-Id: attempt-\(id)\r\nLambda-Runtime-Trace-Id: Root=1-\(id)\r
          Lambda-Runtime-Deadline-Ms: 4102444800000\r\nContent-Length: \(event.count)\r\n\r\n
          """
        guard connection.write(Array(head.utf8) + event) else { return }
      case .status(let status):
        let answer = Array("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n".utf8)
        guard connection.write(answer) else { return }
      case .end: return
      }
    }
  }

  private static func takeCall(_ connection: LoopbackConnection, _ unread: inout [UInt8]) -> Call? {
    let emptyLine = Array("\r\n\r\n".utf8)
    while true {
      if let range = unread.firstRange(of: emptyLine) {
        let head = String(decoding: unread[..<range.lowerBound], as: UTF8.self)
        let length = Call(head: head, body: "").value("Content-Length").flatMap { Int($0) } ?? 0
        if unread.count >= range.upperBound + length {
          let body = String(decoding: unread[range.upperBound..<range.upperBound + length], as: UTF8.self)
          unread.removeFirst(range.upperBound + length)
          return Call(head: head, body: body)
        }
      }
      guard let piece = connection.read() else { return nil }
      unread += piece
    }
  }
}

/// A barrier that opens after a number of arrivals. Every wait ends at `HangLimit`.
final class Door: Sendable {
  private let condition = NSCondition()
  private let state: Mutex<(awaited: Int, isOpen: Bool)>

  /// Creates a barrier that opens after `count` arrivals.
  init(for count: Int) { state = Mutex((count, false)) }

  /// Arrives and waits until the barrier opens; false on timeout.
  @discardableResult func pass() -> Bool {
    condition.withLock {
      count()
      return waitInside()
    }
  }

  /// Arrives without waiting.
  func arrive() { condition.withLock { count() } }

  private func count() {
    state.withLock {
      $0.awaited -= 1
      if $0.awaited <= 0 { $0.isOpen = true }
    }
    condition.broadcast()
  }

  /// Waits without arriving.
  @discardableResult func wait() -> Bool { condition.withLock { waitInside() } }

  private func waitInside() -> Bool {
    let end = HangLimit.date
    while !state.withLock({ $0.isOpen }) { if !condition.wait(until: end) { return false } }
    return true
  }
}
