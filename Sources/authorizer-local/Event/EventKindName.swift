internal import GatewayModel
internal import ArgumentParser

/// Parses the kind of an event.
enum EventKindName {
  /// All kinds in a sentence.
  static let words = Printable.list(all)
  static let all = EventKind.allCases.map(\.rawValue)

  @Sendable static func parse(_ text: String) throws -> EventKind {
    // Case is ignored, because users rarely remember it.
    guard let kind = EventKind.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) else {
      let known = all.joined(separator: ", ")
      let fitting = all.filter {
        !text.isEmpty && $0.lowercased().utf8.starts(with: text.lowercased().utf8)
      }
      if fitting.count > 1 {
        throw ValidationError("--kind must be \(Printable.list(fitting)), found \(text)")
      }
      throw ValidationError("--kind must be one of \(known), found \(text)")
    }
    return kind
  }
}
