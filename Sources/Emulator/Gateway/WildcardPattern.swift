/// A pattern of IAM: `*` stands for any run of characters, `/` and `:` among them and none too, `?` for exactly one.
///
/// The whole text must match, and letters count as they are unless `ignoringCase` is asked for (IAM User Guide, "IAM
/// JSON policy elements: Action, Resource"). Matching goes back to the last `*` only, so its time is at most
/// proportional to pattern × text, whatever a pattern looks like.
public struct WildcardPattern: Equatable, Sendable {
  private let pattern: [Unicode.Scalar]
  private let ignoresCase: Bool

  /// A pattern as it stands in a policy.
  public init(_ text: String, ignoringCase: Bool = false) {
    ignoresCase = ignoringCase
    pattern = Self.scalars(text, ignoringCase)
  }

  /// Whether the whole text matches.
  public func matches(_ text: String) -> Bool {
    let text = Self.scalars(text, ignoresCase)
    var place = 0
    var patternPlace = 0
    var retry: (patternPlace: Int, place: Int)?
    while place < text.count {
      if patternPlace < pattern.count, pattern[patternPlace] == "*" {
        retry = (patternPlace, place)
        patternPlace += 1
      } else if patternPlace < pattern.count,
        pattern[patternPlace] == "?" || pattern[patternPlace] == text[place]
      {
        patternPlace += 1
        place += 1
      } else if let last = retry {
        // The last star takes one character more.
        retry = (last.patternPlace, last.place + 1)
        patternPlace = last.patternPlace + 1
        place = last.place + 1
      } else {
        return false
      }
    }
    return pattern[patternPlace...].allSatisfy { $0 == "*" }
  }

  /// ASCII letters only: actions have no others, and Unicode case would tie the verdict to a table's version.
  private static func scalars(_ text: String, _ ignoringCase: Bool) -> [Unicode.Scalar] {
    guard ignoringCase else { return Array(text.unicodeScalars) }
    return text.unicodeScalars.map {
      ("A"..."Z").contains($0) ? Unicode.Scalar(UInt8($0.value) | 0x20) : $0
    }
  }
}
