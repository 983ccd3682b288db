/// The kinds of gateway responses of a REST API ("Gateway response types for API Gateway").
package enum GatewayResponseKind: String, CaseIterable, Sendable {
  /// The policy denied the request.
  case accessDenied = "ACCESS_DENIED"
  /// The API's configuration is invalid.
  case apiConfigurationError = "API_CONFIGURATION_ERROR"
  /// The authorizer failed, or its answer is invalid.
  case authorizerConfigurationError = "AUTHORIZER_CONFIGURATION_ERROR"
  /// The authorizer failed to authenticate the caller.
  case authorizerFailure = "AUTHORIZER_FAILURE"
  /// The body does not match its model.
  case badRequestBody = "BAD_REQUEST_BODY"
  /// A required parameter is missing.
  case badRequestParameters = "BAD_REQUEST_PARAMETERS"
  /// Default for every 4XX kind without a response of its own.
  case default4XX = "DEFAULT_4XX"
  /// Default for every 5XX kind without a response of its own.
  case default5XX = "DEFAULT_5XX"
  /// An AWS token has expired.
  case expiredToken = "EXPIRED_TOKEN"
  /// The backend failed.
  case integrationFailure = "INTEGRATION_FAILURE"
  /// The backend took too long.
  case integrationTimeout = "INTEGRATION_TIMEOUT"
  case invalidAPIKey = "INVALID_API_KEY"
  /// An AWS signature is invalid.
  case invalidSignature = "INVALID_SIGNATURE"
  /// No route matches, or the route requires AWS credentials.
  case missingAuthenticationToken = "MISSING_AUTHENTICATION_TOKEN"
  /// The quota of a usage plan is exceeded.
  case quotaExceeded = "QUOTA_EXCEEDED"
  case requestTooLarge = "REQUEST_TOO_LARGE"
  /// The resource does not exist.
  case resourceNotFound = "RESOURCE_NOT_FOUND"
  /// Too many requests.
  case throttled = "THROTTLED"
  /// The caller is not authenticated.
  case unauthorized = "UNAUTHORIZED"
  /// The content type of the body is not supported.
  case unsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE"
  /// AWS WAF blocked the request.
  case wafFiltered = "WAF_FILTERED"

  /// The status where the template sets none; `nil` for the two `DEFAULT_…` kinds.
  package var defaultStatus: Int? {
    switch self {
    case .badRequestBody, .badRequestParameters: 400
    case .unauthorized: 401
    case .accessDenied, .expiredToken, .invalidAPIKey, .invalidSignature, .missingAuthenticationToken,
      .wafFiltered:
      403
    case .resourceNotFound: 404
    case .requestTooLarge: 413
    case .unsupportedMediaType: 415
    case .quotaExceeded, .throttled: 429
    case .apiConfigurationError, .authorizerConfigurationError, .authorizerFailure: 500
    case .integrationFailure, .integrationTimeout: 504
    case .default4XX, .default5XX: nil
    }
  }

  /// The kind used where the template does not change this one.
  package var fallback: GatewayResponseKind? {
    defaultStatus.map { $0 < 500 ? .default4XX : .default5XX }
  }
}
