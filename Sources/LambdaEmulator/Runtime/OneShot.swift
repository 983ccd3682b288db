internal import Synchronization

/// Resumes a continuation with the first value; later ones are ignored.
package final class OneShot<Value: Sendable>: Sendable {
  private let waiting: Mutex<CheckedContinuation<Value, Never>?>

  package init(_ waiting: CheckedContinuation<Value, Never>) { self.waiting = Mutex(waiting) }

  package func resume(_ value: Value) {
    let waiting = self.waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    waiting?.resume(returning: value)
  }
}
