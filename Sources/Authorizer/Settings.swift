public import JOSE

/// A configuration that has been read and found sound. There is no other way to make one.
public struct Settings: Sendable {
  /// The issuers whose tokens are accepted, no two with one `iss`.
  public let issuers: [IssuerSettings]
  /// Where the token of a REQUEST event is looked for.
  public let tokenSources: [TokenSource]
  /// Whether a query parameter may carry the token of other events than WebSocket `$connect`: addresses are logged.
  public let allowsQueryTokens: Bool
  /// What the API caches the authorizer's answers by.
  let gatewayCache: GatewayCache
  /// What good tokens may reach; the whole stage where there are no rules.
  let rules: AccessRules?
  /// How answers are said.
  let answers: AnswerStyles
  /// The member that says whether ARNs of HTTP APIs hold paths.
  static let routeARNIsConcrete = "routeArnIsConcrete"
  /// Whether `routeArn` of HTTP APIs is known to hold the path of the request and not the template of its route.
  let isRouteARNConcrete: Bool
  /// What is sound and may still surprise, in the words of the configuration.
  public let warnings: [ConfigurationProblem]
  /// How many good tokens are remembered, so that the same one need not be verified again; 0 for none.
  let verdictCacheEntries: Int
  /// Where revocations are looked up, where they are.
  public let revocation: RevocationSettings?
  /// How key sets are fetched.
  public let fetch: FetchSettings
  /// What is logged and counted.
  public let log: LogSettings
  /// Whether issuers and keys of development are accepted.
  public let isDevelopment: Bool
  /// Whether any issuer ignores bindings, so that the scheme `DPoP` is read at all.
  let acceptsDPoP: Bool

  /// One issuer and the keys it signs with.
  public struct IssuerSettings: Sendable {
    /// What its tokens look like.
    public let profile: IssuerProfile
    /// What its signatures are checked with.
    public let keys: IssuerKeyMaterial
    /// What every token of it must show before it may reach anything.
    var requirement = Requirement()
    /// What the backend learns of its tokens.
    var context = ContextTemplate(members: ContextTemplate.standard)
    /// The claim with the API key of a usage plan.
    var usageIdentifierKey: ClaimPath?
    /// Whether it is Apple, whose users may withdraw.
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

/// Where a configuration comes from: the environment and the files that the function was deployed with.
public protocol ConfigurationSource {
  /// The value of an environment variable.
  func variable(_ name: String) -> String?

  /// The bytes of a file; a relative path starts at the function's directory.
  ///
  /// - Throws: `FileError` where it cannot be read or is larger than the limit in bytes.
  func file(_ path: String, limit: Int) throws(FileError) -> [UInt8]
}

extension ConfigurationSource {
  /// Whether `AUTHORIZER_DEVELOPMENT` is exactly `1`.
  package var isDevelopment: Bool { variable("AUTHORIZER_DEVELOPMENT")?.utf8.elementsEqual("1".utf8) == true }
}

/// Why a file could not be read.
public enum FileError: Error, Equatable, Sendable {
  /// `errno` of the call that failed.
  case unreadable(errno: Int32)
  /// More bytes than the limit.
  case tooLarge(limit: Int)

  /// What went wrong, for a person.
  public var description: String {
    switch self {
    case .unreadable(2): "no such file"
    case .unreadable(13): "permission denied"
    case .unreadable(21): "it is a directory"
    case .unreadable(22): "not a regular file"
    case .unreadable(let number): "cannot be read (errno \(number))"
    case .tooLarge(let limit): "larger than \(limit) bytes"
    }
  }
}
