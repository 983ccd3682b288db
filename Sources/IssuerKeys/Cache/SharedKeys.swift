import FunctionHost
import JOSE

/// The key sets of all issuers, shared by all workers of the process.
///
/// Reading and changing need the lock. It is released during a fetch, so that a slow issuer delays only those who
/// need its keys. Keys are immutable and used without the lock: libcrypto only reads them, and each worker has its
/// own context (openssl-threads(7): objects may be shared if no call changes them).
final class SharedKeys {
  /// The keys of each issuer.
  let slots: [Slot]
  var notices = KeyNotices()
  /// Nil for a process with one worker, which needs no lock.
  private var monitor: Monitor?

  /// The keys of one issuer.
  final class Slot {
    let issuer: IssuerID
    /// Only the holder of the lock uses them.
    var keys: CachedKeySet

    init(_ issuer: IssuerID, _ keys: CachedKeySet) {
      self.issuer = issuer
      self.keys = keys
    }
  }

  init(_ slots: [Slot]) { self.slots = slots }

  /// Returns where the keys of an issuer are. Needs no lock.
  func slot(of issuer: IssuerID) -> Slot? { slots.first { $0.issuer == issuer } }

  /// Enables locking; call before other threads start. Returns false if there is no memory for a lock.
  func share() -> Bool {
    if monitor == nil { monitor = Monitor() }
    return monitor != nil
  }

  func lock() { monitor?.lock() }

  func unlock() { monitor?.unlock() }

  /// Waits for the end of another worker's fetch; releases the lock while it waits.
  ///
  /// - Returns: whether it ended in time.
  func awaitFetch(in slot: Slot, milliseconds: Int64) -> Bool {
    guard let monitor, let fetch = slot.keys.fetchUnderWay else { return true }
    let end = Monitor.milliseconds + milliseconds
    while slot.keys.fetchUnderWay == fetch {
      let left = end - Monitor.milliseconds
      guard left > 0 else { return false }
      monitor.wait(milliseconds: left)
    }
    return true
  }

  /// Wakes the workers that wait for a fetch.
  func announceFetch() { monitor?.wakeAll() }
}
