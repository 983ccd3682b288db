package import FunctionHost
package import IssuerKeys
package import JOSE
import JSON

/// A valid configuration. The readers of this module are the only way to create one.
package struct Settings: Sendable {
  /// The issuers whose tokens are accepted; no two have the same `iss`.
  package let issuers: [IssuerSettings]
  /// Where events carry the token.
  let places: CredentialPlaces
  /// The cache key of the API for the authorizer's answers.
  var gatewayCache = GatewayCache.token
  /// The routes that accepted tokens may reach; the whole stage if there are no rules.
  package internal(set) var rules: AccessRules?
  /// The routes that callers without a token may reach; `nil` if there are none.
  package internal(set) var guests: GuestRoutes?
  /// The format of answers.
  var answers = AnswerStyles()
  /// Whether the operator says that `routeArn` of HTTP APIs contains paths. If not, policies refuse what may be the
  /// template of a route.
  var isRouteARNConcrete = false
  /// Warnings on valid settings that may surprise.
  package internal(set) var warnings: [ConfigurationProblem] = []
  /// The number of verified tokens in the verdict cache; 0 for no cache.
  var verdictCacheEntries = 0
  /// The revocation settings; `nil` if revocations are not looked up.
  package internal(set) var revocation: RevocationSettings?
  /// How key sets are fetched.
  package internal(set) var fetch = FetchSettings()
  /// The log and metrics settings.
  package internal(set) var log = LogSettings()
  /// Whether development issuers and keys are accepted.
  package internal(set) var isDevelopment = false

  /// One issuer and its keys.
  package struct IssuerSettings: Sendable {
    /// The checks on its tokens.
    package let profile: IssuerProfile
    /// The keys that verify its signatures.
    package let keys: IssuerKeyMaterial
    /// What every token of it must contain.
    package internal(set) var requirement = Requirement()
    /// The bindings of its tokens that are checked; `nil` if none are.
    package var proof: ProofSettings?
    /// What answers say about its tokens.
    var content = AnswerContent()
    /// Whether this is Apple, whose users may revoke consent.
    package var isApple = false
    /// Whether its tokens may have scopes.
    var sendsScopes = true
    /// Whether `email_verified` says that an e-mail address belongs to the user.
    var verifiesEmail = true
    /// Whether its tokens are of workflows, in any repository of an owner or an enterprise.
    var isOfWorkflows = false
  }
}

extension Settings {
  /// Where a REQUEST event carries the token.
  package var tokenSources: [TokenSource] { places.sources }

  /// Whether a query parameter may carry the token outside WebSocket `$connect` (URLs are logged).
  package var allowsQueryTokens: Bool { places.allowsQuery }

  /// The routes that callers without a token may reach, as written.
  package var guestRoutes: [String] { guests?.routes.map { $0.text } ?? [] }

  /// The routes of each rule, as written; empty without rules.
  package var ruleRoutes: [[String]] { (rules?.rules ?? []).map { $0.routes.map { $0.text } } }

  /// The patterns of names of each rule, as written, by their kind; nothing for a rule without names.
  package var ruleNames: [[(kind: MCPKind, patterns: [String])]] {
    (rules?.rules ?? []).map { rule in
      MCPKind.allCases.filter { !rule.names(of: $0).isEmpty }.map { kind in
        (kind, rule.names(of: kind).map { String(decoding: $0, as: UTF8.self) })
      }
    }
  }

  /// Whether rules deny every route that they do not name.
  package var deniesByDefault: Bool { rules?.whenNoRule == .deny }

  /// The settings of one issuer.
  package subscript(issuer: IssuerID) -> IssuerSettings { issuers[issuer.position] }

  /// The key sources of all issuers without a secret.
  var keySources: [(issuer: IssuerID, source: KeySource)] {
    var sources: [(issuer: IssuerID, source: KeySource)] = []
    for (position, issuer) in issuers.enumerated() {
      if case .published(let source) = issuer.keys { sources.append((IssuerID(position: position), source)) }
    }
    return sources
  }

  /// The bindings of this issuer's tokens that are checked; `nil` if none are.
  func proof(of issuer: IssuerID) -> ProofSettings? { issuers[issuer.position].proof }

  /// Whether used proofs are remembered.
  var remembersProofs: Bool { issuers.contains { $0.proof?.dpop?.replay != nil } }

  /// Whether a token with these unverified claims may use its scheme: `DPoP` only if its issuer checks or ignores
  /// bindings to a key.
  func accepts(_ credential: Credential, claims: JSONValue) -> Bool {
    guard credential.isDPoP else { return true }
    guard let issuer = claims["iss"] else { return false }
    return issuers.contains { entry in
      entry.profile.proofOfPossession.acceptsDPoP && entry.profile.issuers.contains { issuer.equals($0) }
    }
  }
}

extension Settings {
  /// The scopes that rules and issuers require or take as one of several, in their order, for texts.
  package var requiredScopes: [[UInt8]] {
    var scopes: [[UInt8]] = []
    var requirements = issuers.map { $0.requirement } + (rules?.rules ?? []).map { $0.requirement }
    while let requirement = requirements.first {
      for scope in requirement.scopes where !scopes.contains(scope) { scopes.append(scope) }
      requirements.replaceSubrange(0...0, with: requirement.any)
    }
    return scopes
  }
}
