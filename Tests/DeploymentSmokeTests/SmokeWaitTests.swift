@testable import DeploymentSmoke
@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import LambdaEmulator
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
    _ template: String, _ deployed: String, wait: Int, expiry seconds: Int64, deployedExpiry: Int64? = nil
  ) async throws -> SmokeReport {
    let time = Timeline()
    func authorizer(_ seconds: Int64) -> @Sendable (String) -> InvocationAnswer {
      { time.seconds < seconds ? SmokeStage.authorizer($0) : GatewayStage.error("Unauthorized") }
    }
    var stage = SmokeStage(template, deployed: deployed)
    stage.wait = wait
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
    #expect(report.text.contains("no TTL was tried: give a --token that expires within 360 s"))
  }

  @Test(arguments: [1, 299, 300]) func aWaitIsLongerThanTheTTL(_ wait: Int) {
    #expect(throws: SmokeRefusal.wait(timeToLiveSeconds: 300)) {
      var stage = SmokeStage(Self.rest(300))
      stage.wait = wait
      _ = try stage.plan()
    }
  }
}
