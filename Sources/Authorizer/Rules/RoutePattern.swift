/// IAM patterns without `?`: `*` matches any run of bytes, including an empty one, and also matches `/`.
enum RoutePattern {
  /// The byte `*`.
  static let wildcard: UInt8 = 0x2A
  /// The maximum length of `Resource`: 512 characters (API Gateway, "Output from an API Gateway Lambda authorizer").
  static let maximumResourceBytes = 512

  /// Whether the whole text matches the pattern. Needs no extra memory and at most pattern × text steps.
  static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
    var patternIndex = 0
    var index = 0
    var star: (patternIndex: Int, index: Int)?
    while index < text.count {
      if patternIndex < pattern.count, pattern[patternIndex] == wildcard {
        star = (patternIndex, index)
        patternIndex += 1
      } else if patternIndex < pattern.count, pattern[patternIndex] == text[index] {
        patternIndex += 1
        index += 1
      } else if let last = star {
        star = (last.patternIndex, last.index + 1)
        patternIndex = last.patternIndex + 1
        index = last.index + 1
      } else {
        return false
      }
    }
    while patternIndex < pattern.count, pattern[patternIndex] == wildcard { patternIndex += 1 }
    return patternIndex == pattern.count
  }
}
