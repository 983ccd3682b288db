/// An `AWS::ApiGateway::UsagePlan`, with its limits for one stage.
package struct UsagePlan: Equatable, Sendable {
  /// The name of its resource. The keys of a plan share its limits between all stages of the plan.
  package let name: String
  /// The names of its keys.
  package let keys: [String]
  /// The limit of requests per time and key; `nil` without one.
  package let throttle: Throttle?
  /// The limit of requests per period and key; `nil` without one.
  package let quota: Quota?
  /// Further limits for single methods of the stage, by path and method: `/pets/GET`.
  package let methodThrottles: [String: Throttle]

  /// A token bucket ("Throttle requests to your REST APIs").
  package struct Throttle: Equatable, Sendable {
    /// Requests per second; `nil` if the template does not say.
    package let rate: Double?
    /// The size of the bucket; `nil` if the template does not say.
    package let burst: Int?

    /// A limit that cannot be read: it lets no request pass.
    package static let unreadable = Throttle(rate: 0, burst: 0)

    package init(rate: Double?, burst: Int?) {
      self.rate = rate
      self.burst = burst
    }
  }

  /// A maximum number of requests per period.
  package struct Quota: Equatable, Sendable {
    /// The number of requests.
    package let limit: Int
    package let period: Period
    /// How many requests are subtracted in the first period.
    package let offset: Int

    package enum Period: String, CaseIterable, Sendable { case day = "DAY", week = "WEEK", month = "MONTH" }

    package init(limit: Int, period: Period, offset: Int = 0) {
      self.limit = limit
      self.period = period
      self.offset = offset
    }
  }

  package init(
    name: String, keys: [String], throttle: Throttle?, quota: Quota?,
    methodThrottles: [String: Throttle] = [:]
  ) {
    self.name = name
    self.keys = keys
    self.throttle = throttle
    self.quota = quota
    self.methodThrottles = methodThrottles
  }
}
