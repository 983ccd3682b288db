internal import Text
package import GatewayModel
internal import JSON
internal import TestTokens

extension DevelopmentIssuer.Defaults {
  /// Creates the properties of tokens that an authorizer of API Gateway itself accepts.
  ///
  /// - Parameter hasScope: whether the token is for routes with scopes, for which Cognito issues access tokens.
  package init(of authorizer: TokenAuthorizer, hasScope: Bool = false) {
    let pool: String?
    switch authorizer.kind {
    case .jwt(let issuer, let audiences):
      pool = Self.pool(of: issuer)
      self.init(preset: "oidc:" + issuer, audience: Array(audiences.prefix(1)))
    case .restJWT(let trust):
      // A token of a user pool that has a scope has no `aud`, which such an authorizer needs.
      let issuer = trust.issuers.first
      pool = nil
      self.init(
        preset: issuer.map { "oidc:" + $0.name }, audience: Array((issuer?.audiences ?? []).prefix(1)),
        algorithm: trust.algorithms.first?.rawValue,
        claims: (issuer?.claims ?? []).map { .init(name: $0.name, value: .string($0.value ?? "example")) })
    case .userPools(let arns):
      pool = arns.first.flatMap { $0.splitBytes(at: "/").last.map(String.init) }
      self.init()
    }
    if let pool { preset = (hasScope ? "cognito-access:" : "cognito-id:") + pool }
  }

  /// Returns the user pool of an issuer; `nil` if the issuer is not Cognito.
  private static func pool(of issuer: String) -> String? {
    guard let pool = issuer.splitBytes(at: "/").last.map(String.init),
      TokenPreset("cognito-id:" + pool)?.issuer == issuer
    else { return nil }
    return pool
  }
}
