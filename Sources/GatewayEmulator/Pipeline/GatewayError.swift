package import GatewayModel
internal import IAMPolicy
internal import Mapping

/// A request that the gateway itself refuses or fails.
package enum GatewayError: Equatable, Sendable {
  /// No route matches.
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
  /// The backend took too long.
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
  case notEmulated(TemplateFinding)

  /// Maximum bytes of the ARN, with the values of its path, of a REST API method with an authorizer ("Amazon API
  /// Gateway quotas and important notes"). HTTP APIs have routes, not methods; their quotas limit only the request
  /// line and headers.
  static let restARNBytes = 1600
  /// Maximum characters of the URL of a regional REST API (the same page).
  static let restURLCharacters = 10_240
  /// Maximum bytes of all header values of a request; on HTTP APIs including the request line (the same page).
  package static let headerBytes = 10_240
  /// Maximum bytes of a request's body.
  package static let bodyBytes = GatewayQuota.payloadBytes

  /// Returns the response with the message and headers of this kind of API.
  func response(to received: ReceivedRequest, from source: ParameterSource) -> GatewayResponse {
    let (api, ids) = (received.api, received.identity)
    if case .notEmulated(let finding) = self { return Self.local(finding) }
    if case .bodyTooLarge = self, api.isREST { return Self.restBodyTooLarge }
    switch api.kind {
    case .rest(let responses):
      var response = rest(responses, source)
      response.headers.append(.init("x-amzn-RequestId", ids.requestID))
      if let errorType { response.headers.append(.init("x-amzn-ErrorType", errorType)) }
      response.headers.append(.init("x-amz-apigw-id", ids.extendedRequestID))
      return response
    case .http, .webSocket:
      let (status, message) = plain
      var headers: [GatewayRequest.Header] = [
        .init("Content-Type", "application/json"), .init("Apigw-Requestid", ids.extendedRequestID),
      ]
      if case .native(let refusal) = self, let challenge = refusal.challenge {
        headers.append(.init("www-authenticate", challenge))
      }
      return GatewayResponse(
        status: status, headers: headers,
        body: Array(#"{"message":"\#(message)"}"#.utf8))
    }
  }

  /// The 413 of a REST API is plain text, and gateway responses do not change it (observed on AWS:
  /// koki-develop/lgtm-generator issue 10, reapit/foundations issue 4338).
  private static let restBodyTooLarge = GatewayResponse(
    status: 413, headers: [.init("Content-Type", "text; charset=utf-8")],
    body: Array("HTTP content length exceeded \(bodyBytes) bytes.".utf8))

  /// The response to a request that only AWS can answer, with the line of the template and the cure.
  package static func local(_ finding: TemplateFinding) -> GatewayResponse {
    GatewayResponse(
      status: 501,
      headers: [.init("Content-Type", "application/json"), .init("X-Authorizer-Local-Closed", "true")],
      body: Array(
        #"{"message":\#(ParameterSource.quoted("serve does not emulate this: " + finding.line(in: "template")))}"#
          .utf8))
  }

  private func rest(_ responses: GatewayResponses, _ source: ParameterSource) -> GatewayResponse {
    switch self {
    case .noRoute:
      return responses.response(
        .missingAuthenticationToken, message: "Missing Authentication Token", from: source)
    // Another stage is outside of this API, so its gateway responses do not apply.
    case .noStage:
      return GatewayResponses().response(.accessDenied, message: "Forbidden", from: source)
    case .unauthorized: return responses.response(.unauthorized, message: "Unauthorized", from: source)
    case .accessDenied(let isExplicit):
      let message =
        "User is not authorized to access this resource" + (isExplicit ? " with an explicit deny" : "")
      // AWS writes a capital M in this response only.
      return responses.response(
        .accessDenied, message: message, body: #"{"Message":"\#(message)"}"#, from: source)
    case .authorizerFailed:
      return responses.response(.authorizerConfigurationError, message: nil, from: source)
    case .arnTooLong:
      var response = responses.response(.badRequestParameters, message: "Request URI too long", from: source)
      response.status = 414
      return response
    case .backendFunctionFailed:
      var response = responses.response(.default5XX, message: "Internal server error", from: source)
      response.status = responses.changes[.default5XX]?.status ?? 502
      return response
    case .integrationFailed:
      return responses.response(
        .integrationFailure, message: "Network error communicating with endpoint", from: source)
    case .integrationTimedOut:
      return responses.response(.integrationTimeout, message: "Endpoint request timed out", from: source)
    case .native(let refusal):
      return responses.response(refusal.kind, message: refusal.message, from: source)
    case .parametersMissing(let names):
      let message = "Missing required request parameters: [\(names.joined(separator: ", "))]"
      return responses.response(.badRequestParameters, message: message, from: source)
    case .unsupportedMediaType:
      return responses.response(.unsupportedMediaType, message: "Unsupported Media Type", from: source)
    case .bodyNotJSON:
      var response = responses.response(
        .default4XX, message: "Could not parse request body into json", from: source)
      response.status = responses.changes[.default4XX]?.status ?? 400
      return response
    case .integrationMisconfigured:
      return responses.response(.apiConfigurationError, message: "Internal server error", from: source)
    case .keyRefused: return responses.response(.invalidAPIKey, message: "Forbidden", from: source)
    case .throttled: return responses.response(.throttled, message: "Too Many Requests", from: source)
    case .quotaExceeded: return responses.response(.quotaExceeded, message: "Limit Exceeded", from: source)
    case .resourcePolicy(let caller, let arn, let isExplicit):
      let message =
        "User: \(caller) is not authorized to perform: execute-api:Invoke on resource: \(ResourcePolicy.masked(arn))"
        + (isExplicit ? " with an explicit deny" : "")
      return responses.response(
        .accessDenied, message: message, body: #"{"Message":\#(ParameterSource.quoted(message))}"#,
        from: source)
    case .bodyTooLarge: return Self.restBodyTooLarge
    case .eventTooLarge:
      return responses.response(.requestTooLarge, message: "Request Too Long", from: source)
    case .headersTooLarge:
      var response = responses.response(
        .default4XX, message: "Request Header Fields Too Large", from: source)
      response.status = 431
      return response
    case .notEmulated(let finding): return Self.local(finding)
    }
  }

  private var errorType: String? {
    switch self {
    case .noRoute: "MissingAuthenticationTokenException"
    case .noStage: "ForbiddenException"
    case .unauthorized: "UnauthorizedException"
    case .accessDenied, .resourcePolicy: "AccessDeniedException"
    case .keyRefused: "ForbiddenException"
    case .throttled: "TooManyRequestsException"
    case .quotaExceeded: "LimitExceededException"
    case .eventTooLarge: "BadRequestException"
    case .authorizerFailed: "AuthorizerConfigurationException"
    case .native(let refusal): refusal.errorType
    case .arnTooLong, .bodyTooLarge, .headersTooLarge, .notEmulated: nil
    case .backendFunctionFailed, .integrationFailed: "InternalServerErrorException"
    case .integrationTimedOut, .integrationMisconfigured: "InternalServerErrorException"
    case .unsupportedMediaType: "UnsupportedMediaTypeException"
    case .bodyNotJSON, .parametersMissing: "BadRequestException"
    }
  }

  /// HTTP and WebSocket APIs have no gateway responses to change.
  private var plain: (status: Int, message: String) {
    switch self {
    case .noRoute, .noStage: (404, "Not Found")
    case .unauthorized: (401, "Unauthorized")
    case .accessDenied, .resourcePolicy, .keyRefused: (403, "Forbidden")
    case .throttled: (429, "Too Many Requests")
    case .quotaExceeded: (429, "Limit Exceeded")
    case .bodyTooLarge, .eventTooLarge: (413, "Request Entity Too Large")
    case .headersTooLarge: (431, "Request Header Fields Too Large")
    case .authorizerFailed, .backendFunctionFailed, .integrationMisconfigured: (500, "Internal Server Error")
    case .unsupportedMediaType: (415, "Unsupported Media Type")
    case .bodyNotJSON, .parametersMissing: (400, "Bad Request")
    case .arnTooLong: (414, "Request URI too long")
    case .integrationFailed, .integrationTimedOut: (503, "Service Unavailable")
    case .native(let refusal): refusal.plain
    case .notEmulated: (501, "Not Implemented")
    }
  }
}
