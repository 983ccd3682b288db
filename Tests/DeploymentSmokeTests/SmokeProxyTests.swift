@testable import DeploymentSmoke
@testable import EmulatorTestSupport
@testable import GatewayModel
import LibcurlTransfer
import Testing

/// Answers that something between the API and the client changes: each is found and named in words.
@Suite struct SmokeProxyTests {
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let template: String
    let title: String
    let code: String
    let words: String
    let change: @Sendable (GatewayResponse) -> GatewayResponse

    init(
      _ name: String, _ template: String, _ title: String, _ code: String, _ words: String,
      _ change: @escaping @Sendable (inout GatewayResponse) -> Void
    ) {
      (testDescription, self.template, self.title, self.code, self.words) = (
        name, template, title, code, words
      )
      self.change = { response in
        var response = response
        change(&response)
        return response
      }
    }
  }

  private static let backend = [
    GatewayRequest.Header("x-amzn-RequestId", "r"), .init("Content-Type", "text/plain"),
  ]

  private static func hello(_ response: inout GatewayResponse) {
    response = GatewayResponse(status: 200, headers: backend, body: Array("hello".utf8))
  }

  private static func own(_ status: Int, _ type: String) -> (inout GatewayResponse) -> Void {
    {
      $0 = GatewayResponse(
        status: status, headers: [.init("x-amzn-RequestId", "r"), .init("x-amzn-ErrorType", type)])
    }
  }

  private static func own(_ status: Int, message: String) -> (inout GatewayResponse) -> Void {
    {
      $0 = GatewayResponse(
        status: status, headers: [.init("Apigw-Requestid", "r"), .init("Content-Type", "application/json")],
        body: Array(#"{"message":"\#(message)"}"#.utf8))
    }
  }

  private static let (none, garbage) = ("GET /pets without a token", "GET /pets with garbage")
  private static let (good, reader) = ("GET /pets with good", "GET /pets with reader")
  private static let (options, preflight) = ("OPTIONS /pets without a token", "OPTIONS /pets as preflight")

  static let restChanges: [Change] = [
    Change(
      "a 200 without a token", SmokeStage.rest, none, "letsIn",
      "the backend answers what serve refuses with 401"
    ) {
      hello(&$0)
    },
    Change("a 200 with garbage", SmokeStage.rest, garbage, "letsIn", "serve refuses with 401") { hello(&$0) },
    Change("a 200 for a forbidden role", SmokeStage.rest, reader, "letsIn", "serve refuses with 403") {
      hello(&$0)
    },
    Change("a 404 of the backend", SmokeStage.rest, none, "letsIn", "the backend answers") {
      $0 = GatewayResponse(status: 404, headers: backend)
    },
    Change(
      "a redirect", SmokeStage.rest, none, "redirects", "a redirect (302) answers, which is not followed"
    ) {
      $0 = GatewayResponse(status: 302, headers: [.init("Location", "https://login.example/?t=secret")])
    },
    Change("a 401", SmokeStage.rest, good, "refuses", "refuses with 401 what serve lets through") {
      own(401, "UnauthorizedException")(&$0)
    },
    Change("a 403", SmokeStage.rest, good, "refuses", "refuses with 403") {
      own(403, "AccessDeniedException")(&$0)
    },
    Change("a 403 with a link", SmokeStage.rest, good, "refuses", "refuses with 403") {
      own(403, "AccessDeniedException:http://a.example/")(&$0)
    },
    Change("a failing authorizer", SmokeStage.rest, good, "authorizerFails", "the authorizer fails (500)") {
      own(500, "AuthorizerConfigurationException")(&$0)
    },
    Change(
      "a failing authorizer, with garbage", SmokeStage.rest, garbage, "authorizerFails", "serve predicts 401"
    ) {
      own(500, "AuthorizerConfigurationException")(&$0)
    },
    Change("no route", SmokeStage.rest, good, "unknownRoute", "knows no such route") {
      own(403, "MissingAuthenticationTokenException")(&$0)
    },
    Change(
      "no open route", SmokeStage.rest, "GET /open without a token", "unknownRoute", "knows no such route"
    ) {
      own(403, "MissingAuthenticationTokenException")(&$0)
    },
    Change("another refusal", SmokeStage.rest, none, "status", "the answer is a 403, and serve predicts 401")
    {
      own(403, "ForbiddenException")(&$0)
    },
    Change("a firewall", SmokeStage.rest, none, "status", "the answer is a 403, and serve predicts 401") {
      $0 = GatewayResponse(status: 403, headers: [.init("Server", "x")], body: Array("<html>".utf8))
    },
    Change("an overload", SmokeStage.rest, none, "throttled", "the answer is a 429") { $0.status = 429 },
    Change("another body", SmokeStage.rest, reader, "body", "but not the body") { $0.body += [0x20] },
    Change("a cut body", SmokeStage.rest, garbage, "body", "but not the body") { $0.body.removeLast() },
    Change("no error type", SmokeStage.rest, none, "header", "but not the header x-amzn-errortype") {
      response in
      response.headers.removeAll { $0.name.lowercased() == "x-amzn-errortype" }
    },
    Change("another error type", SmokeStage.rest, none, "header", "header x-amzn-errortype") { response in
      response.headers.removeAll { $0.name.lowercased() == "x-amzn-errortype" }
      response.headers.append(.init("x-amzn-ErrorType", "ForbiddenException"))
    },
    Change("another media type", SmokeStage.rest, none, "header", "header content-type") { response in
      response.headers.removeAll { $0.name.lowercased() == "content-type" }
      response.headers.append(.init("Content-Type", "text/html"))
    },
    Change("a challenge", SmokeStage.rest, none, "header", "header www-authenticate") {
      $0.headers.append(.init("WWW-Authenticate", "Basic"))
    },
    Change(
      "a refusal cached too long", SmokeStage.rest, garbage, "cached", "a cache in front of the authorizer"
    ) {
      $0.headers.append(.init("Age", "120"))
    },
    Change("an answer cached for all", SmokeStage.rest, none, "cached", "a cache in front of the authorizer")
    {
      hello(&$0)
      $0.headers.append(.init("Age", "7"))
    },
    Change("a guarded preflight", SmokeStage.rest, options, "refuses", "refuses with 401") {
      own(401, "UnauthorizedException")(&$0)
    },
    Change("another origin", SmokeStage.rest, options, "header", "header access-control-allow-origin") {
      response in
      response.headers.removeAll { $0.name.lowercased() == "access-control-allow-origin" }
      response.headers.append(.init("Access-Control-Allow-Origin", "https://evil.example"))
    },
    Change("no origin", SmokeStage.rest, options, "header", "header access-control-allow-origin") {
      response in
      response.headers.removeAll { $0.name.lowercased() == "access-control-allow-origin" }
    },
  ]

  static let httpChanges: [Change] = [
    Change("a 200 without a token", SmokeStage.http, none, "letsIn", "serve refuses with 401") { hello(&$0) },
    Change("a 401", SmokeStage.http, good, "refuses", "lets through, or the backend answers exactly so") {
      own(401, message: "Unauthorized")(&$0)
    },
    Change("a 403", SmokeStage.http, good, "refuses", "refuses with 403") {
      own(403, message: "Forbidden")(&$0)
    },
    Change("a failing authorizer", SmokeStage.http, good, "authorizerFails", "the authorizer fails (500)") {
      own(500, message: "Internal Server Error")(&$0)
    },
    Change("no route", SmokeStage.http, good, "unknownRoute", "knows no such route") {
      own(404, message: "Not Found")(&$0)
    },
    Change("another body", SmokeStage.http, none, "body", "but not the body") {
      $0.body = Array(#"{"message":"unauthorized"}"#.utf8)
    },
    Change("a guarded preflight", SmokeStage.http, preflight, "refuses", "refuses with 401") {
      own(401, message: "Unauthorized")(&$0)
    },
    Change("no origin", SmokeStage.http, preflight, "header", "header access-control-allow-origin") {
      response in
      response.headers.removeAll { $0.name.lowercased() == "access-control-allow-origin" }
    },
    Change("another age", SmokeStage.http, preflight, "header", "header access-control-max-age") { response in
      response.headers.removeAll { $0.name.lowercased() == "access-control-max-age" }
      response.headers.append(.init("Access-Control-Max-Age", "86400"))
    },
  ]

  @Test(arguments: restChanges + httpChanges) func aChangedAnswerIsFoundAndNamed(_ fact: Change) async throws
  {
    var stage = SmokeStage(fact.template)
    stage.proxy = { title, response in
      .success(
        DeployedAnswer(response: title == fact.title ? fact.change(response) : response, milliseconds: 5))
    }
    let report = try await stage.report()
    #expect(report.found == [fact.code: [fact.title]], "\(report.text)")
    #expect(report.text.contains(fact.words) && report.text.contains(fact.title), "\(report.text)")
    #expect(!report.text.contains("secret") && report.differences == 1)
    #expect(report.junit.contains(#"failures="1""#))
  }

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
