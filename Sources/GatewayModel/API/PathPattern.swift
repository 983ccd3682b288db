internal import Text
internal import Bytes

/// A path with parameters: `/pets/{id}`, `/files/{proxy+}`.
package struct PathPattern: Equatable, Sendable {
  /// As written in the template.
  package let text: String
  package let segments: [Segment]

  package enum Segment: Equatable, Sendable {
    case literal(String)
    case parameter(String)
    /// The rest of the path, at least one segment; only at the end.
    case greedy(String)
  }

  /// Returns `nil` unless the text begins with a slash, braces enclose whole segments, and only the last is greedy.
  package init?(_ text: String) {
    guard text.hasBytePrefix("/") else { return nil }
    var segments: [Segment] = []
    // A slash at the end makes no other route: SAM removes it, and an HTTP API refuses it.
    var parts = Self.parts(text)
    if parts.last?.isEmpty == true { parts.removeLast() }
    for part in parts {
      if case .greedy? = segments.last { return nil }
      guard part.hasBytePrefix("{"), part.hasByteSuffix("}") else {
        guard !part.containsBytes(of: "{"), !part.containsBytes(of: "}") else { return nil }
        segments.append(.literal(part))
        continue
      }
      let name = part.dropFirst(bytes: 1).dropLast(bytes: 1)
      let isGreedy = name.hasByteSuffix("+")
      let bare = String(isGreedy ? name.dropLast(bytes: 1) : name)
      guard !bare.isEmpty, !bare.utf8.contains(where: { "{}+".utf8.contains($0) }) else { return nil }
      segments.append(isGreedy ? .greedy(bare) : .parameter(bare))
    }
    self.text = text
    self.segments = segments
  }

  /// Returns the parameters if the path matches, else `nil`. A trailing slash is an additional empty segment.
  package func parameters(in path: String) -> [Parameter]? {
    let parts = Self.parts(path)
    var parameters: [Parameter] = []
    for (index, segment) in segments.enumerated() {
      switch segment {
      case .greedy(let name):
        guard index < parts.count else { return nil }
        let rest = parts[index...].joined(separator: "/")
        guard !rest.isEmpty else { return nil }
        parameters.append(Parameter(name: name, value: rest))
        return parameters
      case .literal(let literal):
        guard index < parts.count, parts[index].utf8.elementsEqual(literal.utf8) else { return nil }
      case .parameter(let name):
        guard index < parts.count, !parts[index].isEmpty else { return nil }
        parameters.append(Parameter(name: name, value: parts[index]))
      }
    }
    return parts.count == segments.count ? parameters : nil
  }

  package struct Parameter: Equatable, Sendable {
    package let name: String
    /// The value as in the path, not decoded.
    package let value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Whether a part of a path may have this byte.
  ///
  /// API Gateway refuses others for a resource of a REST API: "Resource's path part only allow a-zA-Z0-9._-: or a valid
  /// greedy path variable"; it takes a dollar sign too (aws/aws-cdk pull request 27619). For routes of HTTP APIs no
  /// document names the characters. A path has those of RFC 3986 section 3.3; encoded ones are not compared.
  package static func allows(_ byte: UInt8, isREST: Bool) -> Bool {
    byte.isLetterOrDigit || "._-:$".utf8.contains(byte)
      || !isREST && "~!&'()*+,;=@".utf8.contains(byte)
  }

  /// Whether the last parameter takes the rest of the path.
  package var isGreedy: Bool { if case .greedy? = segments.last { true } else { false } }

  /// Whether `left` has precedence over `right`: at the first difference a literal precedes a parameter, and a
  /// parameter precedes a greedy one.
  static func isMoreSpecific(_ left: PathPattern, than right: PathPattern) -> Bool {
    for (one, other) in zip(left.segments, right.segments) where one.rank != other.rank {
      return one.rank < other.rank
    }
    return left.segments.count > right.segments.count
  }

  private static func parts(_ path: String) -> [String] {
    path == "/"
      ? []
      : Substring(path).utf8.dropFirst().split(separator: .slash, omittingEmptySubsequences: false)
        .map { String(Substring($0)) }
  }
}

extension PathPattern.Segment {
  fileprivate var rank: Int {
    switch self {
    case .literal: 0
    case .parameter: 1
    case .greedy: 2
    }
  }
}
