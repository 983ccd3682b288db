@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
import JSON
import Testing

/// Answers and events that others recorded or measured on AWS.
@Suite struct RecordedExchangeTests {
  static func stage(
    _ keys: [String], isREST: Bool = true, binary: [String] = [], integration: GatewayIntegration? = nil
  ) throws -> GatewayStage {
    let format: GatewayIntegration.PayloadFormat = isREST ? .rest : .http2
    return GatewayStage([
      GatewayStage.api(
        try keys.map { try GatewayStage.route($0, integration: integration ?? .function("Backend", format)) },
        isREST: isREST, binary: binary)
    ])
  }

  /// LocalStack, `test_lambda_aws_proxy_integration`: "invocation-hardcoded" and the requests with repeated slashes.
  @Test(
    arguments: [
      ("/prod//hardcoded", "/hardcoded", "/prod//hardcoded", "/hardcoded"),
      ("/prod///hardcoded", "/hardcoded", "/prod///hardcoded", "/hardcoded"),
      ("//prod/hardcoded", "/hardcoded", "//prod/hardcoded", "/hardcoded"),
      ("/prod/other//x", "/other//x", "/prod/other//x", "/{proxy+}"),
      ("/prod//", nil, nil, nil),
    ] as [(String, String?, String?, String?)]) func repeatedSlashesCountAsOne(
      _ path: String, _ inner: String?, _ whole: String?, _ resource: String?
    ) throws
  {
    var stage = try Self.stage(["GET /hardcoded", "ANY /{proxy+}"])
    let event = stage.send("GET", path).json?["event"]
    #expect(event?["path"] == inner.map { .string($0) })
    #expect(event?.at("requestContext", "path") == whole.map { .string($0) })
    #expect(event?["resource"] == resource.map { .string($0) })
    // HTTP APIs are not recorded, so their paths stay as they are.
    var http = try Self.stage(["GET /hardcoded"], isREST: false)
    #expect(http.send("GET", "//hardcoded").response.status == 404)
  }

  /// LocalStack, "invocation-payload-with-path-encoded-email".
  @Test func pathParametersOfARESTAPIAreNotDecoded() throws {
    let path = "/api/user/test%2Balias@gmail.com/plus/test+alias@gmail.com"
    var stage = try Self.stage(["ANY /{proxy+}"])
    let event = stage.send("GET", "/prod" + path).json?["event"]
    #expect(event?["path"] == .string(path))
    #expect(event?.at("pathParameters", "proxy") == .string(String(path.dropFirst())))
    var http = try Self.stage(["ANY /{proxy+}"], isREST: false)
    #expect(
      http.send("GET", path).json?.at("event", "pathParameters", "proxy")
        == .string("api/user/test+alias@gmail.com/plus/test+alias@gmail.com"))
  }

  /// MiniStack, pull request 766: measured on an HTTP API with payload 2.0.
  @Test(
    arguments: [
      ("text/plain", false), ("text/html; charset=utf-8", false), ("application/json", false),
      ("Application/JSON;charset=utf-8", false), ("application/xml", false),
      ("application/javascript", false),
      ("application/x-www-form-urlencoded", true), ("application/octet-stream", true), (nil, true),
      ("application/vnd.api+json", true), ("multipart/form-data; boundary=x", true),
    ] as [(String?, Bool)]) func aBodyOfAnHTTPAPIIsBase64UnlessItsTypeIsText(
      _ type: String?, _ isBase64: Bool
    ) throws
  {
    let headers = type.map { [GatewayRequest.Header("content-type", $0)] } ?? []
    var http = try Self.stage(["POST /a"], isREST: false)
    let event = http.send("POST", "/a", headers: headers, body: Array("a=1".utf8)).json?["event"]
    #expect(event?["isBase64Encoded"] == .boolean(isBase64))
    #expect(event?["body"] == .string(isBase64 ? "YT0x" : "a=1"))
    let empty = http.send("POST", "/a", headers: headers).json?["event"]
    #expect(empty?["isBase64Encoded"] == .boolean(false))
    #expect(empty?["body"] == nil)
  }

  /// MiniStack, pull request 767: measured on a REST API with `application/octet-stream` and `image/*`.
  @Test(
    arguments: [
      ("application/octet-stream", true), ("image/png", true), ("application/json", false),
      ("text/plain", false),
      (nil, false),
    ] as [(String?, Bool)]) func aRESTAPIHasBinaryMediaTypes(_ type: String?, _ isBinary: Bool) throws
  {
    var rest = try Self.stage(["POST /a"], binary: ["application/octet-stream", "image/*"])
    let headers = type.map { [GatewayRequest.Header("Content-Type", $0)] } ?? []
    let event = rest.send("POST", "/prod/a", headers: headers, body: Array("a=1".utf8)).json?["event"]
    #expect(event?["isBase64Encoded"] == .boolean(isBinary))
    // The answer: the first type that the client accepts decides.
    let accept = type.map { [GatewayRequest.Header("Accept", $0 + ", */*")] } ?? []
    let exchange = try Self.exchange(rest.gateway.apis[0], headers: accept)
    let answer = Array(#"{"statusCode":200,"body":"aGk=","isBase64Encoded":true}"#.utf8)
    #expect(
      BackendResponse(answer, .rest, to: exchange)?.response.body == Array((isBinary ? "hi" : "aGk=").utf8))
    #expect(BackendResponse(answer, .http1, to: exchange)?.response.body == Array("hi".utf8))
  }

  static func exchange(_ api: GatewayAPI, headers: [GatewayRequest.Header]) throws -> RequestContext {
    RequestContext(
      api: api, location: AWSLocation(),
      request: GatewayRequest(method: "GET", path: "/prod/a", headers: headers),
      path: "/a", route: api.routes[0], pathParameters: [],
      identity: RequestIdentity(
        requestID: "r", extendedRequestID: "e", traceID: "t", unixMilliseconds: 0), connectionID: nil)
  }

  /// "Output format of a Lambda function for proxy integration", and LocalStack's recording of both with one name.
  @Test(arguments: [
    #""headers":{"test":"value-solo"},"multiValueHeaders":{"test":["value-multi"]}"#:
      ["value-multi", "value-solo"],
    #""headers":{"TEST":"value-solo"},"multiValueHeaders":{"test":["value-multi"]}"#:
      ["value-multi", "value-solo"],
    #""headers":{"test":"a"},"multiValueHeaders":{"test":["a","b"]}"#: ["a", "b"],
    #""headers":{"test":true}"#: ["true"],
    #""multiValueHeaders":{"test":[true,"x"]}"#: ["true", "x"],
  ]) func bothKindsOfHeadersAreMerged(_ members: String, _ values: [String]) throws {
    let api = try Self.stage(["GET /a"]).gateway.apis[0]
    let answer = Array("{\"statusCode\":200,\(members)}".utf8)
    let read = BackendResponse(answer, .rest, to: try Self.exchange(api, headers: []))
    #expect(read?.response.values(ofHeader: "test") == values)
  }

  /// SAM accepts unknown members of an HTTP API's answer, and needs a status in payload 1.0 (aws-sam-cli pull request
  /// 2941).
  @Test(
    arguments: [
      (#"{"statusCode":200,"x":1}"#, 200), (#"{"body":"x"}"#, nil), (#"{"statusCode":200}"#, 200),
    ] as [(String, Int?)]) func payload1HasOtherRules(_ answer: String, _ status: Int?) throws
  {
    let api = try Self.stage(["GET /a"], isREST: false).gateway.apis[0]
    let read = BackendResponse(Array(answer.utf8), .http1, to: try Self.exchange(api, headers: []))
    #expect(read?.response.status == status)
  }

  @Test(arguments: Assumptions.ContentType.allCases, [#"{"statusCode":200,"body":"x"}"#, "[1]"])
  func theMissingContentTypeInPayload2IsASetting(
    _ type: Assumptions.ContentType, _ answer: String
  ) throws {
    let api = try Self.stage(["GET /a"], isREST: false).gateway.apis[0]
    var exchange = try Self.exchange(api, headers: [])
    #expect(exchange.settings.assume("http-content-type=\(type.rawValue)") == nil)
    let read = try #require(BackendResponse(Array(answer.utf8), .http2, to: exchange))
    // The type of an answer without a status is documented.
    #expect(read.response.header("Content-Type") == (answer == "[1]" ? "application/json" : type.rawValue))
  }

  /// LocalStack, `test_http_integration_with_lambda[HTTP_PROXY]`, and the important notes of REST APIs.
  @Test func aRESTAPIRenamesHeadersOfItsBackend() throws {
    let backend = GatewayResponse(
      status: 401,
      headers: [
        .init("WWW-Authenticate", "Basic"), .init("server", "nginx"), .init("Date", "today"),
        .init("Content-Length", "2"), .init("Connection", "keep-alive"), .init("X-Amzn-RequestId", "theirs"),
        .init("X-Other", "x"),
      ])
    let http = HTTPIntegration(method: "GET", address: "http://example.com/", changes: [])
    var rest = try Self.stage(["GET /a"], integration: .http(http))
    let headers = rest.send("GET", "/prod/a", backend: backend).response.headers.map(\.name)
    #expect(
      headers.prefix(7) == [
        "x-amzn-Remapped-WWW-Authenticate", "x-amzn-Remapped-Server", "x-amzn-Remapped-Date",
        "x-amzn-Remapped-Content-Length", "x-amzn-Remapped-Connection", "x-amzn-Remapped-x-amzn-RequestId",
        "X-Other",
      ])
    var api = try Self.stage(["GET /a"], isREST: false, integration: .http(http))
    #expect(api.send("GET", "/a", backend: backend).response.header("WWW-Authenticate") == "Basic")
  }

  /// LocalStack, the same test: what an HTTP backend receives.
  @Test func anHTTPBackendLearnsTheAPI() throws {
    let http = HTTPIntegration(method: nil, address: "http://example.com/", changes: [])
    var rest = try Self.stage(["GET /a"], integration: .http(http))
    let sent = rest.send("GET", "/prod/a").json?["headers"]
    #expect(sent?["X-Amzn-Apigateway-Api-Id"] == .string("abcdefghij"))
    #expect(sent?["User-Agent"] == .string("AmazonAPIGateway_abcdefghij"))
    #expect(sent?["Host"] == nil)
    let named = rest.send("GET", "/prod/a", headers: [.init("User-Agent", "curl")]).json?["headers"]
    #expect(named?["User-Agent"] == .string("curl"))
    var api = try Self.stage(["GET /a"], isREST: false, integration: .http(http))
    #expect(api.send("GET", "/a").json?.at("headers", "X-Amzn-Apigateway-Api-Id") == nil)
  }

  /// "Tutorial: Create a REST API with an HTTP proxy integration": `http://host/{proxy}` is called with the whole rest.
  @Test(arguments: [
    ("/prod/a/b", "http://example.com/a/b"), ("/prod/a%2Fb/c+d", "http://example.com/a%2Fb/c+d"),
    ("/prod/a//b/", "http://example.com/a//b"),
  ]) func aGreedyParameterKeepsItsSlashes(_ path: String, _ address: String) throws {
    for changes in [
      [], [HTTPIntegration.Change(place: .path("proxy"), action: .overwrite, value: .path("proxy"))],
    ] {
      let http = HTTPIntegration(method: nil, address: "http://example.com/{proxy}", changes: changes)
      var rest = try Self.stage(["ANY /{proxy+}"], integration: .http(http))
      #expect(rest.send("GET", path).json?["url"] == .string(address))
    }
  }
}
