package import Authorizer
internal import JOSE
internal import JSON
internal import Satisfiability

/// Whether a property holds, over all requests and all tokens that the configuration verifies.
package enum RuleProof: Sendable, Equatable {
  case proven
  /// The example has the opposite of what the property says.
  case refuted(RequestExample)
  /// It is about no caller that the configuration verifies.
  case noCallers

  /// Decides.
  ///
  /// - Parameters:
  ///   - now: Unix seconds.
  ///   - steps: the clauses that may be examined for each issuer.
  package init(
    of property: RuleProperty, in settings: Settings, at now: Int64,
    steps: Int = SearchWork.maximumSteps
  ) throws(AnalysisLimit) {
    let isAboutGuests =
      switch property.who {
      case .guest: true
      case .anyone: !property.isAlways
      case .require: false
      }
    if isAboutGuests, let example = try Self.guestExample(against: property, in: settings) {
      self = .refuted(example)
      return
    }
    if case .guest = property.who {
      self = .proven
      return
    }
    var hasCallers = false
    for issuer in settings.issuers {
      if case .require(_, let name?) = property.who, !name.utf8.elementsEqual(issuer.profile.name.utf8) {
        continue
      }
      for value in issuer.profile.issuers {
        var work = SearchWork(limit: steps)
        let found = try Self.tokens(of: value, issuer, against: property, in: settings, at: now, &work)
        if let example = found.example {
          self = .refuted(example)
          return
        }
        hasCallers = hasCallers || found.hasCallers
      }
    }
    if settings.comparesTimes || property.requirement.comparesTime { throw .times }
    self = hasCallers ? .proven : .noCallers
  }

  private static func guestExample(
    against property: RuleProperty, in settings: Settings
  ) throws(AnalysisLimit) -> RequestExample? {
    let others = (settings.guests?.routes ?? []) + (settings.restricts ? settings.routes : [])
    for (request, _) in try AnalysisPoint.guestPoints(property.routes, others) {
      let isAsked = !property.routes.bindings(matching: request).isEmpty
      guard isAsked, !DotSegments.mayOccur(in: request.route) else { continue }
      if settings.letsGuests(reach: request) != property.isAlways {
        return RequestExample(request, token: nil)
      }
    }
    return nil
  }

  private static func tokens(
    of issuer: String, _ entry: Settings.IssuerSettings, against property: RuleProperty,
    in settings: Settings, at now: Int64, _ work: inout SearchWork
  ) throws(AnalysisLimit) -> (example: RequestExample?, hasCallers: Bool) {
    let requirement = property.requirement
    let side = IssuerAnalysis.Side(settings: settings, issuer: entry, questions: [requirement])
    var analysis = try IssuerAnalysis(issuer: issuer, [side], question: property.routes, at: now)
    let isCaller = analysis.truth(of: requirement, side: 0)
    guard try analysis.token(where: [isCaller], side: 0, &work) != nil else { return (nil, false) }
    for point in analysis.points where !property.isAlways || settings.canAllow(point.request) {
      let isAllowed = analysis.and([analysis.ownRequirement[0], analysis.rulesAllow(point, side: 0)])
      let isWrong = property.isAlways ? Formula.not(isAllowed) : isAllowed
      let isAsked = analysis.has(point.asked)
      if let token = try analysis.token(where: [isCaller, isAsked, isWrong], side: 0, &work) {
        return (RequestExample(point.request, token: token), true)
      }
    }
    return (nil, true)
  }
}
