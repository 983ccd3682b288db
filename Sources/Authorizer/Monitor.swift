// The only use of a pointer to the lock: it is made and freed here, and used while its owner lives.

internal import CPOSIX

/// A lock for what several workers share, with waits for a change of it.
///
/// The toolchain's own lock (Synchronization.Mutex) has no condition to wait for.
@safe final class Monitor: @unchecked Sendable {
  private let pointer: UnsafeMutablePointer<cposix_monitor>

  /// Nil where there is no memory for it.
  init?() {
    guard let pointer = unsafe cposix_monitor_make() else { return nil }
    unsafe self.pointer = pointer
  }

  deinit { unsafe cposix_monitor_free(pointer) }

  func lock() { unsafe cposix_monitor_lock(pointer) }

  func unlock() { unsafe cposix_monitor_unlock(pointer) }

  /// Wakes whoever waits.
  func wakeAll() { unsafe cposix_monitor_wake_all(pointer) }

  /// Without the lock meanwhile, waits until somebody wakes all or the time is over; may return before either.
  func wait(milliseconds: Int64) { unsafe cposix_monitor_wait(pointer, milliseconds) }

  /// Milliseconds of monotonic time, to see how much of a wait is left.
  static var milliseconds: Int64 { FunctionEnvironment().monotonicMicroseconds / 1000 }
}
