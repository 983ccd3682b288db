/// The limits of the authorization server. All are our own, unless a source is named.
enum OAuthLimits {
  /// 100 clients in memory; a new one replaces the oldest that no login page and no grant needs.
  static let clients = 100
  /// 16 KiB for a registration request.
  static let registrationBytes = 16 << 10
  /// 10 redirect URIs for each client.
  static let redirectURIs = 10
  /// 2,000 bytes for a redirect URI, a resource or a `state`; browsers cut longer addresses.
  static let addressBytes = 2000
  /// 200 characters for a client's name.
  static let nameCharacters = 200
  /// 255 characters for a user's name: OpenID Connect Core section 2 allows 255 in `sub`.
  static let userCharacters = 255
  /// 1,000 bytes for a list of scopes.
  static let scopeBytes = 1000
  /// 100 logins that wait for a person; a new one replaces the oldest of the client that has the most.
  static let logins = 100
  /// 600 s for a person to answer.
  static let loginSeconds: Int64 = 600
  /// 60 s until a code is exchanged; RFC 6749 section 4.1.2 allows 600 s.
  static let codeSeconds: Int64 = 60
  /// 1,000 grants in memory; a new one replaces the oldest.
  static let grants = 1000
  /// 600 s: an access token cannot be withdrawn, a refresh token can.
  static let accessTokenSeconds: Int64 = 600
  /// 86,400 s without use until a refresh token expires.
  static let refreshTokenSeconds: Int64 = 86_400
  /// 32 bytes of randomness in each secret: 256 bits, more than the 160 of RFC 6749 section 10.10.
  static let secretBytes = 32
  /// 1,000 proofs whose identifiers are remembered until they expire.
  static let proofs = 1000
}
