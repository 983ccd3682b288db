internal import Synchronization

/// Resumes a continuation exactly once; later calls do nothing.
final class OneShot: Sendable {
  private let waiting: Mutex<CheckedContinuation<Void, Never>?>

  init(_ waiting: CheckedContinuation<Void, Never>) {
    self.waiting = Mutex(waiting)
  }

  func fire() {
    let waiting = self.waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    waiting?.resume()
  }
}
