@testable import GatewayEmulator
@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Templates
import Testing

/// Gateway responses of a template. They decide about no access: one that cannot be read is left out, with a warning.
@Suite struct GatewayResponseReaderTests {
  /// What a response says, and the problem of the warning; `nil` for none.
  @Test(
    arguments: [
      ("DEFAULT_4XX", "StatusCode: 418", nil),
      // The names of types are exact (a recorded `PutGatewayResponse`).
      ("DEFAULT_4xx", "StatusCode: 418", "is not a gateway response type"),
      ("Default_4XX", "StatusCode: 418", "is not a gateway response type"),
      ("default_4xx", "StatusCode: 418", "is not a gateway response type"),
      ("DEFAULT_4XXX", "StatusCode: 418", "is not a gateway response type"),
      ("DEFAULT_4XX", "StatusCode: abc", "must be a whole number from 200 to 599"),
      ("DEFAULT_4XX", "StatusCode: 418, ResponseTemplates: { a/b: $util.x }", "$util.x is not supported"),
      (
        "DEFAULT_4XX", "StatusCode: 418, ResponseParameters: { Headers: { A: plain } }",
        "is not a valid value: plain"
      ),
      (
        "DEFAULT_4XX", "StatusCode: 418, ResponseParameters: { Headers: { A: context.nope } }",
        "is not a valid value: context.nope"
      ),
      ("DEFAULT_4XX", "StatusCode: 418, Surprise: 1", "is not known"),
      ("DEFAULT_4XX", "[]", "must be a map, found a list"),
    ] as [(String, String, String?)]) func anUnreadableResponseIsLeftOut(
      _ type: String, _ members: String, _ problem: String?
    ) throws
  {
    let value = members.hasPrefix("[") ? members : "{ \(members) }"
    let sam = SAMTemplate.text(
      events: SAMTemplate.event("get", "/a"),
      resources: SAMTemplate.rest(
        "GatewayResponses: { \(type): \(value), UNAUTHORIZED: { StatusCode: 401 } }"))
    let body =
      "{ swagger: '2.0', paths: { /a: { get: { x-amazon-apigateway-integration: { type: mock } } } }, "
      + "x-amazon-apigateway-gateway-responses: { "
      + "\(type): \(value.replacing("StatusCode", with: "statusCode").replacing("Response", with: "response")), "
      + "UNAUTHORIZED: { statusCode: 401 } } }"
    let document = SAMTemplate.text(resources: SAMTemplate.rest("DefinitionBody: \(body)"))
    for text in [sam, document] {
      // Headers of a document are written in another way.
      if text == document, members.contains("Headers") { continue }
      let template = try GatewayTemplate(parsing: text)
      #expect(template.closures.isEmpty)
      #expect(
        template.warnings.map(\.problem)
          == [problem.map { $0 + ": serve leaves this response out" }].compactMap { $0 })
      guard case .rest(let responses)? = template.apis.first?.kind else {
        Issue.record("no REST API")
        return
      }
      #expect(responses.changes[.unauthorized]?.status == 401)
      #expect(responses.changes[.default4XX]?.status == (problem == nil ? 418 : nil))
      var stage = try GatewayStage(text)
      #expect(stage.send("GET", "/prod/none").response.status == (problem == nil ? 418 : 403))
    }
  }

  @Test(arguments: [("UNAUTHORIZED", true), ("Unauthorized", false)])
  func aPlainResponseHasAnExactType(_ type: String, _ isKnown: Bool) throws {
    let response =
      "  Response: { Type: AWS::ApiGateway::GatewayResponse, Properties: { RestApiId: !Ref Api, ResponseType: \(type), StatusCode: 418 } }"
    let template = try GatewayTemplate(
      parsing: PlainTemplateTests.rest(PlainTemplateTests.get, extra: response))
    guard case .rest(let responses)? = template.apis.first?.kind else {
      Issue.record("no REST API")
      return
    }
    #expect(responses.changes[.unauthorized]?.status == (isKnown ? 418 : nil))
    #expect(template.warnings.map(\.cure) == (isKnown ? [] : ["did you mean UNAUTHORIZED?"]))
  }

  /// A template writes the variables that it has; others write nothing.
  @Test(
    arguments: [
      ("$context.error.validationErrorString", nil), ("$context.error.message", nil),
      ("$context.requestId", nil),
      ("$context.nope", "$context.nope"), ("$context.error.nope", "$context.error.nope"),
      ("$context.Error.message", "$context.Error.message"),
    ] as [(String, String?)]) func anUnknownVariableWritesNothing(_ variable: String, _ unknown: String?)
    throws
  {
    let json = "'[\(variable)]'"
    let text = SAMTemplate.text(
      events: SAMTemplate.event("get", "/a"),
      resources: SAMTemplate.rest(
        "GatewayResponses: { MISSING_AUTHENTICATION_TOKEN: { StatusCode: 418, ResponseTemplates: { application/json: \(json) } } }"
      ))
    let template = try GatewayTemplate(parsing: text)
    #expect(
      template.warnings.map(\.problem)
        == (unknown.map { ["\($0) is not known: serve writes nothing in its place"] } ?? []))
    var stage = try GatewayStage(text)
    let answer = stage.send("GET", "/prod/none")
    #expect(answer.response.status == 418)
    #expect(answer.text.hasPrefix("["))
    if unknown != nil || variable.contains("validation") { #expect(answer.text == "[]") }
    if variable == "$context.error.message" { #expect(answer.text == "[Missing Authentication Token]") }
  }
}
