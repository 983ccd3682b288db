@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import LambdaEmulator
import JSON
import TestSupport
import Testing

/// Custom integrations: the requests that their targets get, and the responses that are made of the answers.
@Suite struct CustomIntegrationTests {
  private static func http(_ more: String, responses: String = #"{"default":{"statusCode":"200"}}"#) -> String
  {
    #"{"type":"http","uri":"https://b.example/{p}","httpMethod":"POST","responses":\#(responses)\#(more)}"#
  }

  private static func worker(_ more: String = "", responses: String = #"{"default":{"statusCode":"200"}}"#)
    -> String
  {
    #"{"type":"aws","uri":"\#(MappedStage.worker)","httpMethod":"POST","responses":\#(responses)\#(more)}"#
  }

  /// "Integration passthrough behaviors": what the backend gets for a content type; `nil` for a 415.
  @Test(
    arguments: [
      ("application/json", "WHEN_NO_MATCH", nil, "t"),
      ("application/json", "WHEN_NO_MATCH", "application/json", "t"),
      ("application/json", "WHEN_NO_MATCH", "application/xml", "raw"),
      ("application/json", "WHEN_NO_TEMPLATES", nil, "t"),
      ("application/json", "when_no_templates", "application/json; charset=UTF-8", "t"),
      ("application/json", "WHEN_NO_TEMPLATES", "application/xml", nil),
      ("application/json", "NEVER", nil, "t"),
      ("application/json", "NEVER", "application/xml", nil), ("application/xml", "WHEN_NO_MATCH", nil, "raw"),
      ("application/xml", "WHEN_NO_TEMPLATES", "application/json", nil),
      ("application/xml", "NEVER", "application/xml", "t"),
      ("$default", "NEVER", "text/plain", "t"), ("", "NEVER", nil, nil),
      ("", "WHEN_NO_TEMPLATES", "text/plain", "raw"),
    ] as [(String, String, String?, String?)]) func passesThrough(
      _ template: String, _ behavior: String, _ type: String?, _ body: String?
    ) throws
  {
    let templates = template.isEmpty ? "" : #","requestTemplates":{"\#(template)":"t"}"#
    let stage = try MappedStage(Self.http(#","passthroughBehavior":"\#(behavior)"\#(templates)"#))
    let answer = stage.send("raw", headers: type.map { ["Content-Type": $0] } ?? [:])
    if let body {
      #expect(answer.json?["body"] == .string(body))
    } else {
      #expect(answer.response.status == 415)
      #expect(answer.text == #"{"message":"Unsupported Media Type"}"#)
    }
  }

  /// `test_apigateway_header_remapping_http[HTTP]`, without parameters: no header of the client is passed on.
  @Test func anHTTPBackendGetsOnlyWhatIsMapped() throws {
    let plain = try MappedStage(Self.http("")).send(
      query: "a=1", headers: ["Authorization": "secret", "User-Agent": "curl", "Content-Type": "text/x"],
      body: [0x61])
    #expect(plain.json?["url"] == .string("https://b.example/{p}"))
    let headers = try #require(plain.json?["headers"])
    #expect(headers["Accept"] == .string("application/json"))
    #expect(headers["User-Agent"]?.plain?.hasPrefix("AmazonAPIGateway_") == true)
    #expect(headers["X-Amzn-Apigateway-Api-Id"]?.plain?.count == 10)
    #expect(headers["Content-Type"] == .string("text/x"))
    #expect(headers["Authorization"] == nil)
  }

  @Test func parametersAndOverridesMakeTheRequest() throws {
    let parameters = [
      ("path.p", "method.request.path.id"), ("querystring.q", "method.request.multivaluequerystring.a"),
      ("querystring.c", "context.stage"), ("header.X-Body", "method.request.body.k[0].l"),
      ("header.X-All", "method.request.body"),
      ("header.X-Static", "'s'"), ("header.X-None", "method.request.header.none"), ("header.Via", "'v'"),
      ("header.o", "'before'"),
    ].map { #""integration.request.\#($0.0)":"\#($0.1)""# }.joined(separator: ",")
    let template =
      "#set($context.requestOverride.header.o = 'after')#set($context.requestOverride.querystring.n = 'x y')$input.json('$.k')"
    let stage = try MappedStage(
      Self.http(
        #","requestParameters":{\#(parameters)},"requestTemplates":{"application/json":"\#(template)"}"#))
    let echo = try #require(
      stage.send("POST", "/prod/x/a%20b", query: "a=1&a=2", body: Array(#"{"k":[{"l":5}]}"#.utf8)).json)
    #expect(echo["url"] == .string("https://b.example/a%20b?q=1&q=2&c=prod&n=x%20y"))
    #expect(echo["body"] == .string(#"[{"l":5}]"#))
    #expect(echo.at("headers", "X-Body") == .string("5"))
    #expect(echo.at("headers", "X-All") == .string(#"{"k":[{"l":5}]}"#))
    #expect(echo.at("headers", "X-Static") == .string("s"))
    #expect(echo.at("headers", "o") == .string("after"))
    for name in ["X-None", "Via"] { #expect(echo.at("headers", name) == nil) }
  }

  /// Recorded for `[HTTP]` and `[AWS]`: a mapping of these headers is a 500.
  @Test(arguments: ["Content-Length", "transfer-encoding"]) func someHeadersCannotBeMapped(_ name: String)
    throws
  {
    let mapping = #","requestParameters":{"integration.request.header.\#(name)":"'1'"}"#
    for integration in [
      Self.http(mapping), Self.worker(mapping),
      #"{"type":"http_proxy","uri":"https://b.example/","httpMethod":"GET"\#(mapping)}"#,
    ] {
      let answer = try MappedStage(integration).send("")
      #expect(answer.response.status == 500)
      #expect(answer.text == #"{"message":"Internal server error"}"#)
      #expect(answer.record.backend == "the header \(name) cannot be mapped")
    }
    let authorization = #","requestParameters":{"integration.request.header.Authorization":"'1'"}"#
    #expect(try MappedStage(Self.worker(authorization)).send("").response.status == 500)
    #expect(
      try MappedStage(Self.http(authorization)).send("").json?.at("headers", "Authorization") == .string("1"))
  }

  /// `test_http_integration_status_code_selection`, and a backend without a response for it.
  @Test(arguments: [(404, 400), (201, 200), (500, 200)]) func theStatusSelectsTheResponse(
    _ status: Int, _ expected: Int
  ) throws {
    let stage = try MappedStage(
      Self.http("", responses: #"{"4\\d{2}":{"statusCode":"400"},"default":{"statusCode":"200"}}"#))
    let answer = stage.send("", reply: GatewayResponse(status: status, body: [0x78]))
    #expect(answer.response.status == expected)
    #expect(answer.text == "x")
    #expect(answer.response.header("X-Amzn-Trace-Id") == "Root=1-a")
    let without = try MappedStage(Self.http("", responses: #"{"4\\d{2}":{"statusCode":"400"}}"#))
    #expect(without.send("", reply: GatewayResponse(status: 200)).response.status == 500)
  }

  @Test func aResponseIsMadeOfTheAnswer() throws {
    let responses =
      #"{"default":{"statusCode":"201","responseParameters":{"method.response.header.id":"integration.response.header.X-App-Id","method.response.header.location":"integration.response.body.redirect.url","method.response.header.raw":"integration.response.body"},"responseTemplates":{"application/json":"$input.path('$.redirect.url') $input.params('id')"}}}"#
    let stage = try MappedStage(Self.http("", responses: responses))
    let body = #"{"redirect":{"url":"https://c.example"}}"#
    let answer = stage.send(
      "", reply: GatewayResponse(status: 200, headers: [.init("x-app-id", "9")], body: Array(body.utf8)))
    #expect(answer.response.status == 201)
    #expect(answer.text == "https://c.example a")
    #expect(answer.response.header("id") == "9")
    #expect(answer.response.header("location") == "https://c.example")
    #expect(answer.response.header("raw") == body)
  }

  // MARK: Functions and services

  /// `test_lambda_selection_patterns`.
  @Test(
    arguments: [
      (#""Pass""#, nil, 200), (#"{"errorMessage":"Error: Raising 400"}"#, "Error: Raising 400", 405),
      (#"{"errorMessage":"Error: Raising 500"}"#, "Error: Raising 500", 502),
      (#"{"errorMessage":"other"}"#, "other", 200),
      (#"{"errorMessage":"400\nnot"}"#, "400\nnot", 200),
    ] as [(String, String?, Int)]) func theErrorMessageSelectsTheResponse(
      _ payload: String, _ message: String?, _ status: Int
    ) throws
  {
    let stage = try MappedStage(
      Self.worker(
        responses:
          #"{"default":{"statusCode":"200"},".*400.*":{"statusCode":"405"},".*5\\d\\d.*":{"statusCode":"502"}}"#
      ))
    let answer = stage.send(
      "", reply: GatewayResponse(status: 200, body: Array(payload.utf8)), errorMessage: message)
    #expect(answer.response.status == status)
    #expect(answer.text == payload)
  }

  /// `test_lambda_aws_integration_with_request_template`; without a body the event is an empty object.
  @Test func aFunctionGetsTheOutputOfTheTemplate() throws {
    let template = #","requestTemplates":{"application/json":"{\"p\": \"$input.params('q')\"}"}"#
    let echo = try MappedStage(Self.worker(template)).send(query: "q=foobar").json
    #expect(echo?["backend"] == .string("function Worker"))
    #expect(echo?.at("event", "p") == .string("foobar"))
    #expect(try MappedStage(Self.worker()).send("").json?["event"] == .object([]))
    let broken = try MappedStage(Self.worker()).send("not JSON")
    #expect(broken.response.status == 400)
    #expect(broken.text == #"{"message":"Could not parse request body into json"}"#)
  }

  @Test func aStageVariableNamesTheFunction() throws {
    let uri = MappedStage.worker.replacing("function:Worker", with: "function:${stageVariables.fn}")
    for type in ["aws", "aws_proxy"] {
      let stage = try MappedStage(#"{"type":"\#(type)","uri":"\#(uri)","httpMethod":"POST"}"#)
      #expect(stage.send("").json?["backend"] == .string("function Worker"))
    }
    let http = try MappedStage(
      #"{"type":"http","uri":"http://${stageVariables.v}.example/","httpMethod":"GET"}"#)
    #expect(http.send("").json?["url"] == .string("http://7.example/"))
  }

  @Test func theEchoShowsWhatAnAWSServiceWouldGet() throws {
    let stage = try MappedStage(
      #"{"type":"aws","uri":"arn:aws:apigateway:us-east-1:sqs:path/123456789012/queue","httpMethod":"POST","requestParameters":{"integration.request.header.Content-Type":"'application/x-www-form-urlencoded'"},"requestTemplates":{"application/json":"Action=SendMessage&MessageBody=$util.urlEncode($input.body)"},"responses":{"default":{"statusCode":"200"}}}"#
    )
    let echo = try #require(stage.send(#"{"a":1}"#).json)
    #expect(echo["backend"] == .string("AWS sqs"))
    #expect(echo["action"] == .string("path/123456789012/queue"))
    #expect(echo["url"] == .string("https://sqs.us-east-1.amazonaws.com/123456789012/queue"))
    #expect(echo["body"] == .string("Action=SendMessage&MessageBody=%7B%22a%22%3A1%7D"))
    #expect(echo.at("headers", "Content-Type") == .string("application/x-www-form-urlencoded"))
  }

  @Test func aRunningFunctionAnswersWithItsPayloadAlsoInAnError() async throws {
    let report = FunctionErrorReport(
      headerType: "Function.E", document: Array(#"{"errorMessage":"no 400"}"#.utf8))
    for (answer, status, body) in [
      (InvocationAnswer.response(Array(#"{"a":1}"#.utf8)), 200, #"{"a":1}"#),
      (.error(report), 405, #"{"errorMessage":"no 400"}"#),
    ] {
      let stage = try MappedStage(
        Self.worker(responses: #"{"default":{"statusCode":"200"},".*400.*":{"statusCode":"405"}}"#))
      let service = GatewayService(
        gateway: stage.gateway, functions: ["Worker": GatewayServiceTests.Fixed(answer: answer)],
        clock: .longTimeouts)
      let got = await service.answer(
        GatewayRequest(method: "POST", path: "/prod/x/a", headers: []), to: stage.gateway.apis[0])
      #expect(got.response.status == status)
      #expect(got.text == body)
      #expect(got.record.backend == "Worker: noRule")
    }
  }

  // MARK: Content types

  /// "Content type conversions in API Gateway", requests: the body that the backend gets; `nil` for a 500.
  @Test(
    arguments: [
      (false, "image/png", nil, "YWI=", "YWI="), (false, "image/png", "CONVERT_TO_BINARY", "YWI=", "ab"),
      (false, "image/png", "CONVERT_TO_TEXT", "YWI=", "YWI="), (true, "text/plain", nil, "YWI=", "YWI="),
      (true, "text/plain", "CONVERT_TO_BINARY", "YWI=", "ab"),
      (true, "text/plain", "CONVERT_TO_TEXT", "YWI=", "YWI="),
      (true, "image/png", nil, "ab", "ab"), (true, "image/png", "CONVERT_TO_BINARY", "ab", "ab"),
      (true, "image/png", "CONVERT_TO_TEXT", "ab", "YWI="),
      (false, "text/plain", "CONVERT_TO_BINARY", "%", nil),
    ] as [(Bool, String, String?, String, String?)]) func convertsRequests(
      _ hasTypes: Bool, _ type: String, _ handling: String?, _ body: String, _ expected: String?
    ) throws
  {
    let stage = try MappedStage(
      Self.http(handling.map { #","contentHandling":"\#($0)""# } ?? ""),
      binaryMediaTypes: hasTypes ? ["image/png"] : [])
    let answer = stage.send(body, headers: ["Content-Type": type])
    #expect(answer.json?["body"] == expected.map { .string($0) })
    #expect((answer.response.status == 500) == (expected == nil))
  }

  /// The same, responses.
  @Test(
    arguments: [
      (false, "text/plain", "text/plain", nil, "YWI=", "YWI="),
      (false, "text/plain", "text/plain", "CONVERT_TO_BINARY", "YWI=", "ab"),
      (true, "text/plain", "text/plain", nil, "YWI=", "YWI="),
      (true, "text/plain", "text/plain", "CONVERT_TO_BINARY", "YWI=", "ab"),
      (true, "text/plain", "image/png", nil, "YWI=", "ab"),
      (true, "text/plain", "image/png", "CONVERT_TO_TEXT", "YWI=", "YWI="),
      (true, "image/png", "text/plain", nil, "ab", "YWI="),
      (true, "image/png", "text/plain", "CONVERT_TO_BINARY", "ab", "ab"),
      (true, "image/png", "text/plain", "CONVERT_TO_TEXT", "ab", "YWI="),
      (true, "image/png", "image/png", nil, "ab", "ab"),
      (true, "image/png", "image/png, */*", "CONVERT_TO_TEXT", "ab", "YWI="),
    ] as [(Bool, String, String, String?, String, String)]) func convertsResponses(
      _ hasTypes: Bool, _ type: String, _ accept: String, _ handling: String?, _ body: String,
      _ expected: String
    ) throws
  {
    let response = handling.map { #","contentHandling":"\#($0)""# } ?? ""
    let stage = try MappedStage(
      Self.http("", responses: #"{"default":{"statusCode":"200"\#(response)}}"#),
      binaryMediaTypes: hasTypes ? ["image/png"] : [])
    let answer = stage.send(
      "", headers: ["Accept": accept],
      reply: GatewayResponse(status: 200, headers: [.init("Content-Type", type)], body: Array(body.utf8)))
    #expect(answer.text == expected)
  }

  // MARK: HTTP APIs

  @Test func theEchoShowsTheParametersOfASubtype() throws {
    let stage = try MappedStage(
      #"{"type":"AWS_PROXY","integrationSubtype":"SQS-SendMessage","payloadFormatVersion":"1.0","requestParameters":{"QueueUrl":"https://q.example","MessageBody":"$request.body.m","MessageGroupId":"$request.querystring.g"}}"#,
      isREST: false)
    let echo = try #require(
      stage.send("POST", "/prod/x/a", query: "g=1&g=2", body: Array(#"{"m":{"n":1}}"#.utf8)).json)
    #expect(echo["backend"] == .string("AWS SQS-SendMessage"))
    #expect(
      echo["parameters"]
        == .members([
          "QueueUrl": .string("https://q.example"), "MessageBody": .string(#"{"n":1}"#),
          "MessageGroupId": .string("1,2"),
        ]))
  }

  /// The example of "Transforming API requests and responses".
  @Test func responseParametersOfAnHTTPAPIChangeTheResponse() throws {
    let stage = try MappedStage(
      #"{"type":"http_proxy","uri":"https://b.example","httpMethod":"ANY","payloadFormatVersion":"1.0","responseParameters":{"500":{"append:header.h":"$context.requestId","overwrite:statuscode":"403"},"201":{"overwrite:statuscode":"$response.header.s"},"404":{"append:header.error":"$stageVariables.v","remove:header.x":"''"}}}"#,
      isREST: false)
    let route = stage.gateway.apis[0].routes[0]
    guard case .http(let integration) = route.integration else {
      Issue.record("\(route.integration)")
      return
    }
    #expect(integration.responseChanges.count == 3)
    for (status, expected, header, value) in [
      (500, 403, "h", "r-1"), (404, 404, "error", "7"), (200, 200, "h", nil), (201, 500, "h", nil),
    ] {
      let response = GatewayResponse(status: status, headers: [.init("x", "1"), .init("s", "5000")])
      let exchange = RequestContext(
        api: stage.gateway.apis[0], location: .init(),
        request: GatewayRequest(method: "POST", path: "/prod/x/a", headers: []), path: "/x/a", route: route,
        pathParameters: [],
        identity: RequestIdentity(
          requestID: "r-1", extendedRequestID: "r-1", traceID: "", unixMilliseconds: 0), connectionID: nil)
      let call = BackendCall(
        exchange: exchange, record: AccessRecord(exchange, .unused("")),
        target: .service(.init(subtype: "", parameters: []), .init(exchange)))
      let answer = stage.gateway.finish(call, with: .response(response))
      #expect(answer.response.status == expected)
      #expect(answer.record.status == expected)
      #expect(answer.response.header(header) == value)
      #expect((answer.response.header("x") == nil) == (status == 404))
    }
  }
}
