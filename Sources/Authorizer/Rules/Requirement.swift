import JOSE
import JSON

/// What an accepted token must contain before it may reach a route. All parts must be met (RFC 6750 section 3.1,
/// `insufficient_scope`).
package struct Requirement: Equatable, Sendable {
  /// All of these are required.
  package var scopes: [[UInt8]] = []
  /// The names of issuers, one of which must have issued the token; empty for any issuer.
  package var issuers: [String] = []
  /// All of these are required.
  package var claims: [ClaimRequirement] = []
  /// The longest time since the user was authenticated, in seconds; `nil` for any time.
  package var authenticatedWithinSeconds: Int64?
  /// Requirements, one of which must be met; empty if there are none.
  package var any: [Requirement] = []
  /// What must be false: nothing, or one requirement with a single condition.
  package var not: [Requirement] = []

  /// A requirement without conditions.
  package init() {}

  /// Members of one `any` (our own limit, as the two below: what a person can still read).
  static let maximumAlternatives = 20
  /// Levels of `any` and `not` below the requirement of a rule.
  static let maximumLevels = 4
  /// Conditions of one rule: each scope, each claim's condition, `issuers` and the age count one.
  static let maximumConditions = 100
  /// One second to one year, as other ages.
  static let authenticationRange: ClosedRange<Int64> = 1...31_536_000

  /// Whether nothing is required.
  package var isEmpty: Bool {
    scopes.isEmpty && issuers.isEmpty && claims.isEmpty && authenticatedWithinSeconds == nil && any.isEmpty
      && not.isEmpty
  }

  /// Returns why the token does not meet the requirement; `nil` if it does.
  func unmet(by token: VerifiedToken, _ held: ScopeSet, at time: DecisionTime) -> ReasonCode? {
    finding(on: token, held, at: time).reason
  }

  /// Evaluates the requirement; ends when it is false, which no further part can change.
  func finding(on token: VerifiedToken, _ held: ScopeSet, at time: DecisionTime) -> Finding {
    var finding = Finding()
    if !issuers.isEmpty { finding.add(Truth(names(token.issuerName))) }
    for claim in claims {
      guard finding.truth != .isFalse else { return finding }
      finding.add(claim.truth(in: token.claims))
    }
    guard finding.truth != .isFalse else { return finding }
    if missingScope(held) != nil {
      finding.add(held.isMalformed ? .unknown : .isFalse, .insufficientScope)
    }
    if let seconds = authenticatedWithinSeconds {
      finding.add(
        Truth(time.isRecent(token.claims["auth_time"], within: seconds)), .authenticationTooOld)
    }
    if !any.isEmpty { addAny(to: &finding, token, held, time) }
    for denied in not { finding.add(denied.finding(on: token, held, at: time).truth.negated) }
    return finding
  }

  /// The reason of an `any` that is not met is that of its first member.
  private func addAny(
    to finding: inout Finding, _ token: VerifiedToken, _ held: ScopeSet, _ time: DecisionTime
  ) {
    var truth = Truth.isFalse
    var reason: ReasonCode?
    for alternative in any {
      let found = alternative.finding(on: token, held, at: time)
      if found.truth == .met { return }
      truth = max(truth, found.truth)
      reason = reason ?? found.reason
    }
    finding.add(truth, because: reason ?? .claimNotAllowed)
  }

  /// Whether this issuer is one of the required ones, or any is.
  package func names(_ issuer: String) -> Bool {
    issuers.isEmpty || issuers.contains { $0.utf8.elementsEqual(issuer.utf8) }
  }

  /// Returns the first required scope that the token lacks, as the configuration spells it; `nil` if it has all.
  func missingScope(_ held: ScopeSet) -> [UInt8]? { scopes.first { !held.contains($0) } }

  /// Returns the scope to name for the reason `insufficientScope`: the first of its own that is missing, else that of the
  /// first member of `any`, which gave the reason.
  func neededScope(_ held: ScopeSet) -> [UInt8]? { missingScope(held) ?? any.first?.neededScope(held) }

  /// The number of conditions, at all levels.
  var conditionCount: Int {
    scopes.count + claims.count + (issuers.isEmpty ? 0 : 1) + (authenticatedWithinSeconds == nil ? 0 : 1)
      + (any + not).reduce(0) { $0 + $1.conditionCount }
  }

  /// Whether `not` may deny it: it is one scope, one claim, `issuers` or one `any`. Of several, some people would read
  /// that none is met, others that not all are.
  var isSingleCondition: Bool {
    authenticatedWithinSeconds == nil && not.isEmpty
      && scopes.count + claims.count + (issuers.isEmpty ? 0 : 1) + (any.isEmpty ? 0 : 1) == 1
  }

  /// Whether each token that meets the other requirement certainly meets this one too.
  func isImplied(by other: Requirement) -> Bool {
    // Of large requirements this ends for most members of `any`.
    guard scopes.isEmpty || !other.scopes.isEmpty, claims.isEmpty || !other.claims.isEmpty else {
      return false
    }
    guard scopes.allSatisfy({ other.scopes.contains($0) }),
      claims.allSatisfy({ other.claims.contains($0) }),
      issuers.isEmpty || !other.issuers.isEmpty && other.issuers.allSatisfy(names),
      not.isEmpty || not == other.not,
      any.isEmpty || any == other.any || any.contains(where: { $0.isImplied(by: other) })
    else { return false }
    guard let seconds = authenticatedWithinSeconds else { return true }
    return other.authenticatedWithinSeconds.map { $0 <= seconds } ?? false
  }
}
