/// IAM patterns without `?`: `*` matches any run of bytes, including an empty one, and also matches `/`.
package enum RoutePattern {
  /// The byte `*`.
  package static let wildcard: UInt8 = 0x2A
  /// The maximum length of `Resource`: 512 characters (API Gateway, "Output from an API Gateway Lambda authorizer").
  package static let maximumResourceBytes = 512

  /// Whether some text matches both patterns. At most pattern × pattern steps; used at start only.
  package static func meet(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    // For each beginning of the other pattern, whether some text matches it and the beginning of the first one that
    // the loop has reached.
    var reached = [Bool](repeating: false, count: other.count + 1)
    reached[0] = true
    for index in 0..<other.count where other[index] == wildcard { reached[index + 1] = reached[index] }
    for byte in one {
      // What the shorter beginning of the first pattern had at the index before.
      var diagonal = reached[0]
      if byte != wildcard { reached[0] = false }
      for index in 0..<other.count {
        let expected = other[index]
        let above = reached[index + 1]
        if byte == wildcard || expected == wildcard {
          reached[index + 1] = above || reached[index]
        } else {
          reached[index + 1] = diagonal && byte == expected
        }
        diagonal = above
      }
    }
    return reached[other.count]
  }

  /// Whether the whole text matches the pattern. Needs no extra memory and at most pattern × text steps.
  package static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
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
