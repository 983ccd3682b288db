@testable import DeploymentSmoke
@testable import EmulatorTestSupport
@testable import GatewayModel
import LibcurlTransfer
import Testing

/// Answers that are no difference, and answers that do not come.
@Suite struct SmokeAnswerTests {
  private static let good = "GET /pets with good"

  /// What a backend may answer to a request that it gets.
  @Test(
    arguments: [
      (SmokeStage.rest, 401), (SmokeStage.rest, 302), (SmokeStage.rest, 500), (SmokeStage.http, 401),
      (SmokeStage.http, 404), (SmokeStage.http, 302),
    ])
  func anAnswerOfTheBackendIsNoDifference(_ template: String, _ status: Int) async throws {
    var stage = SmokeStage(template)
    stage.proxy = { title, response in
      var response = response
      if title == Self.good { response.status = status }
      return .success(DeployedAnswer(response: response, milliseconds: 5))
    }
    let report = try await stage.report()
    #expect(report.found == [:], "\(report.text)")
  }

  /// Both texts of AWS for an explicit Deny.
  @Test(
    arguments: [
      (" in an identity-based policy", nil), (" in a resource-based policy", "body"), (".", "body"),
    ] as [(String, String?)])
  func anExplicitDenyHasTwoTexts(_ end: String, _ code: String?) async throws {
    var stage = SmokeStage(SmokeStage.rest)
    stage.proxy = { title, response in
      var response = response
      if title == "GET /pets with reader" {
        let body = String(decoding: response.body, as: UTF8.self)
        #expect(body.hasSuffix("with an explicit deny\"}"))
        response.body = Array((body.dropLast(2) + end + "\"}").utf8)
      }
      return .success(DeployedAnswer(response: response, milliseconds: 5))
    }
    let report = try await stage.report()
    #expect(report.found == (code.map { [$0: ["GET /pets with reader"]] } ?? [:]), "\(report.text)")
  }

  @Test(arguments: [SmokeStage.rest, SmokeStage.http]) func theSameDeploymentHasNoDifference(
    _ template: String
  )
    async throws
  {
    let report = try await SmokeStage(template).report()
    #expect(report.found == [:] && report.differences == 0 && !report.isIncomplete, "\(report.text)")
    #expect(report.same == report.results.count && report.same > 6)
  }

  @Test func aSlowAnswerIsNamed() async throws {
    var stage = SmokeStage(SmokeStage.rest)
    stage.proxy = { title, response in
      .success(
        DeployedAnswer(response: response, milliseconds: title == Self.good ? SmokeLimit.slowMilliseconds : 5)
      )
    }
    let report = try await stage.report()
    #expect(report.text.contains("slow, 10 s or more: GET /pets with good"), "\(report.text)")
    #expect(report.differences == 0)
  }

  @Test(
    arguments: [
      (.timeout, false), (.transfer, false), (.tls, true), (.connect, true), (.nameResolution, true),
      (.libraryNotLoaded, true),
    ] as [(TransferFailure.Reason, Bool)])
  func afterAnUnreachableHostNothingIsSent(_ reason: TransferFailure.Reason, _ ends: Bool) async throws {
    var stage = SmokeStage(SmokeStage.rest)
    stage.proxy = { title, response in
      title == Self.good
        ? .failure(TransferFailure(reason, ""))
        : .success(DeployedAnswer(response: response, milliseconds: 5))
    }
    let asked = SmokeStage.Asked()
    let report = try await stage.report(asked: asked)
    #expect(report.found["\(reason)"] == [Self.good] && report.isIncomplete)
    let after = report.results.drop { $0.request.title != Self.good }.count - 1
    #expect((report.found["notSent"]?.count ?? 0) == (ends ? after : 0))
    #expect(asked.requests.count == (ends ? report.results.count - after : report.results.count))
  }
}
