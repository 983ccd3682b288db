/// The kinds of gateway responses of a REST API ("Gateway response types for API Gateway").
package enum GatewayResponseKind: String, CaseIterable, Sendable {
  case accessDenied = "ACCESS_DENIED"
  case apiConfigurationError = "API_CONFIGURATION_ERROR"
  /// The authorizer failed, or its answer is invalid.
  case authorizerConfigurationError = "AUTHORIZER_CONFIGURATION_ERROR"
  case authorizerFailure = "AUTHORIZER_FAILURE"
  case badRequestBody = "BAD_REQUEST_BODY"
  case badRequestParameters = "BAD_REQUEST_PARAMETERS"
  /// Default for every 4XX kind without a response of its own.
  case default4XX = "DEFAULT_4XX"
  /// Default for every 5XX kind without a response of its own.
  case default5XX = "DEFAULT_5XX"
  case expiredToken = "EXPIRED_TOKEN"
  case integrationFailure = "INTEGRATION_FAILURE"
  case integrationTimeout = "INTEGRATION_TIMEOUT"
  case invalidAPIKey = "INVALID_API_KEY"
  case invalidSignature = "INVALID_SIGNATURE"
  /// No route matches, or the route requires AWS credentials.
  case missingAuthenticationToken = "MISSING_AUTHENTICATION_TOKEN"
  /// The quota of a usage plan is exceeded.
  case quotaExceeded = "QUOTA_EXCEEDED"
  case requestTooLarge = "REQUEST_TOO_LARGE"
  case resourceNotFound = "RESOURCE_NOT_FOUND"
  case throttled = "THROTTLED"
  case unauthorized = "UNAUTHORIZED"
  case unsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE"
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
