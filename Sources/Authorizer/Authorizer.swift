import JOSE
import JSON

/// From an event's bytes to a decision. Belongs to one thread, and shares its keys with those of other workers; holds no
/// socket and no clock.
public struct Authorizer<Transport: KeyTransport> {
  let settings: Settings
  private var verifier: TokenVerifier
  private var keys: KeyCache<Transport>
  private var verdicts: VerdictCache
  /// Place of each issuer's keys in the cache; `nil` for an issuer with a secret.
  private let places: [Int?]
  /// Who has withdrawn; `nil` where the configuration asks nobody.
  private var revocations: RevocationCheck?

  /// An authorizer for these settings. Keys of issuers without a seed are fetched here, all at the same time: an
  /// environment that cannot answer yet need not be counted as started.
  ///
  /// Where revocations are configured and no source is given, nobody can know who was revoked, and no token of those issuers
  /// is good.
  ///
  /// - Parameter now: Unix seconds.
  public init(settings: Settings, transport: Transport, at now: Int64) {
    self.init(settings: settings, transport: transport, revocations: NoRevocationSource(), at: now)
  }

  /// The same, with the store of revocations that the settings name.
  public init(
    settings: Settings, transport: Transport, revocations source: some RevocationSource, at now: Int64
  ) {
    self.settings = settings
    revocations = settings.revocation.map { $0.check(with: source) }
    verifier = TokenVerifier(profiles: settings.issuers.map { $0.profile })
    var sources: [KeySource] = []
    var places: [Int?] = []
    for issuer in settings.issuers {
      if case .published(let source) = issuer.keys {
        places.append(sources.count)
        sources.append(source)
      } else {
        places.append(nil)
      }
    }
    self.places = places
    verdicts = VerdictCache(entries: settings.verdictCacheEntries)
    keys = KeyCache(sources, transport: transport, now: now)
    keys.fillEmpty(at: now, budget: FetchBudget(deadlineMilliseconds: nil, nowMilliseconds: 0))
  }

  /// The decisions whose token and key identifier are hashed; a hash that no line shows is not computed.
  public var hashedDecisions = LoggedDecisions.all

  /// How many signatures libcrypto has looked at.
  public var signatureChecks: Int { verifier.signatureChecks }

  /// An authorizer for another worker of this process: the same settings and keys, everything else its own. To be made
  /// before the worker's thread is; nil where there is no memory for a lock.
  public func forAnotherWorker() -> Authorizer? {
    guard let keys = keys.forAnotherWorker() else { return nil }
    var other = self
    other.keys = keys
    other.revocations = revocations?.forAnotherWorker()
    other.verifier = TokenVerifier(profiles: settings.issuers.map { $0.profile })
    other.verdicts = VerdictCache(entries: settings.verdictCacheEntries)
    return other
  }

  /// How many key sets have been asked for since the start, by this worker.
  public var keyFetches: Int { keys.fetches }

  /// Decides about one event.
  ///
  /// - Parameters:
  ///   - event: the bytes of the Lambda event.
  ///   - now: Unix seconds.
  ///   - budget: how long a fetch of keys may take, where one is needed.
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
    return decision
  }

  /// How often a store of revocations has been asked since the start, by this worker.
  public var revocationLookups: Int { revocations?.lookups ?? 0 }

  /// Refreshes keys whose time has come, and what is known of the last caller's revocation. Runs after the response and
  /// before the next event, so that nobody waits.
  public mutating func refreshKeys(at now: Int64, budget: FetchBudget) {
    keys.refresh(at: now, budget: budget)
    revocations?.refresh(at: now, budget: budget)
  }

  /// What is to be said about keys and revocations since the last call.
  public func takeNotices() -> [Notice] {
    let failures = (revocations?.takeNotices() ?? []).map {
      Notice(code: "revocationLookupFailed", issuerName: "", detail: $0)
    }
    return failures
      + keys.takeNotices().map { notice in
        let place = places.firstIndex { $0 == notice.issuer }
        return Notice(notice, issuerName: place.map { settings.issuers[$0].profile.name } ?? "")
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

  /// Why there is no verdict by rules.
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

  /// After the signature, so that nobody can have a store asked with a token that he made himself; also for a token that
  /// was verified before.
  private func checkRevocation(
    of token: VerifiedToken, at now: Int64, _ budget: FetchBudget
  ) throws(Obstacle) {
    switch revocations?.state(of: token, at: now, budget: budget) {
    case nil, .good: return
    case .revoked: throw .revoked
    case .unavailable(let detail): throw .storeUnavailable(detail)
    }
  }

  /// The verdict on a token that was verified before, where it still holds: so much time has not passed that it is refused,
  /// and the issuer's key for it is the very same. `nil` where it must be verified anew.
  ///
  /// - Throws: what the key alone decides, so that nobody asks for it twice.
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
    guard let place = places[entry.token.profileIndex] else { return entry.token }
    do throws(KeyCache<Transport>.Failure) {
      return try keys.key(issuer: place, entry.header, at: now, budget: budget) === entry.key
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
    guard let place = places[candidate.profileIndex] else {
      return (candidate.token.header, try verifiedWithSecret(candidate, at: now), nil)
    }
    let (token, key) = try keys.verify(candidate, by: &verifier, issuer: place, at: now, budget: budget)
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

  /// What a good token may reach, in the form that this kind of API takes; a failure where its API is set up so that a cached
  /// answer would serve other callers.
  func verdict(
    on token: VerifiedToken, _ request: AuthorizationRequest, _ credential: Credential, _ form: AnswerForm
  ) -> Decision {
    let setup = GatewaySetup(of: request)
    // Looked at for good tokens alone: no stranger can make an event look as if its API were set up wrong.
    guard settings.gatewayCache == .off || !setup.mayCache(apartFrom: credential.token) else {
      return Decision(
        failure: .invalidConfiguration,
        detail:
          "the API's identity sources do not hold the token, so a cached answer would serve other callers;"
          + " make the token's place an identity source, or set \"gatewayCache\": \"off\" where nothing is cached"
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
      // A path that may be a template could reach what the rules do not mean: refused, and no failure, which a caller could
      // raise at will on an API that is set up well.
      let isInDoubt = rules.needsConcretePath && setup.routeInARN == .either
      access = isInDoubt ? .nothing : rules.access(for: token, scopes)
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
      // Where it fits without what the token says, the token's claims are too large: its user may have chosen them.
      let fitsBare =
        form.answer(token, scopes, fitting, isPermitted: isPermitted, expiresAt: expiry, bare) != nil
      return Decision(
        failure: .answerTooLarge, detail: "the answer is larger than API Gateway takes",
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

  /// Why rules that need the path of a request cannot hold on this HTTP API; `nil` where they can.
  private func pathFlaw(_ setup: GatewaySetup) -> String? {
    if setup.routeInARN == .template {
      return
        "the ARN of this event holds its route's template, not a path: rules with wildcards, ${claims} or default"
        + " allow cannot hold on this API"
    }
    return settings.isRouteARNConcrete
      ? nil : "these rules on an HTTP API need \"routeArnIsConcrete\": true"
  }

  /// The configured name of the issuer that a refused token says it comes from.
  private func issuerName(_ claims: JSONValue) -> String? {
    guard let issuer = claims["iss"] else { return nil }
    return settings.issuers.first { $0.profile.issuers.contains { issuer.equals($0) } }?.profile.name
  }

  /// What a log line may say about a token.
  private struct Evidence {
    var digest: [UInt8]?
    var keyID: [UInt8]?
    var claims: JSONValue?
    var issuerName: String?
  }
}
