import JSON
import Testing

@testable import Emulator

/// Faults of other emulators, each with the issue that tells of it: none of them is ours.
@Suite struct KnownGatewayBugTests {
  static let rest = AuthorizerCacheTests.rest

  /// ministack#1367: the decision of one route was replayed on another.
  @Test func ministack1367AKeptPolicyIsEvaluatedForEachRoute() throws {
    let api = TemplateNames.apiIdentifier("Api")
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

  /// jwt-rsa-aws-custom-authorizer#8: a narrow policy, kept, refuses good callers elsewhere. AWS does so, and so do we.
  @Test func auth0Number8ANarrowPolicyThatIsKeptRefusesOtherRoutes() throws {
    let everyEvent: (JSONTree) -> InvocationAnswer = { event in
      guard case .string(let arn)? = event["methodArn"] else { return .died(.status(1)) }
      return GatewayStage.policy(resource: arn)
    }
    var stage = try GatewayStage(Self.rest, function: everyEvent)
    #expect(stage.send("GET", "/prod/pets/1").response.status == 200)
    let other = stage.send("GET", "/prod/pets/2")
    #expect(other.response.status == 403)
    #expect(other.record.warning?.contains("/prod/GET/pets/1 alone, the route that was asked first") == true)
    #expect(other.record.line.hasSuffix(#"or cache by route""#), "\(other.record.line)")
    _ = stage.state.flush()
    #expect(stage.send("GET", "/prod/pets/2").response.status == 200)
  }

  /// ministack#1367: the cache knew no stages, so two APIs shared answers.
  @Test func ministack1367AnswersAreKeptPerAPIAndStage() throws {
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

  /// ministack#1370: the text `"false"` let callers in.
  @Test(arguments: [#""false""#, #""true""#, "1", "0", "null", "[]"])
  func ministack1370IsAuthorizedMustBeABoolean(_ value: String) throws {
    let template = GatewayStatusTests.http("            EnableSimpleResponses: true")
    var stage = try GatewayStage(template) { _ in .response(Array(#"{"isAuthorized":\#(value)}"#.utf8)) }
    #expect(stage.send("GET", "/pets").response.status == 500)
  }

  /// ministack#1370: keeping answers needs something to keep them under.
  @Test func ministack1370ATimeToLiveNeedsAnIdentitySource() throws {
    let template = TemplateSamples.http(
      auth: TemplateSamples.requestAuth(
        "            AuthorizerPayloadFormatVersion: '2.0'\n            Identity: { ReauthorizeEvery: 60 }"))
    let error = try #require(throws: TemplateError.self) { try GatewayTemplate(parsing: template) }
    #expect(error.findings.contains { $0.problem.contains("no identity source") })
  }

  /// ministack#1345, #1362, localstack#5406: the authorizer of an HTTP API was not called at all.
  @Test func ministack1362TheAuthorizerOfAnHTTPAPIIsCalled() throws {
    var stage = try GatewayStage(GatewayStatusTests.http()) { _ in GatewayStage.policy("Deny") }
    let answer = stage.send("GET", "/pets")
    #expect(answer.response.status == 403)
    #expect(answer.record.authorizer == "Bearer")
    #expect(stage.calls == 1)
  }

  /// cdk-local: a REQUEST authorizer ran when any identity source was there; API Gateway wants all.
  @Test(arguments: ["tenant=a", "", "tenant="])
  func cdkLocalEveryIdentitySourceMustBeThere(_ query: String) throws {
    var stage = try GatewayStage(
      AuthorizerCacheTests.request("Headers: [Authorization], QueryStrings: [tenant]"))
    let hasHeader = query == "tenant=a"
    let answer = stage.send("GET", "/prod/pets", query: query, headers: hasHeader ? [] : GatewayStage.bearer)
    #expect(answer.response.status == 401)
    #expect(answer.text == #"{"message":"Unauthorized"}"#)
    #expect(answer.record.origin == .notCalled)
    #expect(stage.calls == 0)
  }

  /// serverless-offline: a value that failed the validation expression reached the function as an empty token.
  @Test func serverlessOfflineAValueThatDoesNotMatchIsA401WithoutACall() throws {
    let template = TemplateSamples.rest(
      auth: TemplateSamples.requestAuth("            Identity: { ValidationExpression: 'Bearer [a-z]+' }"))
    var stage = try GatewayStage(template)
    for value in ["Basic t", "Bearer T", "Bearer t t", "xBearer t"] {
      let answer = stage.send("GET", "/prod/pets", headers: [.init("Authorization", value)])
      #expect(answer.response.status == 401, "\(value)")
      #expect(answer.record.decision == "the value does not match Bearer [a-z]+")
    }
    #expect(stage.calls == 0)
    #expect(stage.send("GET", "/prod/pets").response.status == 200)
  }

  /// aws-sam-cli: a missing authorizer function let requests through with a warning.
  @Test func samAnAuthorizerThatIsNotThereIsAnErrorAtTheStart() throws {
    let template = TemplateSamples.rest(
      auth: "        DefaultAuthorizer: B\n        Authorizers: { B: { FunctionArn: !GetAtt Nobody.Arn } }")
    #expect(throws: TemplateError.self) { try GatewayTemplate(parsing: template) }
  }

  /// aws-sam-cli: a function that died, or an error with four members, was taken for a success.
  @Test func samAnErrorIsNoAnswerWhateverItsMembers() throws {
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
    var http = try GatewayStage(GatewayStatusTests.http()) { _ in GatewayStage.policy(context: context) }
    #expect(http.send("GET", "/pets").response.status == 200)
  }

  /// serverless-offline#560, chalice#1775: a colon or a star in the path is nothing but a character.
  @Test(arguments: ["a:b", "a*b", "a?b".replacing("?", with: "%3F"), "a%2Fb"])
  func serverlessOffline560APathMayHoldAnything(_ id: String) throws {
    var stage = try GatewayStage(Self.rest)
    #expect(stage.send("GET", "/prod/pets/\(id)").response.status == 200)
    let arn =
      "arn:aws:execute-api:us-east-1:123456789012:\(TemplateNames.apiIdentifier("Api"))/prod/GET/pets/\(id)"
    #expect(stage.events[0]["methodArn"] == .string(arn))
  }
}
