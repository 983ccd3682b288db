import JSON
import TestTokens

@testable import JOSE

/// A verifier with one issuer and its keys, configured as in the authorizer.
struct Gatekeeper: Sendable {
  var profile: IssuerProfile
  var keys: KeySet

  struct Verdict: Sendable {
    /// The reason if the token was refused.
    var rejection: TokenRejection?
    /// The token if it was accepted.
    var token: VerifiedToken?
    /// The number of signature checks by libcrypto.
    var signatureChecks: Int
  }

  /// An issuer with all public-key algorithms, so that no refusal comes from the list of algorithms.
  static func standard() throws -> Gatekeeper { try made.get() }

  private static let made = Result {
    Gatekeeper(profile: try profile(), keys: try keySet(TestKeys.made().published.compactMap(\.publicJWK)))
  }

  static func profile(
    algorithms: [Algorithm] = Algorithm.allCases.filter { !$0.isSymmetric },
    audience: IssuerProfile.AudienceRule = .audience(["api"]), types: IssuerProfile.TypeRule = .standard,
    leewaySeconds: Int64 = 0, maximumLifetimeSeconds: Int64? = nil, maximumAgeSeconds: Int64? = nil,
    rules: [ClaimRule] = [], principal: ClaimPath? = nil, proofOfPossession: ProofOfPossession = .refuse
  ) throws -> IssuerProfile {
    try IssuerProfile(
      name: "partner", issuers: [TokenForge.issuer], audience: audience, algorithms: algorithms, types: types,
      leewaySeconds: leewaySeconds, maximumLifetimeSeconds: maximumLifetimeSeconds,
      maximumAgeSeconds: maximumAgeSeconds, claimRules: rules, principal: principal,
      proofOfPossession: proofOfPossession)
  }

  static func keySet(_ keys: [JSONTree], policy: KeyPolicy = KeyPolicy()) throws -> KeySet {
    try KeySet(parsing: JSONTree.keySet(keys).bytes(), policy: policy)
  }

  func verdict(on text: [UInt8], at now: Int64 = TokenForge.now) -> Verdict {
    verdict(at: now) { verifier throws(TokenRejection) in
      let token = try UnverifiedToken(parsing: text)
      let candidate = try verifier.candidate(token, at: now)
      guard let key = keys.key(for: token.header) else { throw .unknownKey }
      return try verifier.verify(candidate, with: key, at: now)
    }
  }

  /// The verdict with a secret instead of the key set.
  func verdict(on text: [UInt8], secret: SharedSecret) -> Verdict {
    verdict(at: TokenForge.now) { verifier throws(TokenRejection) in
      let candidate = try verifier.candidate(try UnverifiedToken(parsing: text), at: TokenForge.now)
      return try verifier.verify(candidate, with: secret, at: TokenForge.now)
    }
  }

  func explanation(of text: [UInt8], at now: Int64 = TokenForge.now) -> TokenExplanation {
    TokenExplanation(of: text, profiles: [profile], at: now) { _ in .keys(keys) }
  }

  private func verdict(
    at now: Int64, _ verify: (inout TokenVerifier) throws(TokenRejection) -> VerifiedToken
  ) -> Verdict {
    var verifier = TokenVerifier(profiles: [profile])
    do throws(TokenRejection) {
      let token = try verify(&verifier)
      return Verdict(token: token, signatureChecks: verifier.signatureChecks)
    } catch {
      return Verdict(rejection: error, signatureChecks: verifier.signatureChecks)
    }
  }
}

extension TokenExplanation {
  var firstFailure: TokenRejection? {
    for case .failed(let rejection) in steps.map(\.result) { return rejection }
    return nil
  }
}

extension JSONTree {
  /// `{"keys":[…]}` (RFC 7517 section 5).
  static func keySet(_ keys: [JSONTree]) -> JSONTree {
    .object([.init(name: "keys", value: .array(keys))])
  }

  /// The object with members set, or removed if the value is `nil`.
  func with(_ changes: [(String, JSONTree?)]) -> JSONTree {
    var tree = self
    for (name, value) in changes { tree[name] = value }
    return tree
  }
}
