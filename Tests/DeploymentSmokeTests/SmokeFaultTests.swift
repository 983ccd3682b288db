@testable import DeploymentSmoke
@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import LambdaEmulator
import LibcurlTransfer
import Testing

/// Faults of a deployment whose template is right: each is found and named.
@Suite struct SmokeFaultTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let stage: SmokeStage
    let code: String
    /// A request in which it shows.
    let title: String

    init(_ name: String, _ stage: SmokeStage, _ code: String, _ title: String) {
      (testDescription, self.stage, self.code, self.title) = (name, stage, code, title)
    }

    /// A deployed REST API or HTTP API that differs from its template.
    init(_ name: String, rest deployed: String, _ code: String, _ title: String) {
      self.init(name, SmokeStage(SmokeFaultTests.rest, deployed: deployed), code, title)
    }

    init(_ name: String, http deployed: String, _ code: String, _ title: String) {
      self.init(name, SmokeStage(SmokeFaultTests.http, deployed: deployed), code, title)
    }

    init(
      _ name: String, _ template: String, _ code: String, _ title: String,
      authorizer: @escaping @Sendable (String) -> InvocationAnswer
    ) {
      var stage = SmokeStage(template)
      stage.authorizer = authorizer
      self.init(name, stage, code, title)
    }
  }

  private static func open(_ template: String, _ event: String, _ path: String) -> String {
    template.replacing(
      "\(event): { Type: Api, Properties: { RestApiId: !Ref Api, Path: \(path),",
      with:
        "\(event): { Type: Api, Properties: { Auth: { Authorizer: NONE }, RestApiId: !Ref Api, Path: \(path),"
    ).replacing(
      "\(event): { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: \(path),",
      with:
        "\(event): { Type: HttpApi, Properties: { Auth: { Authorizer: NONE }, ApiId: !Ref Api, Path: \(path),"
    )
  }

  @Sendable private static func refusesAll(_: String) -> InvocationAnswer {
    GatewayStage.error("Unauthorized")
  }
  @Sendable private static func notPermitted(_: String) -> InvocationAnswer {
    .initializationFailed(.notStarted("no permission"))
  }

  private static let (rest, http) = (SmokeStage.rest, SmokeStage.http)
  private static let (none, good) = ("GET /pets without a token", "GET /pets with good")

  private static func withAuth(_ property: String) -> String {
    SmokeStage.rest(cors: "AddDefaultAuthorizerToCorsPreflight: false\n        " + property)
  }
  private static func with(_ property: String) -> String { SmokeStage.rest(more: "      " + property) }
  private static func unauthorized(_ response: String) -> String {
    with("GatewayResponses: { UNAUTHORIZED: { \(response) } }")
  }
  private static func identity(_ identity: String) -> String {
    SmokeStage.rest(auth: TemplateSamples.tokenAuth + "\n            Identity: { \(identity) }\n")
  }
  private static func cors(_ origin: String, _ seconds: Int) -> String {
    SmokeStage.http(cors: "CorsConfiguration: { AllowOrigins: ['\(origin)'], MaxAge: \(seconds) }")
  }

  static let faults: [Fault] = [
    Fault("no authorizer on a REST route", rest: open(rest, "Pets", "/pets"), "letsIn", none),
    Fault(
      "no authorizer on a route with a variable", rest: open(rest, "Pet", "\"/pets/{id}\""), "letsIn",
      "GET /pets/{id} with garbage"),
    Fault("no authorizer on an HTTP route", http: open(http, "Pets", "/pets"), "letsIn", none),
    Fault(
      "no default authorizer, REST",
      rest: rest.replacing("DefaultAuthorizer: Bearer", with: "AddApiKeyRequiredToCorsPreflight: false"),
      "letsIn", none),
    Fault(
      "no default authorizer, HTTP",
      http: http.replacing("DefaultAuthorizer: Bearer", with: "EnableIamAuthorizer: false"), "letsIn", none),
    Fault(
      "a guard on an open route", rest: SmokeStage.rest(open: ""), "refuses", "GET /open without a token"),
    Fault(
      "a guarded preflight", rest: SmokeStage.rest(cors: "AddDefaultAuthorizerToCorsPreflight: true"),
      "refuses", "OPTIONS /pets without a token"),
    Fault(
      "no CORS, REST", rest: rest.replacing("Cors: \"'*'\"", with: "TracingEnabled: true"), "unknownRoute",
      "OPTIONS /pets without a token"),
    Fault(
      "no CORS, HTTP", http: SmokeStage.http(cors: "FailOnWarnings: true"), "unknownRoute",
      "OPTIONS /pets as preflight"),
    Fault("another origin", http: cors("https://old.example", 60), "header", "OPTIONS /pets as preflight"),
    Fault(
      "another age of CORS", http: cors("https://app.example", 61), "header", "OPTIONS /pets as preflight"),
    Fault(
      "a route is missing", rest: rest.replacing("Path: /open", with: "Path: /other"), "unknownRoute",
      "GET /open without a token"),
    Fault(
      "a method is missing",
      rest: rest.replacing("Path: /pets, Method: get", with: "Path: /pets, Method: post"), "unknownRoute",
      good),
    Fault("an API key is required", rest: withAuth("ApiKeyRequired: true"), "refuses", good),
    Fault(
      "another header has the token, REST", rest: identity("Header: X-Token"), "refuses", good),
    Fault(
      "another header has the token, HTTP",
      http: http.replacing("Headers: [Authorization]", with: "Headers: [X-Token]"), "refuses", good),
    Fault(
      "a validation expression",
      rest: identity("Header: Authorization, ValidationExpression: 'Bearer x.*'"), "refuses", good),
    Fault("no default endpoint", rest: with("DisableExecuteApiEndpoint: true"), "refuses", good),
    Fault("another 401", rest: unauthorized("StatusCode: 403"), "status", none),
    Fault(
      "another text of the 401", rest: unauthorized("ResponseTemplates: { application/json: '{}' }"), "body",
      none),
    Fault(
      "a header of the 401",
      SmokeStage(
        unauthorized("ResponseParameters: { Headers: { X-A: \"'1'\" } }"), deployed: rest), "header", none),
    Fault(
      "a resource policy", rest: withAuth("ResourcePolicy: { IpRangeWhitelist: [192.0.2.0/24] }"),
      "refuses", good),
    Fault(
      "a throttle",
      rest: with(
        "MethodSettings: [{ HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: 0, ThrottlingBurstLimit: 0 }]"
      ), "throttled", good),
    Fault("no permission, REST", rest, "authorizerFails", good, authorizer: notPermitted),
    Fault("no permission, HTTP", http, "authorizerFails", good, authorizer: notPermitted),
    Fault("a timeout", rest, "authorizerFails", good) { _ in .timedOut(milliseconds: 10_000) },
    Fault("another issuer, REST", rest, "refuses", good, authorizer: refusesAll),
    Fault("another issuer, HTTP", http, "refuses", good, authorizer: refusesAll),
    Fault("an older configuration refuses a role", rest, "refuses", good) { _ in GatewayStage.policy("Deny")
    },
    Fault("an older configuration allows a role", rest, "letsIn", "GET /pets with reader") { event in
      event.contains("Bearer reader") ? GatewayStage.policy() : SmokeStage.authorizer(event)
    },
    Fault("an authorizer that allows everything", http, "letsIn", "GET /pets with garbage") { _ in
      GatewayStage.policy()
    },
    Fault("an answer with a mistake", rest, "authorizerFails", good) { _ in .response(Array("{}".utf8)) },
    Fault("a policy for one route", rest, "refuses", "GET /pets/{id} with good") { event in
      event.contains("Bearer good")
        ? GatewayStage.policy(resource: "*/GET/pets") : SmokeStage.authorizer(event)
    },
  ]

  @Test(arguments: faults) func aFaultIsFoundAndNamed(_ fault: Fault) async throws {
    let report = try await fault.stage.report()
    #expect(report.found[fault.code]?.contains(fault.title) == true, "\(report.found) \(report.text)")
    #expect(report.differences > 0 && report.settled.isEmpty, "\(report.text)")
  }

  /// A route-specific policy of a foreign authorizer is not this project's business: without its program, nothing is known.
  @Test func withoutItsProgramAnAuthorizerIsNotPredicted() async throws {
    let stage = SmokeStage(SmokeStage.rest)
    let asked = SmokeStage.Asked()
    let report = try await stage.plan().report(
      by: try stage.predictor(functions: []), tokens: try stage.tokens, rate: 1000, clock: .instant
    ) { request, url in
      asked.add(url, request)
      return .failure(TransferFailure(.timeout, ""))
    }
    #expect(report.found["notSent"]?.contains("GET /pets with good") == true)
    #expect(report.found["timeout"]?.contains("GET /pets without a token") == true)
    #expect(!asked.requests.contains { !$0.request.values(ofHeader: "authorization").isEmpty })
    #expect(report.text.contains("not sent, no program for the authorizer Authorizer"), "\(report.text)")
  }
}

extension LambdaClock {
  static let instant = LambdaClock(now: LambdaClock.system.now, wait: { _ in })
}
