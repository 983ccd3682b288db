import Bytes
package import JSON

package enum WithdrawalEntry: Equatable, Sendable {
  /// The first form, a subject of any issuer: `{"sub":"…","eventMilliseconds":1700000000000}`.
  case subject([UInt8], eventMilliseconds: Int64)
  /// The second form, a key: `{"issuer":"https://…","kind":"sid","value":"…","eventMilliseconds":1700000000000}`.
  case withdrawal(Withdrawal)

  /// `nil` if the value has neither form: another member is not ignored, since it could limit what the entry means.
  package init?(_ value: JSONValue) {
    guard let milliseconds = value["eventMilliseconds"]?.number?.integer else { return nil }
    if value.memberCount == 2, let subject = value["sub"]?.utf8, !subject.isEmpty {
      self = .subject(subject, eventMilliseconds: milliseconds)
    } else if value.memberCount == 4, let issuer = value["issuer"]?.utf8, !issuer.isEmpty,
      let kind = value["kind"]?.utf8.flatMap({ WithdrawalKey.Kind(claim: $0) }),
      let text = value["value"]?.utf8
    {
      let key = WithdrawalKey(issuer: issuer, kind: kind, value: text)
      self = .withdrawal(Withdrawal(key, eventMilliseconds: milliseconds))
    } else {
      return nil
    }
  }

  /// What an entry ends. Of several entries with one key the latest counts.
  package enum Key: Hashable, Sendable {
    case subject([UInt8])
    case withdrawal(WithdrawalKey)
  }

  /// What it ends.
  package var key: Key {
    switch self {
    case .subject(let subject, _): .subject(subject)
    case .withdrawal(let withdrawal): .withdrawal(withdrawal.key)
    }
  }

  /// The time of the event in Unix milliseconds.
  package var eventMilliseconds: Int64 {
    switch self {
    case .subject(_, let milliseconds): milliseconds
    case .withdrawal(let withdrawal): withdrawal.eventMilliseconds
    }
  }

  /// Writes the entry in its form.
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    switch self {
    case .subject(let subject, _):
      writer.name("sub")
      writer.string(utf8: subject)
    case .withdrawal(let withdrawal):
      writer.name("issuer")
      writer.string(utf8: withdrawal.key.issuer)
      writer.name("kind")
      writer.string(withdrawal.key.kind.claim)
      writer.name("value")
      writer.string(utf8: withdrawal.key.value)
    }
    writer.name("eventMilliseconds")
    writer.integer(eventMilliseconds)
    writer.endObject()
  }
}

/// The file that replaces the table on a single machine: `{"revocations":[…]}`, with entries of both forms in any order.
package enum WithdrawalFile {
  /// 16 MiB are enough for about 100,000 entries; a file serves one machine (our own limit).
  package static let limits = JSONLimits(bytes: 16 << 20, depth: 3, membersPerObject: 4)
  /// The beginning of ``bytes(of:)`` if there is an entry: a file that is too long to parse is recognized by it.
  package static let beginning = #"{"revocations":[{"#

  /// The entries of a file in its order, in which a key may occur several times; `nil` if the text or an entry has
  /// another form.
  package static func entries(parsing bytes: [UInt8]) -> [WithdrawalEntry]? {
    guard let root = try? JSONDocument(parsing: bytes, limits: limits).root, root.memberCount == 1,
      let list = root["revocations"], list.kind == .array
    else { return nil }
    var entries: [WithdrawalEntry] = []
    for value in list.elements {
      guard let entry = WithdrawalEntry(value) else { return nil }
      entries.append(entry)
    }
    return entries
  }

  /// The text of a file with these entries, one line.
  package static func bytes(of entries: [WithdrawalEntry]) -> [UInt8] {
    var writer = JSONWriter(capacity: 4096)
    writer.beginObject()
    writer.name("revocations")
    writer.beginArray()
    for entry in entries { entry.write(to: &writer) }
    writer.endArray()
    writer.endObject()
    return writer.takeBytes() + [.lineFeed]
  }
}
