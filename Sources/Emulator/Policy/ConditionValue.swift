internal import Foundation

/// A date in a condition: a W3C profile of ISO 8601 (www.w3.org/TR/NOTE-datetime) or Unix seconds.
///
/// Four digits are refused, because they could be a year or Unix seconds.
struct ConditionDate: Equatable, Comparable, Sendable {
  let unixMilliseconds: Int64

  init(unixMilliseconds: Int64) { self.unixMilliseconds = unixMilliseconds }

  init?(_ text: String) {
    if let seconds = Int64(text), !text.hasPrefix("+") {
      guard text.count != 4, seconds.magnitude <= Self.maximumSeconds else { return nil }
      unixMilliseconds = seconds * 1000
      return
    }
    let form =
      /([0-9]{4})-([0-9]{2})(?:-([0-9]{2})(?:T([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?(Z|[+-][0-9]{2}:[0-9]{2}))?)?/
    guard let match = text.wholeMatch(of: form) else { return nil }
    let parts = match.output
    guard let year = Int(parts.1), let month = Int(parts.2), let day = Int(parts.3 ?? "1"),
      (1...12).contains(month), (1...Self.days(of: month, in: year)).contains(day)
    else { return nil }
    var milliseconds = Int64(Self.daysSince1970(year, month, day)) * 86_400_000
    if let hour = parts.4.flatMap({ Int64($0) }), let minute = parts.5.flatMap({ Int64($0) }) {
      let second = parts.6.flatMap { Int64($0) } ?? 0
      guard hour < 24, minute < 60, second < 60 else { return nil }
      milliseconds += (hour * 3600 + minute * 60 + second) * 1000
      let fraction = (parts.7 ?? "").prefix(3)
      milliseconds += Int64(fraction + String(repeating: "0", count: 3 - fraction.count)) ?? 0
      guard let zone = parts.8, let offset = Self.offset(zone) else { return nil }
      milliseconds -= offset * 60_000
    }
    unixMilliseconds = milliseconds
  }

  /// The date in RFC 3339 format, in UTC with seconds.
  var text: String {
    let date = Date(timeIntervalSince1970: (Double(unixMilliseconds) / 1000).rounded(.down))
    return ISO8601DateFormatter().string(from: date)
  }

  static func < (one: ConditionDate, other: ConditionDate) -> Bool {
    one.unixMilliseconds < other.unixMilliseconds
  }

  /// The end of the year 9999, the last date that the format can represent.
  private static let maximumSeconds: Int64 = 253_402_300_799

  private static func offset(_ zone: Substring) -> Int64? {
    if zone == "Z" { return 0 }
    let parts = zone.dropFirst().split(separator: ":").compactMap { Int64($0) }
    guard parts.count == 2, parts[0] < 24, parts[1] < 60 else { return nil }
    return (parts[0] * 60 + parts[1]) * (zone.hasPrefix("-") ? -1 : 1)
  }

  private static func days(of month: Int, in year: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Returns the days from 1970-01-01 in the proleptic Gregorian calendar. Years begin in March here, so the leap day
  /// is the last day.
  private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let monthFromMarch = (month + 9) % 12
    let days = 365 * year + year / 4 - year / 100 + year / 400
    return days + (153 * monthFromMarch + 2) / 5 + day - 1 - 719_468
  }
}

/// An exact number in a condition: an integer or a decimal fraction.
struct ConditionNumber: Equatable, Comparable, Sendable {
  private let value: Decimal

  /// The digits that `Decimal` represents exactly.
  private static let maximumDigits = 38

  init?(_ text: String) {
    guard text.wholeMatch(of: /-?[0-9]+(?:\.[0-9]+)?/) != nil, text.count <= Self.maximumDigits,
      let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    else { return nil }
    self.value = value
  }

  static func < (one: ConditionNumber, other: ConditionNumber) -> Bool { one.value < other.value }
}

/// Addresses in a condition: CIDR or one address (RFC 4632, RFC 4291 section 2.3). An IPv4 network contains no IPv6
/// address, and the reverse.
struct ConditionNetwork: Equatable, Sendable {
  /// 4 or 16 bytes.
  private let bytes: [UInt8]
  private let prefixBits: Int

  /// Parses a network or one address.
  init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let bytes = parts.first.flatMap(Self.addressBytes) else { return nil }
    var bits = bytes.count * 8
    if parts.count == 2 {
      guard parts[1].wholeMatch(of: /[0-9]{1,3}/) != nil, let given = Int(parts[1]), given <= bits else {
        return nil
      }
      bits = given
    }
    self.bytes = bytes
    prefixBits = bits
  }

  /// Parses one address.
  init?(address: String) {
    guard !address.contains("/") else { return nil }
    self.init(address)
  }

  func contains(_ address: ConditionNetwork) -> Bool {
    guard bytes.count == address.bytes.count, address.prefixBits >= prefixBits else { return false }
    return (0..<prefixBits).allSatisfy { bit in
      let mask = UInt8(0x80) >> UInt8(bit % 8)
      return bytes[bit / 8] & mask == address.bytes[bit / 8] & mask
    }
  }

  private static func addressBytes(_ text: Substring) -> [UInt8]? {
    text.contains(":") ? versionSix(text) : versionFour(text)
  }

  private static func versionFour(_ text: Substring) -> [UInt8]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    // Some parsers read a leading zero as octal.
    let numbers = parts.compactMap { $0.wholeMatch(of: /0|[1-9][0-9]{0,2}/) == nil ? nil : UInt8($0) }
    return parts.count == 4 && numbers.count == 4 ? numbers : nil
  }

  private static func versionSix(_ text: Substring) -> [UInt8]? {
    let halves = text.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = halves.first, let front = groups(first, mayEndInFour: halves.count == 1) else {
      return nil
    }
    guard halves.count == 2 else { return front.count == 16 ? front : nil }
    guard let back = groups(halves[1], mayEndInFour: true), front.count + back.count <= 14 else { return nil }
    return front + [UInt8](repeating: 0, count: 16 - front.count - back.count) + back
  }

  /// Returns the bytes of groups of four hexadecimal digits; the last group may be an IPv4 address.
  private static func groups(_ text: Substring, mayEndInFour: Bool) -> [UInt8]? {
    if text.isEmpty { return [] }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    var bytes: [UInt8] = []
    for (index, part) in parts.enumerated() {
      if index == parts.count - 1, mayEndInFour, let four = versionFour(part) {
        bytes += four
      } else {
        guard part.wholeMatch(of: /[0-9A-Fa-f]{1,4}/) != nil, let group = UInt16(part, radix: 16) else {
          return nil
        }
        bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
      }
    }
    return bytes
  }
}
