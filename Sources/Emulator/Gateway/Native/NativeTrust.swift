internal import JOSE
internal import JSON
public import TestTokens

/// What the authorizers of API Gateway itself trust in this gateway.
///
/// On AWS they fetch the keys of each issuer. Here one key set, that of the development issuer, stands for all of them,
/// and one development access key for the identities of IAM.
public struct NativeTrust: Sendable {
  /// The public keys that sign tokens; `nil` if tokens cannot be verified.
  let keys: KeySet?
  /// The access keys that sign requests.
  let accessKeys: [AccessKey]

  /// An access key with its secret.
  struct AccessKey: Equatable, Sendable {
    let identifier: String
    let secret: String
    /// The session token of temporary credentials; `nil` for others.
    var sessionToken: String?
  }

  /// Trusts nothing: routes with an authorizer of API Gateway itself are closed.
  public static let none = NativeTrust(keys: nil, credentials: nil)

  /// Trusts development keys and credentials.
  ///
  /// - Parameters:
  ///   - keys: the keys of the development issuer; `nil` closes all routes with a JWT or Cognito authorizer.
  ///   - credentials: the development access key; `nil` closes all routes with `AWS_IAM`.
  public init(keys: DevelopmentKeys?, credentials: DevelopmentCredentials?) {
    self.init(
      keys: keys.flatMap { try? KeySet(parsing: $0.publicKeySet.bytes()) },
      accessKeys: credentials.map {
        [AccessKey(identifier: $0.accessKeyID, secret: $0.secretAccessKey)]
      } ?? [])
  }

  init(keys: KeySet?, accessKeys: [AccessKey]) {
    self.keys = keys
    self.accessKeys = accessKeys
  }
}
