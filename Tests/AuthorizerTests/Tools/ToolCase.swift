import JSON

/// One request for a second evaluator of rules with names. The token has what its issuer requires.
struct ToolCase: Sendable {
  /// The value of `rules`, under the default deny.
  let rules: JSONTree
  /// The verb and the path of the request.
  let verb: String
  let path: String
  /// All header lines, in order; the gateway shows the function each of them.
  let headers: [(name: String, value: String)]
  /// Evaluates a `require` for the caller.
  let requirement: @Sendable (JSONTree) -> RequirementAnswer
}

/// The answer of a second evaluator of rules with names.
struct ToolAnswer: Equatable, Sendable {
  var isAllowed: Bool
  /// The code of the reason if it is refused.
  var reason: String?
  /// On tool routes: the patterns of the tools that the caller may call now, in the order of the rules, none twice.
  var callableTools: [String]?
}
