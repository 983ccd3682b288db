@testable import GatewayEmulator
@testable import GatewayModel
@testable import Templates
import JSON

/// An API with one open route `POST /x/{id}`, whose integration is given as JSON.
struct MappedStage {
  let gateway: Gateway

  init(_ integration: String, isREST: Bool = true, binaryMediaTypes: [String] = [], method: String = "post")
    throws
  {
    let types = binaryMediaTypes.map { "\"\($0)\"" }.joined(separator: ",")
    let template = """
      Transform: AWS::Serverless-2016-10-31
      Resources:
        Api:
          Type: AWS::Serverless::\(isREST ? "Api" : "HttpApi")
          Properties:
            StageName: prod
            \(isREST ? "Variables" : "StageVariables"): {v: "7", fn: Worker}
            DefinitionBody:
              openapi: 3.0.1
              \(isREST ? "x-amazon-apigateway-binary-media-types: [\(types)]" : "tags: []")
              paths:
                /x/{id}:
                  \(method):
                    x-amazon-apigateway-integration: \(integration)
        Worker:
          Type: AWS::Serverless::Function
          Properties: {Runtime: provided.al2023, Handler: bootstrap, CodeUri: .}
      """
    gateway = Gateway(try GatewayTemplate(parsing: template).served, settings: Assumptions())
  }

  /// The address of the function `Worker`.
  static let worker =
    "arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/arn:aws:lambda:us-east-1:123456789012:function:Worker/invocations"

  /// The same for `InvokeWithResponseStream`.
  static let streamingWorker =
    "arn:aws:apigateway:us-east-1:lambda:path/2021-11-15/functions/arn:aws:lambda:us-east-1:123456789012:function:Worker/response-streaming-invocations"

  /// Sends a request; the target answers with the reply, or else the echo does.
  func send(
    _ method: String = "POST", _ path: String = "/prod/x/a", query: String = "",
    headers: [String: String] = [:],
    body: [UInt8] = [], reply: GatewayResponse? = nil, errorMessage: String? = nil
  ) -> GatewayAnswer {
    let request = GatewayRequest(
      method: method, path: path, query: query,
      headers: headers.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) },
      body: body)
    let state = Gateway.State()
    let ids = RequestIdentity(
      requestID: "r-1", extendedRequestID: "e-1", traceID: "Root=1-a", unixMilliseconds: 1_718_636_523_035)
    switch gateway.begin(ReceivedRequest(request, to: gateway.apis[0], ids), state: state) {
    case .answer(let answer): return answer
    case .integrate(let call):
      return gateway.finish(
        call, with: reply.map { .mapped($0, errorMessage: errorMessage) } ?? .echo(call.echo))
    case .authorize(let authorization):
      return gateway.finish(
        BackendCall(
          exchange: authorization.exchange,
          record: AccessRecord(authorization.exchange, .unused("not expected")),
          target: .function("none", .null, .rest)),
        with: .unreachable)
    }
  }

  func send(
    _ text: String, headers: [String: String] = [:], reply: GatewayResponse? = nil,
    errorMessage: String? = nil
  ) -> GatewayAnswer {
    send(headers: headers, body: Array(text.utf8), reply: reply, errorMessage: errorMessage)
  }
}
