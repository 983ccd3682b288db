internal import Bytes

/// Texts as paths, shells and protocols read them: by bytes.
///
/// A `Character` is what a reader sees as one: `/` before a combining mark is another `Character` than `/`, and one `Character`
/// may equal another one of other bytes. A file system, a shell or a server sees the slash. So these take the place of
/// the methods of `String`, which compare `Character`s (RepositoryTests, `Rule+Bytes`).
extension StringProtocol {
  /// Whether both texts have the same bytes, in contrast to `==`.
  package func hasSameBytes(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }

  package func hasBytePrefix(_ prefix: some StringProtocol) -> Bool { utf8.starts(with: prefix.utf8) }

  package func hasByteSuffix(_ suffix: some StringProtocol) -> Bool {
    utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
  }

  /// Returns the text after these bytes at its start; `nil` if it begins with others.
  package func rest(after prefix: some StringProtocol) -> SubSequence? {
    hasBytePrefix(prefix) ? dropFirst(bytes: prefix.utf8.count) : nil
  }

  /// Returns the text without this number of bytes at its start.
  package func dropFirst(bytes count: Int) -> SubSequence {
    self[(utf8.index(startIndex, offsetBy: count, limitedBy: endIndex) ?? endIndex)...]
  }

  /// Returns the text without this number of bytes at its end.
  package func dropLast(bytes count: Int) -> SubSequence {
    self[..<utf8.index(startIndex, offsetBy: Swift.max(0, utf8.count - count))]
  }

  /// Returns where these bytes are for the first time.
  package func firstByteRange(of other: some StringProtocol) -> Range<Index>? {
    utf8.firstRange(of: other.utf8)
  }

  package func containsBytes(of other: some StringProtocol) -> Bool { firstByteRange(of: other) != nil }

  /// Returns the text with other bytes in place of some, wherever they are.
  package func replacingBytes(of old: some StringProtocol, with new: some StringProtocol) -> String {
    var result: [UInt8] = []
    var rest = self[...]
    while let found = rest.firstByteRange(of: old), !found.isEmpty {
      result += rest[..<found.lowerBound].utf8
      result += new.utf8
      rest = rest[found.upperBound...]
    }
    return String(decoding: result + rest.utf8, as: UTF8.self)
  }

  /// Returns the parts between a separator, as `split(separator:maxSplits:omittingEmptySubsequences:)` does.
  package func splitBytes(
    at separator: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
  ) -> [SubSequence] {
    unicodeScalars.split(
      separator: separator, maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences
    ).map { self[$0.startIndex..<$0.endIndex] }
  }

  /// Returns the parts between a text that is not empty, empty parts too.
  package func splitBytes(atEach separator: some StringProtocol) -> [SubSequence] {
    var parts: [SubSequence] = []
    var start = startIndex
    while let found = self[start...].firstByteRange(of: separator), !found.isEmpty {
      parts.append(self[start..<found.lowerBound])
      start = found.upperBound
    }
    return parts + [self[start...]]
  }

  /// Returns the text before the first of these characters, or the whole text.
  package func head(before ends: Unicode.Scalar...) -> SubSequence {
    self[..<(unicodeScalars.firstIndex { ends.contains($0) } ?? endIndex)]
  }

  /// Returns the text without these characters at its start.
  package func trimmingStart(of character: Unicode.Scalar) -> SubSequence {
    self[(unicodeScalars.firstIndex { $0 != character } ?? endIndex)...]
  }

  /// The text without spaces and tabs at both ends.
  package var trimmingBlanks: String {
    var rest = Substring(self).utf8
    while let first = rest.first, first == .space || first == .tab { rest = rest.dropFirst() }
    while let last = rest.last, last == .space || last == .tab { rest = rest.dropLast() }
    return String(Substring(rest))
  }
}
