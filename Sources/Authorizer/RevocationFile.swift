import JSON

/// The file of revocations that the identity function writes beside its SQLite database:
/// `{"revocations":[{"sub":"…","eventMilliseconds":1700000000000}]}`.
///
/// Read again when another file stands under its name, or the same with another size or time. A file that is missing or broken
/// says nothing about anybody: only a file that says so proves that nobody has withdrawn.
struct RevocationFile: RevocationSource {
  private let path: String
  private let environment: FunctionEnvironment
  private var known: FileState?
  private var entries: [Entry] = []

  private struct Entry {
    let subject: [UInt8]
    let eventMilliseconds: Int64
  }

  /// 16 MiB hold some 150,000 revocations; a file is for one machine (our own limit).
  static let limits = JSONLimits(bytes: 16 << 20, depth: 3, membersPerObject: 2)

  init(path: String, _ environment: FunctionEnvironment) {
    self.path = path
    self.environment = environment
  }

  func forAnotherWorker() -> RevocationFile { RevocationFile(path: path, environment) }

  mutating func answer(about subject: [UInt8], endMilliseconds: Int64?) -> RevocationAnswer {
    do throws(FileError) {
      // Before the content: what is put in its place while it is read has another state the next time.
      let state = try environment.state(ofFile: path)
      if state != known {
        known = nil
        let bytes = try environment.file(path, limit: Self.limits.bytes)
        guard let entries = Self.entries(parsing: bytes) else {
          return .unavailable(path + ": not a file of revocations")
        }
        self.entries = entries
        known = state
      }
    } catch {
      known = nil
      return .unavailable(path + ": " + error.description)
    }
    let place = Self.place(of: subject, in: entries)
    guard place < entries.count, entries[place].subject == subject else { return .notRevoked }
    return .revoked(eventMilliseconds: entries[place].eventMilliseconds)
  }

  /// The entries in the order of their subjects; nil for anything but exactly the form above, each subject once.
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

  /// Where a subject stands, or would.
  private static func place(of subject: [UInt8], in entries: [Entry]) -> Int {
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
