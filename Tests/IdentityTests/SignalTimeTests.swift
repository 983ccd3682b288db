import JSON
import Testing
import UserStore
import UserStoreContract
import Withdrawals

@testable import Identity

@Suite("The time of an event, and how late it is told")
struct SignalTimeTests {
  private static let day: Int64 = 86_400
  private static let user = WithdrawalKey(
    issuer: Array(SignalHarness.issuer.utf8), kind: .subject, value: Array("alice".utf8))

  /// A token that was issued five seconds before the start, about an event of ten days later.
  private static func early(_ harness: SignalHarness, _ kind: SignalKind) throws -> String {
    try harness.token(
      kind, kind == .event ? ["toe": "\(harness.service.now / 1000 + 10 * day)"] : ["exp": "\"+60d\""])
  }

  @Test(
    "a message is taken for 29 days, which is less than its jti is remembered", arguments: SignalKind.allCases
  )
  func late(kind: SignalKind) throws {
    #expect(Receiver.maximumAgeSeconds == 29 * Self.day)
    #expect(Receiver.maximumAgeSeconds + 2 * 300 < AccountEvent.rememberedSeconds)
    // From `iat`, which is five seconds before the start, and with a leeway of 300 s.
    let last = 29 * Self.day + 300 - 5
    for (seconds, reason) in [(0, nil), (28 * Self.day, nil), (last, nil), (last + 1, "tooOld")]
      as [(Int64, String?)]
    {
      var harness = try SignalHarness()
      let token = try Self.early(harness, kind)
      let issued = harness.service.now - 5000
      harness.service.now += seconds * 1000
      let answer = try harness.send(kind, token)
      #expect(answer.reason == reason, "\(seconds)")
      // However late it comes: the event of a repetition would be the same.
      #expect(harness.store.contents.withdrawnMilliseconds(of: Self.user) == (reason == nil ? issued : nil))
      if reason != nil {
        #expect(answer.status == 400)
        #expect(answer.body?[kind == .event ? "err" : "error"] == .string("invalid_request"))
        #expect(harness.store.writes == 0)
      }
    }
  }

  @Test("repeated to another receiver of the same sender, an event keeps its time")
  func otherReceiver() throws {
    var harness = try SignalHarness()
    let token = try Self.early(harness, .event)
    let issued = harness.service.now - 5000
    #expect(try harness.send(.event, token).record.outcome == .recorded)
    harness.service.now += 20 * Self.day * 1000
    var event = ProxyEvent(
      method: "POST", path: "/signals/closed/events", body: token, contentType: "application/secevent+jwt")
    event.authorization = IdentityHarness.secret
    #expect(try harness.service.send(event).record.outcome == .recorded)
    #expect(harness.store.contents.withdrawnMilliseconds(of: Self.user) == issued)
  }

  /// The issuer's clock is ahead by 30 s: a token that it issued before the logout has a later `iat` than now.
  @Test("an event is as late as the sender's clock says, within the leeway", arguments: SignalKind.allCases)
  func clockAhead(kind: SignalKind) throws {
    var harness = try SignalHarness()
    let token = try harness.token(kind, ["iat": "\"+30s\""])
    #expect(try harness.send(kind, token).record.outcome == .recorded)
    #expect(harness.withdrawn == ["\(SignalHarness.issuer) sub alice 30"])
    // An older event never shortens it.
    let older = try harness.token(kind, ["jti": "\"2\"", "iat": "\"+29s\""])
    #expect(try harness.send(kind, older).record.outcome == .recorded)
    #expect(harness.store.contents.withdrawnMilliseconds(of: Self.user) == harness.service.now + 30_000)
  }

  @Test(
    "a logout ends the caller's own token, also one of a clock that is ahead",
    arguments: [
      ("1795000030", 30_000), (#""1795000030""#, 30_000), ("1795000000", 0), ("1794999000", 0),
      ("1795000000.5", 1000), (#""1795000000.5""#, 1000),
      // No authorizer accepts more than five minutes.
      ("1795000300", 300_000), ("1795000301", 300_000), ("9223372036854775807", 300_000),
      ("-9223372036854775808", 0), (#""x""#, 0), (#""""#, 0), ("null", 0), ("{}", 0), ("true", 0),
    ] as [(String, Int64)])
  func ownToken(iat: String, after: Int64) throws {
    for format in PayloadFormat.allCases {
      for (body, expected) in [("{}", after), (#"{"session":true}"#, 0)] as [(String, Int64)] {
        var harness = try IdentityHarness()
        let context = "{\(LogoutTests.context),\"revocationIat\":\(iat)}"
        let answer = try harness.send(
          ProxyEvent(format, method: "POST", path: "/auth/logout", body: body, context: context))
        #expect(answer.status == 204)
        let times = harness.store.lastOrder?.withdrawals.map { $0.eventMilliseconds - harness.now }
        #expect(times == [expected])
      }
    }
  }
}
