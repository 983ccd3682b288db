internal import GatewayModel
internal import Text

/// The routes of one API, to detect duplicates: AWS refuses such an API or uses one of the two routes, so the
/// authorizer of the other would be ignored.
struct RouteRegister {
  private let report: Diagnostics
  private let isREST: Bool
  private var lines: [ByteString: Int] = [:]
  /// The parameter below each path, as written, and its line.
  private var parameters: [String: (name: String, line: Int)] = [:]

  init(_ report: Diagnostics, isREST: Bool = false) {
    self.report = report
    self.isREST = isREST
  }

  /// The maximum number of routes of an API: our limit, above 300 resources with seven methods each ("Quotas for
  /// configuring and running a REST API in API Gateway").
  static let maximumRoutes = 3000

  /// Reports a path that cannot be deployed: its guard would be at a path that no request has, and another route would
  /// get the requests.
  ///
  /// - Returns: whether it can.
  private func check(_ pattern: PathPattern, _ line: Int, _ path: String) -> Bool {
    for segment in pattern.segments {
      let (text, isName) =
        switch segment {
        case .literal(let text): (text, false)
        case .parameter(let name), .greedy(let name): (name, true)
        }
      guard text.isEmpty || !text.utf8.allSatisfy({ PathPattern.allows($0, isREST: isREST || isName) })
      else { continue }
      report.refuse(
        line, path,
        "cannot be deployed: \(pattern.text) has \(text.isEmpty ? "an empty part" : "the part \(text)")",
        cure: isREST
          ? "use letters, digits and ._-:$ in a path" : "use the characters of a path, without percent signs")
      return false
    }
    return true
  }

  /// Adds a route, or reports a finding if AWS refuses it beside the others.
  mutating func enter(_ match: GatewayRoute.Match, line: Int, path: String) {
    let (key, name) = Self.key(match)
    guard let first = lines[ByteString(key)] else {
      lines[ByteString(key)] = line
      if lines.count == Self.maximumRoutes + 1 {
        report.refuse(
          line, path, "is one of over \(Self.maximumRoutes) routes",
          cure: "divide the API; API Gateway takes 300 resources or routes by default")
      }
      guard case .path(_, let pattern) = match, check(pattern, line, path), isREST else { return }
      enterParameters(of: pattern, line, path)
      return
    }
    report.refuse(
      line, path, "is a duplicate: \(name) is also in line \(first)",
      cure: "remove one of the two; names of parameters make no difference")
  }

  /// A resource of a REST API has one child with a parameter: "A sibling ({x}) of this resource already has a variable
  /// path part -- only one is allowed" (recorded by LocalStack on AWS).
  private mutating func enterParameters(of pattern: PathPattern, _ line: Int, _ path: String) {
    var parent = ""
    for segment in pattern.segments {
      let part =
        switch segment {
        case .literal(let text): text
        case .parameter(let name): "{\(name)}"
        case .greedy(let name): "{\(name)+}"
        }
      if case .literal = segment {
      } else if let first = parameters[parent] {
        if first.name != part {
          report.refuse(
            line, path,
            "cannot be deployed: \(part) of \(pattern.text) is at the place of \(first.name) in line \(first.line)",
            cure: "use the same name in both; API Gateway allows one parameter at a place")
          return
        }
      } else {
        parameters[parent] = (part, line)
      }
      parent += "/" + part
    }
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
