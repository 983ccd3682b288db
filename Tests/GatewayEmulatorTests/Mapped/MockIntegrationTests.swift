@testable import GatewayEmulator
@testable import GatewayModel
@testable import EmulatorTestSupport
import Testing

/// Mocks as localstack has recorded them on AWS (`test_apigateway_integrations`, `test_mock_integration`, and the setup
/// of `localstack/airspeed`), and as the developer guide describes them.
@Suite struct MockIntegrationTests {
  /// Output of a request template, and the status of the response.
  @Test(arguments: [
    ("{\\\"statusCode\\\": 204}", 204), ("\\n{\\n  \\\"statusCode\\\": 204,\\n}\\n", 204),
    ("{ statusCode: 204 }", 204),
    ("{\\\"a\\\": \\\"}\\\", \\\"statusCode\\\": 204}", 204), ("{\\\"statusCode\\\": \\\"204\\\"}", 500),
    ("{\\\"statusCode\\\": 204", 500),
    ("{}", 500), ("", 500), ("text", 500), ("{\\\"statusCode\\\": 500}", 500),
  ]) func readsTheStatus(_ template: String, _ status: Int) throws {
    let stage = try MappedStage(
      #"{"type":"MOCK","requestTemplates":{"application/json":"\#(template)"},"responses":{"204":{"statusCode":"204"}}}"#
    )
    let answer = stage.send("")
    #expect(answer.response.status == status)
    #expect(answer.response.header("X-Amzn-Trace-Id") == nil)
    if status == 500 {
      #expect(answer.text == #"{"message":"Internal server error"}"#)
      #expect(answer.response.header("x-amzn-ErrorType") == "InternalServerErrorException")
    } else {
      #expect(answer.text == "")
      #expect(answer.response.header("Content-Type") == "application/json")
    }
  }

  private static func mock(_ response: String, request: String = "{\\\"statusCode\\\":200}") -> String {
    #"{"type":"mock","requestTemplates":{"application/json":"\#(request)"},"responses":{"default":{"statusCode":"200",\#(response)}}}"#
  }

  @Test(arguments: [
    ("#set($context.responseOverride.status = 404)x", 404),
    ("#set($context.responseOverride.status = 600)x", 200),
    ("#set($context.responseOverride.status = 100)x", 200),
    ("#set($context.responseOverride.status = 'no')x", 200),
    ("#set($context.responseOverride.status = 400)#set($context.responseOverride.status = 401)x", 500),
    ("#set($l = [])$l[1]", 500),
  ]) func aResponseTemplateOverridesTheStatus(_ template: String, _ status: Int) throws {
    let stage = try MappedStage(Self.mock(#""responseTemplates":{"application/json":"\#(template)"}"#))
    let answer = stage.send("")
    #expect(answer.response.status == status)
    #expect(status == 500 || answer.text == "x")
    #expect((status == 500) == (answer.record.backend != nil))
  }

  /// The request template passes the path parameter to the response template.
  @Test(arguments: [("one", "path was one"), ("two", "path was two"), ("three", "else")])
  func theResponseTemplateReadsTheOverridesOfTheRequestTemplate(_ id: String, _ expected: String) throws {
    let stage = try MappedStage(
      Self.mock(
        ##""responseTemplates":{"application/json":"#set($p = $context.requestOverride.path.p)#if($p == 'one' || $p == 'two')path was $p#{else}else#end"}"##,
        request: "#set($context.requestOverride.path.p = $input.params('id')){\\\"statusCode\\\":200}"))
    #expect(stage.send("POST", "/prod/x/\(id)").text == expected)
  }

  @Test func theContentTypeIsThatOfTheTemplateThatAcceptSelects() throws {
    let stage = try MappedStage(
      Self.mock(#""responseTemplates":{"application/json":"j","application/xml":"x"}"#))
    for (accept, type, body) in [
      ("application/xml", "application/xml", "x"), ("text/plain", "application/json", "j"),
      ("application/xml;q=1, application/json", "application/xml", "x"),
    ] {
      let answer = stage.send("", headers: ["Accept": accept])
      #expect(answer.response.header("Content-Type") == type)
      #expect(answer.text == body)
    }
  }

  /// `test_apigateway_header_remapping_http[HTTP]`.
  @Test func someHeadersOfAMappingAreRenamed() throws {
    let names = [
      "Accept", "Age", "Content-Encoding", "Content-Type", "Pragma", "Range", "Referer", "TE", "Via", "Warn",
    ]
    let renamed = [
      "Authorization", "Connection", "Content-Length", "Content-MD5", "Date", "Expect", "Host",
      "Max-Forwards",
      "Proxy-Authenticate", "Server", "Trailer", "Upgrade", "User-Agent", "WWW-Authenticate",
    ]
    let all = (names + renamed + ["Transfer-Encoding"]).map {
      #""method.response.header.\#($0)":"'v-\#($0)'""#
    }
    let stage = try MappedStage(Self.mock(#""responseParameters":{\#(all.joined(separator: ","))}"#))
    let response = stage.send("").response
    for name in names { #expect(response.values(ofHeader: name) == ["v-\(name)"]) }
    for name in renamed {
      #expect(response.values(ofHeader: "x-amzn-Remapped-\(name)") == ["v-\(name)"])
      #expect(response.header(name) == nil)
    }
    #expect(response.header("Transfer-Encoding") == nil)
  }

  @Test func headersComeFromTheRequestTheContextAndTheStage() throws {
    let stage = try MappedStage(
      Self.mock(
        ##""responseParameters":{"method.response.header.a":"context.stage","method.response.header.b":"stageVariables.v","method.response.header.c":"method.request.header.q"},"responseTemplates":{"application/json":"#set($context.responseOverride.header.d = ['1', '2'])"}"##
      ))
    let response = stage.send("", headers: ["q": "r"]).response
    #expect(["a", "b", "c"].map { response.header($0) } == ["prod", "7", "r"])
    #expect(response.values(ofHeader: "d") == ["1", "2"])
  }
}
