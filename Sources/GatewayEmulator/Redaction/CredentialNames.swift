internal import Text

/// The names of headers, cookies, parameters and members whose values are credentials.
enum CredentialNames {
  /// Whether a value of this name is a credential wherever the name is used, also in an answer.
  static func isCredential(_ name: String) -> Bool {
    guard name.utf8.count <= maximumBytes else { return true }
    let name = name.lowercased()
    if exact.contains(name) { return true }
    return !harmless.contains(name) && parts.isAny(in: name)
  }

  /// Whether a value of this name is a credential in a request: a header, a parameter, a cookie or a member of a body.
  ///
  /// Answers use some of these names for other things, such as the key of a message.
  static func isCredentialOfRequest(_ name: String) -> Bool {
    if isCredential(name) { return true }
    guard !harmless.contains(name.lowercased()) else { return false }
    let words = words(of: name)
    return words.last == "key" || words.contains(where: wordsOfRequests.contains)
  }

  /// Whether a value of this name is a credential in a query or a form, where `code` is an authorization code
  /// (RFC 6749 section 4.1.2).
  static func isCredentialParameter(_ name: String) -> Bool {
    isCredentialOfRequest(name) || name.lowercased() == "code"
  }

  /// Whether a claim has a credential for another service: OpenID Connect Core 1.0 section 5.6.2 has access tokens for
  /// distributed claims. Other claims say what they are by other names.
  static func isCredentialClaim(_ name: String) -> Bool { claims.contains(name.lowercased()) }

  /// The maximum length of a name that is searched, in bytes: our limit. A longer one, such as a body that is no form,
  /// counts as the name of a credential.
  private static let maximumBytes = 256

  private static let claims: Set<String> = [
    "access_token", "refresh_token", "id_token", "client_secret", "password", "api_key",
  ]

  /// Headers of requests and responses, parameters of signed URLs (Signature Version 4), and members of events and
  /// answers of authorizers.
  private static let exact: Set<String> = [
    "cookie", "cookies", "set-cookie", "dpop", "code_verifier", "identitysource", "usageidentifierkey",
    "sec-websocket-protocol", "x-amz-signature", "jwt", "otp", "pin", "nonce",
  ]

  /// Parts of such names, as clients and servers write them.
  private static let parts = TextParts(
    [
      "token", "secret", "passw", "passphrase", "pwd", "signature", "credential", "assertion", "apikey",
      "api-key", "api_key", "access-key", "access_key", "accesskey", "private-key", "privatekey",
      "private_key", "session", "bearer", "authorization", "csrf", "xsrf",
    ])

  /// Words of names of requests. As parts they would be in others, such as `passenger`.
  private static let wordsOfRequests: Set<String> = ["auth", "pass", "sig", "jwt", "otp"]

  /// Names that contain such a part, and say only what kind of credential there is, or repeat nothing of it.
  private static let harmless: Set<String> = [
    "token_type", "token_use", "tokentype", "tokenuse", "apikeyid", "apikeyrequired", "api_key_id",
    "token_endpoint", "authorization_endpoint", "authorizationscopes", "auth_time", "auth_type", "authtype",
    "sec-websocket-key", "idempotency-key", "routekey",
  ]

  /// Returns the words of a name in lower case: `clientKey` and `x-client_key` have `client` and `key`.
  private static func words(of name: String) -> [String] {
    var words = [""]
    var followsLower = false
    for character in name {
      if !character.isLetter {
        words.append("")
        followsLower = false
        continue
      }
      if character.isUppercase, followsLower { words.append("") }
      words[words.count - 1] += character.lowercased()
      followsLower = character.isLowercase
    }
    return words.filter { !$0.isEmpty }
  }
}
