/// What is known of all issuers' keys, for every worker of the process.
///
/// Whoever looks or changes holds the lock; nobody holds it while a fetch is under way, so a slow issuer holds up those alone
/// who need its keys. Keys themselves never change once they are made, and are used without the lock: libcrypto only reads
/// them, each worker in a context of its own (openssl-threads(7): objects may be shared where no call changes them).
final class SharedKeys {
  var issuers: [IssuerKeys]
  var notices = KeyNotices()
  /// Nil for a process of one worker, which has nobody to wait for and pays for no lock.
  private var monitor: Monitor?

  init(_ issuers: [IssuerKeys]) { self.issuers = issuers }

  /// Has everybody take a lock from here on; before there is another thread. False where there is no memory for one.
  func share() -> Bool {
    if monitor == nil { monitor = Monitor() }
    return monitor != nil
  }

  func lock() { monitor?.lock() }

  func unlock() { monitor?.unlock() }

  /// Waits, without the lock meanwhile, for the end of a fetch that another worker has begun.
  ///
  /// - Returns: whether it ended in time.
  func awaitFetch(of issuer: Int, milliseconds: Int64) -> Bool {
    guard let monitor, let fetch = issuers[issuer].fetchUnderWay else { return true }
    let end = Monitor.milliseconds + milliseconds
    while issuers[issuer].fetchUnderWay == fetch {
      let left = end - Monitor.milliseconds
      guard left > 0 else { return false }
      monitor.wait(milliseconds: left)
    }
    return true
  }

  /// Says to those who wait that a fetch has ended.
  func announceFetch() { monitor?.wakeAll() }
}
