internal import Bytes

extension Array<UInt8> {
  /// Returns random bytes of the system's generator. Each of its numbers is a system call, so one gives eight bytes.
  package static func random(count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 7)
    while bytes.count < count {
      let word = UInt64.random(in: 0 ... .max)
      for shift in stride(from: UInt64(0), to: 64, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> shift))
      }
    }
    return Array(bytes.prefix(count))
  }

  /// Returns the first index, at or after `start`, of other bytes, which are not empty; `nil` without them.
  ///
  /// Searches several bytes at a time for the first of them, because the gateway searches texts of each request, and takes
  /// time in proportion to both, because a caller chooses them.
  @usableFromInline
  package func firstIndex(of other: [UInt8], from start: Int) -> Int? {
    guard let first = other.first else { return nil }
    var (index, falseStarts) = (span.firstIndex(of: first, from: start), 0)
    while index <= count - other.count {
      if span.extracting(index..<index + other.count).equals(other.span) { return index }
      falseStarts += 1
      guard falseStarts < Self.maximumFalseStarts else {
        return TextSearch(other).first(in: self, from: index)
      }
      index = span.firstIndex(of: first, from: index + 1)
    }
    return nil
  }

  /// After this many, the other search begins: our choice. Most texts have fewer.
  private static var maximumFalseStarts: Int { 16 }

  /// Returns the bytes with others in place of some, which are not empty, wherever they are.
  @usableFromInline
  package func bytes(replacing old: [UInt8], by new: [UInt8]) -> [UInt8] {
    var (result, start): ([UInt8], Int) = ([], 0)
    while let found = firstIndex(of: old, from: start) {
      result += self[start..<found] + new
      start = found + old.count
    }
    return start == 0 ? self : result + self[start...]
  }
}
