@testable import DeploymentSmoke
@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import LambdaEmulator
import TestSupport
import Testing

/// What the answers settle of the behavior that AWS does not document: never the wrong value.
@Suite struct SmokeAssumptionTests {
  /// Answers in the forms that AWS does not document.
  @Sendable private static func authorizer(_ event: String) -> InvocationAnswer {
    if event.contains("Bearer good") { return GatewayStage.policy() }
    if event.contains("Bearer returned") { return .response(Array(#"{"errorMessage":"Unauthorized"}"#.utf8)) }
    if event.contains("Bearer both") { return GatewayStage.policy(more: #","isAuthorized":true"#) }
    return GatewayStage.error("Unauthorized", type: event.contains("Bearer untyped") ? nil : "Error")
  }

  private static func stage(_ template: String, roles: [String]) -> SmokeStage {
    var stage = SmokeStage(template)
    stage.roles = roles
    (stage.predicted, stage.authorizer) = (authorizer, authorizer)
    return stage
  }

  private static let roles = ["good", "returned", "both", "untyped"]
  /// The method of a resource is missing where the resource above has every method.
  private static let overlapping = SmokeStage.rest(
    events:
      "        Own: { Type: Api, Properties: { RestApiId: !Ref Api, Path: /pets/own, Method: post } }")
  private static let templates = [SmokeStage.rest, SmokeStage.http, overlapping]

  static let settles: [(String, String, [String], String)] = [
    (SmokeStage.http, "http-thrown-unauthorized", roles, "500"),
    (SmokeStage.http, "http-thrown-unauthorized", roles, "401"),
    (SmokeStage.http, "returned-unauthorized", roles, "500"),
    (SmokeStage.http, "returned-unauthorized", roles, "401"),
    (SmokeStage.rest, "returned-unauthorized", roles, "500"),
    (SmokeStage.rest, "unauthorized-needs-error-type", roles, "yes"),
    (SmokeStage.rest, "unauthorized-needs-error-type", roles, "no"),
  ]

  @Test(arguments: settles) func answersSettleAnAssumption(
    _ template: String, _ name: String, _ roles: [String], _ value: String
  ) async throws {
    var stage = Self.stage(template, roles: roles)
    _ = stage.behaviors.assume("\(name)=\(value)")
    let report = try await stage.report()
    #expect(report.settled[name] == value, "\(report.settled) \(report.text)")
    #expect(report.differences == 0, "\(report.text)")
    #expect(report.text.contains("settled: \(name)=\(value)"))
    #expect(Set(report.settled.values.map { _ in "" }).count <= 1)
    for (name, value) in report.settled { #expect(stage.behaviors.value(of: name) == value) }
  }

  /// Without an allowed token, a failing authorizer and an assumption look alike.
  @Test(arguments: [true, false]) func withoutAControlNothingIsSettled(_ isFault: Bool) async throws {
    var stage = Self.stage(SmokeStage.http, roles: [])
    if isFault {
      stage.authorizer = { _ in .initializationFailed(.notStarted("no permission")) }
    } else {
      _ = stage.behaviors.assume("http-thrown-unauthorized=500")
    }
    let report = try await stage.report()
    #expect(report.settled.isEmpty && report.open == ["http-thrown-unauthorized"], "\(report.text)")
    #expect(report.found["authorizerFails"]?.isEmpty == false)
    #expect(
      report.text.contains("or AWS behaves so (--assume): http-thrown-unauthorized=500"), "\(report.text)")
  }

  @Test func aFaultOfTheAuthorizerSettlesNothing() async throws {
    var stage = Self.stage(SmokeStage.http, roles: ["good"])
    stage.authorizer = { _ in .initializationFailed(.notStarted("no permission")) }
    let report = try await stage.report()
    #expect(report.settled.isEmpty && report.differences > 0, "\(report.text)")
  }

  @Test(arguments: templates) func aSingleValueIsNeverSettledWrong(_ template: String) async throws {
    var stage = Self.stage(template, roles: Self.roles)
    stage.methods = ["GET", "DELETE", "OPTIONS"]
    let plan = try await PredictedPlan(stage)
    #expect(try await plan.report(of: stage).text == stage.report().text)
    for choice in Assumptions.choices {
      for value in choice.values {
        var deployed = stage
        _ = deployed.behaviors.assume("\(choice.name)=\(value)")
        let report = try await plan.report(of: deployed)
        for (name, value) in report.settled {
          #expect(deployed.behaviors.value(of: name) == value, "\(name) \(report.text)")
        }
        // A caller that got in is told, with the value that would explain it.
        let excuse = "or AWS behaves so (--assume): \(choice.name)=\(value)"
        #expect(
          report.results.allSatisfy {
            $0.verdict.difference == nil || $0.isFault && report.text.contains(excuse)
          }, "\(report.text)")
      }
    }
  }

  /// An answer of two forms lets a caller in under one value. A fault of the authorizer would look the same.
  @Test func aCallerThatGotInIsExcusedByNothing() async throws {
    let name = "both-answer-forms"
    var letIn = 0
    for value in try #require(Assumptions.choices.first { $0.name == name }).values {
      for template in [SmokeStage.rest, SmokeStage.http] {
        var stage = Self.stage(template, roles: Self.roles)
        _ = stage.behaviors.assume("\(name)=\(value)")
        let report = try await stage.report()
        guard let found = report.found["letsIn"] else { continue }
        letIn += found.count
        #expect(report.settled[name] == nil, "\(report.text)")
      }
    }
    #expect(letIn > 0)
  }

  @Test(arguments: templates) func combinationsAreNeverSettledWrong(_ template: String) async throws {
    var generator = SeededGenerator(seed: 7)
    let stage = Self.stage(template, roles: Self.roles)
    let plan = try await PredictedPlan(stage)
    var settled = 0
    for _ in 0..<Self.combinations {
      var deployed = stage
      for choice in Assumptions.choices {
        _ = deployed.behaviors.assume(
          "\(choice.name)=\(choice.values.randomElement(using: &generator) ?? "")")
      }
      let report = try await plan.report(of: deployed)
      for (name, value) in report.settled {
        #expect(deployed.behaviors.value(of: name) == value, "\(name)")
      }
      settled += report.settled.count
    }
    #expect(settled > 0)
  }

  /// The combinations of each template: more than 500 of all.
  private static let combinations = 170

  /// The requests of a plan with what is predicted of them, which does not depend on the deployment.
  private struct PredictedPlan {
    private let plan: SmokePlan
    private var known: [(result: SmokeResult, request: GatewayRequest)] = []

    init(_ stage: SmokeStage) async throws {
      plan = try stage.plan()
      let (tokens, predictor) = (try stage.tokens, try stage.predictor())
      for request in plan.requests {
        let exchange = request.exchange(tokens).request
        let stable = await predictor.stablePrediction(of: exchange, to: request.target.api)
        var result = SmokeResult(request: request, stable: stable)
        result.dependence = await predictor.dependence(of: exchange, to: request.target.api, stable)
        known.append((result, exchange))
      }
    }

    func report(of deployed: SmokeStage) async throws -> SmokeReport {
      let aws = try deployed.aws()
      var results: [SmokeResult] = []
      for (result, request) in known {
        var result = result
        let answer = await aws.answer(request, to: aws.gateway.apis[0]).response
        result.take(DeployedAnswer(response: answer, milliseconds: 5))
        results.append(result)
      }
      return SmokeReport(results, skipped: plan.skipped, base: Assumptions(), wait: 0)
    }
  }
}
