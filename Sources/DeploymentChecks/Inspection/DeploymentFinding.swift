package import GatewayModel

/// One problem of a deployment, or one fact worth knowing.
package struct DeploymentFinding: Equatable, Sendable {
  /// The stable name.
  package let code: Code
  /// Where it is: a file of the package, or a path in the configuration or the template.
  package let place: String
  /// What is wrong, in lower case.
  package let problem: String
  /// What to do, as an imperative.
  package let cure: String
  /// The line of the template that `place` or `problem` names.
  package let location: SourceLocation?

  package init(
    _ code: Code, _ place: String, _ problem: String, cure: String, location: SourceLocation? = nil
  ) {
    self.code = code
    self.place = place
    self.problem = problem
    self.cure = cure
    self.location = location
  }

  /// Creates a finding about a line of a template.
  ///
  /// - Parameter template: the path of the template.
  package init(_ code: Code, _ finding: Diagnostic, in template: String) {
    self.init(
      code, finding.location.text(in: template), finding.problem, cure: finding.cure,
      location: finding.location)
  }

  package var severity: Severity { code.severity }

  package enum Severity: String, Sendable {
    /// The function does not start, or answers wrongly.
    case error
    /// The deployment works but may behave unexpectedly.
    case warning
    /// Information; nothing to do.
    case note
  }

  /// The codes of all findings; docs/doctor.md has the same list.
  package enum Code: String, CaseIterable, Sendable {
    case archiveDamaged, archiveMissing, archiveMisnamed, archiveOfOtherProcessor, archiveOutdated
    case entryRefused, unpackedTooLarge, uploadTooLarge
    case packageLarge
    case bootstrapMissing, bootstrapNotExecutable, fetchKeysMissing, fetchKeysNotExecutable, fileNotReadable
    case programInvalid, architectureMismatch, processorsDiffer, symbolsTooNew, libraryMissing, loaderMissing
    case notStripped, openSSLUnsupported, librariesFromFolder
    case privateKeyInside, credentialsInside, repositoryInside, modeTooWide, configurationMisplaced
    case configurationMissing, configurationElsewhere, configurationInvalid, configurationWarning
    case defaultAllow, routeCrossesSegments, ruleWithoutEffect, variableWithColon, scopeNeverSent
    case ruleMatchesNoRoute, routeWithoutRule, emailSuffixWithoutAt, emailNotVerified, repositoryNotNamed
    case methodsStayOpen
    case ownershipOfSeveralIssuers, proofIgnored, revocationFileUnwritten
    case developmentConfiguration, developmentVariable, secretAssumed
    case seedExpired, seedFromFuture, noSeed, pinnedKeys
    case templateRefused, templateIgnored, templateNote, notServed, authorizerMissing, wrongRuntime
    case cacheWithSeveralSources, cacheWithoutToken, cacheExpectedOff, cacheUnused, routeNotInCacheKey
    case simpleAnswersMismatch, simpleAnswersCached, mixedAnswers, sourceUnread, queryTokenRefused
    case greedyPathUnderAllow, guardedPathFallsThrough, gatewayResponseMissing, originMissing
    case timeoutAbovePatience, timeoutBelowFetch
    case authorizerNotPermitted, routeWithoutAuthorizer, configurationShadowed, fileNotPacked
    case refusalSucceeds, challengeMissing, preflightGuarded, credentialsForAnyOrigin, anyOrigin
    case logFormatText, metricFilterUnmatched, roleTooWide, authorizerBypassed
    case callDynamoDBMissing, callDynamoDBNotExecutable
    case storeDoesNotLast, secretInTemplate, secretTooShort, signInGuarded, userRouteOpen
    case runtimeUnknown, handlerNotFound
    case handlerMissing, handlerUnused, memoryOutOfRange, variableReserved, variableUnknown, secretInVariable
    case authorizerForeign, authorizerMistaken, cachedForEveryRoute, permissionElsewhere
    case tableKeyMismatch, tableWithoutExpiry, tableNotRetained, tablesDiffer, roleTooNarrow,
      batchGetItemMissing
    case proofNotCarried, proofCached, proofNotChecked, proofHeaderNotAllowed, certificateNotRequested,
      defaultEndpointOpen
    case guestsNotCarried, guestsCached, guestRouteNotGranted, guestRouteOverRule, guestRouteWithoutEffect
    case resourceMetadataMissing, resourceAudienceMismatch
    case toolRulesCached, toolRulesWithoutHeaders, toolHeaderIsIdentitySource
    case issuerSlash, claimNotRequired, scopesMissing
    case tenantFromCaller, tenantQuoted

    /// Whether the finding is about the template instead of the package or the configuration.
    package var isAboutTemplate: Bool {
      switch self {
      case .authorizerMissing, .wrongRuntime, .cacheWithSeveralSources, .cacheWithoutToken, .cacheExpectedOff,
        .cacheUnused, .routeNotInCacheKey, .simpleAnswersMismatch, .simpleAnswersCached, .mixedAnswers,
        .sourceUnread, .queryTokenRefused, .greedyPathUnderAllow, .guardedPathFallsThrough,
        .gatewayResponseMissing, .originMissing, .timeoutAbovePatience, .timeoutBelowFetch,
        .authorizerNotPermitted, .permissionElsewhere, .routeWithoutAuthorizer, .refusalSucceeds,
        .challengeMissing, .preflightGuarded, .credentialsForAnyOrigin, .anyOrigin, .metricFilterUnmatched,
        .roleTooWide,
        .roleTooNarrow, .batchGetItemMissing, .authorizerBypassed, .signInGuarded, .userRouteOpen,
        .secretInTemplate,
        .tableKeyMismatch, .tablesDiffer, .tableWithoutExpiry, .templateIgnored, .templateNote,
        .developmentVariable, .templateRefused, .notServed, .logFormatText, .tableNotRetained,
        .cachedForEveryRoute, .handlerNotFound, .proofNotCarried, .proofCached, .proofNotChecked,
        .proofHeaderNotAllowed, .certificateNotRequested, .defaultEndpointOpen, .guestsNotCarried,
        .guestsCached, .resourceMetadataMissing, .resourceAudienceMismatch, .ruleMatchesNoRoute,
        .routeWithoutRule, .toolRulesCached, .toolRulesWithoutHeaders, .toolHeaderIsIdentitySource,
        .issuerSlash, .claimNotRequired, .scopesMissing, .tenantFromCaller, .tenantQuoted:
        true
      default: false
      }
    }

    /// The severity of findings with this code.
    package var severity: Severity {
      switch self {
      case .archiveDamaged, .entryRefused, .unpackedTooLarge, .uploadTooLarge, .bootstrapMissing,
        .bootstrapNotExecutable, .fetchKeysMissing, .fetchKeysNotExecutable, .fileNotReadable,
        .programInvalid, .architectureMismatch, .processorsDiffer, .symbolsTooNew, .libraryMissing,
        .loaderMissing, .configurationMissing, .configurationInvalid, .developmentConfiguration,
        .developmentVariable, .templateRefused, .authorizerMissing, .wrongRuntime, .cacheWithSeveralSources,
        .cacheWithoutToken, .simpleAnswersMismatch, .simpleAnswersCached, .mixedAnswers, .queryTokenRefused,
        .authorizerNotPermitted, .fileNotPacked, .refusalSucceeds, .credentialsForAnyOrigin,
        .privateKeyInside, .credentialsInside, .repositoryInside, .callDynamoDBMissing,
        .callDynamoDBNotExecutable, .secretInTemplate, .secretTooShort, .tableKeyMismatch, .tablesDiffer,
        .roleTooNarrow, .batchGetItemMissing, .handlerMissing, .memoryOutOfRange, .variableReserved,
        .runtimeUnknown,
        .authorizerMistaken, .proofNotCarried, .proofCached, .proofNotChecked, .guestsNotCarried,
        .guestsCached, .resourceAudienceMismatch, .toolRulesCached, .toolRulesWithoutHeaders,
        .toolHeaderIsIdentitySource, .tenantQuoted:
        .error
      case .archiveMissing, .configurationElsewhere, .secretAssumed, .noSeed, .pinnedKeys, .templateNote,
        .cacheUnused,
        .anyOrigin, .logFormatText, .tableNotRetained, .authorizerForeign, .cachedForEveryRoute,
        .scopesMissing:
        .note
      default: .warning
      }
    }
  }
}

extension [DeploymentFinding] {
  package mutating func add(
    _ code: DeploymentFinding.Code, _ place: String, _ problem: String, cure: String
  ) {
    append(DeploymentFinding(code, place, problem, cure: cure))
  }
}

/// The settings of a configuration that the API must match.
package struct DeployedConfiguration: Equatable, Sendable {
  /// The settings of a configuration that names none of them.
  package static let standard = DeployedConfiguration()

  /// The sources of the token in a REQUEST event.
  package var tokenSources: [Source] = [.header("authorization")]
  /// The cache key that the configuration expects of the API.
  package var cache = Cache.token
  /// Whether HTTP APIs with payload format 2.0 get simple answers.
  package var isSimple = false
  package var hasRules = false
  /// Whether a route without a matching rule is allowed.
  package var allowsByDefault = false
  /// Whether a token in the query string is accepted for events other than `$connect`.
  package var allowsQueryTokens = false
  /// The longest key fetch in milliseconds; `nil` if no keys are fetched.
  package var fetchMilliseconds: Int?
  /// The proofs of possession that an issuer's tokens need.
  package var proofs: Set<Proof> = []
  /// The values of `iss` of these tokens.
  package var provenIssuers: Set<String> = []
  /// Whether callers without a token reach some routes (`anonymous`).
  package var hasGuests = false
  /// The routes of the rules and of guests.
  package var routes: [WrittenRoute] = []
  /// Those of rules that name tools, resources or prompts of MCP.
  package var toolRoutes: [WrittenRoute] = []
  /// The audiences by `iss`.
  package var audiences: [String: Set<String>] = [:]

  package enum Proof: Hashable, Sendable {
    /// DPoP (RFC 9449).
    case dpop
    /// A client certificate (RFC 8705).
    case certificate
  }

  /// The values of `gatewayCache`.
  package enum Cache: String, Sendable { case token, tokenAndRoute, off }

  /// One entry of `tokenSources`.
  package enum Source: Equatable, Sendable {
    /// A header; its name is case-insensitive.
    case header(String)
    case cookie(String)
    /// A query parameter.
    case query(String)

    /// The source as human-readable text.
    package var description: String {
      switch self {
      case .header(let name): "header \(name)"
      case .cookie(let name): "cookie \(name)"
      case .query(let name): "query parameter \(name)"
      }
    }

    /// Whether the identity source makes this token source part of API Gateway's cache key.
    package func isKept(under source: IdentitySource) -> Bool {
      switch (self, source) {
      case (.header(let name), .header(let other)): name.lowercased() == other.lowercased()
      case (.cookie, .header(let other)): other.lowercased() == "cookie"
      case (.query(let name), .query(let other)): name == other
      default: false
      }
    }
  }
}
