import IssuerKeys
import JOSE
import JSON
import UserStore
import Withdrawals

extension IdentityService {
  /// Verifies the token of a sender and stores what it withdraws. Nothing is looked up or written before.
  ///
  /// - Returns: an empty 200 or 202.
  mutating func receive(
    _ kind: SignalKind, _ name: [UInt8], _ request: ProxyRequest, _ inputs: InvocationInputs,
    _ record: inout RequestRecord
  ) throws(Refusal) -> ProxyResponse {
    guard
      let index = settings.receivers.firstIndex(where: {
        $0.name.utf8.elementsEqual(name) && (kind == .logout ? $0.logout : $0.events) != nil
      })
    else { throw .unknownPath }
    let receiver = settings.receivers[index]
    record.receiver = receiver.name
    // First, because it costs least.
    if let expected = receiver.authorization {
      guard request.authorizations.count == 1, expected.equals(request.authorizations[0]) else {
        throw .wrongAuthorization
      }
    }
    let text = try SignalRequest.token(of: request, kind)
    record.tokenHash = TokenVerifier.fingerprint(ofDigest: tokens.digest(text))
    let token = try tokens.verify(
      text, as: kind == .logout ? .logout(receiver: index) : .event(receiver: index), at: inputs.time)
    let signal: (order: (identifier: [UInt8], [Withdrawal])?, outcome: RequestRecord.Outcome)
    do throws(TokenRejection) {
      switch kind {
      case .logout:
        signal = (Self.order(try LogoutToken(token), receiver, inputs.unixMilliseconds), .recorded)
      case .event:
        signal = Self.order(try SecurityEventToken(token), receiver, inputs.unixMilliseconds)
      }
    } catch {
      throw .signal(error.code)
    }
    record.outcome = signal.outcome
    if let (jti, withdrawals) = signal.order {
      guard !withdrawals.isEmpty else { throw .subjectNotSupported }
      guard
        let identifier = WithdrawalOrder.identifier(
          receiver: receiver.name, kind: kind.rawValue, jti: jti)
      else { throw .cryptographyUnavailable }
      try withdraw(
        WithdrawalOrder(
          identifier: identifier, withdrawals, receivedMilliseconds: inputs.unixMilliseconds), inputs,
        &record)
    }
    return ProxyResponse(status: kind == .logout ? 200 : 202)
  }

  mutating func withdraw(
    _ order: WithdrawalOrder, _ inputs: InvocationInputs, _ record: inout RequestRecord
  ) throws(Refusal) {
    do throws(StoreError) {
      let recording = try store.withdraw(order, deadlineMilliseconds: inputs.deadlineMilliseconds)
      record.outcome = recording == .recorded ? .recorded : .seenBefore
    } catch {
      throw .store(error)
    }
  }

  private static func order(
    _ token: LogoutToken, _ receiver: Receiver, _ now: Int64
  ) -> (identifier: [UInt8], [Withdrawal]) {
    let withdrawals = receiver.loggedOutIssuers.compactMap { issuer -> Withdrawal? in
      guard let value = token.session ?? token.subject else { return nil }
      let key = WithdrawalKey(
        issuer: issuer, kind: token.session == nil ? .subject : .session, value: value)
      return Withdrawal(
        key, eventMilliseconds: receiver.time(of: token.issuedMilliseconds, of: issuer, receivedAt: now))
    }
    return (token.identifier, withdrawals)
  }

  /// An order without withdrawals is one whose subject cannot be ended here.
  private static func order(
    _ token: SecurityEventToken, _ receiver: Receiver, _ now: Int64
  ) -> (order: (identifier: [UInt8], [Withdrawal])?, outcome: RequestRecord.Outcome) {
    switch token.event {
    case .verification: return (nil, .verified)
    case .other: return (nil, .ignored)
    case .withdrawal(let subject, let milliseconds):
      guard let subject, let issuer = receiver.userIssuer(subject.issuer) else {
        return ((token.identifier, []), .recorded)
      }
      let key = WithdrawalKey(
        issuer: issuer, kind: subject.session == nil ? .subject : .session,
        value: subject.session ?? subject.user)
      let time = receiver.time(of: milliseconds, of: issuer, receivedAt: now)
      return ((token.identifier, [Withdrawal(key, eventMilliseconds: time)]), .recorded)
    }
  }
}
