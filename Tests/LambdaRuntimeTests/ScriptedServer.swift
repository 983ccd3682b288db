import Foundation
import TestSupport

/// A server that runs scripts on its own thread and records the requests.
///
/// It listens on a port that the kernel chooses. Its waits end at `HangLimit`. It stops listening after the last
/// scripted connection, so that later connections are refused immediately.
final class ScriptedServer: @unchecked Sendable {
  /// One step on a connection.
  enum Step {
    /// Reads one complete request and records it.
    case takeRequest
    /// Waits until this number of bytes of the next request has arrived, without consuming them.
    case takeBytes(Int)
    /// Calls back, on the server's thread.
    case call(@Sendable () -> Void)
    /// Waits for the test to call `proceed()`.
    case awaitTest
    /// Sends these bytes.
    case send([UInt8])
    /// Waits for the client to close its side.
    case expectEnd
    /// Ends the connection with RST, not FIN.
    case reset
  }

  /// The result of the script.
  struct Recording {
    /// The requests of each connection, in order.
    let connections: [[RecordedRequest]]
    /// Differences from the script.
    let problems: [String]

    var requests: [RecordedRequest] { connections.flatMap(\.self) }
  }

  let port: UInt16
  private let listener: Int32
  private let script: [[Step]]
  private let condition = NSCondition()
  private var connections: [[RecordedRequest]] = []
  private var problems: [String] = []
  private var closedCount = 0
  private var permits = 0
  private var isFinished = false

  /// Starts a server that accepts one connection for each element of `script`, one after the other, and closes each
  /// at the end of its steps. Nil if the machine does not support the address family.
  init?(_ script: [[Step]], family: LoopbackSocket.Family = .ipv4) {
    guard let (listener, port) = try? LoopbackSocket.listener(family) else { return nil }
    HangLimit.limitWaits(of: listener)
    self.listener = listener
    self.port = port
    self.script = script
    Thread { [self] in play() }.start()
  }

  /// The value of `AWS_LAMBDA_RUNTIME_API` for this server.
  var address: String { "127.0.0.1:\(port)" }

  /// Waits until the server has closed this number of connections.
  func waitUntilClosed(_ count: Int) {
    condition.withLock {
      while closedCount < count { if !condition.wait(until: HangLimit.date) { return } }
    }
  }

  /// Waits until this number of requests has been received.
  func waitUntilRequests(_ count: Int) {
    condition.withLock {
      while connections.joined().count < count {
        if !condition.wait(until: HangLimit.date) { return }
      }
    }
  }

  /// Ends one `.awaitTest`.
  func proceed() {
    condition.withLock {
      permits += 1
      condition.broadcast()
    }
  }

  /// Waits for the end of the script.
  func finish() -> Recording {
    condition.withLock {
      while !isFinished {
        if !condition.wait(until: HangLimit.date) {
          problems.append("the script did not end")
          break
        }
      }
      return Recording(connections: connections, problems: problems)
    }
  }
}

extension ScriptedServer {
  private func play() {
    for (index, steps) in script.enumerated() {
      let peer = accept(listener, nil, nil)
      if index == script.count - 1 { close(listener) }
      guard peer >= 0 else {
        condition.withLock { problems.append("connection \(index) is missing") }
        if index < script.count - 1 { close(listener) }
        break
      }
      var connection = Peer(descriptor: peer)
      condition.withLock { connections.append([]) }
      for step in steps { play(step, on: &connection) }
      close(peer)
      condition.withLock {
        closedCount += 1
        condition.broadcast()
      }
    }
    condition.withLock {
      isFinished = true
      condition.broadcast()
    }
  }

  private func play(_ step: Step, on connection: inout Peer) {
    switch step {
    case .takeRequest:
      let request = connection.takeRequest()
      condition.withLock {
        if let request {
          connections[connections.count - 1].append(request)
          condition.broadcast()
        } else {
          problems.append("a request is missing")
        }
      }
    case .takeBytes(let count):
      if !connection.takeBytes(count) { condition.withLock { problems.append("a request is incomplete") } }
    case .call(let body):
      body()
    case .awaitTest:
      condition.withLock {
        while permits == 0 {
          if !condition.wait(until: HangLimit.date) {
            problems.append("the test did not proceed")
            return
          }
        }
        permits -= 1
      }
    case .send(let bytes):
      if !connection.send(bytes) { condition.withLock { problems.append("an answer could not be sent") } }
    case .expectEnd:
      if !connection.isAtEnd() { condition.withLock { problems.append("the client did not close") } }
    case .reset:
      LoopbackSocket.resetOnClose(connection.descriptor)
    }
  }
}
