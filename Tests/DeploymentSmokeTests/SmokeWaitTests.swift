@testable import DeploymentSmoke
@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import LambdaEmulator
import LibcurlTransfer
import Synchronization
import TestSupport
import Testing

/// A token that expires in the wait shows how long a deployed API keeps the answer of an authorizer.
@Suite struct SmokeWaitTests {
  /// The time on both sides. Only the run waits; the timeouts of functions are those of the machine.
  private final class Timeline: Sendable {
    private let milliseconds = Mutex<Int64>(0)
    var seconds: Int64 { milliseconds.withLock { $0 / 1000 } }

    private var now: Moment {
      let passed = milliseconds.withLock { $0 }
      return Moment(
        monotonicNanoseconds: UInt64(passed) * 1_000_000, unixMilliseconds: 1_800_000_000_000 + passed)
    }

    var services: LambdaClock {
      LambdaClock(now: { self.now }, wait: LambdaClock.system.wait).multiplyingTimeouts(by: HangLimit.seconds)
    }
    var run: LambdaClock {
      LambdaClock(now: { self.now }, wait: { wait in self.milliseconds.withLock { $0 += Int64(wait) } })
    }
  }

  private static func rest(_ seconds: Int) -> String {
    SmokeStage.rest(
      auth: TemplateSamples.tokenAuth + "\n            Identity: { ReauthorizeEvery: \(seconds) }\n")
  }

  private static func http(_ seconds: Int) -> String {
    SmokeStage.http(
      auth: SmokeStage.httpAuth.replacing(
        "{ Headers: [Authorization] }", with: "{ Headers: [Authorization], ReauthorizeEvery: \(seconds) }"))
  }

  /// - Parameter seconds: when the token expires.
  private static func report(
    _ template: String, _ deployed: String, wait: Int, expiry seconds: Int64, deployedExpiry: Int64? = nil,
    unending: String = "no such path",
    proxy: (@Sendable (String, GatewayResponse) -> Result<DeployedAnswer, TransferFailure>)? = nil
  ) async throws -> SmokeReport {
    let time = Timeline()
    func authorizer(_ seconds: Int64) -> @Sendable (String) -> InvocationAnswer {
      { event in
        time.seconds < seconds || event.contains(unending)
          ? SmokeStage.authorizer(event) : GatewayStage.error("Unauthorized")
      }
    }
    var stage = SmokeStage(template, deployed: deployed)
    stage.wait = wait
    if let proxy { stage.proxy = proxy }
    (stage.serviceClock, stage.runClock) = (time.services, time.run)
    stage.predicted = authorizer(seconds)
    stage.authorizer = authorizer(deployedExpiry ?? seconds)
    return try await stage.report()
  }

  private static let kept = ["/pets", "/pets/{id}"].flatMap { path in
    ["good", "reader"].map { "GET \(path) with \($0) after 360 s" }
  }

  /// The TTL of the template and of the deployed API, and whether the wait shows a difference.
  @Test(
    arguments: [
      (rest(300), rest(3600), true), (rest(300), rest(300), false), (rest(300), rest(0), false),
      (rest(0), rest(600), true), (rest(300), SmokeStage.rest, false), (http(0), http(3600), true),
      (http(300), http(3600), true), (http(300), http(300), false),
    ])
  func aLongerTTLIsFound(_ template: String, _ deployed: String, _ isLonger: Bool) async throws {
    let report = try await Self.report(template, deployed, wait: 360, expiry: 100)
    #expect(
      report.found == (isLonger ? ["kept": Self.kept] : [:]), "\(report.text)")
    #expect(report.text.contains("a longer TTL") == isLonger && !report.isIncomplete)
    #expect(report.results.count { $0.request.after == 360 } == 4)
    #expect(String(decoding: report.json, as: UTF8.self).contains(#""after":360"#))
  }

  /// An authorizer that accepts expired tokens lets them in too.
  @Test func anExpiredTokenIsAcceptedNowhere() async throws {
    let report = try await Self.report(
      Self.rest(300), Self.rest(300), wait: 360, expiry: 100, deployedExpiry: .max)
    #expect(report.found["kept"] == Self.kept, "\(report.text)")
  }

  @Test func withoutAnExpiredTokenNoTTLIsTried() async throws {
    let report = try await Self.report(Self.rest(300), Self.rest(3600), wait: 360, expiry: 1000)
    #expect(report.found == [:] && report.isIncomplete)
    #expect(report.text.contains("not tried, the TTL: Api, authorizer Bearer: give a fresh --token"))
  }

  /// API Gateway may still have the answer of the beginning of the run.
  @Test func aTokenThatExpiresInTheFirstRoundIsNotSentLater() async throws {
    let report = try await Self.report(Self.rest(300), Self.rest(300), wait: 360, expiry: 2)
    #expect(Set(report.found.keys) == ["notSent"] && report.isIncomplete, "\(report.text)")
    #expect(report.text.contains("not sent, the token expired during the run"))
  }

  /// What answers after the wait without a mark of API Gateway's was not kept.
  @Test(arguments: [(503, "status"), (302, "redirects")])
  func anotherAnswerAfterTheWaitWasNotKept(_ status: Int, _ code: String) async throws {
    let asked = Mutex<Set<String>>([])
    let report = try await Self.report(Self.rest(300), Self.rest(300), wait: 360, expiry: 100) {
      title, response in
      let isFirst = asked.withLock { $0.insert(title).inserted }
      return .success(
        DeployedAnswer(response: isFirst ? response : GatewayResponse(status: status), milliseconds: 5))
    }
    #expect(Set(report.found.keys) == [code], "\(report.text)")
  }

  /// A token that serve refuses everywhere shows nothing of its role, so the run is not complete.
  @Test(arguments: [(0, true), (100, false)]) func aWorthlessTokenIsNamed(_ expiry: Int64, _ isNamed: Bool)
    async throws
  {
    let report = try await Self.report(Self.rest(300), Self.rest(300), wait: 0, expiry: expiry)
    #expect(report.found == [:], "\(report.text)")
    #expect(report.text.contains("not tried, the role good: its token is a 401 on every route") == isNamed)
    #expect(report.isIncomplete == isNamed)
    #expect(String(decoding: report.json, as: UTF8.self).contains(#""untried":["good""#) == isNamed)
  }

  /// Each authorizer needs a token of its own that expires.
  @Test func eachAuthorizerIsTried() async throws {
    let second = Self.rest(300).replacing(
      "Authorizers:\n", with: "Authorizers:\n          Second: { FunctionArn: !GetAtt Authorizer.Arn }\n"
    ).replacing("Authorizer: NONE", with: "Authorizer: Second")
    let report = try await Self.report(second, second, wait: 360, expiry: 100, unending: "/GET/open")
    #expect(report.found == [:] && report.isIncomplete, "\(report.text)")
    #expect(report.text.contains("tried: Api, authorizer Bearer: answers that are kept longer than 360 s"))
    #expect(report.text.contains("not tried, the TTL: Api, authorizer Second"))
  }

  @Test(arguments: [1, 299, 300]) func aWaitIsLongerThanTheTTL(_ wait: Int) {
    #expect(throws: SmokeRefusal.wait(timeToLiveSeconds: 300)) {
      var stage = SmokeStage(Self.rest(300))
      stage.wait = wait
      _ = try stage.plan()
    }
  }
}
