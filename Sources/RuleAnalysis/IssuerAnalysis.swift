internal import Authorizer
internal import JOSE
internal import JSON
internal import Satisfiability

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
  let points: [AnalysisPoint]
  private(set) var model: TokenModel
  /// For each side whether the issuer's own requirement is met.
  private(set) var ownRequirement: [Literal] = []
  private var rules: [[Literal]] = []
  /// What each side allows, by what matches.
  private var accesses: [[RuleMatch: Literal]]
  private var results: [[Literal]: JSONTree?] = [:]

  /// - Parameters:
  ///   - issuer: the value of `iss`.
  ///   - question: routes of which a request must match one; `nil` for all requests.
  init(issuer: String, _ sides: [Side], question: [Route]? = nil, at now: Int64) throws(AnalysisLimit) {
    self.sides = sides
    accesses = sides.map { _ in [:] }
    let models = sides.map(\.model)
    var texts: [ClaimPath: ClaimTexts] = [:]
    let textsOfClaim = { (claim: ClaimPath) -> ClaimTexts in
      if let known = texts[claim] { return known }
      let found = TokenModel.texts(of: claim, for: issuer, models, at: now)
      texts[claim] = found
      return found
    }
    points = try AnalysisPoint.points(sides.map(\.settings), question, textsOfClaim)
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

  // MARK: Literals

  /// Returns whether the token reaches the request by this rule, without the issuer's own requirement.
  mutating func isMet(rule: Int, _ bindings: Set<Set<ClaimBinding>>, side: Int) -> Literal {
    let isOwn = has(bindings)
    return model.formula.and([rules[side][rule], isOwn])
  }

  /// Returns whether the token has the claims of one of these ways.
  mutating func has(_ bindings: Set<Set<ClaimBinding>>) -> Literal {
    var ways: [Literal] = []
    for way in bindings.map({ $0.sorted() }).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      var claims: [Literal] = []
      for binding in way { claims.append(model.equality(binding)) }
      ways.append(model.formula.and(claims))
    }
    return model.formula.or(ways)
  }

  /// Returns whether the rules of a side let the token reach the point, without the issuer's own requirement.
  mutating func rulesAllow(_ point: AnalysisPoint, side: Int) -> Literal {
    let match = point.matches[side]
    if let known = accesses[side][match] { return known }
    var met: [Literal] = []
    for (rule, bindings) in match.rules.sorted(by: { $0.key < $1.key }) {
      met.append(isMet(rule: rule, bindings, side: side))
    }
    let literal =
      sides[side].rules?.whenNoRule == .deny ? model.formula.or(met) : model.formula.and(met)
    accesses[side][match] = literal
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
    where literals: [Literal], side: Int, _ work: inout SearchWork
  ) throws(AnalysisLimit) -> JSONTree? {
    let all = Set(literals).subtracting([model.formula.always]).sorted()
    if all.contains(model.formula.never) { return nil }
    let key = all + [Literal(-1 - side)]
    if let known = results[key] { return known }
    let isFound: Bool
    do throws(SearchLimit) {
      isFound = try model.formula.solver.isSatisfiable(assuming: all, &work)
    } catch {
      throw .work
    }
    let recipe = isFound ? model.recipe(side: side) : nil
    results[key] = .some(recipe)
    return recipe
  }
}
