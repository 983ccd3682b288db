internal import Bytes

/// A request for authorization that may be shown to a person (RFC 6749 section 4.1.1).
package struct AuthorizationRequest: Sendable {
  let client: OAuthClient
  /// Where the answer goes.
  let redirectURI: RedirectURI
  /// The client's own value, which the answer repeats.
  let state: String?
  let challenge: CodeChallenge
  let scope: ScopeList
  let resource: ResourceIndicator
  /// The thumbprint of the key to which the code is bound (`dpop_jkt`, RFC 9449 section 10).
  let proofThumbprint: String?
  /// The issuer that was asked.
  let issuer: String

  /// Why a request is not shown.
  enum Refusal: Error {
    /// The client or its address is unknown, so there is no redirect (RFC 6749 section 4.1.2.1).
    case page(OAuthError)
    /// The client is told.
    case redirect(OAuthRedirect)
  }

  /// Parses the parameters of a request.
  ///
  /// - Parameters:
  ///   - client: looks a client up.
  ///   - issuer: the issuer that was asked.
  init(
    _ parameters: OAuthParameters, issuer: String, client lookup: (String) -> OAuthClient?
  ) throws(Refusal) {
    let found = try Result { () throws(OAuthError) in try Self.recipient(parameters, lookup) }
      .mapError { Refusal.page($0) }.get()
    (client, redirectURI) = found
    self.issuer = issuer
    let state = parameters.only("state").flatMap { Self.isState($0) ? $0 : nil }
    do throws(OAuthError) {
      try parameters.refuseRepeated([
        "response_type", "state", "scope", "code_challenge", "code_challenge_method", "dpop_jkt",
      ])
      guard state != nil || parameters.all("state").isEmpty else {
        throw OAuthError(
          .invalidRequest,
          "state must have at most \(OAuthLimits.addressBytes) visible ASCII characters and spaces")
      }
      guard try parameters.required("response_type") == "code" else {
        throw OAuthError(.unsupportedResponseType, "response_type must be code")
      }
      challenge = try CodeChallenge(
        parameters.only("code_challenge"), method: parameters.only("code_challenge_method"))
      scope = try ScopeList(parameters.only("scope") ?? "")
      resource = try ResourceIndicator(parameters.all("resource"))
      proofThumbprint = parameters.only("dpop_jkt")
      guard proofThumbprint.map(CodeChallenge.isDigest) ?? true else {
        throw OAuthError(.invalidRequest, "dpop_jkt must be a SHA-256 in base64url (RFC 9449 section 10)")
      }
    } catch {
      throw .redirect(OAuthRedirect(to: found.1, error, state: state, issuer: issuer))
    }
    self.state = state
  }

  /// Whether a text is a `state`: VSCHAR (RFC 6749 appendix A.5). Anything else would come back changed.
  private static func isState(_ text: String) -> Bool {
    text.utf8.count <= OAuthLimits.addressBytes && text.utf8.allSatisfy { $0 == .space || $0.isVisible }
  }

  private static func recipient(
    _ parameters: OAuthParameters, _ lookup: (String) -> OAuthClient?
  ) throws(OAuthError) -> (OAuthClient, RedirectURI) {
    guard let client = lookup(try parameters.required("client_id")) else {
      throw OAuthError(
        .invalidClient, "client_id is unknown: clients are registered in memory and lost when serve restarts")
    }
    let text = try parameters.required("redirect_uri")
    guard let uri = try? RedirectURI(text), client.metadata.redirectURIs.contains(where: uri.isRegistered)
    else {
      throw OAuthError(.invalidRequest, "redirect_uri is not one that the client has registered")
    }
    return (client, uri)
  }
}

/// A redirect with the answer to an authorization request.
package struct OAuthRedirect: Equatable, Sendable {
  let location: String

  /// The error response (RFC 6749 section 4.1.2.1), with the issuer (RFC 9207 section 2).
  init(to uri: RedirectURI, _ error: OAuthError, state: String?, issuer: String) {
    self.init(
      to: uri, [("error", error.code.rawValue), ("error_description", error.description)], state, issuer)
  }

  /// The authorization response (RFC 6749 section 4.1.2), with the issuer (RFC 9207 section 2).
  init(to uri: RedirectURI, code: String, state: String?, issuer: String) {
    self.init(to: uri, [("code", code)], state, issuer)
  }

  private init(
    to uri: RedirectURI, _ parameters: [(String, String)], _ state: String?, _ issuer: String
  ) {
    location = uri.adding(parameters + (state.map { [("state", $0)] } ?? []) + [("iss", issuer)])
  }
}
