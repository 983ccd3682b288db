import FunctionHost
package import IssuerKeys
import JOSE
import JSON
package import UserStore

/// Turns a proxy event's bytes into a response. Used by one thread; has no socket, clock or randomness of its own.
package struct IdentityService<Store: UserStore, Transport: KeyTransport> {
  let settings: IdentitySettings
  private let nonces: NonceMint?
  var tokens: SenderTokens<Transport>
  var store: Store

  /// The maximum age in seconds of a token whose nonce the client created.
  static var clientNonceSeconds: Int64 { 60 }
  /// Clock skew in seconds allowed for such a token. Our own limit.
  static var clientNonceLeewaySeconds: Int64 { 5 }
  /// The minimum length in bytes of a nonce that the client created: shorter nonces of two clients could collide.
  static var clientNonceMinimumBytes: Int { 16 }
  /// Seconds that a used nonce is remembered after it expires, for machines whose clocks differ. Our own limit.
  static var nonceMemorySeconds: Int64 { 300 }

  /// Creates a service with these settings. Fetches keys if there is no seed.
  ///
  /// - Parameter now: Unix seconds.
  package init(_ settings: IdentitySettings, store: Store, transport: Transport, at now: Int64) {
    self.settings = settings
    self.store = store
    nonces = settings.nonces.map { NonceMint($0) }
    tokens = SenderTokens(settings, transport: transport, at: now)
  }

  /// A copy for another worker that shares the keys and has its own store; `nil` if there is no memory for a lock.
  /// Call before the worker's thread starts.
  func forAnotherWorker(store: Store) -> IdentityService? {
    guard let tokens = tokens.forAnotherWorker(settings) else { return nil }
    var other = self
    other.tokens = tokens
    other.store = store
    return other
  }

  /// Answers one event.
  ///
  /// - Throws: `ProxyEventFlaw` if it is not a proxy event.
  package mutating func answer(
    to event: [UInt8], _ inputs: InvocationInputs
  ) throws(ProxyEventFlaw) -> RequestRecord {
    let request = try ProxyRequest(parsing: event)
    let route = Route(path: request.path, stage: request.stage, basePath: settings.basePath)
    var record = RequestRecord(
      format: request.format, route: route?.name, apiRequestID: request.apiRequestID)
    let fetchesBefore = tokens.keyFetches
    let response: ProxyResponse
    do throws(Refusal) {
      response = try answer(to: request, route, inputs, &record)
    } catch {
      response = ProxyResponse(error, to: route)
      record.refused(for: error)
    }
    record.status = response.status
    record.keyFetches = tokens.keyFetches - fetchesBefore
    record.response = response.bytes(isHead: request.method.elementsEqual("HEAD".utf8))
    return record
  }

  /// Refreshes keys that are due; called between a response and the next event.
  mutating func refreshKeys(at time: InvocationTime) {
    tokens.refreshKeys(at: time)
  }

  /// The notices about keys since the last call.
  func takeNotices() -> [Notice] { tokens.takeNotices() }

  private mutating func answer(
    to request: ProxyRequest, _ route: Route?, _ inputs: InvocationInputs, _ record: inout RequestRecord
  ) throws(Refusal) -> ProxyResponse {
    guard let route, settings.apple != nil || !route.isOfApple else { throw .unknownPath }
    guard route.allows(request.method) else { throw .methodNotAllowed(allowed: route.allowedMethods) }
    switch route {
    case .nonce: return ProxyResponse(body: try nonce(inputs, &record))
    case .verify, .apple: return ProxyResponse(body: try signIn(request, inputs, &record))
    case .notification: return ProxyResponse(body: try notification(request, inputs, &record))
    case .ownUser: return ProxyResponse(body: try user(try caller(of: request), inputs, &record))
    case .user(let segment):
      let caller = try caller(of: request)
      guard let subject = PercentEncoding.decode(segment) else { throw .malformedPath }
      guard subject == caller else { throw .anotherUser }
      return ProxyResponse(body: try user(caller, inputs, &record))
    case .logout: return try logOut(request, inputs, &record)
    case .signal(let kind, let name): return try receive(kind, name, request, inputs, &record)
    }
  }
}

// MARK: Routes

extension IdentityService {
  private func nonce(_ inputs: InvocationInputs, _ record: inout RequestRecord) throws(Refusal) -> [UInt8] {
    guard let nonces else { throw .unknownPath }
    guard inputs.randomBytes.count == NonceMint.randomBytes,
      let nonce = nonces.nonce(random: inputs.randomBytes, unixMilliseconds: inputs.unixMilliseconds)
    else { throw .cryptographyUnavailable }
    record.outcome = .issued
    return UserDocument.bytes(nonce: nonce, lifetimeSeconds: nonces.lifetimeSeconds)
  }

  private mutating func signIn(
    _ request: ProxyRequest, _ inputs: InvocationInputs, _ record: inout RequestRecord
  ) throws(Refusal) -> [UInt8] {
    let form = try SignInRequest(try RequestBody.object(of: request))
    record.tokenHash = TokenVerifier.fingerprint(ofDigest: tokens.digest(form.token))
    // Before the signature check, which costs far more.
    let nonceEnd = try end(ofIssued: form.nonce, inputs)
    let token = try tokens.verify(
      form.token, as: .identity, at: inputs.time)
    let nonce = try use(of: form.nonce, endingAt: nonceEnd, by: token, inputs)
    guard let subject = token.subject else { throw .token(.missingClaim) }
    guard let identifier = UUIDText.bytes(random: inputs.randomBytes) else { throw .cryptographyUnavailable }
    let signIn = SignIn(
      subject: subject, profile: UserProfile(token, form.user),
      isEmailClaimed: UserProfile.claimedEmail(of: token) != nil, newIdentifier: identifier, nonce: nonce,
      milliseconds: inputs.unixMilliseconds,
      // Rounded down as in the authorizer: in doubt the token is older than a revocation.
      issuedMilliseconds: token.claims["iat"]?.number?.bounds.map { $0.floor * 1000 })
    let outcome: SignInOutcome
    do throws(StoreError) {
      outcome = try store.keep(signIn, deadlineMilliseconds: inputs.deadlineMilliseconds)
    } catch {
      throw .store(error)
    }
    switch outcome {
    case .created(let user):
      record.outcome = .created
      return UserDocument.bytes(user, isNew: true)
    case .found(let user):
      record.outcome = .found
      return UserDocument.bytes(user, isNew: false)
    case .nonceUsedBefore: throw .nonce(.usedBefore)
    case .revoked: throw .revoked
    }
  }

  private mutating func notification(
    _ request: ProxyRequest, _ inputs: InvocationInputs, _ record: inout RequestRecord
  ) throws(Refusal) -> [UInt8] {
    // Unknown members are ignored: refusing what Apple may add would lose the notification.
    let payload = try RequestBody.object(of: request).requiredText("payload", limit: RequestBody.maximumBytes)
    record.tokenHash = TokenVerifier.fingerprint(ofDigest: tokens.digest(payload))
    let token = try tokens.verify(
      payload, as: .notification, at: inputs.time)
    let notification: AppleNotification
    do throws(TokenRejection) {
      notification = try AppleNotification(token)
    } catch {
      throw .token(error.code)
    }
    record.outcome = .ignored
    guard let event = AccountEvent(notification, token, receivedMilliseconds: inputs.unixMilliseconds)
    else {
      return Array(#"{"data":{}}"#.utf8)
    }
    do throws(StoreError) {
      let recording = try store.record(event, deadlineMilliseconds: inputs.deadlineMilliseconds)
      record.outcome = recording == .recorded ? .recorded : .seenBefore
    } catch {
      throw .store(error)
    }
    return Array(#"{"data":{}}"#.utf8)
  }

  private mutating func user(
    _ subject: [UInt8], _ inputs: InvocationInputs, _ record: inout RequestRecord
  ) throws(Refusal) -> [UInt8] {
    let user: User?
    do throws(StoreError) {
      user = try store.user(subject: subject, deadlineMilliseconds: inputs.deadlineMilliseconds)
    } catch {
      throw .store(error)
    }
    guard let user else { throw .userNotFound }
    record.outcome = .found
    return UserDocument.bytes(user)
  }

  /// The subject that the authorizer verified. The issuer is checked because a subject is unique only within its
  /// issuer.
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
  /// Checks a nonce that this function issued; returns `nil` if clients create the nonces.
  ///
  /// - Returns: when it expires, in Unix milliseconds.
  private func end(ofIssued nonce: [UInt8]?, _ inputs: InvocationInputs) throws(Refusal) -> Int64? {
    guard let nonces else { return nil }
    guard let nonce else { throw .nonce(.missing) }
    do throws(NonceRejection) {
      return try nonces.check(nonce, unixMilliseconds: inputs.unixMilliseconds)
    } catch {
      throw .nonce(error)
    }
  }

  /// Compares the nonces of request and token: either both have the nonce or neither.
  ///
  /// - Parameter issuedEnd: when a nonce that this function issued expires, in Unix milliseconds.
  /// - Returns: the use to store; `nil` if there is no nonce.
  private func use(
    of nonce: [UInt8]?, endingAt issuedEnd: Int64?, by token: VerifiedToken, _ inputs: InvocationInputs
  ) throws(Refusal) -> NonceUse? {
    let form: NonceForm
    do throws(NonceFlaw) {
      guard let nonce else {
        try token.checkNonce(.absent)
        return nil
      }
      form = try NonceForm(of: nonce, in: token)
    } catch {
      throw .nonce(.claim(error))
    }
    guard let nonce else { return nil }
    let end: Int64
    if let issuedEnd { end = issuedEnd } else { end = try endOfClientNonce(nonce, token, inputs) }
    let digest = form.digest(of: nonce) { tokens.digest($0) }
    guard !digest.isEmpty else { throw .cryptographyUnavailable }
    return NonceUse(digest: digest, expiresAt: (end + 999) / 1000 + Self.nonceMemorySeconds)
  }

  /// The time at which a client created its nonce is unknown, so the token itself must be fresh.
  private func endOfClientNonce(
    _ nonce: [UInt8], _ token: VerifiedToken, _ inputs: InvocationInputs
  ) throws(Refusal) -> Int64 {
    guard nonce.count >= Self.clientNonceMinimumBytes else { throw .malformedBody(.malformedMember) }
    let range = Self.clientNonceSeconds + Self.clientNonceLeewaySeconds
    guard let issued = token.claims["iat"]?.number?.bounds?.ceiling else { throw .token(.missingClaim) }
    guard issued <= inputs.time.unixSeconds + Self.clientNonceLeewaySeconds,
      inputs.time.unixSeconds <= issued + range
    else { throw .nonce(.tokenTooOld) }
    return (issued + range + 1) * 1000
  }
}
