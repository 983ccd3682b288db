internal import Bytes

/// The names of headers, cookies, parameters and members whose values are credentials.
enum CredentialNames {
  /// Whether a value of this name is a credential wherever the name is used.
  static func isCredential(_ name: String) -> Bool {
    let name = name.lowercased()
    if exact.contains(name) { return true }
    if harmless.contains(name) { return false }
    return parts.contains { name.contains($0) }
  }

  /// Headers of requests and responses, parameters of signed URLs (Signature Version 4), and members of events and
  /// answers of authorizers.
  private static let exact: Set<String> = [
    "authorization", "proxy-authorization", "cookie", "cookies", "set-cookie", "dpop", "code",
    "code_verifier",
    "identitysource", "usageidentifierkey", "sec-websocket-protocol", "x-amz-signature", "jwt", "otp", "pin",
    "nonce",
  ]

  /// Parts of such names, as clients and servers write them.
  private static let parts = [
    "token", "secret", "passw", "passphrase", "signature", "credential", "assertion", "apikey", "api-key",
    "api_key", "access-key", "accesskey", "private-key", "privatekey", "private_key", "session", "bearer",
  ]

  /// Names that contain such a part, and say only what kind of credential there is.
  private static let harmless: Set<String> = [
    "token_type", "token_use", "tokentype", "tokenuse", "apikeyid", "apikeyrequired", "api_key_id",
    "token_endpoint",
  ]
}
