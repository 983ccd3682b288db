import Authorizer
import JOSE

/// Verifies Apple's two kinds of token with one set of keys. No kind is ever taken for the other: each has a profile that
/// refuses the other's claims.
struct AppleTokens<Transport: KeyTransport> {
  private let name: String
  private var identity: TokenVerifier
  private var notification: TokenVerifier
  private var keys: KeyCache<Transport>

  /// Whose token it is to be.
  enum Kind { case identity, notification }

  /// Fetches the keys where there is no seed.
  ///
  /// - Parameter now: Unix seconds.
  init(_ settings: IdentitySettings, transport: Transport, at now: Int64) {
    name = settings.authorizerIssuer
    identity = TokenVerifier(profiles: [settings.identity])
    notification = TokenVerifier(profiles: [settings.notification])
    keys = KeyCache([settings.keys], transport: transport, now: now)
    keys.fillEmpty(at: now, budget: FetchBudget(deadlineMilliseconds: nil, nowMilliseconds: 0))
  }

  /// The same for another worker, with the same keys; before it has a thread. Nil where there is no memory for a lock.
  func forAnotherWorker(_ settings: IdentitySettings) -> AppleTokens? {
    guard let keys = keys.forAnotherWorker() else { return nil }
    var other = self
    other.keys = keys
    other.identity = TokenVerifier(profiles: [settings.identity])
    other.notification = TokenVerifier(profiles: [settings.notification])
    return other
  }

  /// How many key sets have been asked for since the start.
  var keyFetches: Int { keys.fetches }

  /// The SHA-256 of a text; empty where libcrypto fails.
  func digest(_ text: [UInt8]) -> [UInt8] { identity.digest(text[...]) }

  mutating func refreshKeys(at now: Int64, budget: FetchBudget) { keys.refresh(at: now, budget: budget) }

  func takeNotices() -> [Notice] { keys.takeNotices().map { Notice($0, issuerName: name) } }

  /// Verifies a token as what it is to be; at most two fetches of keys.
  ///
  /// - Parameter now: Unix seconds.
  /// - Throws: `token`, or `keysUnavailable`.
  mutating func verify(
    _ text: [UInt8], as kind: Kind, at now: Int64, budget: FetchBudget
  ) throws(Refusal) -> VerifiedToken {
    let candidate: CandidateToken
    do throws(TokenRejection) {
      let token = try UnverifiedToken(parsing: text)
      candidate = try (kind == .identity ? identity : notification).candidate(token, at: now)
    } catch {
      throw .token(error.code)
    }
    do throws(VerificationFailure) {
      return switch kind {
      case .identity: try keys.verify(candidate, by: &identity, issuer: 0, at: now, budget: budget).token
      case .notification:
        try keys.verify(candidate, by: &notification, issuer: 0, at: now, budget: budget).token
      }
    } catch {
      switch error {
      case .rejected(let rejection): throw .token(rejection.code)
      case .keysUnavailable: throw .keysUnavailable
      }
    }
  }
}
