/// An error response of the authorization server.
///
/// The description is this server's own text, without text of the request, because it appears in the client's log.
package struct OAuthError: Error, Equatable, Sendable {
  /// The code that clients read.
  let code: Code
  /// The reason for the developer.
  let description: String

  /// The registered codes (RFC 6749 sections 4.1.2.1 and 5.2, RFC 7591 section 3.2.2, RFC 8707 section 2, RFC 9449
  /// section 5).
  enum Code: String, Sendable {
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    case invalidGrant = "invalid_grant"
    case invalidScope = "invalid_scope"
    case unsupportedGrantType = "unsupported_grant_type"
    case unsupportedResponseType = "unsupported_response_type"
    case accessDenied = "access_denied"
    case serverError = "server_error"
    case temporarilyUnavailable = "temporarily_unavailable"
    case invalidRedirectURI = "invalid_redirect_uri"
    case invalidClientMetadata = "invalid_client_metadata"
    case invalidTarget = "invalid_target"
    case invalidProof = "invalid_dpop_proof"
  }

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// The status of a response that is not a redirect.
  var status: Int {
    switch code {
    case .invalidClient: 401
    case .serverError: 500
    case .temporarilyUnavailable: 503
    default: 400
    }
  }
}
