@testable import GatewayEmulator
@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import LambdaEmulator
@testable import Text
import JSON
import Testing

/// Statuses, bodies and headers of API Gateway, by kind of API.
@Suite struct GatewayStatusTests {
  static let internalError = (500, #"{"message":"Internal Server Error"}"#)
  static let configurationError = (500, #"{"message":null}"#, Optional("AuthorizerConfigurationException"))
  static let facts:
    [(name: String, answer: InvocationAnswer, rest: (Int, String, String?), http: (Int, String))] = [
      (
        "explicit deny", GatewayStage.policy("Deny"),
        (
          403, #"{"Message":"User is not authorized to access this resource with an explicit deny"}"#,
          "AccessDeniedException"
        ), (403, #"{"message":"Forbidden"}"#)
      ),
      (
        "no matching allow", GatewayStage.policy(resource: "arn:other"),
        (403, #"{"Message":"User is not authorized to access this resource"}"#, "AccessDeniedException"),
        (403, #"{"message":"Forbidden"}"#)
      ),
      (
        "Unauthorized", GatewayStage.error("Unauthorized"),
        (401, #"{"message":"Unauthorized"}"#, "UnauthorizedException"), (401, #"{"message":"Unauthorized"}"#)
      ),
      ("unauthorized in lower case", GatewayStage.error("unauthorized"), configurationError, internalError),
      ("another error", GatewayStage.error("keysUnavailable: no keys"), configurationError, internalError),
      ("a malformed answer", .response(Array("{}".utf8)), configurationError, internalError),
      ("null in the context", GatewayStage.policy(more: #","context":7"#), configurationError, internalError),
      ("a timeout", .timedOut(milliseconds: 29_000), configurationError, internalError),
      ("a crash", .died(.status(1)), configurationError, internalError),
      (
        "a failed start", .initializationFailed(.notStarted("no such file")), configurationError,
        internalError
      ),
    ]

  @Test(arguments: facts) func refusalsMatchAWS(
    _ name: String, _ given: InvocationAnswer, _ restRefusal: (Int, String, String?),
    _ httpRefusal: (Int, String)
  ) throws {
    var rest = try GatewayStage(StatusTemplates.rest) { _ in given }
    let answer = rest.send("GET", "/prod/pets")
    #expect(answer.response.status == restRefusal.0, "\(name)")
    #expect(answer.text == restRefusal.1)
    #expect(answer.response.header("x-amzn-ErrorType") == restRefusal.2)
    #expect(answer.response.header("Content-Type") == "application/json")
    #expect(answer.response.header("x-amzn-RequestId") == "r-1")
    #expect(answer.response.header("x-amz-apigw-id") == "ZhFsxGQDDoEEMig=")

    var http = try GatewayStage(StatusTemplates.http()) { _ in given }
    let other = http.send("GET", "/pets")
    #expect(other.response.status == httpRefusal.0, "\(name)")
    #expect(other.text == httpRefusal.1)
    #expect(other.response.header("x-amzn-ErrorType") == nil)
    #expect(other.response.header("Apigw-Requestid") == "ZhFsxGQDDoEEMig=")
  }

  @Test func anAllowedRequestGoesToItsBackend() throws {
    var rest = try GatewayStage(StatusTemplates.rest)
    let answer = rest.send("GET", "/prod/pets")
    #expect(answer.response.status == 200)
    #expect(answer.json?.at("event", "requestContext", "authorizer", "principalId") == .string("user-1"))
    #expect(answer.record.origin == .called(milliseconds: 7))
    #expect(answer.record.decision == "allowed by Statement[0]")
  }

  @Test(arguments: [
    ("GET", "/prod/nothing", 403, #"{"message":"Missing Authentication Token"}"#),
    ("DELETE", "/prod/pets", 403, #"{"message":"Missing Authentication Token"}"#),
    ("GET", "/test/pets", 403, #"{"message":"Forbidden"}"#),
    ("GET", "/products/pets", 403, #"{"message":"Forbidden"}"#),
  ]) func aRESTPathWithoutARouteIsA403(_ method: String, _ path: String, _ status: Int, _ body: String) throws
  {
    var stage = try GatewayStage(StatusTemplates.rest)
    let answer = stage.send(method, path)
    #expect(answer.response.status == status)
    #expect(answer.text == body)
    #expect(stage.calls == 0)
  }

  @Test func anHTTPAPIWithoutARouteIsA404() throws {
    let template = StatusTemplates.http().replacing(
      "Rest: { Type: HttpApi, Properties: { ApiId: !Ref Api } }", with: "")
    var stage = try GatewayStage(template)
    let answer = stage.send("GET", "/nothing")
    #expect(answer.response.status == 404)
    #expect(answer.text == #"{"message":"Not Found"}"#)
    #expect(stage.calls == 0)
  }

  @Test func anARNOver1600BytesIsA414WithoutInvocation() throws {
    var stage = try GatewayStage(StatusTemplates.rest)
    let start =
      "arn:aws:execute-api:us-east-1:123456789012:\(StableIdentifier.text(of: "Api"))/prod/GET/pets/"
    let room = 1600 - start.utf8.count
    #expect(stage.send("GET", "/prod/pets/" + String(repeating: "a", count: room)).response.status == 200)
    let answer = stage.send("GET", "/prod/pets/" + String(repeating: "a", count: room + 1))
    #expect(answer.response.status == 414)
    #expect(answer.text == #"{"message":"Request URI too long"}"#)
    #expect(stage.calls == 1)
  }

  /// The quota applies to methods with authorization, which only REST APIs have.
  @Test func otherARNsMayBeLonger() throws {
    let long = String(repeating: "a", count: 2000)
    var http = try GatewayStage(StatusTemplates.http())
    #expect(http.send("GET", "/pets/" + long).response.status == 200)
    #expect(http.calls == 1)
  }

  @Test func theTimeLimitsAreTenAndTwentyNineSeconds() throws {
    #expect(
      try GatewayStage(StatusTemplates.rest).gateway.apis[0].routes[0].authorizer?.timeoutMilliseconds
        == 29_000)
    #expect(
      try GatewayStage(StatusTemplates.http()).gateway.apis[0].routes[0].authorizer?.timeoutMilliseconds
        == 10_000)
  }

  @Test(arguments: [
    ("http-thrown-unauthorized=401", 401), ("http-thrown-unauthorized=500", 500),
  ]) func aThrownUnauthorizedOnAnHTTPAPIIsASetting(_ setting: String, _ status: Int) throws {
    var settings = Assumptions()
    #expect(settings.assume(setting) == nil)
    var http = try GatewayStage(StatusTemplates.http(), settings: settings) { _ in
      GatewayStage.error("Unauthorized")
    }
    #expect(http.send("GET", "/pets").response.status == status)
    var rest = try GatewayStage(StatusTemplates.rest, settings: settings) { _ in
      GatewayStage.error("Unauthorized")
    }
    #expect(rest.send("GET", "/prod/pets").response.status == 401)
  }

  @Test(arguments: [("returned-unauthorized=401", 401), ("returned-unauthorized=500", 500)])
  func aReturnedUnauthorizedIsASetting(_ setting: String, _ status: Int) throws {
    var settings = Assumptions()
    #expect(settings.assume(setting) == nil)
    let returned = InvocationAnswer.response(Array(#"{"errorMessage":"Unauthorized"}"#.utf8))
    for (template, path) in [(StatusTemplates.rest, "/prod/pets"), (StatusTemplates.http(), "/pets")] {
      var stage = try GatewayStage(template, settings: settings) { _ in returned }
      #expect(stage.send("GET", path).response.status == status)
    }
  }

  @Test(arguments: [("unauthorized-needs-error-type=no", 401), ("unauthorized-needs-error-type=yes", 500)])
  func theErrorTypeOfUnauthorizedIsASetting(_ setting: String, _ status: Int) throws {
    var settings = Assumptions()
    #expect(settings.assume(setting) == nil)
    var stage = try GatewayStage(StatusTemplates.rest, settings: settings) { _ in
      GatewayStage.error("Unauthorized", type: nil)
    }
    #expect(stage.send("GET", "/prod/pets").response.status == status)
  }

  @Test(arguments: [("both-answer-forms=refused", 500), ("both-answer-forms=configured", 200)])
  func anAnswerInBothFormsIsASetting(_ setting: String, _ status: Int) throws {
    var settings = Assumptions()
    #expect(settings.assume(setting) == nil)
    let both = GatewayStage.policy(more: #","isAuthorized":false"#)
    var stage = try GatewayStage(StatusTemplates.http(), settings: settings) { _ in both }
    #expect(stage.send("GET", "/pets").response.status == status)
  }

  @Test(arguments: [("answer-limit=6MiB", 200), ("answer-limit=8KiB", 500)])
  func theLimitOfAnAnswerIsASetting(_ setting: String, _ status: Int) throws {
    var settings = Assumptions()
    #expect(settings.assume(setting) == nil)
    let long = GatewayStage.policy(context: #"{"a":"\#(String(repeating: "x", count: 9000))"}"#)
    var stage = try GatewayStage(StatusTemplates.rest, settings: settings) { _ in long }
    #expect(stage.send("GET", "/prod/pets").response.status == status)
  }

  @Test(arguments: [
    ("http-raw-path=as-sent", "/caf%C3%A9%3Fa=b"), ("http-raw-path=decoded", "/café"),
  ]) func thePathInEventsOfAnHTTPAPIIsASetting(_ setting: String, _ seen: String) throws {
    var settings = Assumptions()
    #expect(settings.assume(setting) == nil)
    let routes = try ["GET /{name}"].map {
      try GatewayStage.route($0, integration: .function("Backend", .http2))
    }
    var http = GatewayStage([GatewayStage.api(routes, isREST: false)], settings: settings)
    #expect(http.send("GET", "/caf%C3%A9%3Fa=b").json?.at("event", "rawPath") == .string(seen))
    var rest = GatewayStage([GatewayStage.api(try [GatewayStage.route("GET /{name}")])], settings: settings)
    #expect(
      rest.send("GET", "/prod/caf%C3%A9%3Fa=b").json?.at("event", "path") == .string("/caf%C3%A9%3Fa=b"))
  }

  @Test(arguments: [("validation-expression=whole", 401, 0), ("validation-expression=part", 200, 1)])
  func theExtentOfAValidationExpressionIsASetting(_ setting: String, _ status: Int, _ calls: Int) throws {
    var settings = Assumptions()
    #expect(settings.assume(setting) == nil)
    let authorizer = GatewayAuthorizer(
      name: "Bearer", function: "Authorizer",
      form: .token(header: "Authorization", try ValidationExpression("Bearer [a-z]+")), timeToLiveSeconds: 0)
    let route = try GatewayStage.route("GET /pets", access: .lambda(authorizer))
    var stage = GatewayStage([GatewayStage.api([route])], settings: settings)
    let answer = stage.send("GET", "/prod/pets", headers: [.init("Authorization", "Bearer abc.def")])
    #expect(answer.response.status == status)
    #expect(stage.calls == calls)
    #expect(
      stage.send("GET", "/prod/pets", headers: [.init("Authorization", "Basic A")]).response.status == 401)
  }

  @Test func listsSettingsAndRefusesInvalidOnes() {
    var settings = Assumptions()
    #expect(settings.lines.count == 23)
    #expect(settings.lines[0].hasPrefix("http-thrown-unauthorized=401 "))
    #expect(settings.assume("nope=1")?.hasPrefix("unknown setting nope; use ") == true)
    #expect(settings.assume("http-route-arn=both") == "http-route-arn must be one of concrete, template")
    #expect(settings.assume("http-route-arn") == "http-route-arn must be one of concrete, template")
    #expect(settings == Assumptions())
  }

  @Test(arguments: [
    (true, false, 200, "isAuthorized is true"), (false, false, 403, "isAuthorized is false"),
  ]) func simpleAnswersDecideWhereTheyAreEnabled(
    _ isAuthorized: Bool, _: Bool, _ status: Int, _ decision: String
  ) throws {
    let simple = InvocationAnswer.response(Array(#"{"isAuthorized":\#(isAuthorized)}"#.utf8))
    var enabled = try GatewayStage(StatusTemplates.http("            EnableSimpleResponses: true")) { _ in
      simple
    }
    let answer = enabled.send("GET", "/pets")
    #expect(answer.response.status == status)
    #expect(answer.record.decision == decision)
    // An answer in the form that is not configured is a 500.
    var disabled = try GatewayStage(StatusTemplates.http()) { _ in simple }
    #expect(disabled.send("GET", "/pets").response.status == 500)
    enabled.function = { _ in GatewayStage.policy() }
    #expect(enabled.send("GET", "/pets").response.status == 500)
  }
}
