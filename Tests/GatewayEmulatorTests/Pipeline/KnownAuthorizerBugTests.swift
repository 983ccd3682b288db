@testable import GatewayEmulator
@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import LambdaEmulator
@testable import Templates
import JSON
import TestSupport
import Testing

/// Known bugs of other emulators around the authorizer, each with its issue or program.
@Suite struct KnownAuthorizerBugTests {
  static let rest = AuthorizerCacheTests.rest
  static let simple = StatusTemplates.http("            EnableSimpleResponses: true")

  private static func answer(_ text: String) -> InvocationAnswer { .response(Array(text.utf8)) }

  /// sam local refused a Statement that is an object.
  @Test func samLocalAStatementMayBeAnObject() throws {
    let text =
      #"{"principalId":"u","policyDocument":{"Statement":{"Effect":"Allow","Action":"*","Resource":"*"}}}"#
    var stage = try GatewayStage(Self.rest) { _ in Self.answer(text) }
    #expect(stage.send("GET", "/prod/pets").response.status == 200)
  }

  /// sam local returned 502 for `Unauthorized` and malformed answers; serverless-offline returned 401 for every
  /// error, MiniStack for other texts too (jwt-rsa-aws-custom-authorizer#6).
  @Test(arguments: [
    (GatewayStage.error("Unauthorized"), 401, #"{"message":"Unauthorized"}"#),
    (GatewayStage.error("no keys"), 500, #"{"message":null}"#),
    (.died(.status(1)), 500, #"{"message":null}"#),
    (answer(#"{"principalId":"u"}"#), 500, #"{"message":null}"#),
  ]) func samLocalAndServerlessOfflineOnlyUnauthorizedIsA401(
    _ answer: InvocationAnswer, _ status: Int, _ body: String
  ) throws {
    var stage = try GatewayStage(Self.rest) { _ in answer }
    let refused = stage.send("GET", "/prod/pets")
    #expect(refused.response.status == status)
    #expect(refused.text == body)
  }

  /// sam local does not cache, serverless-offline only distinguishes 0 from other TTLs, and MiniStack also caches on
  /// HTTP APIs. The default TTL is 300 s on REST APIs and 0 on HTTP APIs.
  @Test func samLocalAndMiniStackTheDefaultTTLDependsOnTheKind() throws {
    var rest = try GatewayStage(Self.rest)
    for milliseconds: Int64 in [0, 299_999, 1] {
      rest.now += milliseconds
      #expect(rest.send("GET", "/prod/pets").response.status == 200)
    }
    #expect(rest.calls == 2)
    var http = try GatewayStage(StatusTemplates.http())
    for _ in 0..<2 { #expect(http.send("GET", "/pets").response.status == 200) }
    #expect(http.calls == 2)
  }

  /// sam local passed context values to the backend with their types. localstack#9518: principalId did not reach the
  /// backend.
  @Test func samLocalAndLocalStack9518TheBackendOfARESTAPIReceivesStringsAndThePrincipal() throws {
    var stage = try GatewayStage(Self.rest) { _ in GatewayStage.policy(context: #"{"n":1,"b":false}"#) }
    let authorizer = stage.send("GET", "/prod/pets").json?.at("event", "requestContext", "authorizer")
    #expect(authorizer?["principalId"] == .string("user-1"))
    #expect(authorizer?["n"] == .string("1"))
    #expect(authorizer?["b"] == .string("false"))
  }

  /// sam local did not support usageIdentifierKey: an answer may have it, and the backend does not receive it.
  @Test func samLocalAUsageKeyIsPartOfAnAnswer() throws {
    var stage = try GatewayStage(Self.rest) { _ in GatewayStage.policy(more: #","usageIdentifierKey":"k-1""#)
    }
    let answer = stage.send("GET", "/prod/pets")
    #expect(answer.response.status == 200)
    #expect(!answer.text.contains("k-1"))
  }

  /// sam local and serverless-offline wrote the text of a denial in `message`; REST APIs of AWS write `Message`.
  @Test func samLocalADenialOfARESTAPIHasACapitalMessage() throws {
    var stage = try GatewayStage(Self.rest) { _ in GatewayStage.policy("Deny") }
    let denied = stage.send("GET", "/prod/pets")
    #expect(denied.response.status == 403)
    #expect(denied.json?.names == ["Message"])
  }

  /// aws-sam-cli#9087: a denied request had no CORS headers, so a browser showed another error.
  @Test func sam9087ADenialHasTheHeadersOfItsGatewayResponse() throws {
    var stage = try GatewayStage(TemplateSamples.deployed()) { _ in GatewayStage.policy("Deny") }
    let denied = stage.send("GET", "/prod/me", headers: GatewayStage.threeParts, api: "RestApi")
    #expect(denied.response.status == 403)
    #expect(denied.response.header("Access-Control-Allow-Origin") == "https://app.example.com")
  }

  /// serverless-offline and aws-sam-cli#137 ignore unsupported authorizers, or check tokens only partially.
  @Test func serverlessOfflineANativeJWTAuthorizerWithoutSourceIsRefused() throws {
    let template = TemplateSamples.http(
      auth: "        DefaultAuthorizer: J\n        Authorizers: { J: { JwtConfiguration: { issuer: x } } }")
    let error = try #require(throws: TemplateError.self) { try GatewayTemplate(parsing: template) }
    #expect(error.findings.contains { $0.path.hasSuffix("IdentitySource") && $0.problem == "is missing" })
  }

  /// serverless-offline used only the first identity source.
  @Test(arguments: [("", 401), ("tenant=", 401), ("tenant=a", 200)])
  func serverlessOfflineAllIdentitySourcesAreRequired(_ query: String, _ status: Int) throws {
    let identity = "Headers: [Authorization], QueryStrings: [tenant]"
    var stage = try GatewayStage(AuthorizerCacheTests.request(identity))
    #expect(stage.send("GET", "/prod/pets", query: query).response.status == status)
    #expect(stage.calls == (status == 200 ? 1 : 0))
  }

  /// The account was `random-account-id` in serverless-offline, and a random number, even negative, in awslabs' local
  /// server.
  @Test func serverlessOfflineAndSwiftLocalServerTheAccountHasTwelveDigits() throws {
    var stage = try GatewayStage(Self.rest)
    _ = stage.send("GET", "/prod/pets")
    let arn = try #require(stage.events[0]["methodArn"]?.plain)
    let account = arn.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false)[4]
    #expect(account == "123456789012")
  }

  /// serverless-offline#1341, #1475: a simple answer without principalId was a 403.
  @Test func serverlessOffline1341ASimpleAnswerNeedsNoPrincipal() throws {
    var stage = try GatewayStage(Self.simple) { _ in Self.answer(#"{"isAuthorized":true}"#) }
    #expect(stage.send("GET", "/pets").response.status == 200)
  }

  /// serverless-offline#1586: the ARN of a route with parameters must have the path of the request.
  @Test func serverlessOffline1586TheARNHasThePathOfTheRequest() throws {
    var stage = try GatewayStage(Self.rest)
    _ = stage.send("GET", "/prod/pets/7")
    let arn = try #require(stage.events[0]["methodArn"]?.plain)
    #expect(arn.hasSuffix("/prod/GET/pets/7"))
  }

  /// ministack#1367: a malformed answer was cached, or was a 403; ministack#1370 is the same bug for HTTP APIs.
  @Test(arguments: ["{}", #"{"principalId":"u"}"#, #"{"isAuthorized":"false"}"#, "null", "[]", "x"])
  func ministack1367AMalformedAnswerIsA500AndNotCached(_ text: String) throws {
    for (template, path) in [(Self.rest, "/prod/pets"), (Self.simple, "/pets")] {
      var stage = try GatewayStage(template) { _ in Self.answer(text) }
      for _ in 0..<2 { #expect(stage.send("GET", path).response.status == 500) }
      #expect(stage.calls == 2)
    }
  }

  /// MiniStack 1.5.33 treats these as grants or as a 401; each is a 500 on AWS (rust-runtime#863, java-libs#184,
  /// jwt-rsa-aws-custom-authorizer#6).
  @Test(arguments: [
    GatewayStage.error("unauthorized"), GatewayStage.error(" Unauthorized "),
    GatewayStage.policy(context: #"{"a":{"b":1}}"#), GatewayStage.policy(context: #"{"a":[1]}"#),
    answer(
      #"{"principalId":"u","policyDocument":{"Statement":[{"Effect":"Allow","Action":"*","Resource":"*","Condition":null}]}}"#
    ),
    answer(
      #"{"principalId":"u","policyDocument":{"statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}}"#
    ),
  ]) func miniStackAcceptsInvalidAnswers(_ answer: InvocationAnswer) throws {
    var stage = try GatewayStage(Self.rest) { _ in answer }
    #expect(stage.send("GET", "/prod/pets").response.status == 500)
  }

  /// MiniStack 1.5.33 ignores actions, NotAction and NotResource.
  @Test(arguments: [
    (#"{"Effect":"Allow","Action":"s3:*","Resource":"*"}"#, 403),
    (#"{"Effect":"Allow","NotAction":"execute-api:*","Resource":"*"}"#, 403),
    (#"{"Effect":"Allow","Action":"*","NotResource":"arn:aws:s3:::*"}"#, 200),
    (
      #"{"Effect":"Allow","Action":"*","Resource":"*"},{"Effect":"Deny","Action":"s3:*","Resource":"*"}"#,
      200
    ),
  ]) func miniStackIgnoresActions(_ statements: String, _ status: Int) throws {
    let text = #"{"principalId":"u","policyDocument":{"Version":"2012-10-17","Statement":[\#(statements)]}}"#
    var stage = try GatewayStage(Self.rest) { _ in Self.answer(text) }
    #expect(stage.send("GET", "/prod/pets").response.status == status)
  }

  /// localstack#10636: the response without the header had another body. localstack#4097: each of these was a 500.
  @Test func localStack10636And4097EachOutcomeHasItsStatusAndBody() throws {
    var stage = try GatewayStage(Self.rest)
    let missing = stage.send("GET", "/prod/pets", headers: [])
    #expect(missing.response.status == 401)
    #expect(missing.text == #"{"message":"Unauthorized"}"#)
    #expect(missing.response.header("x-amzn-ErrorType") == "UnauthorizedException")
    #expect(stage.send("GET", "/prod/pets").response.status == 200)
    _ = stage.state.flush()
    stage.function = { _ in GatewayStage.policy("Deny") }
    #expect(stage.send("GET", "/prod/pets").response.status == 403)
    _ = stage.state.flush()
    stage.function = { _ in GatewayStage.error("Unauthorized") }
    #expect(stage.send("GET", "/prod/pets").response.status == 401)
  }

  /// chalice#1619: AWS and the local server deny this policy. Both compare the value of a path parameter, not its
  /// template.
  @Test func chalice1619APolicyForATemplateDoesNotMatchTheValue() throws {
    var stage = try GatewayStage(Self.rest) { _ in
      GatewayStage.policy(resource: "arn:aws:execute-api:*:*:*/prod/GET/pets/{id}")
    }
    #expect(stage.send("GET", "/prod/pets/7").response.status == 403)
  }
}
