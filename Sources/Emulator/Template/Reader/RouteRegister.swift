/// The routes of one API, to detect duplicates: AWS refuses such an API or uses one of the two routes, so the
/// authorizer of the other would be ignored.
struct RouteRegister {
  private let report: TemplateReport
  private var lines: [String: Int] = [:]

  init(_ report: TemplateReport) { self.report = report }

  /// Adds a route, or reports a finding if it is a duplicate.
  mutating func enter(_ match: GatewayRoute.Match, line: Int, path: String) {
    let (key, name) = Self.key(match)
    guard let first = lines[key] else {
      lines[key] = line
      return
    }
    report.refuse(
      line, path, "is a duplicate: \(name) is also in line \(first)",
      cure: "remove one of the two; names of parameters make no difference")
  }

  /// Returns a key that is equal for routes with the same requests, and the name for messages.
  private static func key(_ match: GatewayRoute.Match) -> (key: String, name: String) {
    switch match {
    case .default: return ("$default", "$default")
    case .connect: return ("$connect", "$connect")
    case .message(let key): return ("message \(key)", key)
    case .path(let method, let pattern):
      let segments = pattern.segments.map { segment in
        switch segment {
        case .literal(let text): text
        case .parameter: "{}"
        case .greedy: "{+}"
        }
      }
      let verb = method ?? "ANY"
      return ("\(verb) /" + segments.joined(separator: "/"), "\(verb) \(pattern.text)")
    }
  }
}
