import Foundation
import Synchronization
import TestSupport

/// An issuer's local key server: plain HTTP on a free port, one request at a time, on a separate thread. Every wait
/// ends at `HangLimit`.
final class LoopbackKeyServer: Sendable {
  /// The reaction to a request.
  enum Answer: Sendable {
    case bytes([UInt8])
    /// Reads the request, and waits until the client disconnects.
    case silence

    /// Returns a whole answer. `missing` bytes of the body are announced but not sent.
    static func response(
      _ status: String, fields: [String] = [], body: [UInt8], missing: Int = 0
    ) -> Answer {
      let length = "Content-Length: \(body.count + missing)"
      let head = ["HTTP/1.1 \(status)", length, "Connection: close"] + fields
      return .bytes(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    static func keySet(_ body: [UInt8]) -> Answer { .response("200 OK", body: body) }
  }

  let port: UInt16
  private let listener: Int32
  private let state: Mutex<State>
  /// Open after the first signal; each thread that passes signals it again.
  private let gate: DispatchSemaphore
  private let ended = DispatchSemaphore(value: 0)
  private let open = OpenConnection()

  private struct State {
    var answer: Answer
    var isUp = false
    var targets: [String] = []
    var answered = 0
  }

  /// Creates a server whose port is reserved but refuses connections until ``start()``.
  ///
  /// - Parameter isHeld: whether requests wait for ``release()`` before they are answered.
  init(_ answer: Answer, isHeld: Bool = false) throws {
    state = Mutex(State(answer: answer))
    gate = DispatchSemaphore(value: isHeld ? 0 : 1)
    (listener, port) = try LoopbackSocket.bound()
  }

  /// Begins to listen.
  func start() throws {
    guard SystemListen.call(listener) == 0 else { throw POSIXError(.EIO) }
    state.withLock { $0.isUp = true }
    Thread.detachNewThread { [self] in
      while let peer = LoopbackSocket.accepted(by: listener, in: open) { serve(peer) }
      ended.signal()
    }
  }

  /// Releases its port; returns when its thread has ended.
  func stop() {
    open.stop()
    if state.withLock({ $0.isUp }) {
      gate.signal()
      // A connection wakes the thread from accept(2). On macOS shutdown(2) would not.
      LoopbackSocket.touch(port: port)
      ended.wait()
    }
    close(listener)
  }

  /// Answers the waiting requests and all later ones.
  func release() { gate.signal() }

  /// Sets the answer from now on.
  func publish(_ answer: Answer) { state.withLock { $0.answer = answer } }

  /// The targets of all requests, in order.
  var targets: [String] { state.withLock { $0.targets } }

  /// Number of answered requests.
  var answered: Int { state.withLock { $0.answered } }

  var address: String { "http://127.0.0.1:\(port)" }

  private func serve(_ peer: Int32) {
    defer {
      open.end()
      close(peer)
    }
    let connection = LoopbackConnection(descriptor: peer)
    var head: [UInt8] = []
    // A body may follow, which is ignored.
    while head.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
      guard let bytes = connection.read() else { return }
      head += bytes
    }
    let words = String(decoding: head, as: UTF8.self).split(separator: " ")
    state.withLock { $0.targets.append(words.count > 1 ? String(words[1]) : "") }
    guard gate.wait(timeout: HangLimit.dispatchTime) == .success else { return }
    gate.signal()
    if case .bytes(let bytes) = state.withLock({ $0.answer }) {
      guard connection.write(bytes) else { return }
      state.withLock { $0.answered += 1 }
      shutdown(peer, Int32(SHUT_WR))
    }
    while connection.read() != nil {}
  }
}

/// Calls listen(2), whose name would otherwise mean a method.
private enum SystemListen {
  static func call(_ descriptor: Int32) -> Int32 { listen(descriptor, 16) }
}
