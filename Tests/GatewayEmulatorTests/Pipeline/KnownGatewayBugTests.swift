@testable import GatewayEmulator
@testable import GatewayModel
@testable import EmulatorTestSupport
@testable import LambdaEmulator
@testable import Templates
@testable import Text
import JSON
import Testing

/// Known bugs of other emulators, each with its issue.
@Suite struct KnownGatewayBugTests {
  static let rest = AuthorizerCacheTests.rest

  /// ministack#1367: the decision of one route was replayed on another.
  @Test func ministack1367ACachedPolicyIsEvaluatedForEachRoute() throws {
    let api = StableIdentifier.text(of: "Api")
    var stage = try GatewayStage(Self.rest) { _ in
      GatewayStage.policy(resource: "arn:aws:execute-api:us-east-1:123456789012:\(api)/prod/GET/pets")
    }
    #expect(stage.send("GET", "/prod/pets").response.status == 200)
    let other = stage.send("GET", "/prod/pets/7")
    #expect(other.response.status == 403)
    #expect(other.record.origin == .fromCache)
    #expect(other.record.decision == "denied: no statement allows it")
    #expect(stage.send("GET", "/prod/pets").response.status == 200)
    #expect(stage.calls == 1)
  }

  /// jwt-rsa-aws-custom-authorizer#8, serverless-authorizers#1, digital-evidence-archive-on-aws#65: a cached narrow
  /// policy denies valid callers on other routes, as on AWS.
  @Test func auth0Number8ACachedNarrowPolicyDeniesOtherRoutes() throws {
    let everyEvent: (JSONTree) -> InvocationAnswer = { event in
      guard case .string(let arn)? = event["methodArn"] else { return .died(.status(1)) }
      return GatewayStage.policy(resource: arn)
    }
    var stage = try GatewayStage(Self.rest, function: everyEvent)
    #expect(stage.send("GET", "/prod/pets/1").response.status == 200)
    let other = stage.send("GET", "/prod/pets/2")
    #expect(other.response.status == 403)
    #expect(other.record.warning?.contains("/prod/GET/pets/1, the first route called") == true)
    #expect(other.record.line.hasSuffix(#"or cache by route""#), "\(other.record.line)")
    _ = stage.state.flush()
    #expect(stage.send("GET", "/prod/pets/2").response.status == 200)
  }

  /// ministack#1367: the stage was not part of the cache key, so two APIs shared answers.
  @Test func ministack1367AnswersAreCachedPerAPIAndStage() throws {
    let two =
      Self.rest + "\n" + """
          Other:
            Type: AWS::Serverless::Api
            Properties:
              StageName: test
              Auth:
                DefaultAuthorizer: Bearer
                Authorizers: { Bearer: { FunctionArn: !GetAtt Authorizer.Arn } }
              DefinitionBody:
                paths:
                  /pets:
                    get:
                      x-amazon-apigateway-integration: { type: http_proxy, uri: "https://example.com" }
        """
    var stage = try GatewayStage(two)
    #expect(stage.send("GET", "/prod/pets", api: "Api").response.status == 200)
    stage.function = { _ in GatewayStage.policy("Deny") }
    #expect(stage.send("GET", "/test/pets", api: "Other").response.status == 403)
    #expect(stage.calls == 2)
  }

  /// ministack#1370: the string `"false"` allowed the request.
  @Test(arguments: [#""false""#, #""true""#, "1", "0", "null", "[]"])
  func ministack1370IsAuthorizedMustBeABoolean(_ value: String) throws {
    let template = StatusTemplates.http("            EnableSimpleResponses: true")
    var stage = try GatewayStage(template) { _ in .response(Array(#"{"isAuthorized":\#(value)}"#.utf8)) }
    #expect(stage.send("GET", "/pets").response.status == 500)
  }

  /// ministack#1370: caching needs an identity source for the key.
  @Test func ministack1370CachingNeedsAnIdentitySource() throws {
    let template = TemplateSamples.http(
      auth: TemplateSamples.requestAuth(
        "            AuthorizerPayloadFormatVersion: '2.0'\n            Identity: { ReauthorizeEvery: 60 }"))
    let error = try #require(throws: TemplateError.self) { try GatewayTemplate(parsing: template) }
    #expect(error.findings.contains { $0.problem.contains("no identity source") })
  }

  /// ministack#1345, #1362, localstack#5406: the authorizer of an HTTP API was not invoked.
  @Test func ministack1362TheAuthorizerOfAnHTTPAPIIsCalled() throws {
    var stage = try GatewayStage(StatusTemplates.http()) { _ in GatewayStage.policy("Deny") }
    let answer = stage.send("GET", "/pets")
    #expect(answer.response.status == 403)
    #expect(answer.record.authorizer == "Bearer")
    #expect(stage.calls == 1)
  }

  /// cdk-local invoked a REQUEST authorizer if any identity source was present; API Gateway requires all.
  @Test(arguments: ["tenant=a", "", "tenant="])
  func cdkLocalEveryIdentitySourceIsRequired(_ query: String) throws {
    var stage = try GatewayStage(
      AuthorizerCacheTests.request("Headers: [Authorization], QueryStrings: [tenant]"))
    let hasHeader = query == "tenant=a"
    let answer = stage.send("GET", "/prod/pets", query: query, headers: hasHeader ? [] : GatewayStage.bearer)
    #expect(answer.response.status == 401)
    #expect(answer.text == #"{"message":"Unauthorized"}"#)
    #expect(answer.record.origin == .notCalled)
    #expect(stage.calls == 0)
  }

  /// serverless-offline passed a value that did not match the validation expression to the function as an empty
  /// token.
  @Test func serverlessOfflineAValueThatDoesNotMatchIsA401WithoutACall() throws {
    let template = TemplateSamples.rest(
      auth: TemplateSamples.requestAuth("            Identity: { ValidationExpression: 'Bearer [a-z]+' }"))
    var stage = try GatewayStage(template)
    for value in ["Basic t", "Bearer T", "Bearer t t", "xBearer t"] {
      let answer = stage.send("GET", "/prod/pets", headers: [.init("Authorization", value)])
      #expect(answer.response.status == 401, "\(value)")
      let scheme = value == "Basic t" ? " (it begins with Basic)" : ""
      #expect(
        answer.record.decision == "Authorization is not what the validation expression accepts\(scheme)")
    }
    #expect(stage.calls == 0)
    #expect(stage.send("GET", "/prod/pets").response.status == 200)
  }

  /// aws-sam-cli allowed requests with a warning if the authorizer's function was missing.
  @Test func samAMissingAuthorizerIsAnErrorAtTheStart() throws {
    let template = TemplateSamples.rest(
      auth: "        DefaultAuthorizer: B\n        Authorizers: { B: { FunctionArn: !GetAtt Absent.Arn } }")
    #expect(throws: TemplateError.self) { try GatewayTemplate(parsing: template) }
  }

  /// aws-sam-cli treated a crashed function, or an error with four members, as a success.
  @Test func samAnErrorIsNeverAnAnswer() throws {
    let report = FunctionErrorReport(
      headerType: "Function.X",
      document: Array(#"{"errorMessage":"x","errorType":"T","requestId":"r","stackTrace":[]}"#.utf8))
    var stage = try GatewayStage(Self.rest) { _ in .error(report) }
    #expect(stage.send("GET", "/prod/pets").response.status == 500)
  }

  /// serverless-offline#1376, chalice#1636: objects and lists in the context of a REST answer are a 500.
  @Test(arguments: [#"{"a":{}}"#, #"{"a":[1]}"#, #"{"a":null}"#])
  func serverlessOffline1376TheContextOfARESTAnswerIsFlat(_ context: String) throws {
    var stage = try GatewayStage(Self.rest) { _ in GatewayStage.policy(context: context) }
    #expect(stage.send("GET", "/prod/pets").response.status == 500)
    var http = try GatewayStage(StatusTemplates.http()) { _ in GatewayStage.policy(context: context) }
    #expect(http.send("GET", "/pets").response.status == 200)
  }

  /// serverless-offline#560, chalice#1775: a colon or a star in the path is an ordinary character.
  @Test(arguments: ["a:b", "a*b", "a?b".replacing("?", with: "%3F"), "a%2Fb"])
  func serverlessOffline560APathMayContainAnyCharacter(_ id: String) throws {
    var stage = try GatewayStage(Self.rest)
    #expect(stage.send("GET", "/prod/pets/\(id)").response.status == 200)
    let arn =
      "arn:aws:execute-api:us-east-1:123456789012:\(StableIdentifier.text(of: "Api"))/prod/GET/pets/\(id)"
    #expect(stage.events[0]["methodArn"] == .string(arn))
  }
}
