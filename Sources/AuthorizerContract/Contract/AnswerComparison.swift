package import GatewayModel
internal import IAMPolicy
internal import JSON

/// The answers of two authorizers, A and B, to the same events, compared by what they mean.
///
/// API Gateway decides other requests of the same caller with a cached policy. So each answer is also evaluated for the
/// requests of all other events of the same kind and stage, and for listed ones. An authorizer allows a request of a
/// caller if one of its answers to the caller does: a policy for one route only takes nothing from a caller whose request
/// for the next route is allowed too.
package struct AnswerComparison: Sendable {
  /// An event and both answers.
  package struct Case: Sendable {
    fileprivate let event: [UInt8]
    fileprivate let a: ComparedAnswer
    fileprivate let b: ComparedAnswer

    package init(event: [UInt8], a: ComparedAnswer, b: ComparedAnswer) {
      self.event = event
      self.a = a
      self.b = b
    }
  }

  /// What a difference means for callers, worst first.
  package enum Effect: String, CaseIterable, Sendable {
    /// B allows what A refuses.
    case allowsMore
    /// B refuses what A allows.
    case allowsLess
    case other
  }

  package struct Difference: Equatable, Sendable {
    package let effect: Effect
    /// What A does is expected.
    package let mismatch: Mismatch
  }

  /// The differences of each case, worst first. One that the same caller has in several cases is in the first only.
  package private(set) var differences: [[Difference]] = []

  /// Compares the answers.
  ///
  /// - Parameters:
  ///   - requests: the requests that APIs of a kind have, beside those of the events, such as `GET/pets`.
  ///   - ttl: the time for which API Gateway caches answers in seconds, if it is known.
  ///   - unixSeconds: the time of the requests.
  package init(
    _ cases: [Case], requests: (EventKind) -> [String] = { _ in [] }, ttl: Int?, at unixSeconds: Int64
  ) {
    let places = cases.enumerated().map { Place($1.event, index: $0, at: unixSeconds) }
    var stages: [[String]: Stage] = [:]
    for place in places.compactMap(\.self) {
      let listed = stages[place.stage] == nil ? requests(place.kind) : []
      stages[place.stage, default: Stage()].add(place.request)
      for request in listed {
        let arn = "\(place.stage[1])/\(request)"
        stages[place.stage]?.add(ComparedRequest(arn: arn, context: place.request.context))
      }
    }
    let grants = zip(cases, places).map { one, place -> [Grant] in
      guard let place, let stage = stages[place.stage] else { return [] }
      return stage.requests.map { request in
        if request.arn == place.request.arn { return Grant(a: one.a.isAllowed, b: one.b.isAllowed) }
        return Grant(a: one.a.allows(request, ttl: ttl), b: one.b.allows(request, ttl: ttl))
      }
    }
    var callers: [[String]: [Grant]] = [:]
    for case (let place?, let grants) in zip(places, grants) {
      callers[place.caller] = callers[place.caller].map { zip($0, grants).map { $0.or($1) } } ?? grants
    }
    var told: Set<[String]> = []
    for (index, one) in cases.enumerated() {
      var found = Self.outcome(one)
      if let place = places[index], let stage = stages[place.stage] {
        let others =
          Self.policies(grants[index], callers[place.caller] ?? [], stage, besides: place.request.arn)
          + Self.passedOn(one)
        found += others.filter { difference in
          let mismatch = difference.mismatch
          return told.insert(place.caller + [mismatch.subject, mismatch.expected, mismatch.found]).inserted
        }
      }
      differences.append(Effect.allCases.flatMap { effect in found.filter { $0.effect == effect } })
    }
  }

  // MARK: What is compared

  /// The kind, caller and stage of an event.
  private struct Place {
    let kind: EventKind
    let request: ComparedRequest
    /// The kind and the beginning of the ARN.
    let stage: [String]
    /// The stage, and the caller's credential. Events without one have nothing in common.
    let caller: [String]

    init?(_ event: [UInt8], index: Int, at unixSeconds: Int64) {
      guard let known = AuthorizerEvent(event) else { return nil }
      kind = known.kind
      request = ComparedRequest(
        arn: known.resource, context: ConditionContext(event: event, at: unixSeconds))
      stage = [kind.rawValue, ComparedRequest.stage(of: known.resource)]
      caller = stage + (known.credential(in: event).map { ["", $0] } ?? [String(index)])
    }
  }

  /// The requests that are compared in one stage.
  private struct Stage {
    private(set) var requests: [ComparedRequest] = []
    private var arns: Set<String> = []

    mutating func add(_ request: ComparedRequest) {
      if arns.insert(request.arn).inserted { requests.append(request) }
    }
  }

  /// What both answers say about one request; `nil` for nothing.
  private struct Grant {
    let a: Bool?
    let b: Bool?

    func or(_ other: Grant) -> Grant { Grant(a: Self.either(a, other.a), b: Self.either(b, other.b)) }

    private static func either(_ one: Bool?, _ other: Bool?) -> Bool? { one == true ? true : other ?? one }
  }

  private static func outcome(_ one: Case) -> [Difference] {
    let (a, b) = (one.a.evaluation.outcome, one.b.evaluation.outcome)
    guard a != b else { return [] }
    let note = "A: \(one.a.why); B: \(one.b.why)"
    return [
      Difference(
        effect: one.b.isAllowed ? .allowsMore : one.a.isAllowed ? .allowsLess : .other,
        mismatch: Mismatch(subject: "outcome", expected: a.rawValue, found: b.rawValue, note: note))
    ]
  }

  /// Compares what the answers to one event say about other requests.
  ///
  /// - Parameter known: what all answers to the caller say.
  private static func policies(
    _ grants: [Grant], _ known: [Grant], _ stage: Stage, besides own: String
  ) -> [Difference] {
    let found = zip(zip(grants, known), stage.requests).filter { $0.1.arn != own }
    return [(true, false), (true, true), (false, false), (false, true)].compactMap { isAllowed, isKnown in
      // Where B allows it, A is the one who may allow it in another answer.
      let names = found.filter { grants, _ in
        let (grant, known) = grants
        return grant.a == !isAllowed && grant.b == isAllowed
          && ((isAllowed ? known.a : known.b) == true) == isKnown
      }.map(\.1.name)
      guard !names.isEmpty else { return nil }
      let more = names.count - shownRequests
      let list = names.prefix(shownRequests).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
      return Difference(
        effect: isKnown ? .other : isAllowed ? .allowsMore : .allowsLess,
        mismatch: Mismatch(
          subject: "the answer for \(list)", expected: isAllowed ? "refused" : "allowed",
          found: isAllowed ? "allowed" : "refused",
          note: isKnown ? "\(isAllowed ? "A" : "B") allows it when it is asked" : nil))
    }
  }

  /// The most requests that one line names: our choice.
  private static let shownRequests = 12

  /// Compares what the backend gets of a request that both allow.
  private static func passedOn(_ one: Case) -> [Difference] {
    guard one.a.isAllowed, one.b.isAllowed else { return [] }
    let (a, b) = (JSONTree.object(one.a.passedOn), JSONTree.object(one.b.passedOn))
    let changed = one.a.passedOn.compactMap { member -> Mismatch? in
      guard let other = b[member.name], !member.value.equalsIgnoringOrder(other) else { return nil }
      return Mismatch(subject: member.name, expected: text(member.value), found: text(other), note: nil)
    }
    let lost = one.a.passedOn.map(\.name).filter { b[$0] == nil }
    let added = one.b.passedOn.map(\.name).filter { a[$0] == nil }
    let missing = [(lost, "present", "absent"), (added, "absent", "present")].filter { !$0.0.isEmpty }.map {
      Mismatch(subject: $0.0.joined(separator: ", "), expected: $0.1, found: $0.2, note: nil)
    }
    return (changed + missing).map { Difference(effect: .other, mismatch: $0) }
  }

  /// The value as JSON, which shows its type.
  private static func text(_ value: JSONTree) -> String { String(decoding: value.bytes(), as: UTF8.self) }
}
