internal import GatewayModel
internal import Text

/// A route of a rule that belongs to a user, such as `GET /users/${sub}`.
struct OwnedRoute {
  private let words: [String]

  init(_ text: String) { words = text.splitBytes(at: " ").map(String.init) }

  /// Returns the path of a user on a route of an API; `nil` if the rule does not give them one there.
  ///
  /// - Parameters:
  ///   - example: the value of other parameters.
  ///   - value: the value of a claim; `nil` if the user has none.
  func path(
    on pattern: PathPattern, _ method: String, example: String, value: (_ claim: String) -> String?
  ) -> String? {
    guard words.count == 2, words[0] == "*" || words[0].hasSameBytes(as: method) else { return nil }
    let own = words[1].splitBytes(at: "/").map(String.init)
    let isOpen = own.last == "*"
    guard own.count - (isOpen ? 1 : 0) <= pattern.segments.count || pattern.isGreedy else { return nil }
    var parts: [String] = []
    var isOwned = false
    for (index, place) in pattern.segments.enumerated() {
      guard index < own.count || isOpen else { return nil }
      if case .literal(let text) = place {
        let segment = own[min(index, own.count - 1)]
        guard segment.hasSameBytes(as: text) || segment == "*" else { return nil }
        parts.append(text)
        continue
      }
      let isLast = index == pattern.segments.count - 1
      for segment in own.dropFirst(min(index, own.count - 1)).prefix(pattern.isGreedy && isLast ? .max : 1) {
        if let start = segment.firstByteRange(of: "${") {
          guard let value = value(String(segment[start.upperBound...].dropLast(bytes: 1))) else { return nil }
          parts.append(segment[..<start.lowerBound] + value)
          isOwned = true
        } else {
          parts.append(segment.hasByteSuffix("*") || segment.hasBytePrefix("{") ? example : segment)
        }
      }
    }
    return isOwned ? "/" + parts.joined(separator: "/") : nil
  }
}
