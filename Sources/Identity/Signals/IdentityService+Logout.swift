import JOSE
import JSON
import UserStore
import Withdrawals

extension IdentityService {
  /// Ends the caller's tokens, or with `{"session": true}` those of the caller's session. The authorizer's context says
  /// which keys it looks up.
  mutating func logOut(
    _ request: ProxyRequest, _ inputs: InvocationInputs, _ record: inout RequestRecord
  ) throws(Refusal) -> ProxyResponse {
    let issuer = request.contextText("revocationIssuer")
    guard issuer != nil || request.caller != nil else { throw .noCaller }
    let isSession = try Self.endsSession(request)
    let kinds: [WithdrawalKey.Kind] = isSession ? [.session, .lineage, .token] : [.subject]
    guard let issuer, let key = kinds.lazy.compactMap({ request.key($0, of: issuer) }).first else {
      throw .notWithdrawable
    }
    // The clock of the issuer may be ahead, by no more than any authorizer accepts.
    let now = inputs.unixMilliseconds
    let latest = now / 1000 + IssuerProfile.maximumLeewaySeconds
    let issued = isSession ? nil : request.contextDate("revocationIat").map { max(0, min($0, latest)) * 1000 }
    let withdrawal = Withdrawal(key, eventMilliseconds: max(now, issued ?? now))
    try withdraw(
      WithdrawalOrder(identifier: nil, [withdrawal], receivedMilliseconds: now), inputs, &record)
    return ProxyResponse(status: 204)
  }

  /// Reads the body, which may be empty. Its type must be `application/json` in any case: a form of another site cannot
  /// have that.
  private static func endsSession(_ request: ProxyRequest) throws(Refusal) -> Bool {
    guard RequestBody.isType(request.contentTypes, "application/json") else { throw .unsupportedMediaType }
    guard try !request.bytes(limit: RequestBody.maximumBytes).isEmpty else { return false }
    let body = try RequestBody.object(of: request)
    for (name, _) in body.members where !name.equals("session") { throw .malformedBody(.unknownMember) }
    guard let session = body["session"] else { return false }
    guard let isSession = session.boolean else { throw .malformedBody(.malformedMember) }
    return isSession
  }
}

extension ProxyRequest {
  /// The caller's key of this kind; `nil` if the authorizer does not look it up, or the token has none.
  fileprivate func key(_ kind: WithdrawalKey.Kind, of issuer: [UInt8]) -> WithdrawalKey? {
    let name =
      switch kind {
      case .subject: "revocationSub"
      case .session: "revocationSid"
      case .token: "revocationJti"
      case .lineage: "revocationOriginJti"
      }
    return contextText(name).map { WithdrawalKey(issuer: issuer, kind: kind, value: $0) }
  }
}
