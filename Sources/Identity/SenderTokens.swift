import FunctionHost
import IssuerKeys
import JOSE
import JSON

/// Verifies the tokens of Apple and of the receivers' senders. Each kind of token has a profile that refuses the other
/// kinds of its sender, and a sender's kinds share its keys.
struct SenderTokens<Transport: KeyTransport> {
  private var entries: [(kind: Kind, verifier: TokenVerifier)]
  private var keys: KeyCache<Transport>
  /// Its only task is to compute hashes, also without senders.
  private let hasher = TokenVerifier(profiles: [])
  /// The names of the senders in the log, by position.
  private let names: [String]

  /// The receivers' senders whose keys are fetched.
  private let fetchedSenders: [IssuerID]

  /// The expected kind of a token.
  enum Kind: Equatable {
    case identity, notification
    case logout(receiver: Int)
    case event(receiver: Int)

    /// The position of the sender's keys.
    fileprivate var sender: IssuerID {
      switch self {
      case .identity, .notification: IssuerID(position: 0)
      case .logout(let receiver), .event(let receiver): IssuerID(position: receiver + 1)
      }
    }
  }

  /// Fetches the keys of each sender that has no seed, at the same time.
  ///
  /// - Parameter now: Unix seconds.
  init(_ settings: IdentitySettings, transport: Transport, at now: Int64) {
    var sources: [(issuer: IssuerID, source: KeySource)] = []
    if let apple = settings.apple { sources.append((Kind.identity.sender, apple.keys)) }
    for (index, receiver) in settings.receivers.enumerated() {
      sources.append((Kind.logout(receiver: index).sender, receiver.keys))
    }
    self.init(settings, KeyCache(sources, transport: transport, now: now))
    keys.fillEmpty(at: InvocationTime(unixSeconds: now))
  }

  private init(_ settings: IdentitySettings, _ keys: KeyCache<Transport>) {
    var profiles: [(Kind, IssuerProfile?)] = [
      (.identity, settings.apple?.identity), (.notification, settings.apple?.notification),
    ]
    for (index, receiver) in settings.receivers.enumerated() {
      profiles += [(.logout(receiver: index), receiver.logout), (.event(receiver: index), receiver.events)]
    }
    entries = []
    for case (let kind, let profile?) in profiles {
      entries.append((kind, TokenVerifier(profiles: [profile])))
    }
    self.keys = keys
    fetchedSenders = settings.receivers.enumerated().compactMap { index, receiver in
      receiver.keys.address == nil ? nil : Kind.logout(receiver: index).sender
    }
    names = [settings.authorizerIssuer] + settings.receivers.map { $0.name }
  }

  /// A copy for another worker that shares the keys; `nil` if there is no memory for a lock. Call before the worker's
  /// thread starts.
  func forAnotherWorker(_ settings: IdentitySettings) -> SenderTokens? {
    keys.forAnotherWorker().map { SenderTokens(settings, $0) }
  }

  /// The number of JWKS fetches since the start.
  var keyFetches: Int { keys.fetches }

  /// The SHA-256 of a text; empty if libcrypto fails.
  func digest(_ text: [UInt8]) -> [UInt8] { hasher.digest(text[...]) }

  mutating func refreshKeys(at time: InvocationTime) { keys.refresh(at: time) }

  func takeNotices() -> [Notice] {
    keys.takeNotices().map { Notice($0, issuerName: names[$0.issuer.position]) }
  }

  /// Verifies a token as the given kind, with at most two JWKS fetches.
  ///
  /// - Throws: `token`, `signal`, or `keysUnavailable`; `unknownPath` for a kind that the settings do not have.
  mutating func verify(
    _ text: [UInt8], as kind: Kind, at time: InvocationTime
  ) throws(Refusal) -> VerifiedToken {
    guard let index = entries.firstIndex(where: { $0.kind == kind }) else { throw .unknownPath }
    let candidate: CandidateToken
    do throws(TokenRejection) {
      let token = try UnverifiedToken(parsing: text)
      candidate = try entries[index].verifier.candidate(token, at: time.unixSeconds)
    } catch {
      throw .token(error.code)
    }
    let fetches = keys.fetches
    do throws(VerificationFailure) {
      return try entries[index].verifier.verify(candidate, with: &keys, of: kind.sender, at: time).token
    } catch {
      switch error {
      // Without a key ID it names no key: several fit, or none, and nothing is fetched.
      case .rejected(.unknownKey)
      where candidate.token.header.keyID != nil && mayHaveNewerKey(kind, since: fetches),
        .rejected(.signatureMismatch) where mayHaveNewerKey(kind, since: fetches):
        throw .keysNotRefreshed
      case .rejected(let rejection):
        throw isSignal(candidate, kind, rejection) ? .signal(rejection.code) : .token(rejection.code)
      case .keysUnavailable: throw .keysUnavailable
      }
    }
  }

  /// Whether a rejected token is a signal that its sender signed. Without `events` it may be one that the sender issued
  /// to any user.
  private func isSignal(_ candidate: CandidateToken, _ kind: Kind, _ rejection: TokenRejection) -> Bool {
    kind.sender.position > 0 && rejection != .unknownKey && rejection != .signatureMismatch
      && candidate.token.unverifiedClaims["events"] != nil
  }

  /// Whether a signal may have a key that is newer than the known ones, because the limit on fetches allowed none since
  /// then. A sender repeats a signal after a 503; after a 400 it would be lost.
  private func mayHaveNewerKey(_ kind: Kind, since fetches: Int) -> Bool {
    fetchedSenders.contains(kind.sender) && keys.fetches == fetches
  }
}
