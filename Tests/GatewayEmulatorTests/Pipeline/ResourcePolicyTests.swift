@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import IAMPolicy
@testable import LambdaEmulator
import JSON
import Testing

/// Resource policies together with each kind of authorizer ("How API Gateway resource policies affect authorization
/// workflow").
@Suite struct ResourcePolicyTests {
  static let allow =
    #"{"Effect":"Allow","Principal":"*","Action":"execute-api:Invoke","Resource":"execute-api:/*"}"#
  static let deny = allow.replacing("Allow", with: "Deny")
  /// Neither allows nor denies.
  static let neither = allow.replacing("execute-api:/*", with: "execute-api:/other/*")

  static func policy(_ statements: String) throws -> PolicyDocument {
    try ResourcePolicy.document(
      JSONTree(parsing: Array(#"{"Version":"2012-10-17","Statement":[\#(statements)]}"#.utf8)),
      prefix: AWSLocation().policyPrefix(ofAPI: "abcdefghij"))
  }

  static func stage(
    _ statements: String?, access: RouteAccess = .open, isPrivate: Bool = false,
    function: @escaping (JSONTree) -> InvocationAnswer = { _ in GatewayStage.policy() }
  ) throws -> GatewayStage {
    var api = APIAccess()
    api.resourcePolicy = try statements.map(policy)
    api.isPrivate = isPrivate
    let route = try GatewayStage.route("ANY /pets/{id}", access: access)
    return GatewayStage([GatewayStage.api([route], access: api)], function: function)
  }

  static let arn = "arn:aws:execute-api:us-east-1:********9012:abcdefghij/prod/GET/pets/1"

  @Test(arguments: [
    (allow, 200, ""), (neither, 403, ""), (deny, 403, " with an explicit deny"),
    (allow + "," + deny, 403, " with an explicit deny"),
  ]) func withoutAnAuthorizerThePolicyMustAllow(_ statements: String, _ status: Int, _ end: String) throws {
    var stage = try Self.stage(statements)
    let answer = stage.send("GET", "/prod/pets/1")
    #expect(answer.response.status == status)
    guard status == 403 else { return }
    #expect(
      answer.text
        == #"{"Message":"User: anonymous is not authorized to perform: execute-api:Invoke on resource: \#(Self.arn)\#(end)"}"#
    )
    #expect(answer.response.header("x-amzn-ErrorType") == "AccessDeniedException")
  }

  /// Table A: the answer of the authorizer, the resource policy, the status, and whether the authorizer is called.
  @Test(arguments: [
    ("Allow", allow, 200, 1), ("Allow", neither, 200, 1), ("Allow", deny, 403, 0),
    ("none", allow, 200, 1), ("none", neither, 403, 1), ("none", deny, 403, 0),
    ("Deny", allow, 403, 1), ("Deny", neither, 403, 1), ("Deny", deny, 403, 0),
  ]) func withALambdaAuthorizerBothAreCombined(
    _ answer: String, _ statements: String, _ status: Int, _ calls: Int
  ) throws {
    var stage = try Self.stage(statements, access: .lambda(GatewayStage.tokenAuthorizer)) { _ in
      answer == "none" ? GatewayStage.policy(resource: "arn:other") : GatewayStage.policy(answer)
    }
    #expect(stage.send("GET", "/prod/pets/1").response.status == status)
    #expect(stage.calls == calls)
    // Without a token the authorizer is not asked, and no policy lets the request in.
    #expect(
      stage.send("GET", "/prod/pets/1", headers: []).response.status == (statements == Self.deny ? 403 : 401))
  }

  @Test(arguments: [
    (#""IpAddress":{"aws:SourceIp":"192.0.2.0/24"}"#, 200, 403),
    (#""NotIpAddress":{"aws:SourceIp":"192.0.2.0/24"}"#, 403, 200),
    // A request from the internet has no VPC.
    (#""StringEquals":{"aws:SourceVpce":"vpce-1"}"#, 403, 403),
    (#""StringNotEquals":{"aws:SourceVpc":"vpc-1"}"#, 200, 200),
    (#""StringEquals":{"aws:PrincipalAccount":"123456789012"}"#, 403, 403),
    (#""Bool":{"aws:SecureTransport":"true"}"#, 200, 200),
    (#""DateLessThan":{"aws:CurrentTime":"2024-06-17T15:02:04Z"}"#, 200, 200),
    (#""DateLessThan":{"aws:CurrentTime":"2024-06-17T15:02:03Z"}"#, 403, 403),
  ]) func conditionsSeeTheRequest(_ condition: String, _ inside: Int, _ outside: Int) throws {
    var stage = try Self.stage(String(Self.allow.dropLast()) + #","Condition":{\#(condition)}}"#)
    #expect(stage.send("GET", "/prod/pets/1").response.status == inside)
    #expect(stage.send("GET", "/prod/pets/1", from: "198.51.100.7").response.status == outside)
  }

  /// A signed request has the keys of its signer; of those that are unknown the policy decides nothing (`nil`).
  @Test(
    arguments: [
      (#""StringEquals":{"aws:PrincipalAccount":"123456789012"}"#, true),
      (#""StringNotEquals":{"aws:PrincipalAccount":"123456789012"}"#, false),
      (#""ArnLike":{"aws:PrincipalArn":"arn:aws:iam::*:user/*"}"#, true),
      (#""StringEquals":{"aws:PrincipalType":"User"}"#, true),
      (#""StringEquals":{"aws:username":"development"}"#, true),
      (#""StringLike":{"aws:userid":"*"}"#, true), (#""Null":{"aws:userid":"true"}"#, false),
      (#""StringEquals":{"aws:PrincipalOrgID":"o-1"}"#, nil),
      (#""StringEquals":{"aws:PrincipalTag/team":"a"}"#, nil),
      (#""Bool":{"aws:MultiFactorAuthPresent":"false"}"#, nil),
    ] as [(String, Bool?)]) func aSignerHasItsKeys(_ condition: String, _ applies: Bool?) throws
  {
    let statement = String(Self.deny.dropLast()) + #","Condition":{\#(condition)}}"#
    let stage = try Self.stage(statement, access: .signature)
    let api = stage.gateway.apis[0]
    var exchange = RequestContext(
      api: api, location: .init(), request: GatewayRequest(method: "GET", path: "/prod/pets/1", headers: []),
      path: "/pets/1", route: api.routes[0], pathParameters: [],
      identity: RequestIdentity(requestID: "r", extendedRequestID: "e", traceID: "", unixMilliseconds: 0),
      connectionID: nil)
    exchange.caller = SignedCaller(accessKey: "AKIA", partition: "aws", account: "123456789012")
    let decision = try? stage.gateway.resourceDecision(about: exchange)
    #expect(decision.map { $0 == .explicitlyDenied(statement: 0) } == applies)
  }

  /// Which endpoint a request came through is unknown here, so a policy that depends on it decides nothing.
  @Test(
    arguments: [
      (nil, 403), (allow, 200), (neither, 403),
      (String(allow.dropLast()) + #","Condition":{"StringEquals":{"aws:SourceVpce":"vpce-1"}}}"#, 501),
      (
        allow + "," + String(deny.dropLast())
          + #","Condition":{"StringNotEquals":{"aws:SourceVpce":"vpce-1"}}}"#,
        501
      ),
    ] as [(String?, Int)]) func aPrivateAPIIsClosedWhereItsEndpointDecides(
      _ statements: String?, _ status: Int
    ) throws
  {
    for access in [RouteAccess.open, .lambda(GatewayStage.tokenAuthorizer)] {
      var stage = try Self.stage(statements, access: access, isPrivate: true) { _ in
        GatewayStage.policy(resource: "arn:other")
      }
      let answer = stage.send("GET", "/prod/pets/1")
      #expect(answer.response.status == status, "\(answer.text)")
      #expect((answer.response.header("X-Authorizer-Local-Closed") == "true") == (status == 501))
    }
  }

  @Test(arguments: [
    ("execute-api:/*", true), ("execute-api:/prod/*", true), ("execute-api:/prod/GET/pets/*", true),
    ("execute-api:/*/*/*", true), ("execute-api:/prod/POST/pets/*", false), ("execute-api:/test/*", false),
    ("execute-api:/prod/GET/pets/1", true), ("execute-api:/prod/GET/pets/{id}", false),
    ("arn:aws:execute-api:us-east-1:123456789012:abcdefghij/*", true),
    ("arn:aws:execute-api:*:*:*/prod/GET/pets/1", true), ("execute-api:*", false), ("*", true),
    ("arn:aws:execute-api:us-east-1:123456789012:otherapiid/*", false),
  ]) func resourcesHaveAShortForm(_ resource: String, _ isAllowed: Bool) throws {
    let statement = Self.allow.replacing("execute-api:/*", with: resource)
    var stage = try Self.stage(statement)
    #expect(stage.send("GET", "/prod/pets/1").response.status == (isAllowed ? 200 : 403))
  }

  /// The quota of the ARN applies to every API with a resource policy ("Amazon API Gateway quotas").
  @Test func aLongPathIsA414() throws {
    var stage = try Self.stage(Self.allow)
    #expect(stage.send("GET", "/prod/pets/" + String(repeating: "a", count: 1600)).response.status == 414)
    var open = try Self.stage(nil)
    #expect(open.send("GET", "/prod/pets/" + String(repeating: "a", count: 1600)).response.status == 200)
  }
}
