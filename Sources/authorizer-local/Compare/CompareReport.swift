internal import JSON
internal import RuleAnalysis

/// What `config compare` prints.
struct CompareReport {
  let comparison: RuleComparison
  /// `nil` if only rules are compared.
  let notCompared: [String]?
  /// The places of differences on whose example the function decided otherwise: first of those that NEW allows.
  let unconfirmed: Set<Int>
  /// Routes that some stages' ARNs make too long.
  let longRoutes: (old: [String], new: [String])

  var lines: [String] {
    var lines: [String] = []
    for (differences, offset, others, first, second) in [
      (comparison.newAllows, 0, comparison.issuers.onlyNew, "NEW", "OLD"),
      (comparison.oldAllows, comparison.newAllows.count, comparison.issuers.onlyOld, "OLD", "NEW"),
    ] {
      lines.append(
        differences.isEmpty && others.isEmpty
          ? "\(first) allows nothing that \(second) refuses." : "What \(first) allows and \(second) refuses:")
      for (place, difference) in differences.enumerated() {
        let issuers = difference.issuers.isEmpty ? "" : " of " + difference.issuers.joined(separator: " and ")
        lines.append(
          "  \(first) lets \(difference.who)\(issuers) call \(Self.list(difference.routes)); \(second) \(difference.refusal)."
        )
        let mark = unconfirmed.contains(offset + place) ? " (NOT CONFIRMED)" : ""
        lines.append("    for example " + Self.text(difference.example) + mark)
      }
      lines += others.map { "  \(first) accepts tokens of \($0), and \(second) does not." }
    }
    for issuer in comparison.issuersWithoutTokens {
      lines.append("Not compared: no token of \(issuer) passes both verifications.")
    }
    if let notCompared {
      if !notCompared.isEmpty { lines.append("Not compared:") }
      lines += notCompared.map { "  " + $0 }
    } else {
      lines.append("Only rules are compared, with what issuers require of their tokens, and guests.")
    }
    for (routes, name) in [(longRoutes.old, "OLD"), (longRoutes.new, "NEW")] where !routes.isEmpty {
      lines.append(
        "Stages with long ARNs leave these routes of \(name) out of the policy: \(routes.joined(separator: ", "))"
      )
    }
    return lines
  }

  private static let shownRoutes = 12

  private static func list(_ routes: [String]) -> String {
    let more = routes.count > shownRoutes ? " and \(routes.count - shownRoutes) more routes" : ""
    return routes.prefix(shownRoutes).map { "`\($0)`" }.joined(separator: ", ") + more
  }

  /// Returns the request and the recipe of its token.
  static func text(_ example: RequestExample) -> String {
    let call = example.mcpMethod.map { ", \($0)" + (example.mcpName.map { " \($0)" } ?? "") + "," } ?? ""
    let request = (example.method.map { $0 + " " } ?? "") + example.path + call
    return request
      + (example.token.map { " with the token " + String(decoding: $0.bytes(), as: UTF8.self) }
        ?? " without a token")
  }

  // MARK: JSON

  var json: [UInt8] {
    JSONTree.members([
      "newAllowsMore": .boolean(!comparison.newAllows.isEmpty || !comparison.issuers.onlyNew.isEmpty),
      "newAllows": tree(comparison.newAllows, from: 0),
      "oldAllows": tree(comparison.oldAllows, from: comparison.newAllows.count),
      "notCompared": notCompared.map { .array($0.map { .string($0) }) },
      "issuersWithoutTokens": .array(comparison.issuersWithoutTokens.map { .string($0) }),
      "longRoutes": .members([
        "old": .array(longRoutes.old.map { .string($0) }), "new": .array(longRoutes.new.map { .string($0) }),
      ]),
    ]).bytes(indentedBy: 2)
  }

  private func tree(_ differences: [RuleDifference], from offset: Int) -> JSONTree {
    .array(
      differences.enumerated().map { place, difference in
        .members([
          "routes": .array(difference.routes.map { .string($0) }), "who": .string(difference.who),
          "refusal": .string(difference.refusal), "issuers": .array(difference.issuers.map { .string($0) }),
          "example": Self.tree(difference.example),
          "confirmed": .boolean(!unconfirmed.contains(offset + place)),
        ])
      })
  }

  static func tree(_ example: RequestExample) -> JSONTree {
    .members([
      "method": example.method.map { .string($0) }, "path": .string(example.path),
      "mcpMethod": example.mcpMethod.map { .string($0) }, "mcpName": example.mcpName.map { .string($0) },
      "token": example.token ?? .null,
    ])
  }
}
