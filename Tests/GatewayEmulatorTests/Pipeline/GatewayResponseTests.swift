@testable import GatewayEmulator
@testable import LambdaEmulator
@testable import Text
@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Mapping
import Foundation
import JSON
import Testing

/// Gateway responses, mapping templates, parameter mappings and CORS.
@Suite struct GatewayResponseTests {
  static let snapshot = GatewayEventTests.events.appendingPathComponent(
    "localstack/tests/aws/services/apigateway/test_apigateway_api.TestApiGatewayGatewayResponse.extract.snapshot.json"
  )
  static let hasSnapshot = FileManager.default.fileExists(atPath: snapshot.path)

  private static func recorded(_ test: String, _ name: String) throws -> JSONTree {
    let tree = try JSONTree(parsing: Array(Data(contentsOf: snapshot)))
    let all = tree[
      "tests/aws/services/apigateway/test_apigateway_api.py::TestApiGatewayGatewayResponse::" + test]
    return try #require(all?["recorded-content"]?[name])
  }

  /// The recorded list has one entry that the recording test had changed.
  @Test(.enabled(if: hasSnapshot, "the recorded gateway responses are in ../shared/events/localstack"))
  func matchesTheRecordedKindsStatusesAndTemplates() throws {
    guard
      case .array(let items)? = try Self.recorded("test_gateway_response_crud", "get-gateway-responses")[
        "items"]
    else {
      Issue.record("no items")
      return
    }
    var kinds: [GatewayResponseKind] = []
    for item in items {
      guard case .string(let type)? = item["responseType"] else { continue }
      let kind = try #require(GatewayResponseKind(rawValue: type))
      kinds.append(kind)
      guard item["defaultResponse"] == .boolean(true) else { continue }
      let described = GatewayResponses().described(kind)
      #expect(item["statusCode"] == described.status.map { .string(String($0)) }, "\(type)")
      #expect(item["responseTemplates"]?.equalsIgnoringOrder(.texts(described.templates)) == true, "\(type)")
    }
    #expect(kinds == GatewayResponseKind.allCases)
  }

  /// The recorded change of one kind, written in SAM's syntax, returns the recorded description and response.
  @Test(.enabled(if: hasSnapshot, "the recorded gateway responses are in ../shared/events/localstack"))
  func appliesTheRecordedChange() throws {
    let put = try Self.recorded("test_gateway_response_crud", "put-gateway-response")
    guard case .object(let parameters)? = put["responseParameters"],
      case .string(let text)? = put.at("responseTemplates", "application/json")
    else {
      Issue.record("no change")
      return
    }
    let prefix = "gatewayresponse.header."
    let headers = parameters.map { member in
      guard case .string(let value) = member.value else { return "" }
      return "                \(member.name.dropFirst(prefix.count)): \"\(value)\""
    }
    let quoted = String(decoding: JSONTree.string(text).bytes(), as: UTF8.self)
    let template = TemplateSamples.rest(
      auth: TemplateSamples.tokenAuth,
      extra: """
              Variables: { a: stage-value }
              GatewayResponses:
                MISSING_AUTHENTICATION_TOKEN:
                  StatusCode: 404
                  ResponseTemplates: { application/json: \(quoted) }
                  ResponseParameters:
                    Headers:
        """ + "\n" + headers.map { "      " + $0 }.joined(separator: "\n"))
    var stage = try GatewayStage(template)
    guard case .rest(let responses) = stage.gateway.apis[0].kind else {
      Issue.record("no REST API")
      return
    }
    let described = responses.described(.missingAuthenticationToken)
    #expect(put["statusCode"] == described.status.map { .string(String($0)) })
    #expect(put["responseTemplates"] == .texts(described.templates))
    let answer = stage.send("GET", "/prod/nothing", query: "q=1", headers: [.init("Accept", "text/plain")])
    #expect(answer.response.status == 404)
    #expect(answer.response.header("Access-Control-Allow-Origin") == "a.b.c")
    #expect(answer.response.header("x-request-header") == "text/plain")
    #expect(answer.response.header("x-request-query") == "1")
    #expect(answer.response.header("x-request-path") == nil)
    #expect(answer.json?["message"] == .string("Missing Authentication Token"))
    #expect(answer.json?["type"] == .string("MISSING_AUTHENTICATION_TOKEN"))
    #expect(answer.json?["stageVariables.a"] == .string("stage-value"))
  }

  static func responses(_ text: String) -> String {
    TemplateSamples.rest(auth: TemplateSamples.tokenAuth, extra: "      GatewayResponses:\n" + text)
  }

  @Test func denialsHaveTheContextAnd401sDoNot() throws {
    let text = """
              ACCESS_DENIED:
                ResponseParameters: { Headers: { X-Reason: context.authorizer.reason } }
                ResponseTemplates: { application/json: '{"m":$context.error.messageString,"r":"$context.authorizer.reason"}' }
              UNAUTHORIZED:
                ResponseTemplates: { application/json: '{"r":"$context.authorizer.reason"}' }
      """
    var stage = try GatewayStage(Self.responses(text)) { _ in
      GatewayStage.policy("Deny", context: #"{"reason":"noRule"}"#)
    }
    let denied = stage.send("GET", "/prod/pets")
    #expect(denied.response.status == 403)
    #expect(denied.response.header("X-Reason") == "noRule")
    #expect(
      denied.text
        == #"{"m":"User is not authorized to access this resource with an explicit deny","r":"noRule"}"#)
    stage.function = { _ in GatewayStage.error("Unauthorized") }
    let unauthorized = stage.send("GET", "/prod/pets", headers: [.init("Authorization", "other")])
    #expect(unauthorized.text == #"{"r":""}"#)
  }

  @Test func fallsBackToTheDefaultResponses() throws {
    let text = """
              DEFAULT_4XX: { StatusCode: 418, ResponseTemplates: { application/json: '{"t":"$context.error.responseType"}' } }
              DEFAULT_5XX: { ResponseTemplates: { text/plain: '$context.error.messageString' } }
      """
    var stage = try GatewayStage(Self.responses(text)) { _ in GatewayStage.error("x") }
    let missing = stage.send("GET", "/prod/pets", headers: [])
    #expect(missing.response.status == 418)
    #expect(missing.text == #"{"t":"UNAUTHORIZED"}"#)
    let failed = stage.send("GET", "/prod/pets")
    #expect(failed.response.status == 500)
    #expect(failed.response.header("Content-Type") == "text/plain")
    #expect(failed.text == "null")
  }

  @Test func selectsTheTemplateByAccept() throws {
    let text = """
              UNAUTHORIZED:
                ResponseTemplates:
                  application/json: '{}'
                  application/xml: '<m>$context.error.message</m>'
      """
    var stage = try GatewayStage(Self.responses(text))
    let xml = stage.send("GET", "/prod/pets", headers: [.init("Accept", "text/html, application/xml;q=0.9")])
    #expect(xml.text == "<m>Unauthorized</m>")
    #expect(xml.response.header("Content-Type") == "application/xml")
    #expect(stage.send("GET", "/prod/pets", headers: []).text == "{}")
  }

  @Test func theDeployedTemplateAnswersAsDocumented() throws {
    var stage = try GatewayStage(TemplateSamples.deployed()) { _ in
      .response(
        Array(
          (#"{"principalId":"o'neil \"x\"","policyDocument":{"Version":"2012-10-17","Statement":[{"Action":"#
            + #""execute-api:Invoke","Effect":"Allow","Resource":"*"}]}}"#).utf8))
    }
    let allowed = stage.send("GET", "/prod/me", headers: GatewayStage.threeParts)
    #expect(allowed.response.status == 200)
    #expect(allowed.json?["principalId"] == .string(#"o'neil "x""#))
    #expect(allowed.response.header("Access-Control-Allow-Origin") == "https://app.example.com")
    #expect(stage.send("GET", "/prod/me").response.status == 401)
    #expect(stage.calls == 1)
    let missing = stage.send("GET", "/prod/me", headers: [])
    #expect(missing.response.status == 401)
    #expect(missing.text == #"{"error":{"code":"Unauthorized","message":"Missing or invalid token"}}"#)
    #expect(missing.response.header("WWW-Authenticate") == "Bearer")
    let preflight = stage.send("OPTIONS", "/prod/me", headers: [])
    #expect(preflight.response.status == 200)
    #expect(preflight.response.header("Access-Control-Allow-Headers") == "Authorization,Content-Type")
    let http = stage.send("GET", "/me", api: "HttpApi")
    #expect(http.json?["url"] == .string("https://example.com/"))
  }

  private static let crossOrigin = """
          CorsConfiguration:
            AllowOrigins: [https://app.example.com]
            AllowHeaders: [authorization]
            AllowMethods: [GET]
            MaxAge: 600
    """
  private static let preflight = [
    GatewayRequest.Header("Origin", "https://app.example.com"), .init("Access-Control-Request-Method", "GET"),
  ]

  @Test func anHTTPAPIAnswersPreflightsAndAddsCORSHeadersToRefusals() throws {
    let template = (StatusTemplates.http() + "\n" + Self.crossOrigin)
      .split(separator: "\n").filter { !$0.contains("Rest: {") }.joined(separator: "\n")
    var stage = try GatewayStage(template)
    let origin = GatewayRequest.Header("Origin", "https://app.example.com")
    for path in ["/pets", "/nothing/here"] {
      let preflight = stage.send("OPTIONS", path, headers: Self.preflight)
      #expect(preflight.response.status == 204)
      #expect(preflight.record.status == 204)
      #expect(preflight.response.header("access-control-allow-origin") == "https://app.example.com")
      #expect(preflight.response.header("access-control-max-age") == "600")
    }
    #expect(stage.calls == 0)
    let refused = stage.send("GET", "/pets", headers: [origin])
    #expect(refused.response.status == 401)
    #expect(refused.response.header("access-control-allow-origin") == "https://app.example.com")
    let other = stage.send("GET", "/pets", headers: [.init("Origin", "https://evil.example")])
    #expect(other.response.header("access-control-allow-origin") == nil)
  }

  /// The special case of the user guide: `$default` "catches requests for all methods", including preflight requests;
  /// `ANY` does too.
  @Test(arguments: ["/pets", "/pets/7"]) func aPreflightInvokesTheAuthorizerOfARouteWithAnyMethod(
    _ path: String
  ) throws {
    var stage = try GatewayStage(StatusTemplates.http() + "\n" + Self.crossOrigin)
    #expect(stage.send("OPTIONS", path, headers: Self.preflight).response.status == 401)
  }

  @Test(arguments: [
    ("a $context.authorizer.principalId b", "a o'n/\"é b"), ("${context.stage}!", "prod!"),
    ("$stageVariables.v", "7"),
    ("## all of it\nx", "x"), ("#set($a = 'b')\n$a$a", "bb"),
    ("$util.escapeJavaScript($context.authorizer.principalId)", #"o\'n\/\"\u00E9"#),
    (#"$context.authorizer.principalId.replaceAll("n", "m")"#, "o'm/\"é"),
    ("costs $5 and #1", "costs $5 and #1"), ("$context.authorizer.none|", "|"),
    ("$context.stage.length()", "4"),
    (#"#set($a = "$context.stage")$a"#, "prod"),
    ("$context.authorizer.claims|$context.authorizer.claims.sub", "|s"),
    ("#foreach($n in $context.authorizer.keySet())$n,#end", "claims,principalId,"),
  ]) func mappingTemplatesReadTheExchange(_ template: String, _ expected: String) throws {
    var input = MappingTemplate.Input()
    input.context = ContextVariables([
      "stage": "prod", "authorizer.principalId": "o'n/\"é", "authorizer.claims.sub": "s",
    ])
    input.stageVariables = ["v": "7"]
    #expect(try MappingTemplate(template).filled(from: input).text == expected)
  }

  @Test func parameterMappingsReachTheBackend() throws {
    let template = TemplateSamples.http(
      auth: TemplateSamples.requestAuth(
        "            AuthorizerPayloadFormatVersion: '2.0'\n            Identity: { Headers: [Authorization] }"
      ),
      extra: """
              DefinitionBody:
                paths:
                  /users/{id}:
                    get:
                      x-amazon-apigateway-integration:
                        type: http_proxy
                        uri: https://backend.example/u/{id}
                        requestParameters:
                          overwrite:header.X-User: $context.authorizer.sub
                          append:header.X-Static: fixed
                          remove:header.Authorization: "''"
                          append:querystring.tenant: $context.authorizer.tenant
        """
    ).replacing(try Regex("    Events:(\n {8}.*)*"), with: "")
    var stage = try GatewayStage(template) { _ in
      GatewayStage.policy(context: #"{"sub":"u 1","tenant":"a&b"}"#)
    }
    let echo = try #require(stage.send("GET", "/users/a%2Fb", query: "q=1").json)
    #expect(echo["url"] == .string("https://backend.example/u/a%2Fb?q=1&tenant=a%26b"))
    #expect(echo.at("headers", "X-User") == .string("u 1"))
    #expect(echo.at("headers", "X-Static") == .string("fixed"))
    #expect(echo.at("headers", "Authorization") == nil)
    #expect(echo.at("requestContext", "authorizer", "sub") == .string("u 1"))
  }
}

extension GatewayResponses {
  /// What `GetGatewayResponses` returns for a kind: the status (`nil` for `DEFAULT_…`) and the templates by content type.
  fileprivate func described(_ kind: GatewayResponseKind) -> (status: Int?, templates: [String: String]) {
    let change = changes[kind]
    var templates = ["application/json": #"{"message":$context.error.messageString}"#]
    if let own = change?.templates, !own.isEmpty {
      templates = Dictionary(own.map { ($0.type, $0.template.text) }) { first, _ in first }
    }
    return (change?.status ?? kind.defaultStatus, templates)
  }
}
