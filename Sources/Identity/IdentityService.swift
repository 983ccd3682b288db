public import Authorizer
import JOSE
import JSON
public import UserStore

/// From a proxy event's bytes to an answer. Belongs to one thread; holds no socket, no clock and no randomness of its own.
public struct IdentityService<Store: UserStore, Transport: KeyTransport> {
  private let settings: IdentitySettings
  private let nonces: NonceMint?
  private var tokens: AppleTokens<Transport>
  private var store: Store

  /// For how many seconds before and after now Apple may have signed a token whose nonce the client has made.
  static var clientNonceSeconds: Int64 { 60 }
  /// By how many seconds Apple's clock and ours may differ there: ours.
  static var clientNonceLeewaySeconds: Int64 { 5 }
  /// Bytes that a nonce of the client's must have: with fewer, two clients would use the same.
  static var clientNonceMinimumBytes: Int { 16 }
  /// For how many seconds a used nonce is remembered past its time: ours, for machines whose clocks differ.
  static var nonceMemorySeconds: Int64 { 300 }

  /// A service with these settings. Fetches Apple's keys where there is no seed.
  ///
  /// - Parameter now: Unix seconds.
  public init(_ settings: IdentitySettings, store: Store, transport: Transport, at now: Int64) {
    self.settings = settings
    self.store = store
    nonces = settings.nonces.map { NonceMint($0) }
    tokens = AppleTokens(settings, transport: transport, at: now)
  }

  /// The same for another worker, with its own store; before it has a thread. Nil where there is no memory for a lock.
  func forAnotherWorker(store: Store) -> IdentityService? {
    guard let tokens = tokens.forAnotherWorker(settings) else { return nil }
    var other = self
    other.tokens = tokens
    other.store = store
    return other
  }

  /// Answers one event.
  ///
  /// - Throws: `ProxyEventFlaw` where it is no proxy event.
  public mutating func answer(
    to event: [UInt8], _ moment: Moment
  ) throws(ProxyEventFlaw) -> Exchange {
    let request = try ProxyRequest(parsing: event)
    let route = Route(path: request.path, stage: request.stage, basePath: settings.basePath)
    var exchange = Exchange(format: request.format, route: route?.name)
    let fetchesBefore = tokens.keyFetches
    let response: ProxyResponse
    do throws(Refusal) {
      response = ProxyResponse(body: try answer(to: request, route, moment, &exchange))
    } catch {
      response = ProxyResponse(error)
      exchange.refused(for: error)
    }
    exchange.status = response.status
    exchange.keyFetches = tokens.keyFetches - fetchesBefore
    exchange.response = response.bytes(isHead: request.method.elementsEqual("HEAD".utf8))
    return exchange
  }

  /// Refreshes keys whose time has come, for the time between an answer and the next event.
  mutating func refreshKeys(at now: Int64, budget: FetchBudget) {
    tokens.refreshKeys(at: now, budget: budget)
  }

  /// What is to be said about keys since the last call.
  func takeNotices() -> [Notice] { tokens.takeNotices() }

  /// - Returns: the body of a 200.
  private mutating func answer(
    to request: ProxyRequest, _ route: Route?, _ moment: Moment, _ exchange: inout Exchange
  ) throws(Refusal) -> [UInt8] {
    guard let route else { throw .unknownPath }
    guard route.allows(request.method) else { throw .methodNotAllowed(allowed: route.allowedMethods) }
    switch route {
    case .nonce: return try nonce(moment, &exchange)
    case .verify, .apple: return try signIn(request, moment, &exchange)
    case .notification: return try notification(request, moment, &exchange)
    case .ownUser: return try user(try caller(of: request), moment, &exchange)
    case .user(let segment):
      let caller = try caller(of: request)
      guard let subject = PercentEncoding.decode(segment) else { throw .malformedPath }
      guard subject == caller else { throw .anotherUser }
      return try user(caller, moment, &exchange)
    }
  }
}

// MARK: Routes

extension IdentityService {
  private func nonce(_ moment: Moment, _ exchange: inout Exchange) throws(Refusal) -> [UInt8] {
    guard let nonces else { throw .unknownPath }
    guard moment.randomBytes.count == NonceMint.randomBytes,
      let nonce = nonces.nonce(random: moment.randomBytes, unixMilliseconds: moment.unixMilliseconds)
    else { throw .cryptographyUnavailable }
    exchange.outcome = .issued
    return UserDocument.bytes(nonce: nonce, lifetimeSeconds: nonces.lifetimeSeconds)
  }

  private mutating func signIn(
    _ request: ProxyRequest, _ moment: Moment, _ exchange: inout Exchange
  ) throws(Refusal) -> [UInt8] {
    let form = try SignInRequest(try RequestBody.object(of: request))
    exchange.tokenHash = TokenVerifier.fingerprint(ofDigest: tokens.digest(form.token))
    // Before the signature is looked at, which costs far more.
    let nonceEnd = try end(ofIssued: form.nonce, moment)
    let token = try tokens.verify(
      form.token, as: .identity, at: moment.unixSeconds, budget: moment.fetchBudget)
    let nonce = try use(of: form.nonce, endingAt: nonceEnd, by: token, moment)
    guard let subject = token.subject else { throw .token(.missingClaim) }
    guard let identifier = UUIDText.bytes(random: moment.randomBytes) else { throw .cryptographyUnavailable }
    let signIn = SignIn(
      subject: subject, profile: UserProfile(token, form.user),
      isEmailClaimed: UserProfile.claimedEmail(of: token) != nil, newIdentifier: identifier, nonce: nonce,
      milliseconds: moment.unixMilliseconds,
      // As the authorizer reads it: in doubt the token is not younger than a revocation.
      issuedMilliseconds: token.claims["iat"]?.number?.bounds.map { $0.floor * 1000 })
    let outcome: SignInOutcome
    do throws(StoreError) {
      outcome = try store.keep(signIn, deadlineMilliseconds: moment.deadlineMilliseconds)
    } catch {
      throw .store(error)
    }
    switch outcome {
    case .created(let user):
      exchange.outcome = .created
      return UserDocument.bytes(user, isNew: true)
    case .found(let user):
      exchange.outcome = .found
      return UserDocument.bytes(user, isNew: false)
    case .nonceUsedBefore: throw .nonce(.usedBefore)
    case .revoked: throw .revoked
    }
  }

  private mutating func notification(
    _ request: ProxyRequest, _ moment: Moment, _ exchange: inout Exchange
  ) throws(Refusal) -> [UInt8] {
    // What Apple may add to the body is ignored: a refusal would lose the notification.
    let payload = try RequestBody.object(of: request).requiredText("payload", limit: RequestBody.maximumBytes)
    exchange.tokenHash = TokenVerifier.fingerprint(ofDigest: tokens.digest(payload))
    let token = try tokens.verify(
      payload, as: .notification, at: moment.unixSeconds, budget: moment.fetchBudget)
    let notification: AppleNotification
    do throws(TokenRejection) {
      notification = try AppleNotification(token)
    } catch {
      throw .token(error.code)
    }
    exchange.outcome = .ignored
    guard let event = AccountEvent(notification, token, receivedMilliseconds: moment.unixMilliseconds) else {
      return Array(#"{"data":{}}"#.utf8)
    }
    do throws(StoreError) {
      let recording = try store.record(event, deadlineMilliseconds: moment.deadlineMilliseconds)
      exchange.outcome = recording == .recorded ? .recorded : .seenBefore
    } catch {
      throw .store(error)
    }
    return Array(#"{"data":{}}"#.utf8)
  }

  private mutating func user(
    _ subject: [UInt8], _ moment: Moment, _ exchange: inout Exchange
  ) throws(Refusal) -> [UInt8] {
    let user: User?
    do throws(StoreError) {
      user = try store.user(subject: subject, deadlineMilliseconds: moment.deadlineMilliseconds)
    } catch {
      throw .store(error)
    }
    guard let user else { throw .userNotFound }
    exchange.outcome = .found
    return UserDocument.bytes(user)
  }

  /// The subject whom the authorizer has verified; a subject is unique within its issuer alone.
  private func caller(of request: ProxyRequest) throws(Refusal) -> [UInt8] {
    guard let caller = request.caller else { throw .noCaller }
    guard let issuer = caller.issuer, issuer.elementsEqual(settings.authorizerIssuer.utf8) else {
      throw .foreignIssuer
    }
    return caller.subject
  }
}

// MARK: Nonces

extension IdentityService {
  /// Checks a nonce that this function has issued; `nil` where the clients make them.
  ///
  /// - Returns: when its time is over, in Unix milliseconds.
  private func end(ofIssued nonce: [UInt8]?, _ moment: Moment) throws(Refusal) -> Int64? {
    guard let nonces else { return nil }
    guard let nonce else { throw .nonce(.missing) }
    do throws(NonceRejection) {
      return try nonces.check(nonce, unixMilliseconds: moment.unixMilliseconds)
    } catch {
      throw .nonce(error)
    }
  }

  /// Compares request and token, both of which have the nonce or neither.
  ///
  /// - Parameter issuedEnd: when the time of a nonce of ours is over, in Unix milliseconds.
  /// - Returns: the use to be stored; `nil` where there is no nonce.
  private func use(
    of nonce: [UInt8]?, endingAt issuedEnd: Int64?, by token: VerifiedToken, _ moment: Moment
  ) throws(Refusal) -> NonceUse? {
    let spelling: NonceSpelling
    do throws(NonceFlaw) {
      guard let nonce else {
        try token.checkNonce(.absent)
        return nil
      }
      spelling = try NonceSpelling(of: nonce, in: token)
    } catch {
      throw .nonce(.claim(error))
    }
    guard let nonce else { return nil }
    let end: Int64
    if let issuedEnd { end = issuedEnd } else { end = try endOfClientNonce(nonce, token, moment) }
    let digest = spelling.digest(of: nonce) { tokens.digest($0) }
    guard !digest.isEmpty else { throw .cryptographyUnavailable }
    return NonceUse(digest: digest, expiresAt: (end + 999) / 1000 + Self.nonceMemorySeconds)
  }

  /// Nobody knows when a client has made its nonce, so the token itself must be fresh.
  private func endOfClientNonce(
    _ nonce: [UInt8], _ token: VerifiedToken, _ moment: Moment
  ) throws(Refusal) -> Int64 {
    guard nonce.count >= Self.clientNonceMinimumBytes else { throw .malformedBody(.malformedMember) }
    let range = Self.clientNonceSeconds + Self.clientNonceLeewaySeconds
    guard let issued = token.claims["iat"]?.number?.bounds?.ceiling else { throw .token(.missingClaim) }
    guard issued <= moment.unixSeconds + Self.clientNonceLeewaySeconds, moment.unixSeconds <= issued + range
    else { throw .nonce(.tokenTooOld) }
    return (issued + range + 1) * 1000
  }
}

/// A UUID of version 4 (RFC 9562 section 5.4).
enum UUIDText {
  /// The text of these 16 random bytes in lower case; `nil` for any other number of bytes.
  static func bytes(random: [UInt8]) -> [UInt8]? {
    guard random.count == 16 else { return nil }
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for (index, byte) in random.enumerated() {
      let byte = index == 6 ? byte & 0x0F | 0x40 : index == 8 ? byte & 0x3F | 0x80 : byte
      if [4, 6, 8, 10].contains(index) { text.append(0x2D) }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 0x0F)])
    }
    return text
  }
}
