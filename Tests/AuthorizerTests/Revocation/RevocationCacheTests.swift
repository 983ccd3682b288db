import Testing

@testable import Authorizer
@testable import FunctionHost
@testable import IssuerKeys

@Suite("Caching of revocation lookups")
struct RevocationCacheTests {
  @Test("one lookup before the first verdict on a subject, and none while the answer is fresh")
  func fresh() throws {
    var harness = try RevocationHarness()
    let tokens = try ["a", "b", "a"].map { try RevocationHarness.token($0) }
    for second: Int64 in [0, 1, 29] {
      for token in tokens { #expect(harness.decide(token, at: second).reason == nil) }
    }
    #expect(harness.store.calls == ["a", "b"])
    harness.store.events["a"] = .max
    #expect(harness.decide(tokens[0], at: 29).reason == nil)
    #expect(harness.decide(tokens[0], at: 30).reason == .revoked)
    #expect(harness.store.calls == ["a", "b", "a"])
    #expect(harness.authorizer.revocationLookups == 3)
  }

  @Test("frequent callers never wait: the lookup follows the response")
  func refresh() throws {
    var harness = try RevocationHarness()
    let token = try RevocationHarness.token()
    var before: [Int] = []
    var after: [Int] = []
    for second in stride(from: Int64(0), through: 120, by: 10) {
      harness.decide(token, at: second)
      before.append(harness.store.calls.count)
      harness.authorizer.refreshKeys(at: InvocationTime(unixSeconds: TestIssuers.now + second))
      after.append(harness.store.calls.count)
    }
    // Every 20 s, when half of the fresh time is over; before an answer only the first time.
    #expect(after == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7])
    #expect(before == [1] + after.dropLast())
  }

  @Test("a revocation applies after the refresh, and the refresh is for the caller of that response")
  func refreshFinds() throws {
    var harness = try RevocationHarness()
    let (a, b) = (try RevocationHarness.token("a"), try RevocationHarness.token("b"))
    harness.decide(a)
    harness.decide(b)
    harness.store.events["a"] = .max
    #expect(harness.decide(a, at: 20, refreshes: true).reason == nil)
    #expect(harness.decide(a, at: 20, refreshes: true).reason == .revoked)
    #expect(harness.store.calls == ["a", "b", "a"])
    // There is no refresh for an event without a verified token, nor without time.
    harness.decide("none", at: 21, refreshes: true)
    harness.decide(b, at: 21, refreshes: true, deadlineMilliseconds: 100_550)
    #expect(harness.store.calls == ["a", "b", "a"])
  }

  @Test("an earlier caller is not looked up after the response to another")
  func refreshOfAnother() throws {
    var harness = try RevocationHarness()
    let (a, b) = (try RevocationHarness.token("a"), try RevocationHarness.token("b"))
    harness.decide(a)
    harness.decide(b, at: 19)
    harness.decide(a, at: 20)
    harness.decide(b, at: 20, refreshes: true)
    harness.decide(a, at: 20)
    harness.decide(try RevocationHarness.token("c", issuedAt: nil), at: 20, refreshes: true)
    #expect(harness.store.calls == ["a", "b", "c"])
  }

  @Test("an unavailable store is a failure, and the next caller causes a new lookup")
  func outage() throws {
    var harness = try RevocationHarness()
    let token = try RevocationHarness.token()
    harness.store.outage = "down"
    for second: Int64 in [0, 0, 1] { #expect(harness.decide(token, at: second).reason == .storeUnavailable) }
    harness.store.outage = nil
    #expect(harness.decide(token, at: 1).reason == nil)
    harness.store.outage = "down"
    #expect(harness.decide(token, at: 30).reason == nil)
    #expect(harness.decide(token, at: 31).reason == .storeUnavailable)
    #expect(harness.store.calls.count == 5)
  }

  @Test("a last known state is used for the configured time, and only for its subject")
  func lastKnown() throws {
    var harness = try RevocationHarness(#","lastKnownSeconds":100"#)
    let (good, revoked) = (try RevocationHarness.token("good"), try RevocationHarness.token("revoked"))
    harness.store.events["revoked"] = .max
    harness.decide(good)
    harness.decide(revoked)
    harness.store.outage = "down"
    for second: Int64 in [30, 31, 60, 129] {
      #expect(harness.decide(good, at: second).reason == nil, "\(second)")
      #expect(harness.decide(revoked, at: second).reason == .revoked, "\(second)")
      let stranger = harness.decide(try RevocationHarness.token("new"), at: second)
      #expect(stranger.reason == .storeUnavailable, "\(second)")
    }
    #expect(harness.decide(good, at: 130).reason == .storeUnavailable)
    #expect(harness.decide(revoked, at: 130).reason == .storeUnavailable)
    harness.store.outage = nil
    #expect(harness.decide(good, at: 131).reason == nil)
  }

  @Test("in an outage one caller with a cached state waits and the next callers do not")
  func backOff() throws {
    var harness = try RevocationHarness(#","lastKnownSeconds":1000"#)
    let token = try RevocationHarness.token()
    harness.decide(token)
    harness.store.outage = "down"
    for _ in 0..<10 { #expect(harness.decide(token, at: 40).reason == nil) }
    #expect(harness.store.calls.count == 2)
    // The retry follows the response, once the back-off of a second is over.
    harness.decide(token, at: 40, refreshes: true)
    #expect(harness.store.calls.count == 2)
    harness.store.outage = nil
    harness.decide(token, at: 41)
    #expect(harness.store.calls.count == 3)
    harness.decide(token, at: 42)
    #expect(harness.store.calls.count == 3)
  }

  @Test("an answer ends an outage and resets the back-off")
  func backOffEnds() throws {
    var harness = try RevocationHarness(#","lastKnownSeconds":1000"#)
    let token = try RevocationHarness.token()
    harness.decide(token)
    harness.store.outage = "down"
    for second: Int64 in [40, 41, 43, 47] { harness.decide(token, at: second) }
    #expect(harness.store.calls.count == 5)
    harness.store.outage = nil
    harness.decide(token, at: 55)
    #expect(harness.store.calls.count == 6)
    harness.store.outage = "down"
    for second: Int64 in [100, 101] { harness.decide(token, at: second) }
    #expect(harness.store.calls.count == 8)
  }

  @Test("a clock that is set back extends nothing")
  func clock() throws {
    var harness = try RevocationHarness(#","lastKnownSeconds":100"#)
    let token = try RevocationHarness.token()
    harness.decide(token)
    harness.decide(token, at: -50)
    #expect(harness.store.calls.count == 2)
    harness.store.outage = "down"
    #expect(harness.decide(token, at: -60).reason == .storeUnavailable)
  }

  @Test("the cache has a limited size and returns only correct states")
  func bounded() throws {
    var states = RevocationStates(entries: 8)
    let subjects = (0..<100).map { Array("subject-\($0)".utf8) }
    for (index, subject) in subjects.enumerated() { states.insert(subject, Int64(index), askedAt: 0) }
    var kept: [Int64] = []
    for (index, subject) in subjects.enumerated() {
      guard let state = states.use(subject) else { continue }
      #expect(state.eventMilliseconds == Int64(index))
      kept.append(Int64(index))
    }
    #expect(kept.count == 8)
    // Each of the two sets has the four latest subjects.
    #expect(kept.allSatisfy { $0 > 60 })
    for _ in 0..<3 { states.insert(subjects[99], 7, askedAt: 1) }
    #expect(states.use(subjects[99])?.eventMilliseconds == 7)
    #expect(subjects.count { states.use($0) != nil } == 8)
  }

  @Test("a subject in use is never evicted")
  func use() throws {
    var states = RevocationStates(entries: 1)
    let regular = Array("regular".utf8)
    states.insert(regular, nil, askedAt: 0)
    for number in 0..<100 {
      states.insert(Array("\(number)".utf8), nil, askedAt: 0)
      #expect(states.use(regular) != nil)
    }
  }

  @Test("each worker does its own lookups")
  func workers() throws {
    var harness = try RevocationHarness()
    var other = try #require(harness.authorizer.forAnotherWorker())
    let token = try RevocationHarness.token()
    harness.decide(token)
    let event = TestEvent.bytes(.restToken, token: token)
    #expect(other.decide(on: event, at: TestIssuers.now).reason == nil)
    #expect(harness.store.workers == 2)
    #expect(harness.store.calls.count == 2)
    #expect(harness.authorizer.revocationLookups == 1 && other.revocationLookups == 1)
  }

  @Test("an outage is reported once a minute")
  func notices() throws {
    var harness = try RevocationHarness()
    let token = try RevocationHarness.token()
    harness.store.outage = "down"
    var notices: [Int] = []
    for second: Int64 in [0, 1, 59, 60, 61] {
      harness.decide(token, at: second)
      let taken = harness.authorizer.takeNotices()
      #expect(taken.allSatisfy { $0.code == "revocationLookupFailed" && $0.detail == "down" })
      notices.append(taken.count)
    }
    #expect(notices == [1, 0, 0, 1, 0])
  }
}
