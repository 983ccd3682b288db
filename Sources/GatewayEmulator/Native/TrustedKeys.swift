internal import GatewayModel
package import JOSE
internal import JSON
package import TestTokens

/// What the authorizers of API Gateway itself trust in this gateway.
///
/// On AWS they fetch the keys of each issuer. Here one key set, that of the development issuer, stands for all of them,
/// unless the real ones are given; one development access key stands for the identities of IAM.
package struct TrustedKeys: Sendable {
  /// The public keys that sign tokens; `nil` if tokens cannot be verified.
  package let keys: Keys?
  let accessKeys: [AccessKey]

  package enum Keys: Sendable {
    case shared(KeySet)
    case byIssuer([String: KeySet])

    func firstMissing(_ issuers: [String]) -> String? {
      guard case .byIssuer(let sets) = self else { return nil }
      return issuers.first { sets[$0] == nil }
    }
  }

  /// An access key with its secret.
  package struct AccessKey: Equatable, Sendable {
    package let identifier: String
    package let secret: String
    /// The session token of temporary credentials; `nil` for others.
    var sessionToken: String?
  }

  /// Trusts nothing: routes with an authorizer of API Gateway itself are closed.
  package static let none = TrustedKeys(keys: nil, accessKeys: [])
}

extension TrustedKeys {
  /// Trusts development keys and credentials.
  ///
  /// - Parameters:
  ///   - keys: the keys of the development issuer; `nil` closes all routes with a JWT or Cognito authorizer.
  ///   - credentials: the development access key; `nil` closes all routes with `AWS_IAM`.
  package init(keys: DevelopmentKeys?, credentials: DevelopmentCredentials?) {
    self.init(
      keys: keys.flatMap { try? KeySet(parsing: $0.publicKeySet.bytes()) }.map { .shared($0) },
      accessKeys: Self.accessKeys(credentials))
  }

  /// Trusts the keys of real issuers, and development credentials.
  ///
  /// - Parameter keySets: the key sets (RFC 7517) by issuer. Authorizers of other issuers, and of those whose set cannot
  ///   be read, close their routes.
  package init(keySets: [String: [UInt8]], credentials: DevelopmentCredentials?) {
    self.init(
      keys: .byIssuer(keySets.compactMapValues { try? KeySet(parsing: $0) }),
      accessKeys: Self.accessKeys(credentials))
  }

  private static func accessKeys(_ credentials: DevelopmentCredentials?) -> [AccessKey] {
    credentials.map { [AccessKey(identifier: $0.accessKeyID, secret: $0.secretAccessKey)] } ?? []
  }
}
