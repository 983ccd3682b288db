/// Where events carry their token, and with which schemes.
struct CredentialPlaces: Sendable {
  /// The sources of a REQUEST event; a TOKEN event has one fixed header.
  let sources: [TokenSource]
  /// Whether a query parameter may carry the token outside WebSocket `$connect` (URLs are logged).
  var allowsQuery = false
  /// Whether any issuer checks or ignores bindings to a key, so that the scheme `DPoP` is accepted.
  var acceptsDPoP = false
}
