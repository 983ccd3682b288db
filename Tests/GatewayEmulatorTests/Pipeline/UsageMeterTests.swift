@testable import GatewayEmulator
@testable import GatewayModel
@testable import IAMPolicy
import Testing

/// Throttles and quotas by the gateway's clock.
@Suite struct UsageMeterTests {
  static let key = APIKey(name: "Key", value: "v", isEnabled: true)
  /// 2026-11-21T10:00:00Z, a Saturday.
  static let now: Int64 = 1_795_255_200_000

  static func plan(
    _ throttle: UsagePlan.Throttle? = nil, _ quota: UsagePlan.Quota? = nil, name: String = "Plan"
  ) -> UsagePlan {
    UsagePlan(name: name, keys: ["Key"], throttle: throttle, quota: quota)
  }

  /// A bucket of two that a token enters every half second.
  @Test func aBucketFillsAtItsRate() {
    var meter = UsageMeter()
    let plan = Self.plan(.init(rate: 2, burst: 2))
    let moments: [(Int64, UsageMeter.Excess?)] = [
      (0, nil), (0, nil), (0, .throttled), (499, .throttled), (500, nil), (500, .throttled),
      (999, .throttled),
      (1000, nil), (60_000, nil), (60_000, nil), (60_000, .throttled),
      // The clock was set back: nothing is added, and it continues from there.
      (0, .throttled), (500, nil),
    ]
    for (offset, excess) in moments {
      #expect(meter.count(Self.key, of: plan, method: nil, at: Self.now + offset) == excess, "\(offset) ms")
    }
  }

  @Test(arguments: [
    (UsagePlan.Quota.Period.day, "2026-11-21T23:59:59Z", "2026-11-22T00:00:00Z"),
    (.week, "2026-11-21T23:59:59Z", "2026-11-22T00:00:00Z"),
    (.month, "2026-11-30T23:59:59Z", "2026-12-01T00:00:00Z"),
  ]) func aQuotaBeginsAgainWithItsPeriod(
    _ period: UsagePlan.Quota.Period, _ last: String, _ next: String
  ) throws {
    var meter = UsageMeter()
    let plan = Self.plan(nil, .init(limit: 2, period: period, offset: 1))
    let moments = try [last, next].map { try #require(ConditionDate($0)).unixMilliseconds }
    // The offset counts in the first period only.
    #expect(meter.count(Self.key, of: plan, method: nil, at: Self.now) == nil)
    #expect(meter.count(Self.key, of: plan, method: nil, at: Self.now) == .quota)
    #expect(meter.count(Self.key, of: plan, method: nil, at: moments[0]) == .quota)
    for excess in [nil, nil, UsageMeter.Excess.quota] {
      #expect(meter.count(Self.key, of: plan, method: nil, at: moments[1]) == excess)
    }
  }

  @Test func keysAndPlansAreCountedSeparatelyAndRefusedRequestsNowhere() {
    var meter = UsageMeter()
    let plan = Self.plan(.init(rate: 0, burst: 5), .init(limit: 2, period: .day))
    let slow = UsagePlan.Throttle(rate: 0, burst: 1)
    #expect(meter.count(Self.key, of: plan, method: ("m", slow), at: Self.now) == nil)
    for _ in 0..<10 {
      #expect(meter.count(Self.key, of: plan, method: ("m", slow), at: Self.now) == .throttled)
    }
    // Neither the bucket of the plan nor the quota has lost anything by the refusals.
    #expect(meter.count(Self.key, of: plan, method: nil, at: Self.now) == nil)
    #expect(meter.count(Self.key, of: plan, method: nil, at: Self.now) == .quota)
    let other = APIKey(name: "Other", value: "w", isEnabled: true)
    #expect(meter.count(other, of: plan, method: ("m", slow), at: Self.now) == nil)
    #expect(meter.count(Self.key, of: Self.plan(nil, nil, name: "Free"), method: nil, at: Self.now) == nil)
  }
}
