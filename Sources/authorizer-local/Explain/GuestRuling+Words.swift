internal import Authorizer

/// What `explain` says about an event without any credential.
extension GuestRuling {
  /// The check of the guest routes.
  var row: ExplanationReport.Row {
    let isAllowed = outcome == .allowed
    return ExplanationReport.Row(
      check: "anonymous", title: "guest routes", result: isAllowed ? "passed" : "FAILED",
      reason: reason?.rawValue, expected: "\(route) is a guest route",
      found: isAllowed ? "allowed" : detail ?? why)
  }

  /// Returns the first lines of the explanation.
  ///
  /// - Parameter routes: all guest routes, as written.
  func verdict(_ routes: [String]) -> VerdictWords {
    switch outcome {
    case .allowed:
      return VerdictWords(
        code: VerdictWords.accepted, sentence: "the caller is a guest, allowed on \(route)",
        outcome: outcome.rawValue)
    case .failure:
      return VerdictWords(
        code: (reason ?? .invalidConfiguration).rawValue,
        sentence: "the authorizer cannot decide on \(route): \(detail ?? "")")
    case .unauthorized, .forbidden:
      return VerdictWords(
        code: (reason ?? .missingToken).rawValue,
        sentence: "the event has no token, and guests are not allowed on \(route)",
        hint: obstacle == nil ? "guest routes: \(routes.joined(separator: ", "))" : why)
    }
  }

  /// Why the route is not allowed.
  private var why: String {
    switch obstacle {
    case nil: "no guest route names it"
    case .rule(let index): "rules[\(index)] restricts it, and a guest meets no requirement"
    case .path:
      "the path has a dot segment, .., %2e, %25, %00 or bytes that are not UTF-8, or may be the template of its route,"
        + " which guests may not reach"
    case .tooLong: "its guest route is longer than a Resource of a policy may be on this stage"
    }
  }
}
