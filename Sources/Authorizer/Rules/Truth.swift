import JSON

/// The value of a condition for one token, in the strong logic of Kleene. Only `met` grants.
///
/// A claim that is absent or of another kind makes a condition unknown and not false, so that `not` of it grants nothing.
enum Truth: Int8, Comparable, Sendable {
  case isFalse, unknown, met

  /// Whether a condition that can be decided is met.
  init(_ isMet: Bool) { self = isMet ? .met : .isFalse }

  /// The value of the negation: that of unknown is unknown.
  var negated: Truth {
    switch self {
    case .isFalse: .met
    case .unknown: .unknown
    case .met: .isFalse
    }
  }

  /// Orders the values, so that a conjunction is the least of its parts and a disjunction the greatest.
  static func < (left: Truth, right: Truth) -> Bool { left.rawValue < right.rawValue }
}

/// The value of a requirement, and why it is not met.
struct Finding: Equatable, Sendable {
  private(set) var truth = Truth.met
  /// The reason of the first part that is not met; `nil` exactly if all are.
  private(set) var reason: ReasonCode?

  /// Adds a part of a conjunction.
  ///
  /// - Parameter reason: why the whole is refused if this part is the first that is false. What is unknown is
  ///   `claimNotAllowed`.
  mutating func add(_ part: Truth, _ reason: ReasonCode = .claimNotAllowed) {
    add(part, because: part == .isFalse ? reason : .claimNotAllowed)
  }

  /// Adds a part that has its reason already.
  mutating func add(_ part: Truth, because reason: ReasonCode) {
    guard part != .met else { return }
    truth = min(truth, part)
    self.reason = self.reason ?? reason
  }
}

/// The time of a decision, for conditions on the age of a claim.
struct DecisionTime: Sendable {
  /// Unix seconds.
  let now: Int64
  /// The issuer's tolerance for clock differences in seconds.
  let leewaySeconds: Int64

  /// Whether the token says that its user was authenticated at most this many seconds ago (OpenID Connect Core section
  /// 2, `auth_time`). A time that is absent, no whole number or in the future proves nothing.
  func isRecent(_ authentication: JSONValue?, within seconds: Int64) -> Bool {
    guard let bounds = authentication?.bounds, bounds.floor == bounds.ceiling else { return false }
    return now - seconds <= bounds.floor && bounds.floor <= now + leewaySeconds
  }
}
