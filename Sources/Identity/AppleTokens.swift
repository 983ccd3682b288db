import FunctionHost
import IssuerKeys
import JOSE

/// Verifies Apple's two kinds of token with one key set. Each kind has a profile that refuses the claims of the
/// other.
struct AppleTokens<Transport: KeyTransport> {
  private let name: String
  private var identity: TokenVerifier
  private var notification: TokenVerifier
  private var keys: KeyCache<Transport>

  /// The expected kind of a token.
  enum Kind { case identity, notification }

  /// Fetches the keys if there is no seed.
  ///
  /// - Parameter now: Unix seconds.
  init(_ settings: IdentitySettings, transport: Transport, at now: Int64) {
    name = settings.authorizerIssuer
    identity = TokenVerifier(profiles: [settings.identity])
    notification = TokenVerifier(profiles: [settings.notification])
    keys = KeyCache([(IssuerID(position: 0), settings.keys)], transport: transport, now: now)
    keys.fillEmpty(at: InvocationTime(unixSeconds: now))
  }

  /// A copy for another worker that shares the keys; `nil` if there is no memory for a lock. Call before the worker's
  /// thread starts.
  func forAnotherWorker(_ settings: IdentitySettings) -> AppleTokens? {
    guard let keys = keys.forAnotherWorker() else { return nil }
    var other = self
    other.keys = keys
    other.identity = TokenVerifier(profiles: [settings.identity])
    other.notification = TokenVerifier(profiles: [settings.notification])
    return other
  }

  /// The number of JWKS fetches since the start.
  var keyFetches: Int { keys.fetches }

  /// The SHA-256 of a text; empty if libcrypto fails.
  func digest(_ text: [UInt8]) -> [UInt8] { identity.digest(text[...]) }

  mutating func refreshKeys(at time: InvocationTime) { keys.refresh(at: time) }

  func takeNotices() -> [Notice] { keys.takeNotices().map { Notice($0, issuerName: name) } }

  /// Verifies a token as the given kind, with at most two JWKS fetches.
  ///
  /// - Throws: `token`, or `keysUnavailable`.
  mutating func verify(
    _ text: [UInt8], as kind: Kind, at time: InvocationTime
  ) throws(Refusal) -> VerifiedToken {
    let candidate: CandidateToken
    do throws(TokenRejection) {
      let token = try UnverifiedToken(parsing: text)
      candidate = try (kind == .identity ? identity : notification).candidate(token, at: time.unixSeconds)
    } catch {
      throw .token(error.code)
    }
    do throws(VerificationFailure) {
      return switch kind {
      case .identity: try identity.verify(candidate, with: &keys, at: time).token
      case .notification: try notification.verify(candidate, with: &keys, at: time).token
      }
    } catch {
      switch error {
      case .rejected(let rejection): throw .token(rejection.code)
      case .keysUnavailable: throw .keysUnavailable
      }
    }
  }
}
