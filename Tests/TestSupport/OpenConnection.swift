import Foundation
import Synchronization

/// The current connection of a test server, so that the server can stop while a client is connected.
package final class OpenConnection: Sendable {
  private let state = Mutex(State())

  private struct State {
    var descriptor: Int32 = -1
    var isStopped = false
  }

  package init() {}

  /// Whether `stop` was called.
  package var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Sets the connection; returns false if the server was stopped.
  package func begin(_ descriptor: Int32) -> Bool {
    state.withLock { state in
      if !state.isStopped { state.descriptor = descriptor }
      return !state.isStopped
    }
  }

  /// Clears the connection. Call before its descriptor is closed, since the number may be reused.
  package func end() { state.withLock { $0.descriptor = -1 } }

  /// Shuts the connection down and refuses others.
  package func stop() {
    state.withLock { state in
      state.isStopped = true
      if state.descriptor >= 0 { shutdown(state.descriptor, Int32(SHUT_RDWR)) }
    }
  }
}
