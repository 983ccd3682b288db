internal import GatewayModel
internal import LambdaEmulator
internal import Text

/// How much each API key has used its plans, and clients the routes of a stage, by the gateway's clock.
package struct UsageMeter: Sendable {
  package enum Excess: Equatable, Sendable {
    /// Faster than a throttle allows.
    case throttled
    /// More than the quota of the period.
    case quota
  }

  private struct Use: Hashable {
    let plan: ByteString
    let key: ByteString
    /// The method with a limit of its own, with API and stage; `nil` for the limit of the plan.
    var method: ByteString?

    init(_ plan: UsagePlan, _ key: APIKey, method: String? = nil) {
      self.plan = ByteString(plan.name)
      self.key = ByteString(key.name)
      self.method = method.map(ByteString.init)
    }

    /// Of all clients of a route. No resource has an empty name.
    init(route: String) {
      plan = ByteString("")
      key = ByteString("")
      method = ByteString(route)
    }
  }

  private struct Bucket {
    var tokens: Double
    var filledAt: Int64
  }

  private struct Counter {
    var period: String
    var count: Int
    let firstPeriod: String
  }

  private var buckets: [Use: Bucket] = [:]
  private var counters: [Use: Counter] = [:]

  /// Counts a request, unless a limit refuses it; a refused request counts nowhere.
  ///
  /// The limit of the method is first, then that of the plan ("Throttle requests to your REST APIs", order). AWS does not
  /// document whether the quota is before the throttles; here it is the last.
  ///
  /// - Parameters:
  ///   - method: the method with a limit of its own, and the limit.
  ///   - missing: what a missing number of a limit means.
  mutating func count(
    _ key: APIKey, of plan: UsagePlan, method: (name: String, limit: UsagePlan.Throttle)?,
    missing: Assumptions.MissingLimit = .zero, at unixMilliseconds: Int64
  ) -> Excess? {
    let use = Use(plan, key)
    var limits: [(Use, UsagePlan.Throttle)] = []
    if let method {
      limits.append((Use(plan, key, method: method.name), method.limit))
    }
    if let throttle = plan.throttle { limits.append((use, throttle)) }
    guard let filled = taken(from: limits, missing, at: unixMilliseconds) else { return .throttled }
    if let quota = plan.quota {
      var counter = counter(use, quota, at: unixMilliseconds)
      let offset = counter.period == counter.firstPeriod ? quota.offset : 0
      guard counter.count < quota.limit - offset else { return .quota }
      counter.count += 1
      counters[use] = counter
    }
    buckets.merge(filled) { $1 }
    return nil
  }

  /// Counts a request of any client to a route whose stage limits it; `false` if the limit refuses it.
  ///
  /// - Parameter route: the name of the route, with its API and stage.
  mutating func count(
    route: String, limit: UsagePlan.Throttle, missing: Assumptions.MissingLimit,
    at unixMilliseconds: Int64
  ) -> Bool {
    let use = Use(route: route)
    guard let filled = taken(from: [(use, limit)], missing, at: unixMilliseconds) else { return false }
    buckets.merge(filled) { $1 }
    return true
  }

  /// Returns the buckets of these limits with one token less in each; `nil` if one is empty.
  private mutating func taken(
    from limits: [(Use, UsagePlan.Throttle)], _ missing: Assumptions.MissingLimit,
    at unixMilliseconds: Int64
  ) -> [Use: Bucket]? {
    var filled: [Use: Bucket] = [:]
    for (use, limit) in limits {
      guard let limit = limit.numbers(missing) else { continue }
      var bucket = filledBucket(use, limit, at: unixMilliseconds)
      guard bucket.tokens >= 1 else {
        // The clock was set back: the bucket fills from there.
        if let old = buckets[use], old.filledAt > unixMilliseconds { buckets[use] = bucket }
        return nil
      }
      bucket.tokens -= 1
      filled[use] = bucket
    }
    return filled
  }

  private func filledBucket(
    _ use: Use, _ limit: (rate: Double, burst: Int), at unixMilliseconds: Int64
  ) -> Bucket {
    guard let bucket = buckets[use] else {
      return Bucket(tokens: Double(limit.burst), filledAt: unixMilliseconds)
    }
    let seconds = Double(max(0, unixMilliseconds - bucket.filledAt)) / 1000
    return Bucket(
      tokens: min(Double(limit.burst), bucket.tokens + seconds * limit.rate), filledAt: unixMilliseconds)
  }

  private func counter(_ use: Use, _ quota: UsagePlan.Quota, at unixMilliseconds: Int64) -> Counter {
    let period = quota.period.name(at: unixMilliseconds)
    guard var counter = counters[use] else { return Counter(period: period, count: 0, firstPeriod: period) }
    if counter.period != period { (counter.period, counter.count) = (period, 0) }
    return counter
  }
}

extension UsagePlan.Quota.Period {
  /// The name of the calendar period in UTC. AWS does not document where a period begins; a week begins on Sunday, as in
  /// its older reference of quotas.
  package func name(at unixMilliseconds: Int64) -> String {
    let date = Timestamp.text(unixMilliseconds)
    switch self {
    case .day: return String(date.prefix(10))
    case .month: return String(date.prefix(7))
    // 1970-01-01 was a Thursday.
    case .week: return String((max(unixMilliseconds, 0) / 86_400_000 + 4) / 7)
    }
  }
}

extension UsagePlan.Throttle {
  /// Both numbers; `nil` if there is no limit, because one is missing and a missing one does not limit.
  fileprivate func numbers(_ missing: Assumptions.MissingLimit) -> (rate: Double, burst: Int)? {
    if missing == .none, rate == nil || burst == nil { return nil }
    return (rate ?? 0, burst ?? 0)
  }
}
