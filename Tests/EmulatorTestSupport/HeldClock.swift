@testable import LambdaEmulator
import Synchronization

/// A clock that a test moves.
final class HeldClock: Sendable {
  private let shared = Mutex(Shared())

  private struct Shared {
    var nanoseconds: UInt64 = 1_000_000_000
    var next = 0
    var sleepers: [Int: (due: UInt64, wake: CheckedContinuation<Void, any Error>)] = [:]
    var watchers: [Watcher] = []
  }

  private struct Watcher {
    let count: Int
    let until: UInt64
    let wake: CheckedContinuation<Void, Never>
  }

  var clock: LambdaClock {
    LambdaClock(now: { self.now }, wait: { try await self.wait($0) })
  }

  private var now: Moment {
    let nanoseconds = shared.withLock { $0.nanoseconds }
    return Moment(
      monotonicNanoseconds: nanoseconds,
      unixMilliseconds: 1_700_000_000_000 + Int64(nanoseconds / 1_000_000))
  }

  private func wait(_ milliseconds: Int) async throws {
    let number = shared.withLock { shared in
      shared.next += 1
      return shared.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let ready: [Watcher]? = shared.withLock { shared in
          // Checked under the lock, so that a cancelled timer does not count for a watcher.
          if Task.isCancelled { return nil }
          let due = shared.nanoseconds + UInt64(milliseconds) * 1_000_000
          shared.sleepers[number] = (due, continuation)
          let dues = shared.sleepers.values.map(\.due)
          let ready = shared.watchers.filter { watcher in dues.count { $0 <= watcher.until } >= watcher.count
          }
          shared.watchers.removeAll { watcher in dues.count { $0 <= watcher.until } >= watcher.count }
          return ready
        }
        guard let ready else { return continuation.resume(throwing: CancellationError()) }
        for watcher in ready { watcher.wake.resume() }
      }
    } onCancel: {
      drop(number)
    }
  }

  private func drop(_ number: Int) {
    shared.withLock { $0.sleepers.removeValue(forKey: number) }?.wake.resume(throwing: CancellationError())
  }

  /// Waits until this many timers run that expire within this time.
  func untilTimers(_ count: Int, dueWithin milliseconds: Int) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = shared.withLock { shared in
          let until = shared.nanoseconds + UInt64(milliseconds) * 1_000_000
          if shared.sleepers.values.count(where: { $0.due <= until }) >= count { return true }
          shared.watchers.append(Watcher(count: count, until: until, wake: continuation))
          return false
        }
        if isReady { continuation.resume() } else if Task.isCancelled { resumeWatchers() }
      }
    } onCancel: {
      resumeWatchers()
    }
  }

  /// Resumes all watchers, because a test that exceeded its time limit must not wait for them.
  private func resumeWatchers() {
    let watchers = shared.withLock { shared in
      defer { shared.watchers = [] }
      return shared.watchers
    }
    for watcher in watchers { watcher.wake.resume() }
  }

  /// Moves the clock once a timer runs that expires within this time.
  func advance(milliseconds: Int) async {
    await untilTimers(1, dueWithin: milliseconds)
    let due = shared.withLock { shared in
      shared.nanoseconds += UInt64(milliseconds) * 1_000_000
      let due = shared.sleepers.filter { $0.value.due <= shared.nanoseconds }
      for number in due.keys { shared.sleepers.removeValue(forKey: number) }
      return due.values.map(\.wake)
    }
    for wake in due { wake.resume() }
  }
}
