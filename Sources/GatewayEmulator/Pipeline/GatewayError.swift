package import GatewayModel
internal import IAMPolicy
internal import Mapping

/// A request that the gateway itself refuses or fails.
package enum GatewayError: Equatable, Sendable {
  /// No route, or no API at all.
  case noRoute
  /// The path does not begin with the stage.
  case noStage
  /// 401.
  case unauthorized
  /// 403, by a Deny or because no statement allows the request.
  case accessDenied(isExplicit: Bool)
  /// 500: the authorizer failed.
  case authorizerFailed
  /// 414: the ARN is longer than a REST API accepts.
  case arnTooLong
  /// The function behind the route failed, or its answer is invalid.
  case backendFunctionFailed
  /// The backend cannot be reached.
  case integrationFailed
  case integrationTimedOut
  /// A JWT or Cognito authorizer, or `AWS_IAM`, refused the request.
  case native(NativeRefusal)
  /// 400: the request lacks parameters that a request validator asks for.
  case parametersMissing([String])
  /// 415: no template is for the content type of the body.
  case unsupportedMediaType
  /// 400: the request template makes an event that is not JSON.
  case bodyNotJSON
  /// 500: the integration cannot make or map a request.
  case integrationMisconfigured
  /// 403: the API key is missing, unknown, disabled or in no usage plan of the stage.
  case keyRefused
  /// 429: faster than a usage plan allows.
  case throttled
  /// 429: more requests than the quota of a usage plan.
  case quotaExceeded
  /// 403 by the resource policy, with the caller and the ARN.
  case resourcePolicy(caller: String, arn: String, isExplicit: Bool)
  /// 413: the body is larger than API Gateway accepts.
  case bodyTooLarge
  /// 413: the event is larger than Lambda accepts.
  case eventTooLarge
  /// The headers are larger than API Gateway accepts.
  case headersTooLarge
  /// 501, which API Gateway never returns: something about the route is not emulated.
  case notEmulated(Diagnostic)

  /// Maximum bytes of the ARN, with the values of its path, of a REST API method with an authorizer ("Amazon API
  /// Gateway quotas and important notes"). HTTP APIs have routes, not methods; their quotas limit only the request
  /// line and headers.
  static let restARNBytes = 1600
  /// Maximum characters of the URL of a regional REST API (the same page).
  static let restURLCharacters = 10_240
  /// Maximum bytes of all header values of a request; on HTTP APIs including the request line (the same page).
  package static let headerBytes = 10_240
  package static let bodyBytes = GatewayQuota.payloadBytes

  /// Returns the response with the message and headers of this kind of API.
  func response(to received: ReceivedRequest, from source: ParameterSource) -> GatewayResponse {
    let (api, ids, answer) = (received.api, received.identity, answer)
    if case .notEmulated(let finding) = self { return Self.local(finding) }
    if case .bodyTooLarge = self, api.isREST { return Self.restBodyTooLarge }
    switch api.kind {
    case .rest(let responses):
      var response = rest(responses, source)
      response.headers.append(.init("x-amzn-RequestId", ids.requestID))
      if let errorType = answer.errorType { response.headers.append(.init("x-amzn-ErrorType", errorType)) }
      response.headers.append(.init("x-amz-apigw-id", ids.extendedRequestID))
      return response
    case .http, .webSocket:
      var headers: [GatewayRequest.Header] = [
        .init("Content-Type", "application/json"), .init("Apigw-Requestid", ids.extendedRequestID),
      ]
      if case .native(let refusal) = self, let challenge = refusal.challenge {
        headers.append(.init("www-authenticate", challenge))
      }
      return GatewayResponse(
        status: answer.status, headers: headers, body: Array(#"{"message":"\#(answer.text)"}"#.utf8))
    }
  }

  /// The 413 of a REST API is plain text, and gateway responses do not change it (observed on AWS:
  /// koki-develop/lgtm-generator issue 10, reapit/foundations issue 4338).
  private static let restBodyTooLarge = GatewayResponse(
    status: 413, headers: [.init("Content-Type", "text; charset=utf-8")],
    body: Array("HTTP content length exceeded \(bodyBytes) bytes.".utf8))

  /// The response to a request that only AWS can answer, with the line of the template and the cure.
  package static func local(_ finding: Diagnostic) -> GatewayResponse {
    GatewayResponse(
      status: 501,
      headers: [.init("Content-Type", "application/json"), .init("X-Authorizer-Local-Closed", "true")],
      body: Array(
        #"{"message":\#(ParameterSource.quoted("serve does not emulate this: " + finding.line(in: "template")))}"#
          .utf8))
  }

  private func rest(_ responses: GatewayResponses, _ source: ParameterSource) -> GatewayResponse {
    // Another stage is outside of this API, so its gateway responses do not apply.
    let responses = self == .noStage ? GatewayResponses() : responses
    let answer = answer
    var body: String?
    switch self {
    // AWS writes a capital M in these responses only.
    case .accessDenied, .resourcePolicy:
      body = #"{"Message":\#(ParameterSource.quoted(answer.message ?? ""))}"#
    default: break
    }
    var response = responses.response(answer.kind, message: answer.message, body: body, from: source)
    switch self {
    case .arnTooLong, .headersTooLarge: response.status = answer.status
    case .backendFunctionFailed: response.status = responses.changes[.default5XX]?.status ?? 502
    case .bodyNotJSON: response.status = responses.changes[.default4XX]?.status ?? 400
    default: break
    }
    return response
  }

  /// Of REST APIs, the kind of the gateway response, `$context.error.message` and `x-amzn-ErrorType`. HTTP and WebSocket APIs
  /// have no gateway responses to change: their status and text.
  private typealias Answer = (
    kind: GatewayResponseKind, message: String?, errorType: String?, status: Int, text: String
  )

  private var answer: Answer {
    let (server, forbidden, tooLarge) = ("Internal Server Error", "Forbidden", "Request Entity Too Large")
    let serverError = "InternalServerErrorException"
    switch self {
    case .noRoute:
      let message = "Missing Authentication Token"
      return (.missingAuthenticationToken, message, "MissingAuthenticationTokenException", 404, "Not Found")
    case .noStage: return (.accessDenied, forbidden, "ForbiddenException", 404, "Not Found")
    case .unauthorized:
      return (.unauthorized, "Unauthorized", "UnauthorizedException", 401, "Unauthorized")
    case .accessDenied(let isExplicit):
      let message = "User is not authorized to access this resource" + Self.explicitly(isExplicit)
      return (.accessDenied, message, "AccessDeniedException", 403, forbidden)
    case .resourcePolicy(let caller, let arn, let isExplicit):
      let message =
        "User: \(caller) is not authorized to perform: execute-api:Invoke on resource: \(ResourcePolicy.masked(arn))"
        + Self.explicitly(isExplicit)
      return (.accessDenied, message, "AccessDeniedException", 403, forbidden)
    case .authorizerFailed:
      return (.authorizerConfigurationError, nil, "AuthorizerConfigurationException", 500, server)
    case .arnTooLong: return (.badRequestParameters, "Request URI too long", nil, 414, "Request URI too long")
    case .backendFunctionFailed: return (.default5XX, "Internal server error", serverError, 500, server)
    case .integrationFailed:
      let message = "Network error communicating with endpoint"
      return (.integrationFailure, message, serverError, 503, "Service Unavailable")
    case .integrationTimedOut:
      return (.integrationTimeout, "Endpoint request timed out", serverError, 503, "Service Unavailable")
    case .native(let refusal):
      let (status, text) = refusal.plain
      return (refusal.kind, refusal.message, refusal.errorType, status, text)
    case .parametersMissing(let names):
      let message = "Missing required request parameters: [\(names.joined(separator: ", "))]"
      return (.badRequestParameters, message, "BadRequestException", 400, "Bad Request")
    case .unsupportedMediaType:
      let message = "Unsupported Media Type"
      return (.unsupportedMediaType, message, "UnsupportedMediaTypeException", 415, message)
    case .bodyNotJSON:
      let message = "Could not parse request body into json"
      return (.default4XX, message, "BadRequestException", 400, "Bad Request")
    case .integrationMisconfigured:
      return (.apiConfigurationError, "Internal server error", serverError, 500, server)
    case .keyRefused: return (.invalidAPIKey, forbidden, "ForbiddenException", 403, forbidden)
    case .throttled:
      return (.throttled, "Too Many Requests", "TooManyRequestsException", 429, "Too Many Requests")
    case .quotaExceeded:
      return (.quotaExceeded, "Limit Exceeded", "LimitExceededException", 429, "Limit Exceeded")
    case .eventTooLarge: return (.requestTooLarge, "Request Too Long", "BadRequestException", 413, tooLarge)
    case .headersTooLarge:
      let message = "Request Header Fields Too Large"
      return (.default4XX, message, nil, 431, message)
    // These two have responses of their own on REST APIs; `notEmulated` has one on every API.
    case .bodyTooLarge: return (.requestTooLarge, nil, nil, 413, tooLarge)
    case .notEmulated: return (.default5XX, nil, nil, 501, "Not Implemented")
    }
  }

  private static func explicitly(_ isExplicit: Bool) -> String { isExplicit ? " with an explicit deny" : "" }
}
