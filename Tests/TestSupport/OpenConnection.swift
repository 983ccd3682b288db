import Foundation
import Synchronization

/// The one connection that a server of a test serves at a time, so that the server can stop while a client stays.
package final class OpenConnection: Sendable {
  private let state = Mutex(State())

  private struct State {
    var descriptor: Int32 = -1
    var isStopped = false
  }

  package init() {}

  /// Whether `stop` has been called.
  package var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Takes a connection; false where the server has been stopped.
  package func begin(_ descriptor: Int32) -> Bool {
    state.withLock { state in
      if !state.isStopped { state.descriptor = descriptor }
      return !state.isStopped
    }
  }

  /// Forgets the connection; before its descriptor is closed, and perhaps another file's.
  package func end() { state.withLock { $0.descriptor = -1 } }

  /// Ends every wait for the connection, and lets no other begin.
  package func stop() {
    state.withLock { state in
      state.isStopped = true
      if state.descriptor >= 0 { shutdown(state.descriptor, Int32(SHUT_RDWR)) }
    }
  }
}
