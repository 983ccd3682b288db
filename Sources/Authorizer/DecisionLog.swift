import JSON

/// One line of JSON per decision: codes and hashes, never a token, a claim or an address.
public enum DecisionLog {
  /// A line about an issuer's keys, its newline included.
  public static func line(_ notice: Notice, unixMilliseconds: Int64) -> [UInt8] {
    var writer = JSONWriter(capacity: 200)
    writer.beginObject()
    writer.name("timestamp")
    writer.string(utf8: Timestamp.rfc3339(unixMilliseconds))
    writer.name("level")
    writer.string("WARN")
    writer.name("message")
    writer.string(notice.code)
    writer.name("issuer")
    writer.string(notice.issuerName)
    if let detail = notice.detail {
      writer.name("detail")
      writer.string(detail)
    }
    writer.endObject()
    return writer.bytes + [0x0A]
  }

  /// A line about the function itself, its newline included.
  static func line(level: String, message: String, requestID: String?, unixMilliseconds: Int64)
    -> [UInt8]
  {
    var writer = JSONWriter(capacity: 200)
    writer.beginObject()
    writer.name("timestamp")
    writer.string(utf8: Timestamp.rfc3339(unixMilliseconds))
    writer.name("level")
    writer.string(level)
    writer.name("message")
    writer.string(message)
    if let requestID {
      writer.name("requestId")
      writer.string(requestID)
    }
    writer.endObject()
    return writer.bytes + [0x0A]
  }

  /// The line, its newline included.
  ///
  /// - Parameters:
  ///   - requestID: Lambda's request id.
  ///   - unixMilliseconds: when the decision was made.
  ///   - microseconds: how long it took.
  public static func line(
    _ decision: Decision, requestID: String, unixMilliseconds: Int64, microseconds: Int64
  ) -> [UInt8] {
    var writer = JSONWriter(capacity: 320)
    writer.beginObject()
    writer.name("timestamp")
    writer.string(utf8: Timestamp.rfc3339(unixMilliseconds))
    writer.name("level")
    writer.string(decision.outcome == .failure ? "ERROR" : "INFO")
    writer.name("message")
    writer.string("decision")
    writer.name("requestId")
    writer.string(requestID)
    writer.name("outcome")
    writer.string(decision.outcome.rawValue)
    if let reason = decision.reason {
      writer.name("reason")
      writer.string(reason.rawValue)
    }
    if let issuer = decision.issuerName {
      writer.name("issuer")
      writer.string(issuer)
    }
    if let hash = decision.keyIDHash {
      writer.name("kidHash")
      writer.string(utf8: hash)
    }
    if let hash = decision.tokenHash {
      writer.name("tokenHash")
      writer.string(utf8: hash)
    }
    if let kind = decision.eventKind {
      writer.name("eventKind")
      writer.string(kind.rawValue)
    }
    writer.name("microseconds")
    writer.integer(microseconds)
    if decision.keyFetches > 0 {
      writer.name("fetches")
      writer.integer(Int64(decision.keyFetches))
    }
    writer.endObject()
    return writer.bytes + [0x0A]
  }
}

/// Times as RFC 3339 writes them.
enum Timestamp {
  /// `2026-11-21T10:00:00.000Z`, for years 1970 to 9999.
  static func rfc3339(_ unixMilliseconds: Int64) -> [UInt8] {
    let milliseconds = max(unixMilliseconds, 0)
    let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
    let (year, month, day) = date(daysSince1970: days)
    let seconds = rest / 1000
    var text: [UInt8] = []
    text.reserveCapacity(24)
    append(year, 4, to: &text)
    for (mark, number) in [
      (0x2D, month), (0x2D, day), (0x54, seconds / 3600), (0x3A, seconds / 60 % 60),
      (0x3A, seconds % 60),
    ] as [(UInt8, Int64)] {
      text.append(mark)
      append(number, 2, to: &text)
    }
    text.append(0x2E)
    append(rest % 1000, 3, to: &text)
    text.append(0x5A)
    return text
  }

  private static func append(_ number: Int64, _ digits: Int, to text: inout [UInt8]) {
    var divisor: Int64 = 1
    for _ in 1..<digits { divisor *= 10 }
    while divisor > 0 {
      text.append(0x30 + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }

  /// The civil date of a day, by eras of 400 years that begin on 1 March (Howard Hinnant, "chrono-Compatible Low-Level
  /// Date Algorithms", civil_from_days).
  private static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}
