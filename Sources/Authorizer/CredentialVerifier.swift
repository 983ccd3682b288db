import IssuerKeys
import JOSE
import JSON
import Withdrawals

/// Verifies the credentials of one worker's callers: with the verdicts it has cached, and with the issuers' keys and
/// secrets.
struct CredentialVerifier<Transport: KeyTransport> {
  private var verifier: TokenVerifier
  private var keys: KeyCache<Transport>
  private var verdicts: VerdictCache

  /// Fetches the keys of all issuers without a seed at the same time.
  init(_ settings: Settings, _ transport: Transport, at now: Int64) {
    verifier = TokenVerifier(profiles: settings.issuers.map { $0.profile })
    verdicts = VerdictCache(entries: settings.verdictCacheEntries)
    keys = KeyCache(settings.keySources, transport: transport, now: now)
    keys.fillEmpty(at: InvocationTime(unixSeconds: now))
  }

  /// Returns a verifier for another worker, which shares the keys; `nil` if there is no memory for a lock.
  func forAnotherWorker(_ settings: Settings) -> CredentialVerifier? {
    guard let keys = keys.forAnotherWorker() else { return nil }
    var other = self
    other.keys = keys
    other.verifier = TokenVerifier(profiles: settings.issuers.map { $0.profile })
    other.verdicts = VerdictCache(entries: settings.verdictCacheEntries)
    return other
  }

  var signatureChecks: Int { verifier.signatureChecks }

  var keyFetches: Int { keys.fetches }

  mutating func refreshKeys(at time: InvocationTime) { keys.refresh(at: time) }

  func takeKeyNotices() -> [KeyNotice] { keys.takeNotices() }

  /// Returns eight hexadecimal digits of the SHA-256 of a credential's token.
  func hash(of credential: Credential, _ evidence: TokenEvidence) -> [UInt8] {
    TokenVerifier.fingerprint(ofDigest: evidence.digest ?? verifier.digest(credential.token[...]))
  }

  /// Returns eight hexadecimal digits of the SHA-256 of a key identifier.
  func hash(ofKeyID keyID: [UInt8]) -> [UInt8] { verifier.fingerprint(ofKeyID: keyID) }

  /// Returns the verified token of a credential.
  ///
  /// - Parameter evidence: gets what is known of the token, also if it is rejected.
  mutating func verify(
    _ credential: Credential, _ settings: Settings, at time: InvocationTime,
    _ evidence: inout TokenEvidence
  ) throws(VerificationFailure) -> VerifiedToken {
    if let known = try remembered(credential, settings, at: time, &evidence) { return known }
    let (header, token, key) = try verifiedAnew(credential, settings, at: time, &evidence)
    if let digest = evidence.digest {
      verdicts.insert(VerdictCache.Entry(digest: digest, header: header, token: token, key: key))
    }
    return token
  }

  /// Returns the cached verdict on a token if it still holds: the times of the token are still valid and the issuer's
  /// key is the same object. `nil` if the token must be verified again.
  ///
  /// - Throws: the failure that the key lookup alone decides, so that the lookup is not repeated.
  private mutating func remembered(
    _ credential: Credential, _ settings: Settings, at time: InvocationTime,
    _ evidence: inout TokenEvidence
  ) throws(VerificationFailure) -> VerifiedToken? {
    guard verdicts.isEnabled, credential.token.count <= VerdictCache.maximumTokenBytes else { return nil }
    let digest = verifier.digest(credential.token[...])
    evidence.digest = digest
    guard let entry = verdicts.entry(for: digest),
      (try? verifier.recheck(entry.token, at: time.unixSeconds)) != nil,
      settings.accepts(credential, claims: entry.token.claims)
    else { return nil }
    evidence.keyID = entry.header.keyID
    evidence.claims = entry.token.claims
    evidence.issuerName = entry.token.issuerName
    // A secret never changes.
    guard let key = entry.key else { return entry.token }
    do throws(KeyLookupFailure) {
      return try keys.key(of: entry.token.issuer, entry.header, at: time) === key
        ? entry.token : nil
    } catch {
      throw VerificationFailure(error)
    }
  }

  private mutating func verifiedAnew(
    _ credential: Credential, _ settings: Settings, at time: InvocationTime,
    _ evidence: inout TokenEvidence
  ) throws(VerificationFailure) -> (TokenHeader, VerifiedToken, VerificationKey?) {
    let candidate: CandidateToken
    do throws(TokenRejection) {
      let token = try verifier.token(parsing: credential.token)
      evidence.keyID = token.header.keyID
      evidence.claims = token.unverifiedClaims
      guard settings.accepts(credential, claims: token.unverifiedClaims) else {
        throw .malformedToken(.scheme)
      }
      candidate = try verifier.candidate(token, at: time.unixSeconds)
    } catch {
      throw .rejected(error)
    }
    evidence.issuerName = candidate.profile.name
    guard keys.covers(candidate.issuer) else {
      return (candidate.token.header, try verifiedWithSecret(candidate, settings, at: time.unixSeconds), nil)
    }
    let (token, key) = try verifier.verify(candidate, with: &keys, at: time)
    return (candidate.token.header, token, key)
  }

  private mutating func verifiedWithSecret(
    _ candidate: CandidateToken, _ settings: Settings, at now: Int64
  ) throws(VerificationFailure) -> VerifiedToken {
    guard case .secret(let secret) = settings[candidate.issuer].keys else { throw .keysUnavailable }
    do throws(TokenRejection) {
      return try verifier.verify(candidate, with: secret, at: now)
    } catch {
      throw .rejected(error)
    }
  }
}

/// The parts of a token that a log line may contain.
struct TokenEvidence {
  var digest: [UInt8]?
  var keyID: [UInt8]?
  var claims: JSONValue?
  var issuerName: String?
  /// The kinds of keys by which a withdrawal of the token would not be found.
  var notLookedUp: [WithdrawalKey.Kind] = []
}
