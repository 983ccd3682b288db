// The only use of a pointer to the lock: this class allocates and frees it.

internal import CPOSIX

/// A mutex with a condition, for state that several workers share.
///
/// Synchronization.Mutex of the toolchain has no condition to wait for.
@safe package final class Monitor: @unchecked Sendable {
  private let pointer: UnsafeMutablePointer<cposix_monitor>

  /// Returns nil if there is no memory for it.
  package init?() {
    guard let pointer = unsafe cposix_monitor_make() else { return nil }
    unsafe self.pointer = pointer
  }

  deinit { unsafe cposix_monitor_free(pointer) }

  package func lock() { unsafe cposix_monitor_lock(pointer) }

  package func unlock() { unsafe cposix_monitor_unlock(pointer) }

  /// Wakes all waiting threads.
  package func wakeAll() { unsafe cposix_monitor_wake_all(pointer) }

  /// Releases the lock and waits until `wakeAll` or until the time is over; may return before either.
  package func wait(milliseconds: Int64) { unsafe cposix_monitor_wait(pointer, milliseconds) }

  /// Monotonic time in milliseconds, to compute how much of a wait is left.
  package static var milliseconds: Int64 { FunctionEnvironment().monotonicMicroseconds / 1000 }
}
