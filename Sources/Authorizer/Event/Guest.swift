import JSON

/// A caller who sends nothing in any place for credentials.
///
/// A guest has no token, so no issuer, rule or cache has to do with one. Only an event without a credential makes one:
/// an empty, malformed or rejected credential never does.
struct Guest {
  /// The requested method.
  let method: MethodARN

  /// Returns `nil` if the event has anything in a place for credentials, or if events of its kind always have one.
  ///
  /// The headers `Authorization` (RFC 9110 section 11.6.2) and `DPoP` (RFC 9449 section 4) count wherever the token is
  /// looked for: a caller who sends them wants to be known.
  init?(_ request: AuthorizationRequest, _ places: CredentialPlaces) {
    guard request.kind.credentialMember == nil else { return nil }
    for source in [.header("authorization"), .header("dpop")] + places.sources
    where source.isPresent(in: request.event) {
      return nil
    }
    method = request.arn
  }
}
