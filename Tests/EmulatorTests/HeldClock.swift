import Synchronization

@testable import Emulator

/// A clock that stands still until a test moves it.
final class HeldClock: Sendable {
  private let shared = Mutex(Shared())

  private struct Shared {
    var nanoseconds: UInt64 = 1_000_000_000
    var next = 0
    var sleepers: [Int: (due: UInt64, wake: CheckedContinuation<Void, any Error>)] = [:]
    var watchers: [(until: UInt64, wake: CheckedContinuation<Void, Never>)] = []
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
        let watchers = shared.withLock { shared in
          let due = shared.nanoseconds + UInt64(milliseconds) * 1_000_000
          shared.sleepers[number] = (due, continuation)
          let ready = shared.watchers.filter { $0.until >= due }
          shared.watchers.removeAll { $0.until >= due }
          return ready
        }
        for watcher in watchers { watcher.wake.resume() }
        if Task.isCancelled { drop(number) }
      }
    } onCancel: {
      drop(number)
    }
  }

  private func drop(_ number: Int) {
    shared.withLock { $0.sleepers.removeValue(forKey: number) }?.wake.resume(throwing: CancellationError())
  }

  /// Moves the clock once a timer runs that will ring by then.
  func advance(milliseconds: Int) async {
    await withCheckedContinuation { continuation in
      let isReady = shared.withLock { shared in
        let until = shared.nanoseconds + UInt64(milliseconds) * 1_000_000
        if shared.sleepers.values.contains(where: { $0.due <= until }) { return true }
        shared.watchers.append((until, continuation))
        return false
      }
      if isReady { continuation.resume() }
    }
    let due = shared.withLock { shared in
      shared.nanoseconds += UInt64(milliseconds) * 1_000_000
      let due = shared.sleepers.filter { $0.value.due <= shared.nanoseconds }
      for number in due.keys { shared.sleepers.removeValue(forKey: number) }
      return due.values.map(\.wake)
    }
    for wake in due { wake.resume() }
  }
}
