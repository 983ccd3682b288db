@testable import GatewayEmulator
@testable import GatewayModel
@testable import EmulatorTestSupport
@testable import Templates
import Testing

/// What is not emulated about the answer closes the integration, with its line and a cure; the API is served.
@Suite struct IntegrationReaderTests {
  @Test(arguments: [
    ##"{"type":"mock","requestTemplates":{"application/json":"#if(true)"}}"##: "#if has no #end",
    #"{"type":"mock","requestTemplates":{"application/json":"$util.toJson('a')"}}"#:
      "$util has base64Decode",
    #"{"type":"mock","responses":{"(?=a)":{"statusCode":"200"}}}"#: "the pattern (?=a)",
    #"{"type":"mock","responses":{"a":{}}}"#: "is missing",
    #"{"type":"mock","passthroughBehavior":"SOMETIMES"}"#: "is not known: SOMETIMES",
    #"{"type":"smtp"}"#: "is not emulated: smtp",
    #"{"type":"mock","contentHandling":"CONVERT_TO_JSON"}"#: "is not known",
    #"{"type":"http","uri":"ftp://a","httpMethod":"GET"}"#: "is not an HTTP URL",
    #"{"type":"aws","uri":"arn:aws:iam::1:role/a","httpMethod":"POST"}"#:
      "is not the address of an AWS service",
    #"{"type":"mock","requestParameters":{"integration.request.body":"'a'"}}"#:
      "is not a part of a request",
    #"{"type":"mock","responses":{"default":{"statusCode":"200","responseParameters":{"method.response.body":"'a'"}}}}"#:
      "is not known",
    #"{"type":"mock","unknown":1}"#: "is not known",
    #"{"type":"mock","timeoutInMillis":5}"#: "must be a whole number",
    #"{"type":"aws","uri":"\#(MappedStage.worker)x","httpMethod":"POST"}"#: "refers to no function",
    #"{"type":"http","uri":"https://a","httpMethod":"GET","connectionType":"PIGEON"}"#:
      "is not known: PIGEON",
    #"{"type":"aws_proxy","uri":"\#(MappedStage.worker)","httpMethod":"POST","requestParameters":{"integration.request.header.X-Amz-Tenant-Id":"method.request.cookie.a"}}"#:
      "is not a valid value: method.request.cookie.a",
    #"{"type":"aws_proxy","uri":"\#(MappedStage.worker)","httpMethod":"POST","requestParameters":{"integration.request.header.X-Amz-Tenant-Id":["a"]}}"#:
      "maps no single value to the tenant",
    #"{"type":"aws_proxy","uri":"\#(MappedStage.worker)","httpMethod":"POST","requestParameters":{"integration.request.header.X-Amz-Tenant-Id":"'a'","integration.request.header.x-amz-tenant-id":"'b'"}}"#:
      "maps no single value to the tenant",
    #"{"type":"mock","responseTransferMode":"STREAM"}"#:
      "streams are for HTTP_PROXY and AWS_PROXY integrations of REST APIs only",
    #"{"type":"http","uri":"https://a","httpMethod":"GET","responseTransferMode":"STREAM"}"#:
      "streams are for HTTP_PROXY and AWS_PROXY integrations of REST APIs only",
    #"{"type":"aws","uri":"\#(MappedStage.worker)","httpMethod":"POST","responseTransferMode":"STREAM"}"#:
      "streams are for HTTP_PROXY and AWS_PROXY integrations of REST APIs only",
    #"{"type":"aws_proxy","uri":"\#(MappedStage.worker)","httpMethod":"POST","responseTransferMode":"STREAM"}"#:
      "does not use InvokeWithResponseStream, as STREAM requires",
    #"{"type":"aws_proxy","uri":"\#(MappedStage.streamingWorker)","httpMethod":"POST"}"#:
      "uses InvokeWithResponseStream, which BUFFERED does not allow",
    #"{"type":"aws","uri":"\#(MappedStage.streamingWorker)","httpMethod":"POST"}"#:
      "uses InvokeWithResponseStream, which BUFFERED does not allow",
    #"{"type":"aws_proxy","uri":"\#(MappedStage.streamingWorker.replacing("2021-11-15", with: "2015-03-31"))","httpMethod":"POST","responseTransferMode":"STREAM"}"#:
      "InvokeWithResponseStream",
    #"{"type":"aws_proxy","uri":"\#(MappedStage.streamingWorker.replacing("2021-11-15", with: "2015-03-31"))","httpMethod":"POST"}"#:
      "InvokeWithResponseStream",
    #"{"type":"aws_proxy","uri":"\#(MappedStage.streamingWorker.replacing("response-streaming-invocations", with: "invocations"))","httpMethod":"POST","responseTransferMode":"STREAM"}"#:
      "InvokeWithResponseStream",
    #"{"type":"aws_proxy","uri":"\#(MappedStage.streamingWorker.replacing("response-streaming-invocations", with: "invocations"))","httpMethod":"POST"}"#:
      "InvokeWithResponseStream",
    #"{"type":"aws_proxy","uri":"\#(MappedStage.streamingWorker)x","httpMethod":"POST","responseTransferMode":"STREAM"}"#:
      "does not use InvokeWithResponseStream, as STREAM requires",
    #"{"type":"aws_proxy","uri":"\#(MappedStage.streamingWorker.replacing("Worker", with: "Nobody:1:2"))","httpMethod":"POST","responseTransferMode":"STREAM"}"#:
      "refers to no function",
    #"{"type":"http_proxy","uri":"https://a","responseTransferMode":"CHUNKED"}"#:
      "is not emulated: CHUNKED",
    #"{"type":"http_proxy","uri":"https://a","timeoutInMillis":900001,"responseTransferMode":"STREAM"}"#:
      "must be a whole number from 50 to 900000",
    #"{"type":"http_proxy","uri":"https://a","timeoutInMillis":300001}"#:
      "must be a whole number from 50 to 300000",
  ]) func isUnavailable(_ integration: String, _ problem: String) throws {
    let stage = try MappedStage(integration)
    guard case .unavailable(let finding) = stage.gateway.apis[0].routes[0].integration else {
      Issue.record("\(stage.gateway.apis[0].routes[0].integration)")
      return
    }
    #expect(finding.problem.contains(problem))
    #expect(finding.line == 14)
    #expect(!finding.cure.isEmpty)
    let answer = stage.send("")
    #expect(answer.response.status == 501)
    #expect(answer.response.header("x-authorizer-local-closed") == "true")
  }

  @Test(arguments: [
    #"{"type":"AWS_PROXY","integrationSubtype":"SQS-Send","requestParameters":{}}"#:
      "is not known: SQS-Send",
    #"{"type":"AWS_PROXY","integrationSubtype":"SQS-PurgeQueue"}"#: "SQS-PurgeQueue needs QueueUrl",
    #"{"type":"AWS_PROXY","integrationSubtype":"SQS-PurgeQueue","requestParameters":{"QueueUrl":"a","b":"c"}}"#:
      "is no parameter",
    #"{"type":"http_proxy","uri":"https://a","responseParameters":{"x":{}}}"#: "is not a status",
    #"{"type":"http_proxy","uri":"https://a","responseParameters":{"200":{"overwrite:path":"a"}}}"#:
      "is not a part of a response",
    #"{"type":"mock"}"#: "is not emulated: mock",
    #"{"type":"http_proxy","uri":"https://a","responseTransferMode":"STREAM"}"#:
      "streams are for HTTP_PROXY and AWS_PROXY integrations of REST APIs only",
  ]) func isUnavailableInAnHTTPAPI(_ integration: String, _ problem: String) throws {
    let stage = try MappedStage(integration, isREST: false)
    guard case .unavailable(let finding) = stage.gateway.apis[0].routes[0].integration else {
      Issue.record("\(stage.gateway.apis[0].routes[0].integration)")
      return
    }
    #expect(finding.problem.contains(problem))
  }

  /// What an export of the console has in proxy integrations changes nothing.
  @Test func aProxyIgnoresTheMapping() throws {
    let stage = try MappedStage(
      #"{"type":"aws_proxy","uri":"\#(MappedStage.worker)","httpMethod":"POST","passthroughBehavior":"when_no_match","contentHandling":"CONVERT_TO_TEXT","timeoutInMillis":29000,"responses":{"default":{"statusCode":"200"}}}"#
    )
    #expect(stage.gateway.apis[0].routes[0].integration == .function("Worker", .rest))
  }

  /// A REST API maps the tenant of a function, and nothing else of a proxy integration; an HTTP API maps nothing.
  @Test(arguments: ["X-Amz-Tenant-Id", "x-amz-tenant-id"]) func aProxyMapsTheTenant(_ name: String) throws {
    let integration =
      #"{"type":"aws_proxy","uri":"\#(MappedStage.worker)","httpMethod":"POST","requestParameters":{"integration.request.header.\#(name)":"context.authorizer.t","integration.request.header.b":"'c'"}}"#
    let read = try MappedStage(integration).gateway.apis[0].routes[0].integration
    #expect(read == .restFunction(RESTFunction("Worker", tenant: .context("authorizer.t"))))
    let other = try MappedStage(integration, isREST: false).gateway.apis[0].routes[0].integration
    guard case .unavailable = other else {
      Issue.record("\(other)")
      return
    }
  }

  /// The function is that of a buffered call, with its timeout and its tenant; stage variables may name it.
  @Test(
    arguments: [
      (MappedStage.streamingWorker, #","timeoutInMillis":900000"#, "Worker", 900_000, nil),
      (
        MappedStage.streamingWorker,
        #","requestParameters":{"integration.request.header.X-Amz-Tenant-Id":"stageVariables.v"}"#, "Worker",
        nil,
        .stageVariable("v")
      ),
      (
        MappedStage.streamingWorker.replacing("Worker", with: "${stageVariables.fn}"), "",
        "${stageVariables.fn}", nil,
        nil
      ),
      (MappedStage.streamingWorker.replacing("Worker", with: "Other:live"), "", "Other", nil, nil),
    ] as [(String, String, String, Int?, ParameterValue?)]) func readsAStreamOfAFunction(
      _ uri: String, _ more: String, _ name: String, _ milliseconds: Int?, _ tenant: ParameterValue?
    ) throws
  {
    let stage = try MappedStage(
      #"{"type":"aws_proxy","uri":"\#(uri)","httpMethod":"POST","responseTransferMode":"STREAM"\#(more)}"#)
    #expect(
      stage.gateway.apis[0].routes[0].integration
        == .restFunction(
          RESTFunction(name, tenant: tenant, isStreamed: true, timeoutMilliseconds: milliseconds)))
  }

  @Test func readsAStreamOfAnHTTPBackend() throws {
    let stage = try MappedStage(
      #"{"type":"http_proxy","uri":"https://a","responseTransferMode":"STREAM","timeoutInMillis":900000,"connectionType":"VPC_LINK"}"#
    )
    var integration = HTTPIntegration(method: nil, address: "https://a", changes: [])
    (integration.isStreamed, integration.isPrivate, integration.timeoutMilliseconds) = (true, true, 900_000)
    #expect(stage.gateway.apis[0].routes[0].integration == .http(integration))
  }

  @Test func theTimeoutAndTheLinkOfTheTemplateAreKept() throws {
    let stage = try MappedStage(
      #"{"type":"http","uri":"https://a","httpMethod":"GET","timeoutInMillis":500,"connectionType":"VPC_LINK","connectionId":"l"}"#
    )
    guard case .mapped(let integration) = stage.gateway.apis[0].routes[0].integration else {
      Issue.record("not mapped")
      return
    }
    #expect(integration.timeoutMilliseconds == 500)
    #expect(integration.isPrivate)
  }

  /// The names of `AWS::ApiGatewayV2::Integration`.
  @Test func readsTheNamesOfCloudFormation() throws {
    let template = """
      Resources:
        Api:
          Type: AWS::ApiGatewayV2::Api
          Properties: {Name: a, ProtocolType: HTTP}
        Stage:
          Type: AWS::ApiGatewayV2::Stage
          Properties: {ApiId: !Ref Api, StageName: $default, AutoDeploy: true}
        Route:
          Type: AWS::ApiGatewayV2::Route
          Properties: {ApiId: !Ref Api, RouteKey: GET /a, Target: !Sub "integrations/${Integration}"}
        Integration:
          Type: AWS::ApiGatewayV2::Integration
          Properties:
            ApiId: !Ref Api
            IntegrationType: HTTP_PROXY
            IntegrationMethod: GET
            IntegrationUri: https://b.example
            PayloadFormatVersion: "1.0"
            TimeoutInMillis: 700
            ResponseParameters:
              "200":
                ResponseParameters: [{Destination: "overwrite:statuscode", Source: "201"}]
      """
    let api = try #require(try GatewayTemplate(parsing: template).apis.first)
    guard case .http(let integration)? = api.routes.first?.integration else {
      Issue.record("\(api.routes)")
      return
    }
    #expect(integration.timeoutMilliseconds == 700)
    #expect(
      integration.responseChanges == [
        200: [.init(place: .status, action: .overwrite, value: .literal("201"))]
      ])
  }
}
