package import Foundation

/// When a test stops waiting for a process, a thread or a socket.
///
/// No verdict depends on it: it ends a hang, and the test that hung fails. It is far longer than any wait on a machine that
/// is busy with other work. Every limit of real time in the tests is made from this one number.
package enum HangLimit {
  /// For `.timeLimit(.minutes(HangLimit.minutes))` of a suite.
  package static let minutes = 10
  package static let seconds = minutes * 60
  package static let milliseconds = seconds * 1000

  /// The limit from now on, for `DispatchSemaphore` and `DispatchQueue`.
  package static var dispatchTime: DispatchTime { .now() + .seconds(seconds) }

  /// The limit from now on, for `NSCondition`.
  package static var date: Date { Date(timeIntervalSinceNow: TimeInterval(seconds)) }

  /// Ends this process's waits for a socket at the limit.
  package static func limitWaits(of descriptor: Int32) {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      unsafe setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  /// Waits until a descriptor has one of these events of poll(2), and returns what it has; 0 at the limit.
  package static func poll(_ descriptor: Int32, for events: Int32) -> Int32 {
    var watched = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    #if canImport(Glibc)
      let count = unsafe Glibc.poll(&watched, 1, Int32(milliseconds))
    #else
      let count = unsafe Darwin.poll(&watched, 1, Int32(milliseconds))
    #endif
    return count == 1 ? Int32(watched.revents) : 0
  }

  /// Asks every few milliseconds until the answer is yes; false at the limit. Where the other side can tell by itself, wait
  /// for that instead.
  package static func wait(until isSo: () throws -> Bool) rethrows -> Bool {
    let end = date
    while try !isSo() {
      guard Date() < end else { return false }
      usleep(2000)
    }
    return true
  }

  /// The same, without a thread that waits.
  package static func waitAsync(until isSo: () async throws -> Bool) async throws -> Bool {
    let end = date
    while try await !isSo() {
      guard Date() < end else { return false }
      try await Task.sleep(for: .milliseconds(2))
    }
    return true
  }

  /// Kills a process at the limit, unless the returned work is cancelled before.
  package static func killer(of processID: Int32) -> DispatchWorkItem {
    let work = DispatchWorkItem { kill(processID, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: dispatchTime, execute: work)
    return work
  }
}
