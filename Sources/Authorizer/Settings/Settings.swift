public import FunctionHost
public import IssuerKeys
public import JOSE

/// A valid configuration. The readers below are the only way to create one.
public struct Settings: Sendable {
  /// The issuers whose tokens are accepted; no two have the same `iss`.
  public let issuers: [IssuerSettings]
  /// Where a REQUEST event carries the token.
  public let tokenSources: [TokenSource]
  /// Whether a query parameter may carry the token outside WebSocket `$connect` (URLs are logged).
  public let allowsQueryTokens: Bool
  /// The cache key of the API for the authorizer's answers.
  let gatewayCache: GatewayCache
  /// The routes that accepted tokens may reach; the whole stage if there are no rules.
  let rules: AccessRules?
  /// The format of answers.
  let answers: AnswerStyles
  /// The name of the member that says whether ARNs of HTTP APIs contain paths.
  static let routeARNIsConcrete = "routeArnIsConcrete"
  /// Whether `routeArn` of HTTP APIs contains the path of the request and not the template of its route.
  let isRouteARNConcrete: Bool
  /// Warnings on valid settings that may surprise.
  public let warnings: [ConfigurationProblem]
  /// The number of verified tokens in the verdict cache; 0 for no cache.
  let verdictCacheEntries: Int
  /// The revocation settings; `nil` if revocations are not looked up.
  public let revocation: RevocationSettings?
  /// How key sets are fetched.
  public let fetch: FetchSettings
  /// The log and metrics settings.
  public let log: LogSettings
  /// Whether development issuers and keys are accepted.
  public let isDevelopment: Bool
  /// Whether any issuer ignores bindings, so that the scheme `DPoP` is accepted.
  let acceptsDPoP: Bool

  /// One issuer and its keys.
  public struct IssuerSettings: Sendable {
    /// The checks on its tokens.
    public let profile: IssuerProfile
    /// The keys that verify its signatures.
    public let keys: IssuerKeyMaterial
    /// What every token of it must contain.
    var requirement = Requirement()
    /// The context for the backend.
    var context = ContextTemplate(members: ContextTemplate.standard)
    /// The claim with the API key of a usage plan.
    var usageIdentifierKey: ClaimPath?
    /// Whether this is Apple, whose users may revoke consent.
    var isApple = false
  }

  init(
    issuers: [IssuerSettings], tokenSources: [TokenSource], allowsQueryTokens: Bool = false,
    gatewayCache: GatewayCache = .token, rules: AccessRules? = nil, answers: AnswerStyles = AnswerStyles(),
    isRouteARNConcrete: Bool = false,
    warnings: [ConfigurationProblem] = [], verdictCacheEntries: Int = 0,
    revocation: RevocationSettings? = nil, fetch: FetchSettings = FetchSettings(),
    log: LogSettings = LogSettings(), isDevelopment: Bool = false
  ) {
    self.gatewayCache = gatewayCache
    self.rules = rules
    self.answers = answers
    self.isRouteARNConcrete = isRouteARNConcrete
    self.warnings = warnings
    self.verdictCacheEntries = verdictCacheEntries
    self.log = log
    self.isDevelopment = isDevelopment
    self.revocation = revocation
    self.fetch = fetch
    self.issuers = issuers
    acceptsDPoP = issuers.contains { $0.profile.proofOfPossession == .ignore }
    self.allowsQueryTokens = allowsQueryTokens
    self.tokenSources = tokenSources
  }
}
