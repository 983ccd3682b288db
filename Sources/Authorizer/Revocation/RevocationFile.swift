import FunctionHost
import JSON
import Withdrawals

/// The file of revocations, which the identity function writes beside its SQLite database (``WithdrawalFile``).
///
/// Read again when the file is replaced or its size or modification time changes. A missing or invalid file means
/// `unavailable`: only a valid file proves that nothing is revoked.
struct RevocationFile: RevocationSource {
  private let path: String
  /// Whether entries of keys count, besides those of subjects.
  private let readsKeys: Bool
  private let environment: FunctionEnvironment
  private var known: FileState?
  private var entries: [Entry] = []

  private struct Entry {
    /// The `pk` of the item in place of which the entry stands.
    let item: [UInt8]
    let eventMilliseconds: Int64
  }

  init(path: String, readsKeys: Bool = false, _ environment: FunctionEnvironment) {
    self.path = path
    self.readsKeys = readsKeys
    self.environment = environment
  }

  func forAnotherWorker() -> RevocationFile { RevocationFile(path: path, readsKeys: readsKeys, environment) }

  mutating func answer(about items: [[UInt8]], at now: Int64, endMilliseconds: Int64?) -> RevocationAnswer {
    do throws(FileError) {
      // The state comes before the content: if the file is replaced during the read, the next state differs.
      let state = try environment.state(ofFile: path)
      if state != known {
        known = nil
        let bytes = try environment.file(path, limit: WithdrawalFile.limits.bytes)
        guard let entries = entries(parsing: bytes) else {
          return .unavailable(path + ": not a revocation file")
        }
        self.entries = entries
        known = state
      }
    } catch {
      known = nil
      return .unavailable(path + ": " + error.description)
    }
    var events: [Int64?] = []
    for item in items { events.append(event(of: item)) }
    return .events(events)
  }

  /// Returns the entries sorted by item, with the latest event of each; `nil` if the file is invalid, or if libcrypto
  /// fails.
  private func entries(parsing bytes: [UInt8]) -> [Entry]? {
    guard let written = WithdrawalFile.entries(parsing: bytes) else { return nil }
    var entries: [Entry] = []
    for entry in written {
      switch entry {
      case .subject(let subject, let event):
        // Where keys count, such a subject has no item, and the name could be that of a key.
        let item = readsKeys ? WithdrawalKey.firstItemKey(of: subject) : WithdrawalKey.itemPrefix + subject
        if let item { entries.append(Entry(item: item, eventMilliseconds: event)) }
      case .withdrawal(let withdrawal):
        guard readsKeys else { continue }
        guard let item = withdrawal.key.itemKey else { return nil }
        entries.append(Entry(item: item, eventMilliseconds: withdrawal.eventMilliseconds))
      }
    }
    entries.sort {
      $0.item == $1.item
        ? $0.eventMilliseconds > $1.eventMilliseconds : $0.item.lexicographicallyPrecedes($1.item)
    }
    return entries
  }

  /// Returns the event of the first entry of an item, which is the latest.
  private func event(of item: [UInt8]) -> Int64? {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].item.lexicographicallyPrecedes(item) { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && entries[low].item == item ? entries[low].eventMilliseconds : nil
  }
}
