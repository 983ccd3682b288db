internal import Text
internal import Bytes
internal import JSON

/// A pattern of a policy with its variables: `arn:…/${aws:username}/*`.
///
/// Version 2012-10-17 has variables; in a document of another version, or without a version, `${…}` is literal text
/// (IAM User Guide, "IAM policy elements: Variables and tags").
package struct PolicyPattern: Equatable, Sendable {
  /// The pattern as written in the policy.
  package let text: String
  private let parts: [Part]
  private let ignoresCase: Bool
  private let isExact: Bool

  private enum Part: Equatable {
    case pattern(String)
    case literal(String)
    case variable(ConditionKey, fallback: String?)
  }

  enum Resolution: Equatable {
    case pattern(WildcardPattern)
    /// A variable has no value, so the pattern matches nothing.
    case withoutValue(String)
  }

  /// Creates a pattern with variables.
  ///
  /// - Parameters:
  ///   - version: decides whether variables are supported.
  ///   - isExact: whether `*` and `?` are literal, as in `StringEquals`.
  init(
    _ text: String, version: PolicyDocument.Version, ignoringCase: Bool = false, isExact: Bool = false
  ) throws(PolicyError.Problem) {
    self.text = text
    ignoresCase = ignoringCase
    self.isExact = isExact
    parts =
      version.hasVariables ? try Self.parts(of: text, isExact) : [isExact ? .literal(text) : .pattern(text)]
  }

  private static func parts(of text: String, _ isExact: Bool) throws(PolicyError.Problem) -> [Part] {
    var parts: [Part] = []
    var rest = text[...]
    while let start = rest.firstByteRange(of: "${") {
      if start.lowerBound > rest.startIndex { parts.append(plain(rest[..<start.lowerBound], isExact)) }
      rest = rest[start.upperBound...]
      guard let end = rest.unicodeScalars.firstIndex(of: "}") else { throw .variable("${" + rest) }
      parts.append(try variable(rest[..<end]))
      rest = rest[end...].dropFirst(bytes: 1)
    }
    if !rest.isEmpty { parts.append(plain(rest, isExact)) }
    return parts
  }

  private static func plain(_ text: Substring, _ isExact: Bool) -> Part {
    isExact ? .literal(String(text)) : .pattern(String(text))
  }

  /// Parses `key`, `key, 'default'`, or one of the three escaped characters.
  private static func variable(_ text: Substring) throws(PolicyError.Problem) -> Part {
    if ["*", "?", "$"].contains(text) { return .literal(String(text)) }
    guard let match = text.wholeMatch(of: /\s*([^,'\s]+)\s*(?:,\s*'([^']*)'\s*)?/),
      let key = ConditionKey(String(match.1)), !key.isMultivalued
    else { throw .variable("${\(text)}") }
    return .variable(key, fallback: match.2.map(String.init))
  }

  /// Returns the pattern for a request.
  ///
  /// - Throws: if the value of a key is unknown, or contains a wildcard.
  func resolved(in context: ConditionContext) throws(UndecidedPolicy.Problem) -> Resolution {
    var pattern = WildcardPattern(ignoringCase: ignoresCase)
    for part in parts {
      switch part {
      case .pattern(let text): pattern.append(pattern: text)
      case .literal(let text): pattern.append(literal: text)
      case .variable(let key, let fallback):
        switch context.knowledge(of: key) {
        case .unknown: throw .unknownValue(key.name)
        case .values(let values):
          let value = values.first ?? ""
          // AWS does not define whether a wildcard character in a value matches as one, and the caller may have sent
          // it.
          if !isExact, value.utf8.contains(where: { $0 == .asterisk || $0 == .questionMark }) {
            throw .wildcardInValue(key.name)
          }
          pattern.append(literal: value)
        case .absent:
          guard let fallback else { return .withoutValue(key.name) }
          pattern.append(literal: fallback)
        }
      }
    }
    return .pattern(pattern)
  }

  /// Whether the service of an ARN has a wildcard. Such a pattern matches no resource (IAM User Guide, "IAM JSON
  /// policy elements: Resource").
  var hasWildcardService: Bool {
    let parts = text.splitBytes(at: ":", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.count > 2 && parts[0] == "arn"
      && parts[2].utf8.contains { $0 == .asterisk || $0 == .questionMark }
  }

  /// Whether a variable is before the fifth colon of an ARN, where IAM allows none.
  var hasVariableBeforeResource: Bool {
    var colons = 0
    for part in parts {
      switch part {
      case .pattern(let text), .literal(let text): colons += text.utf8.count { $0 == .colon }
      case .variable: if colons < 5 { return true }
      }
    }
    return false
  }

  var hasVariables: Bool { parts.contains { if case .variable = $0 { true } else { false } } }
}
