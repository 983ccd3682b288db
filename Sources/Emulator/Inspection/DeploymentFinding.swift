/// One thing about a deployment that would not work, or not as its author thinks.
public struct DeploymentFinding: Equatable, Sendable {
  /// Stable name.
  public let code: Code
  /// Where: a file of the package, or a place of configuration or template.
  public let place: String
  /// What is wrong, in lower case.
  public let problem: String
  /// What to do about it.
  public let cure: String

  /// A finding.
  public init(_ code: Code, _ place: String, _ problem: String, cure: String) {
    self.code = code
    self.place = place
    self.problem = problem
    self.cure = cure
  }

  /// How bad it is.
  public var severity: Severity { code.severity }

  /// How bad a finding is.
  public enum Severity: String, Sendable {
    /// It does not start, or answers wrongly.
    case error
    /// It works and may surprise.
    case warning
    /// Good to know, nothing to do.
    case note
  }

  /// Every finding that there is; docs/doctor.md has the same list.
  public enum Code: String, CaseIterable, Sendable {
    case archiveDamaged, entryRefused, unpackedTooLarge, uploadTooLarge, packageLarge
    case bootstrapMissing, bootstrapNotExecutable, fetchKeysMissing, fetchKeysNotExecutable, fileNotReadable
    case programInvalid, architectureMismatch, processorsDiffer, symbolsTooNew, libraryMissing, loaderMissing
    case notStripped, openSSLUnsupported, librariesFromFolder
    case privateKeyInside, credentialsInside, repositoryInside, modeTooWide, configurationMisplaced
    case configurationMissing, configurationElsewhere, configurationInvalid, configurationWarning
    case developmentConfiguration, developmentVariable, secretAssumed
    case seedExpired, seedFromFuture, noSeed, pinnedKeys
    case templateRefused, templateNote, authorizerMissing, wrongRuntime
    case cacheWithSeveralSources, cacheWithoutToken, cacheExpectedOff, cacheUnused, routeNotInCacheKey
    case simpleAnswersMismatch, simpleAnswersCached, mixedAnswers, sourceUnread, queryTokenRefused
    case greedyPathUnderAllow, gatewayResponseMissing, originMissing
    case timeoutAbovePatience, timeoutBelowFetch
    case authorizerNotPermitted, routeWithoutAuthorizer, configurationShadowed, fileNotPacked
    case refusalSucceeds, challengeMissing, preflightGuarded, credentialsForAnyOrigin, anyOrigin
    case logFormatText, metricFilterUnmatched, roleTooWide, authorizerBypassed
    case callDynamoDBMissing, callDynamoDBNotExecutable
    case storeDoesNotLast, secretInTemplate, secretTooShort, signInGuarded, userRouteOpen
    case handlerMissing, handlerUnused, memoryOutOfRange, variableReserved, variableUnknown, secretInVariable
    case authorizerForeign, authorizerMistaken
    case tableKeyMismatch, tableWithoutExpiry, tableNotRetained, tablesDiffer, roleTooNarrow

    /// Whether it is about the template, rather than about a package or a configuration of its own.
    public var isAboutTemplate: Bool {
      switch self {
      case .authorizerMissing, .wrongRuntime, .cacheWithSeveralSources, .cacheWithoutToken, .cacheExpectedOff,
        .cacheUnused, .routeNotInCacheKey, .simpleAnswersMismatch, .simpleAnswersCached, .mixedAnswers,
        .sourceUnread, .queryTokenRefused, .greedyPathUnderAllow, .gatewayResponseMissing, .originMissing,
        .timeoutAbovePatience, .timeoutBelowFetch, .authorizerNotPermitted, .routeWithoutAuthorizer,
        .refusalSucceeds, .challengeMissing, .preflightGuarded, .credentialsForAnyOrigin, .anyOrigin,
        .metricFilterUnmatched, .roleTooWide, .roleTooNarrow, .authorizerBypassed, .signInGuarded,
        .userRouteOpen,
        .secretInTemplate, .tableKeyMismatch, .tablesDiffer, .tableWithoutExpiry, .templateNote,
        .developmentVariable, .templateRefused, .logFormatText, .tableNotRetained:
        true
      default: false
      }
    }

    /// How bad it is.
    public var severity: Severity {
      switch self {
      case .archiveDamaged, .entryRefused, .unpackedTooLarge, .uploadTooLarge, .bootstrapMissing,
        .bootstrapNotExecutable, .fetchKeysMissing, .fetchKeysNotExecutable, .fileNotReadable,
        .programInvalid, .architectureMismatch, .processorsDiffer, .symbolsTooNew, .libraryMissing,
        .loaderMissing, .configurationMissing, .configurationInvalid, .developmentConfiguration,
        .developmentVariable, .templateRefused, .authorizerMissing, .wrongRuntime,
        .cacheWithSeveralSources, .cacheWithoutToken, .simpleAnswersMismatch, .simpleAnswersCached,
        .mixedAnswers, .queryTokenRefused, .authorizerNotPermitted, .fileNotPacked, .refusalSucceeds,
        .credentialsForAnyOrigin, .privateKeyInside, .credentialsInside, .repositoryInside,
        .callDynamoDBMissing, .callDynamoDBNotExecutable, .secretInTemplate, .secretTooShort,
        .tableKeyMismatch, .tablesDiffer, .roleTooNarrow, .handlerMissing, .memoryOutOfRange,
        .variableReserved,
        .authorizerMistaken:
        .error
      case .packageLarge, .notStripped, .openSSLUnsupported, .configurationWarning, .seedExpired,
        .seedFromFuture, .cacheExpectedOff, .routeNotInCacheKey, .sourceUnread, .greedyPathUnderAllow,
        .gatewayResponseMissing, .originMissing, .timeoutAbovePatience, .timeoutBelowFetch,
        .routeWithoutAuthorizer, .configurationShadowed, .challengeMissing, .preflightGuarded,
        .authorizerBypassed, .metricFilterUnmatched, .roleTooWide, .librariesFromFolder, .modeTooWide,
        .configurationMisplaced, .storeDoesNotLast, .signInGuarded, .userRouteOpen, .tableWithoutExpiry,
        .handlerUnused, .variableUnknown, .secretInVariable:
        .warning
      case .configurationElsewhere, .secretAssumed, .noSeed, .pinnedKeys, .templateNote, .cacheUnused,
        .anyOrigin, .logFormatText, .tableNotRetained, .authorizerForeign:
        .note
      }
    }
  }
}

/// What a configuration says about the API in front of it.
public struct DeployedConfiguration: Equatable, Sendable {
  /// Where the function looks for the token of a REQUEST event.
  public var tokenSources: [Source]
  /// What the configuration takes the API to keep answers by.
  public var cache: Cache
  /// Whether HTTP APIs of payload format 2.0 get simple answers.
  public var isSimple: Bool
  /// Whether there are rules.
  public var hasRules: Bool
  /// Whether a route that no rule names is allowed.
  public var allowsByDefault: Bool
  /// Whether a token in the address is taken of other events than `$connect`.
  public var allowsQueryTokens: Bool
  /// The longest fetch of keys, in milliseconds; `nil` where none are fetched.
  public var fetchMilliseconds: Int?

  /// `gatewayCache`.
  public enum Cache: String, Sendable { case token, tokenAndRoute, off }

  /// One of `tokenSources`.
  public enum Source: Equatable, Sendable {
    /// A header, in any case.
    case header(String)
    /// A cookie.
    case cookie(String)
    /// A query parameter.
    case query(String)

    /// For people.
    public var description: String {
      switch self {
      case .header(let name): "header \(name)"
      case .cookie(let name): "cookie \(name)"
      case .query(let name): "query parameter \(name)"
      }
    }

    /// Whether API Gateway keeps answers under it where it keeps them under this.
    func isKept(under source: IdentitySource) -> Bool {
      switch (self, source) {
      case (.header(let name), .header(let other)): name.lowercased() == other.lowercased()
      case (.cookie, .header(let other)): other.lowercased() == "cookie"
      case (.query(let name), .query(let other)): name == other
      default: false
      }
    }
  }

  /// A configuration.
  public init(
    tokenSources: [Source] = [.header("authorization")], cache: Cache = .token, isSimple: Bool = false,
    hasRules: Bool = false, allowsByDefault: Bool = false, allowsQueryTokens: Bool = false,
    fetchMilliseconds: Int? = nil
  ) {
    self.tokenSources = tokenSources
    self.cache = cache
    self.isSimple = isSimple
    self.hasRules = hasRules
    self.allowsByDefault = allowsByDefault
    self.allowsQueryTokens = allowsQueryTokens
    self.fetchMilliseconds = fetchMilliseconds
  }
}
