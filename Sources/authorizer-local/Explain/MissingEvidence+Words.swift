internal import Authorizer
internal import Text

/// Words for what requirements expect and what a token has.
extension [MissingEvidence] {
  /// What is expected, such as `claim role: "owner" and the scopes a, b`.
  var needs: String {
    let scopes = filter { $0.scopes != nil }.map(\.expected)
    let others = filter { $0.scopes == nil }.map { evidence in
      evidence.alternatives.isEmpty
        ? "\(evidence.subject): \(evidence.expected)"
        : "one of " + evidence.alternatives.map { "(\($0.needs))" }.joined(separator: " or ")
    }
    return (others + (scopes.isEmpty ? [] : ["the " + Self.list(scopes)])).joined(separator: " and ")
  }

  /// What the token has, then what it does not have, such as `scopes a, b, but no claim role`.
  var has: String {
    let leaves = leaves
    let (claims, held) = (leaves.filter { $0.scopes == nil }, leaves.lazy.compactMap(\.scopes).first)
    let present = claims.filter { $0.found != "absent" }.map { "\($0.subject): \($0.found)" }
    let absent = claims.filter { $0.found == "absent" }.map { "no \($0.subject)" }
    let scopes = held.map { $0.isEmpty ? [] : [Self.list($0)] } ?? []
    return [present + scopes, absent + (held?.isEmpty == true ? ["no scope"] : [])].map { words in
      words.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }.joined(separator: " and ")
    }.filter { !$0.isEmpty }.joined(separator: ", but ")
  }

  /// What the token lacks, with that of each alternative in place of them.
  var leaves: [MissingEvidence] {
    flatMap { $0.alternatives.isEmpty ? [$0] : $0.alternatives.flatMap { $0 }.leaves }
  }

  private static func list(_ scopes: [String]) -> String {
    (scopes.count == 1 ? "scope " : "scopes ") + scopes.joined(separator: ", ")
  }
}

extension MissingEvidence {
  /// The name of the scope or of the claim; those of alternatives are joined: `admin or role`.
  var name: String {
    if !alternatives.isEmpty {
      return alternatives.map { $0.map(\.name).joined(separator: " and ") }.joined(separator: " or ")
    }
    if subject.hasBytePrefix("(") { return "not " + subject }
    return scopes != nil ? expected : subject.splitBytes(at: " ").last.map(String.init) ?? subject
  }
}
