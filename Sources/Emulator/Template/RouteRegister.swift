/// The routes of one API so far, to find one that is there twice: AWS refuses such an API or lets one of the two win,
/// and the other, with its authorizer, would be passed over.
struct RouteRegister {
  private let report: TemplateReport
  private var lines: [String: Int] = [:]

  init(_ report: TemplateReport) { self.report = report }

  /// Enters a route, or tells where it was before.
  mutating func enter(_ match: GatewayRoute.Match, line: Int, path: String) {
    let (key, name) = Self.key(match)
    guard let first = lines[key] else {
      lines[key] = line
      return
    }
    report.refuse(
      line, path, "is there twice: \(name) stands in line \(first) too",
      cure: "take one of the two out; names of parameters make no difference")
  }

  /// What two routes have in common that take the same requests, and how a person calls the second.
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
