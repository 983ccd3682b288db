package import Foundation
package import Testing

/// The time after which a test stops waiting for a process, a thread or a socket.
///
/// A test fails only if it hangs: the limit is far longer than any wait on a busy machine. All real-time limits of
/// the tests derive from this number.
package enum HangLimit {
  package static let minutes = 10
  package static let seconds = minutes * 60
  package static let milliseconds = seconds * 1000

  /// The limit counted from now, for `DispatchSemaphore` and `DispatchQueue`.
  package static var dispatchTime: DispatchTime { .now() + .seconds(seconds) }

  /// The limit counted from now, for `NSCondition`.
  package static var date: Date { Date(timeIntervalSinceNow: TimeInterval(seconds)) }

  /// Sets the limit as the timeout of a socket.
  package static func limitWaits(of descriptor: Int32) {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      unsafe setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  /// Waits until a descriptor has one of these poll(2) events and returns its events; 0 at the limit.
  package static func poll(_ descriptor: Int32, for events: Int32) -> Int32 {
    var watched = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    #if canImport(Glibc)
      let count = unsafe Glibc.poll(&watched, 1, Int32(milliseconds))
    #else
      let count = unsafe Darwin.poll(&watched, 1, Int32(milliseconds))
    #endif
    return count == 1 ? Int32(watched.revents) : 0
  }

  /// Polls every few milliseconds until the condition is true; returns false at the limit. Prefer to wait for a
  /// notification where the other side sends one.
  package static func wait(until isSo: () throws -> Bool) rethrows -> Bool {
    let end = date
    while try !isSo() {
      guard Date() < end else { return false }
      usleep(2000)
    }
    return true
  }

  /// Like ``wait(until:)``, without blocking a thread.
  package static func waitAsync(until isSo: () async throws -> Bool) async throws -> Bool {
    let end = date
    while try await !isSo() {
      guard Date() < end else { return false }
      try await Task.sleep(for: .milliseconds(2))
    }
    return true
  }

  /// Kills a process at the limit, unless the returned work item is canceled before.
  package static func killer(of processID: Int32) -> DispatchWorkItem {
    let work = DispatchWorkItem { kill(processID, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: dispatchTime, execute: work)
    return work
  }
}

extension Trait where Self == TimeLimitTrait {
  /// Ends a test of the suite at `HangLimit`.
  package static var hangLimit: Self { .timeLimit(.minutes(HangLimit.minutes)) }
}
