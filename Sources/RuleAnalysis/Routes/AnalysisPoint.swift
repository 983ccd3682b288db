internal import Authorizer
internal import JOSE

/// A request that stands for many, and the rules of each configuration that match it.
struct AnalysisPoint {
  let request: RequestPoint
  /// The verbs with the same matches; none for `$connect`.
  let verbs: [String]
  /// The requests that it stands for: a path, and what it calls.
  let words: Glob
  /// The path of a route as it is written, by the side that has it.
  let labels: [Int: String]
  /// The rules, by side.
  let matches: [RuleMatch]
  /// The words for what it calls, on paths on which the headers of MCP decide.
  var callLabel: String?
  /// The ways in which the routes of a question match it.
  var asked: Set<Set<ClaimBinding>> = [[]]

  /// The words for its paths, if possible those of this side.
  func label(of side: Int) -> String {
    let path =
      labels[side] ?? labels.min { $0.key < $1.key }?.value ?? String(decoding: words.bytes, as: UTF8.self)
    return path + (callLabel.map { " with " + $0 } ?? "")
  }

  /// Returns the requests with a token that decide.
  ///
  /// - Parameters:
  ///   - question: routes of which a request must match one; `nil` for all requests.
  ///   - texts: the texts that conditions compare a claim with.
  static func points(
    _ settings: [Settings], _ question: [Route]?, _ texts: (ClaimPath) -> ClaimTexts
  ) throws(AnalysisLimit) -> [AnalysisPoint] {
    let rules = settings.map { ($0.rules?.rules ?? []).map(\.routes) }
    // A configuration refuses where a restriction matches, so a request may have to match a pattern of each side.
    let intersects = question != nil || settings.contains { $0.restricts }
    let paths = try RequestPaths(
      rules.map { $0.flatMap { $0 } } + (question.map { [$0] } ?? []), intersects: intersects, texts)
    let calls = try MCPCalls(settings)
    let all = (rules + (question.map { [[$0]] } ?? [])).map { rules in
      rules.enumerated().flatMap { rule, routes in
        // The patterns of routes without claims, which need no search.
        routes.filter { !$0.isConnect }.map {
          (rule, $0, $0.isOwnership ? nil : $0.forms.map { Route.glob(of: $0).bytes })
        }
      }
    }
    let alike = firstAlike(all.flatMap { $0.map { $0.1 } })
    var points = [connect(settings, question)]
    var known: Set<[RuleMatch]> = []
    for path in paths.paths {
      let found = all.map { side in
        side.compactMap { rule, route, patterns -> RuleMatch.Found? in
          guard let patterns else { return (rule, route, route.bindings(matching: path.path)) }
          return patterns.contains { RoutePattern.matches($0, path.path) } ? (rule, route, [[]]) : nil
        }
      }
      for (call, label) in calls.of(path.path) {
        var groups: [(verbs: [String], matches: [RuleMatch])] = []
        for verb in Route.allVerbs {
          if label == nil, let first = alike[verb],
            let place = groups.firstIndex(where: { $0.verbs.contains(first) })
          {
            groups[place].verbs.append(verb)
            continue
          }
          let request = RequestPoint(verb: verb, path: path.path, call: call)
          let matches = found.enumerated().map { side, found in
            side < settings.count && label != nil
              ? RuleMatch(settings[side].rules, request) : RuleMatch(found, verb)
          }
          if let place = groups.firstIndex(where: { $0.matches == matches }) {
            groups[place].verbs.append(verb)
          } else {
            groups.append(([verb], matches))
          }
        }
        for group in groups {
          // A path of no route is one of several with the same rules.
          if path.labels.isEmpty, label == nil, !known.insert(group.matches).inserted { continue }
          points.append(
            AnalysisPoint(
              request: RequestPoint(verb: group.verbs[0], path: path.path, call: call), verbs: group.verbs,
              words: Glob(bytes: path.glob.bytes + (label.map { Array(" \($0)".utf8) } ?? [])),
              labels: path.labels, matches: Array(group.matches.prefix(settings.count)), callLabel: label,
              asked: question == nil ? [[]] : group.matches[settings.count].rules[0] ?? []))
        }
      }
    }
    return points.filter { !$0.asked.isEmpty }
  }

  /// Returns for a verb the first one that all routes match in the same way, if that is another one.
  private static func firstAlike(_ routes: [Route]) -> [String: String] {
    let verbs = Route.allVerbs.map { verb in
      // A pattern with a claim may be too long for a policy with a longer verb.
      let length = routes.contains { $0.isOwnership } ? verb.utf8.count : 0
      return (length, routes.map { $0.verbs.contains(verb) })
    }
    var alike: [String: String] = [:]
    for (index, verb) in Route.allVerbs.enumerated() {
      if let first = verbs.firstIndex(where: { $0 == verbs[index] }), first < index {
        alike[verb] = Route.allVerbs[first]
      }
    }
    return alike
  }

  private static func connect(_ settings: [Settings], _ question: [Route]?) -> AnalysisPoint {
    AnalysisPoint(
      request: .connect, verbs: [], words: Glob(bytes: RequestPoint.connect.path), labels: [:],
      matches: settings.map { RuleMatch($0.rules, .connect) },
      asked: question.map { $0.bindings(matching: .connect) } ?? [[]])
  }

  /// Returns the requests without a token that decide.
  ///
  /// - Parameters:
  ///   - wanted: routes of which a request may have to match one.
  ///   - others: routes of which it may have to match one at the same time.
  static func guestPoints(
    _ wanted: [Route], _ others: [Route]
  ) throws(AnalysisLimit) -> [(request: RequestPoint, path: RequestPaths.Path)] {
    let paths = try RequestPaths(
      [wanted, others], intersects: true, keepsOverlaps: true, { _ in ClaimTexts() })
    let connect = RequestPaths.Path(
      path: RequestPoint.connect.path, glob: Glob(bytes: RequestPoint.connect.path), labels: [:])
    return [(.connect, connect)]
      + paths.paths.flatMap { path in
        Route.allVerbs.map { (RequestPoint(verb: $0, path: path.path), path) }
      }
  }
}

extension RuleMatch {
  fileprivate typealias Found = (rule: Int, route: Route, bindings: Set<Set<ClaimBinding>>)

  fileprivate init(_ found: [Found], _ verb: String) {
    for (rule, route, bindings) in found where route.verbs.contains(verb) {
      let fitting = route.fitting(bindings, verb: verb)
      if !fitting.isEmpty { rules[rule, default: []].formUnion(fitting) }
    }
  }
}
