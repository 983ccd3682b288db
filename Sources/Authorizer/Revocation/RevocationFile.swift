import FunctionHost
import JSON

/// The revocation file that the identity function writes beside its SQLite database:
/// `{"revocations":[{"sub":"…","eventMilliseconds":1700000000000}]}`.
///
/// Read again when the file is replaced or its size or modification time changes. A missing or invalid file means
/// `unavailable`: only a valid file proves that a subject is not revoked.
struct RevocationFile: RevocationSource {
  private let path: String
  private let environment: FunctionEnvironment
  private var known: FileState?
  private var entries: [Entry] = []

  private struct Entry {
    let subject: [UInt8]
    let eventMilliseconds: Int64
  }

  /// 16 MiB is enough for about 150,000 revocations; a file serves one machine (our own limit).
  static let limits = JSONLimits(bytes: 16 << 20, depth: 3, membersPerObject: 2)

  init(path: String, _ environment: FunctionEnvironment) {
    self.path = path
    self.environment = environment
  }

  func forAnotherWorker() -> RevocationFile { RevocationFile(path: path, environment) }

  mutating func answer(about subject: [UInt8], endMilliseconds: Int64?) -> RevocationAnswer {
    do throws(FileError) {
      // The state comes before the content: if the file is replaced during the read, the next state differs.
      let state = try environment.state(ofFile: path)
      if state != known {
        known = nil
        let bytes = try environment.file(path, limit: Self.limits.bytes)
        guard let entries = Self.entries(parsing: bytes) else {
          return .unavailable(path + ": not a revocation file")
        }
        self.entries = entries
        known = state
      }
    } catch {
      known = nil
      return .unavailable(path + ": " + error.description)
    }
    let index = Self.index(of: subject, in: entries)
    guard index < entries.count, entries[index].subject == subject else { return .notRevoked }
    return .revoked(eventMilliseconds: entries[index].eventMilliseconds)
  }

  /// Returns the entries sorted by subject; nil if the format differs from the one above or a subject occurs twice.
  private static func entries(parsing bytes: [UInt8]) -> [Entry]? {
    guard let root = try? JSONDocument(parsing: bytes, limits: limits).root, root.kind == .object,
      let list = root["revocations"], list.kind == .array, count(of: root.members) == 1
    else { return nil }
    var entries: [Entry] = []
    for value in list.elements {
      guard value.kind == .object, let subject = value["sub"]?.utf8, !subject.isEmpty,
        let milliseconds = value["eventMilliseconds"]?.number?.integer, count(of: value.members) == 2
      else { return nil }
      entries.append(Entry(subject: subject, eventMilliseconds: milliseconds))
    }
    if !isAscending(entries) { entries.sort { $0.subject.lexicographicallyPrecedes($1.subject) } }
    return isAscending(entries) ? entries : nil
  }

  private static func count(of members: JSONMembers) -> Int { members.reduce(0) { count, _ in count + 1 } }

  private static func isAscending(_ entries: [Entry]) -> Bool {
    for index in entries.indices.dropFirst()
    where !entries[index - 1].subject.lexicographicallyPrecedes(entries[index].subject) {
      return false
    }
    return true
  }

  /// Returns the index of a subject, or the index where it would be inserted.
  private static func index(of subject: [UInt8], in entries: [Entry]) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].subject.lexicographicallyPrecedes(subject) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}
