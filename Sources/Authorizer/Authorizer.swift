public import FunctionHost
public import IssuerKeys
import JOSE
import JSON

/// Turns the bytes of an event into a decision. Belongs to one thread and shares its keys with other workers; has no
/// socket and no clock.
public struct Authorizer<Transport: KeyTransport> {
  let settings: Settings
  private var verifier: TokenVerifier
  private var keys: KeyCache<Transport>
  private var verdicts: VerdictCache
  /// The index of each issuer's keys in the cache; `nil` for an issuer with a secret.
  private let keyIndexes: [Int?]
  /// The revocation check; `nil` if the configuration has none.
  private var revocations: RevocationCheck?

  /// Creates an authorizer for these settings. Fetches the keys of all issuers without a seed at the same time,
  /// because an environment that cannot answer yet should not count as started.
  ///
  /// If revocations are configured but no source is given, revocations are unknown, and no token of those issuers is
  /// accepted.
  ///
  /// - Parameter now: Unix seconds.
  public init(settings: Settings, transport: Transport, at now: Int64) {
    self.init(settings: settings, transport: transport, revocations: NoRevocationSource(), at: now)
  }

  /// Creates an authorizer with the revocation store that the settings name.
  public init(
    settings: Settings, transport: Transport, revocations source: some RevocationSource, at now: Int64
  ) {
    self.settings = settings
    revocations = settings.revocation.map { $0.check(with: source) }
    verifier = TokenVerifier(profiles: settings.issuers.map { $0.profile })
    var sources: [KeySource] = []
    var keyIndexes: [Int?] = []
    for issuer in settings.issuers {
      if case .published(let source) = issuer.keys {
        keyIndexes.append(sources.count)
        sources.append(source)
      } else {
        keyIndexes.append(nil)
      }
    }
    self.keyIndexes = keyIndexes
    verdicts = VerdictCache(entries: settings.verdictCacheEntries)
    keys = KeyCache(sources, transport: transport, now: now)
    keys.fillEmpty(at: now, budget: FetchBudget(deadlineMilliseconds: nil, nowMilliseconds: 0))
  }

  /// The decisions whose token and key ID are hashed, and whose request ID is read. What no log line shows is not
  /// computed.
  public var hashedDecisions = LoggedDecisions.all

  /// The number of signatures that libcrypto has checked.
  public var signatureChecks: Int { verifier.signatureChecks }

  /// Returns an authorizer for another worker of this process: it shares settings and keys and has its own copy of
  /// the rest. Call it before the worker's thread starts. Returns `nil` if there is no memory for a lock.
  public func forAnotherWorker() -> Authorizer? {
    guard let keys = keys.forAnotherWorker() else { return nil }
    var other = self
    other.keys = keys
    other.revocations = revocations?.forAnotherWorker()
    other.verifier = TokenVerifier(profiles: settings.issuers.map { $0.profile })
    other.verdicts = VerdictCache(entries: settings.verdictCacheEntries)
    return other
  }

  /// The number of key set fetches by this worker since the start.
  public var keyFetches: Int { keys.fetches }

  /// Decides about one event.
  ///
  /// - Parameters:
  ///   - event: the bytes of the Lambda event.
  ///   - now: Unix seconds.
  ///   - budget: how long a key fetch may take, if one is needed.
  public mutating func decide(on event: [UInt8], at now: Int64, budget: FetchBudget) -> Decision {
    let fetchesBefore = keys.fetches
    let request: AuthorizationRequest
    do {
      request = try AuthorizationRequest(parsing: event)
    } catch {
      return Decision(failure: .invalidEvent, detail: error.description)
    }
    var decision = decide(on: request, at: now, budget)
    decision.eventKind = request.kind
    decision.keyFetches = keys.fetches - fetchesBefore
    if request.kind != .restToken, hashedDecisions.contains(decision) {
      decision.apiRequestID = APIRequestID(in: request.event)
    }
    return decision
  }

  /// The number of revocation lookups by this worker since the start.
  public var revocationLookups: Int { revocations?.lookups ?? 0 }

  /// Refreshes keys that are due, and the revocation state of the last caller. Runs after the response and before the
  /// next event, so that no caller waits.
  public mutating func refreshKeys(at now: Int64, budget: FetchBudget) {
    keys.refresh(at: now, budget: budget)
    revocations?.refresh(at: now, budget: budget)
  }

  /// Returns the notices on keys and revocations since the last call.
  public func takeNotices() -> [Notice] {
    let failures = (revocations?.takeNotices() ?? []).map {
      Notice(code: "revocationLookupFailed", issuerName: "", detail: $0)
    }
    return failures
      + keys.takeNotices().map { notice in
        let index = keyIndexes.firstIndex { $0 == notice.issuer }
        return Notice(notice, issuerName: index.map { settings.issuers[$0].profile.name } ?? "")
      }
  }

  private mutating func decide(on request: AuthorizationRequest, at now: Int64, _ budget: FetchBudget)
    -> Decision
  {
    let form = AnswerForm(kind: request.kind, arn: request.arn, styles: settings.answers)
    let credential: Credential
    do {
      credential = try request.credential(from: settings)
    } catch {
      return Decision(unauthorized: error.code, form.answer(unauthorized: error.code))
    }
    var evidence = Evidence()
    var decision: Decision
    do throws(Obstacle) {
      let token = try knownOrVerified(credential, at: now, budget, &evidence)
      try checkRevocation(of: token, at: now, budget)
      decision = verdict(on: token, request, credential, form)
    } catch {
      switch error {
      case .verification(.rejected(let rejection)):
        let reason = ReasonCode(rejection.code)
        decision = Decision(unauthorized: reason, form.answer(unauthorized: reason))
        decision.detail = rejection.logDetail
      case .verification(.keysUnavailable):
        decision = Decision(failure: .keysUnavailable, detail: "the issuer's keys cannot be fetched")
      case .revoked:
        decision = Decision(unauthorized: .revoked, form.answer(unauthorized: .revoked))
      case .storeUnavailable(let detail):
        decision = Decision(
          failure: .storeUnavailable, detail: "revocations cannot be looked up: " + detail)
      }
      evidence.issuerName = evidence.claims.flatMap(issuerName)
    }
    if hashedDecisions.contains(decision) {
      let digest = evidence.digest ?? verifier.digest(credential.token[...])
      decision.tokenHash = TokenVerifier.fingerprint(ofDigest: digest)
      decision.keyIDHash = evidence.keyID.map { verifier.fingerprint($0[...]) }
    }
    decision.issuerName = evidence.issuerName
    return decision
  }

  /// Why a decision ends before the rules are evaluated.
  private enum Obstacle: Error {
    case verification(VerificationFailure)
    case revoked
    case storeUnavailable(String)
  }

  private mutating func knownOrVerified(
    _ credential: Credential, at now: Int64, _ budget: FetchBudget, _ evidence: inout Evidence
  ) throws(Obstacle) -> VerifiedToken {
    do throws(VerificationFailure) {
      if let known = try remembered(credential, at: now, budget, &evidence) { return known }
      return try verified(credential, at: now, budget, &evidence)
    } catch {
      throw .verification(error)
    }
  }

  /// Checks the revocation after the signature, so that a forged token cannot cause a lookup. Runs also for a token
  /// whose verdict is cached.
  private func checkRevocation(
    of token: VerifiedToken, at now: Int64, _ budget: FetchBudget
  ) throws(Obstacle) {
    switch revocations?.state(of: token, at: now, budget: budget) {
    case nil, .good: return
    case .revoked: throw .revoked
    case .unavailable(let detail): throw .storeUnavailable(detail)
    }
  }

  /// Returns the cached verdict on a token if it still holds: the times of the token are still valid and the issuer's
  /// key is the same object. `nil` if the token must be verified again.
  ///
  /// - Throws: the failure that the key lookup alone decides, so that the lookup is not repeated.
  private mutating func remembered(
    _ credential: Credential, at now: Int64, _ budget: FetchBudget, _ evidence: inout Evidence
  ) throws(VerificationFailure) -> VerifiedToken? {
    guard verdicts.isEnabled, credential.token.count <= VerdictCache.maximumTokenBytes else { return nil }
    let digest = verifier.digest(credential.token[...])
    evidence.digest = digest
    guard let entry = verdicts.entry(for: digest), (try? verifier.recheck(entry.token, at: now)) != nil,
      settings.accepts(credential, claims: entry.token.claims)
    else { return nil }
    evidence.keyID = entry.header.keyID
    evidence.claims = entry.token.claims
    evidence.issuerName = entry.token.issuerName
    guard let keyIndex = keyIndexes[entry.token.profileIndex] else { return entry.token }
    do throws(KeyCache<Transport>.Failure) {
      return try keys.key(issuer: keyIndex, entry.header, at: now, budget: budget) === entry.key
        ? entry.token : nil
    } catch {
      throw error == .unavailable ? .keysUnavailable : .rejected(.unknownKey)
    }
  }

  private mutating func verified(
    _ credential: Credential, at now: Int64, _ budget: FetchBudget, _ evidence: inout Evidence
  ) throws(VerificationFailure) -> VerifiedToken {
    let (header, token, key) = try verifiedAnew(credential, at: now, budget, &evidence)
    if let digest = evidence.digest {
      verdicts.insert(VerdictCache.Entry(digest: digest, header: header, token: token, key: key))
    }
    return token
  }

  private mutating func verifiedAnew(
    _ credential: Credential, at now: Int64, _ budget: FetchBudget, _ evidence: inout Evidence
  ) throws(VerificationFailure) -> (TokenHeader, VerifiedToken, VerificationKey?) {
    let candidate: CandidateToken
    do throws(TokenRejection) {
      let token = try UnverifiedToken(parsing: credential.token)
      evidence.keyID = token.header.keyID
      evidence.claims = token.unverifiedClaims
      guard settings.accepts(credential, claims: token.unverifiedClaims) else {
        throw .malformedToken(.scheme)
      }
      candidate = try verifier.candidate(token, at: now)
    } catch {
      throw .rejected(error)
    }
    evidence.issuerName = candidate.profile.name
    guard let keyIndex = keyIndexes[candidate.profileIndex] else {
      return (candidate.token.header, try verifiedWithSecret(candidate, at: now), nil)
    }
    let (token, key) = try keys.verify(candidate, by: &verifier, issuer: keyIndex, at: now, budget: budget)
    return (candidate.token.header, token, key)
  }

  private mutating func verifiedWithSecret(
    _ candidate: CandidateToken, at now: Int64
  ) throws(VerificationFailure) -> VerifiedToken {
    guard case .secret(let secret) = settings.issuers[candidate.profileIndex].keys else {
      throw .keysUnavailable
    }
    do throws(TokenRejection) {
      return try verifier.verify(candidate, with: secret, at: now)
    } catch {
      throw .rejected(error)
    }
  }

  /// Returns the decision on a verified token, in the format for this kind of API; a failure if the API is configured
  /// so that a cached answer would serve other callers.
  func verdict(
    on token: VerifiedToken, _ request: AuthorizationRequest, _ credential: Credential, _ form: AnswerForm
  ) -> Decision {
    let setup = GatewaySetup(of: request)
    // Checked only for verified tokens, so that no stranger can make an API look misconfigured.
    guard settings.gatewayCache == .off || !setup.mayCache(apartFrom: credential.token) else {
      return Decision(
        failure: .invalidConfiguration,
        detail:
          "the API's identity sources do not contain the token, so a cached answer would serve other callers;"
          + " add the token's header or cookie to the identity sources, or set \"gatewayCache\": \"off\" if the"
          + " API caches nothing"
      )
    }
    return verdict(on: token, form, setup)
  }

  private func verdict(on token: VerifiedToken, _ form: AnswerForm, _ setup: GatewaySetup) -> Decision {
    let issuer = settings.issuers[token.profileIndex]
    let scopes = ScopeSet(token.claims)
    let unmet = issuer.requirement.isEmpty ? nil : issuer.requirement.unmet(by: token, scopes)
    var access = unmet == nil ? Access.wholeStage : .nothing
    if unmet == nil, let rules = settings.rules {
      if rules.needsConcretePath, form.kind == .http1 || form.kind == .http2 {
        if let flaw = pathFlaw(setup) { return Decision(failure: .invalidConfiguration, detail: flaw) }
      }
      access = rules.access(for: token, scopes)
      // Refused and not reported as a failure, which any caller could then cause on a correctly configured API. The
      // policy refuses this route alone, because API Gateway caches it for the token's other routes.
      if rules.needsConcretePath, setup.routeInARN == .either { access.ambiguousRoute = form.arn.route }
    }
    let room = Policy.maximumResourceBytes - form.arn.stagePrefix.count
    guard room > 0 else {
      return Decision(failure: .answerTooLarge, detail: "the stage's ARN is longer than a Resource may be")
    }
    guard let (fitting, isShorter) = access.limited(toBytes: room) else {
      return Decision(failure: .answerTooLarge, detail: "a restriction is longer than a Resource may be")
    }
    let isPermitted = fitting.permits(form.arn.route)
    let expiry = issuer.profile.end(of: token)
    guard
      let answer = form.answer(
        token, scopes, fitting, isPermitted: isPermitted, expiresAt: expiry, issuer)
    else {
      var bare = issuer
      bare.context = ContextTemplate(members: [])
      // If the answer fits without the context, the token's claims are too large, and its user may have chosen them.
      let fitsBare =
        form.answer(token, scopes, fitting, isPermitted: isPermitted, expiresAt: expiry, bare) != nil
      return Decision(
        failure: .answerTooLarge, detail: "the answer is larger than API Gateway accepts",
        isOfToken: fitsBare)
    }
    var reason: ReasonCode?
    if !isPermitted {
      reason = unmet ?? settings.rules?.reason(for: form.arn.route, token, scopes) ?? .noRule
    }
    var decision = Decision(answer, refusing: reason)
    if reason == .insufficientScope {
      decision.requiredScope =
        unmet == nil
        ? settings.rules?.missingScope(for: form.arn.route, token, scopes)
        : issuer.requirement.missingScope(scopes)
    }
    decision.leftOut = fitting.hasUnroutableClaim ? .claimNotRoutable : isShorter ? .answerTooLarge : nil
    return decision
  }

  /// Returns why rules that need the path of a request cannot work on this HTTP API; `nil` if they can.
  private func pathFlaw(_ setup: GatewaySetup) -> String? {
    if setup.routeInARN == .template {
      return
        "the ARN of this event contains the template of the route, not a path: rules with wildcards, ${claims} or"
        + " default allow do not work on this API"
    }
    return settings.isRouteARNConcrete
      ? nil : "these rules on an HTTP API need \"routeArnIsConcrete\": true"
  }

  /// Returns the configured name of the issuer that a rejected token claims.
  private func issuerName(_ claims: JSONValue) -> String? {
    guard let issuer = claims["iss"] else { return nil }
    return settings.issuers.first { $0.profile.issuers.contains { issuer.equals($0) } }?.profile.name
  }

  /// The parts of a token that a log line may contain.
  private struct Evidence {
    var digest: [UInt8]?
    var keyID: [UInt8]?
    var claims: JSONValue?
    var issuerName: String?
  }
}
