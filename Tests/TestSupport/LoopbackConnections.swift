import Foundation

/// The connections of a test server on a port that the kernel chooses, one at a time on a thread of their own.
package final class LoopbackConnections: Sendable {
  package let port: UInt16
  private let listener: Int32
  private let open = OpenConnection()
  private let ended = DispatchSemaphore(value: 0)

  package init() throws { (listener, port) = try LoopbackSocket.listener() }

  /// Serves each connection, and closes it then.
  package func start(_ serve: @escaping @Sendable (_ peer: Int32) -> Void) {
    Thread.detachNewThread { [self] in
      while let peer = LoopbackSocket.accepted(by: listener, in: open) {
        serve(peer)
        // Other tests of this process may have passed the descriptor to a child, so that close(2) would not end the
        // connection.
        shutdown(peer, Int32(SHUT_RDWR))
        open.end()
        close(peer)
      }
      ended.signal()
    }
  }

  /// Stops the server; returns when its thread has ended.
  package func stop() {
    open.stop()
    // A connection wakes the thread from accept(2); shutdown(2) does so only on Linux.
    LoopbackSocket.touch(port: port)
    ended.wait()
    close(listener)
  }
}
