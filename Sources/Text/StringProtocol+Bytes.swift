internal import Bytes

/// Texts as paths, shells and protocols read them: by bytes.
///
/// A `Character` is what a reader sees as one: `/` before a combining mark is another `Character` than `/`, and one `Character`
/// may equal another one of other bytes. A file system, a shell or a server sees the slash. So these take the place of
/// the methods of `String`, which compare `Character`s (RepositoryTests, `Rule+Bytes`). Other modules inline them: as
/// generic functions of any text they take several times as long. A build for tests inlines nothing: `@specialized` makes
/// copies for the most common texts there.
extension StringProtocol {
  /// Whether both texts have the same bytes, in contrast to `==`.
  @inlinable
  @specialized(where Self == String, Other == String)
  @specialized(where Self == Substring, Other == String)
  package func hasSameBytes<Other: StringProtocol>(as other: Other) -> Bool {
    utf8.elementsEqual(other.utf8)
  }

  @inlinable
  package func hasBytePrefix(_ prefix: some StringProtocol) -> Bool { utf8.starts(with: prefix.utf8) }

  @inlinable
  package func hasByteSuffix(_ suffix: some StringProtocol) -> Bool {
    utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
  }

  /// Returns the text after these bytes at its start; `nil` if it begins with others.
  @inlinable
  package func rest(after prefix: some StringProtocol) -> SubSequence? {
    hasBytePrefix(prefix) ? dropFirst(bytes: prefix.utf8.count) : nil
  }

  /// Returns the text without this number of bytes at its start.
  @inlinable
  package func dropFirst(bytes count: Int) -> SubSequence {
    self[(utf8.index(startIndex, offsetBy: count, limitedBy: endIndex) ?? endIndex)...]
  }

  /// Returns the text without this number of bytes at its end.
  @inlinable
  package func dropLast(bytes count: Int) -> SubSequence {
    self[..<utf8.index(startIndex, offsetBy: Swift.max(0, utf8.count - count))]
  }

  /// Returns where these bytes are for the first time.
  @inlinable
  package func firstByteRange(of other: some StringProtocol) -> Range<Index>? {
    let other = Array(other.utf8)
    guard !other.isEmpty else { return startIndex..<startIndex }
    guard let offset = Array(utf8).firstIndex(of: other, from: 0) else { return nil }
    let start = utf8.index(startIndex, offsetBy: offset)
    return start..<utf8.index(start, offsetBy: other.count)
  }

  @inlinable
  package func containsBytes(of other: some StringProtocol) -> Bool { firstByteRange(of: other) != nil }

  /// Returns the text with other bytes in place of some, wherever they are.
  @inlinable
  package func replacingBytes(of old: some StringProtocol, with new: some StringProtocol) -> String {
    String(decoding: Array(utf8).bytes(replacing: Array(old.utf8), by: Array(new.utf8)), as: UTF8.self)
  }

  /// Returns the parts between a separator, as `split(separator:maxSplits:omittingEmptySubsequences:)` does.
  @inlinable
  @specialized(where Self == String)
  package func splitBytes(
    at separator: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
  ) -> [SubSequence] {
    unicodeScalars.split(
      separator: separator, maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences
    ).map { self[$0.startIndex..<$0.endIndex] }
  }

  /// Returns the parts between a text that is not empty, empty parts too.
  @inlinable
  package func splitBytes(atEach separator: some StringProtocol) -> [SubSequence] {
    let (bytes, separator) = (Array(utf8), Array(separator.utf8))
    var (parts, start, offset): ([SubSequence], Index, Int) = ([], startIndex, 0)
    while let found = bytes.firstIndex(of: separator, from: offset) {
      let end = utf8.index(start, offsetBy: found - offset)
      parts.append(self[start..<end])
      start = utf8.index(end, offsetBy: separator.count)
      offset = found + separator.count
    }
    return parts + [self[start...]]
  }

  /// Returns the text before the first of these characters, or the whole text.
  @inlinable
  package func head(before ends: Unicode.Scalar...) -> SubSequence {
    self[..<(unicodeScalars.firstIndex { ends.contains($0) } ?? endIndex)]
  }

  /// Returns the text without these characters at its start.
  @inlinable
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

extension String {
  /// The number of line feeds. Here, because a build for tests optimizes this module.
  package var lineFeeds: Int { utf8.count { $0 == 0x0A } }
}
