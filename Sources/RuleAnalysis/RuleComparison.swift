package import Authorizer
internal import JOSE
internal import JSON
internal import Satisfiability

/// What one configuration allows that another one refuses, over all requests, and over all tokens that both verify.
package struct RuleComparison: Sendable {
  /// What the second configuration allows and the first one refuses.
  package private(set) var newAllows: [RuleDifference] = []
  /// What the first configuration allows and the second one refuses.
  package private(set) var oldAllows: [RuleDifference] = []
  package let issuers: IssuerPairs
  /// Issuers of both configurations no token of which passes the verification of both.
  package private(set) var issuersWithoutTokens: [String] = []

  /// Compares two configurations.
  ///
  /// - Parameters:
  ///   - now: Unix seconds.
  ///   - steps: the clauses that may be examined for each issuer.
  package init(
    _ old: Settings, _ new: Settings, at now: Int64, steps: Int = SearchWork.maximumSteps
  ) throws(AnalysisLimit) {
    issuers = IssuerPairs(old, new)
    var differences = [0, 1].map { _ in DifferenceList(issuers: issuers.pairs.count) }
    for (direction, sides) in [[old, new], [new, old]].enumerated() {
      try Self.compareGuests(sides[0], sides[1], &differences[direction])
    }
    for (issuer, first, second) in issuers.pairs {
      var work = SearchWork(limit: steps)
      let sides = [
        IssuerAnalysis.Side(settings: old, issuer: old.issuers[first]),
        IssuerAnalysis.Side(settings: new, issuer: new.issuers[second]),
      ]
      var analysis = try IssuerAnalysis(issuer: issuer, sides, at: now)
      guard try analysis.token(where: [], side: 1, &work) != nil else {
        issuersWithoutTokens.append(issuer)
        continue
      }
      for direction in 0..<2 {
        try Self.compare(
          &analysis, refusing: direction, allowing: 1 - direction, &differences[direction], &work)
      }
    }
    newAllows = differences[0].differences
    oldAllows = differences[1].differences
  }

  private static func compare(
    _ analysis: inout IssuerAnalysis, refusing: Int, allowing: Int, _ list: inout DifferenceList,
    _ work: inout SearchWork
  ) throws(AnalysisLimit) {
    let rules = analysis.sides[allowing].rules
    let own = (analysis.ownRequirement[allowing], analysis.ownRequirement[refusing])
    let words = DifferenceWords(analysis.sides, refusing: refusing, allowing: allowing)
    // Wide paths of its own routes first, so that the words are those of the change.
    let points = analysis.points.sorted { one, other in
      let (isOwn, isOther) = (one.labels[allowing] != nil, other.labels[allowing] != nil)
      return isOwn == isOther ? one.words.literalBytes < other.words.literalBytes : isOwn
    }
    for point in points {
      let other = analysis.rulesAllow(point, side: refusing)
      // Under the default deny each rule that grants alone, else all together.
      var grants: [(rule: Int?, literal: Formula.Literal)] = []
      if rules?.whenNoRule == .deny {
        for (rule, bindings) in point.matches[allowing].rules.sorted(by: { $0.key < $1.key }) {
          grants.append((rule, analysis.isMet(rule: rule, bindings, side: allowing)))
        }
      } else {
        grants.append((nil, analysis.rulesAllow(point, side: allowing)))
      }
      for (rule, literal) in grants {
        let refusals = [([own.1, Formula.not(other)], false), ([Formula.not(own.1)], true)]
        for (refusal, isOfIssuer) in refusals {
          guard
            let recipe = try analysis.token(where: [own.0, literal] + refusal, side: allowing, &work)
          else { continue }
          list.add(
            RuleDifference.Part(
              who: words.who(rule, point.matches[allowing]),
              refusal: isOfIssuer
                ? words.refusalOfIssuer
                : words.refusal(rule, point.matches[refusing], point.matches[allowing]),
              request: point.request, verbs: point.verbs, words: point.words,
              label: point.label(of: allowing),
              token: recipe, issuer: analysis.model.issuer))
        }
      }
    }
  }

  private static func compareGuests(
    _ refusing: Settings, _ allowing: Settings, _ list: inout DifferenceList
  ) throws(AnalysisLimit) {
    guard let guests = allowing.guests else { return }
    let others = refusing.restricts ? refusing.routes : []
    for (request, path) in try AnalysisPoint.guestPoints(guests.routes, others)
    where allowing.letsGuests(reach: request) && !refusing.letsGuests(reach: request) {
      list.add(
        RuleDifference.Part(
          who: "callers without a token", refusal: "needs a token", request: request,
          verbs: [request.verb].compactMap { $0 }, words: path.glob,
          label: path.labels[0] ?? String(decoding: path.glob.bytes, as: UTF8.self), token: nil, issuer: nil))
    }
  }
}

extension Settings {
  var routes: [Route] { (rules?.rules ?? []).flatMap(\.routes) }

  var restricts: Bool { rules?.whenNoRule == .allow }

  /// Whether a request without any credential is allowed, on a stage with the shortest ARN.
  func letsGuests(reach request: RequestPoint) -> Bool {
    guard let guests, guests.routes.contains(where: { !$0.bindings(matching: request).isEmpty }),
      !DotSegments.mayOccur(in: request.route)
    else { return false }
    return !restricts || RuleMatch(rules, request).rules.isEmpty
  }
}
