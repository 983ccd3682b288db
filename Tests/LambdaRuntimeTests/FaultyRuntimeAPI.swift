import Foundation
import TestSupport

@testable import LambdaRuntime

/// A Runtime API with a configurable reaction to every request. It counts the calls, so that endless loops are
/// detected.
final class FaultyRuntimeAPI: @unchecked Sendable {
  /// The reaction to a request.
  enum Reaction {
    case answer([UInt8])
    /// Sends these bytes and ends the connection.
    case end([UInt8])
    /// Ends the connection with RST.
    case reset
  }

  private let listener: Int32
  private let port: UInt16
  private let react: @Sendable (RecordedRequest) -> Reaction
  private let condition = NSCondition()
  private let open = OpenConnection()
  private var lines: [String] = []
  private var connections = 0
  private var isFinished = false

  init?(_ react: @escaping @Sendable (RecordedRequest) -> Reaction) {
    guard let (listener, port) = try? LoopbackSocket.listener() else { return nil }
    HangLimit.limitWaits(of: listener)
    self.listener = listener
    self.port = port
    self.react = react
    Thread { [self] in
      while serveConnection() {}
      close(listener)
      condition.withLock {
        isFinished = true
        condition.broadcast()
      }
    }.start()
  }

  var address: String { "127.0.0.1:\(port)" }

  /// Stops the server. Returns the last components of the requests' paths, in order, and the number of connections.
  func finish() -> (calls: [String], connections: Int) {
    // A loop of the test may still have its connection.
    open.stop()
    // A connection wakes the thread from accept(2).
    if var probe = try? RuntimeAPI(endpoint: RuntimeEndpoint(parsing: address)) { _ = try? probe.next() }
    return condition.withLock {
      while !isFinished { if !condition.wait(until: HangLimit.date) { break } }
      return (lines.map { String($0.split(separator: " ")[1].split(separator: "/").last ?? "") }, connections)
    }
  }

  private func serveConnection() -> Bool {
    let descriptor = accept(listener, nil, nil)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard open.begin(descriptor) else { return false }
    defer { open.end() }
    condition.withLock { connections += 1 }
    var peer = Peer(descriptor: descriptor)
    while let request = peer.takeRequest() {
      condition.withLock { lines.append(request.line) }
      switch react(request) {
      case .answer(let bytes): guard peer.send(bytes) else { return true }
      case .end(let bytes):
        _ = peer.send(bytes)
        return true
      case .reset:
        LoopbackSocket.resetOnClose(descriptor)
        return true
      }
    }
    return true
  }
}
