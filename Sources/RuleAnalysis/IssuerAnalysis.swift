internal import Authorizer
internal import JOSE
internal import JSON

/// The tokens of one issuer, and what the rules of each configuration let them reach.
struct IssuerAnalysis {
  typealias Literal = Formula.Literal

  /// One configuration, and the entry of the issuer in it.
  struct Side {
    let settings: Settings
    let issuer: Settings.IssuerSettings
    /// Requirements of questions beside the rules.
    var questions: [Requirement] = []

    var rules: AccessRules? { settings.rules }

    fileprivate var model: TokenModel.Side {
      TokenModel.Side(
        name: issuer.profile.name, profile: issuer.profile, requirement: issuer.requirement,
        others: (rules?.rules ?? []).map(\.requirement) + questions)
    }
  }

  let sides: [Side]
  let points: [Point]
  private(set) var model: TokenModel
  /// For each side whether the issuer's own requirement is met.
  private(set) var ownRequirement: [Literal] = []
  private var rules: [[Literal]] = []
  private var accesses: [Access: Literal] = [:]
  private var results: [[Literal]: JSONTree?] = [:]

  /// A request, and the rules of each side that match it.
  struct Point {
    let request: RequestPoint
    /// The paths that it stands for.
    let glob: Glob
    /// The path of a route as it is written, by the side that has it.
    let labels: [Int: String]
    let matches: [RuleMatch]
    /// The ways in which the routes of a question match it.
    var asked: Set<Set<ClaimBinding>> = [[]]

    /// The words for its paths, if possible those of this side.
    func label(of side: Int) -> String {
      labels[side] ?? labels.values.first ?? String(decoding: glob.bytes, as: UTF8.self)
    }
  }

  private struct Access: Hashable {
    let side: Int
    let match: RuleMatch
  }

  /// - Parameters:
  ///   - issuer: the value of `iss`.
  ///   - question: routes of which a request must match one; `nil` for all requests.
  init(issuer: String, _ sides: [Side], question: [Route]? = nil, at now: Int64) throws(AnalysisLimit) {
    self.sides = sides
    let models = sides.map(\.model)
    var texts: [[[UInt8]]: ClaimTexts] = [:]
    let textsOfClaim = { (claim: ClaimPath) -> ClaimTexts in
      let key = (claim.whole.map { [$0] } ?? []) + [[]] + claim.steps
      if let known = texts[key] { return known }
      let found = TokenModel.texts(of: claim, for: issuer, models, at: now)
      texts[key] = found
      return found
    }
    var points = try Self.points(sides.map(\.settings), question, textsOfClaim)
    if let question {
      for index in points.indices {
        points[index].asked = question.bindings(matching: points[index].request)
      }
      points.removeAll { $0.asked.isEmpty }
    }
    self.points = points
    var bindings: Set<ClaimBinding> = []
    for point in points {
      for match in point.matches { bindings.formUnion(match.rules.values.joined().joined()) }
      bindings.formUnion(point.asked.joined())
    }
    model = TokenModel(issuer: issuer, sides: models, bindings: bindings, at: now)
    for (index, side) in sides.enumerated() {
      ownRequirement.append(model.truth(of: side.issuer.requirement, side: index).met)
      rules.append((side.rules?.rules ?? []).map { model.truth(of: $0.requirement, side: index).met })
    }
  }

  /// Returns the requests that decide.
  static func points(
    _ settings: [Settings], _ question: [Route]? = nil, _ texts: (ClaimPath) -> ClaimTexts
  ) throws(AnalysisLimit) -> [Point] {
    let routes = settings.map { ($0.rules?.rules ?? []).flatMap(\.routes) + ($0.guests?.routes ?? []) }
    // A configuration refuses where a restriction matches, so a request may have to match a pattern of each side.
    let restricts = settings.contains { $0.rules?.whenNoRule == .allow }
    let paths = try RequestPoints(
      routes + (question.map { [$0] } ?? []), intersects: restricts || question != nil, texts
    ).paths
    var points = [
      Point(
        request: .connect, glob: Glob(bytes: RequestPoint.connect.path), labels: [:],
        matches: settings.map { RuleMatch($0.rules, .connect) })
    ]
    for path in paths {
      for verb in Route.allVerbs {
        let request = RequestPoint(verb: verb, path: path.path)
        if request.isEscape { continue }
        points.append(
          Point(
            request: request, glob: path.glob, labels: path.labels,
            matches: settings.map { RuleMatch($0.rules, request) }))
      }
    }
    return points
  }

  // MARK: Literals

  /// Returns whether the token reaches the request by this rule, without the issuer's own requirement.
  mutating func isMet(rule: Int, _ bindings: Set<Set<ClaimBinding>>, side: Int) -> Literal {
    let isOwn = has(bindings)
    return model.formula.and([rules[side][rule], isOwn])
  }

  /// Returns whether the token has the claims of one of these ways.
  mutating func has(_ bindings: Set<Set<ClaimBinding>>) -> Literal {
    var ways: [Literal] = []
    for way in bindings {
      var claims: [Literal] = []
      for binding in way { claims.append(model.equality(binding)) }
      ways.append(model.formula.and(claims))
    }
    return model.formula.or(ways)
  }

  /// Returns whether the rules of a side let the token reach the point, without the issuer's own requirement.
  mutating func rulesAllow(_ point: Point, side: Int) -> Literal {
    let key = Access(side: side, match: point.matches[side])
    if let known = accesses[key] { return known }
    var met: [Literal] = []
    for (rule, bindings) in key.match.rules { met.append(isMet(rule: rule, bindings, side: side)) }
    let literal =
      sides[side].rules?.whenNoRule == .deny ? model.formula.or(met) : model.formula.and(met)
    accesses[key] = literal
    return literal
  }

  mutating func truth(of requirement: Requirement, side: Int) -> Literal {
    model.truth(of: requirement, side: side).met
  }

  mutating func and(_ literals: [Literal]) -> Literal { model.formula.and(literals) }

  // MARK: Questions

  /// Returns a recipe of a token for which all of these hold; `nil` if there is none.
  ///
  /// - Parameter side: the configuration whose algorithms the token has.
  mutating func token(
    where literals: [Literal], side: Int, _ work: inout AnalysisWork
  ) throws(AnalysisLimit) -> JSONTree? {
    let all = Set(literals).subtracting([model.formula.always]).sorted()
    if all.contains(model.formula.never) { return nil }
    let key = all + [Literal(-1 - side)]
    if let known = results[key] { return known }
    let isFound = try model.formula.solver.isSatisfiable(assuming: all, &work)
    let recipe = isFound ? model.recipe(side: side) : nil
    results[key] = .some(recipe)
    return recipe
  }
}
