import Bytes
package import JSON

/// The verdict on a token and the result of every check, in the verifier's order.
///
/// The verdict comes from `TokenVerifier`. The checks are the same, in the same order; they continue after the first
/// failure, so later failures are reported too. For diagnosis only: the authorizer does not use it to decide.
package struct TokenExplanation: Sendable {
  /// The verifier's verdict.
  package let verdict: Verdict
  /// The checks in order. If the verdict is a rejection, the first failed check has the same reason.
  package let steps: [Step]
  /// The header, if it is a JSON object. Unverified.
  package let header: JSONValue?
  /// The claims, if the payload is a JSON object. Unverified.
  package let claims: JSONValue?
  /// The issuer whose profile the token was compared with.
  package let issuer: IssuerID?

  /// The verdict on a token.
  package enum Verdict: Sendable {
    /// The token is valid.
    case accepted(VerifiedToken)
    case rejected(TokenRejection)
    /// All checks that need no key passed, but no key is available for the signature.
    case materialMissing
  }

  /// One check and its result.
  package struct Step: Equatable, Sendable {
    package let check: TokenCheck
    package let result: Result
  }

  /// The result of a check.
  package enum Result: Equatable, Sendable {
    case passed
    case failed(TokenRejection)
    /// The check needs a value that is missing or invalid according to an earlier check.
    case notReached
  }

  /// Whether the verifier accepts the token.
  package var isAccepted: Bool {
    if case .accepted = verdict { true } else { false }
  }

  /// The reason if the verifier rejects the token.
  package var rejection: TokenRejection? {
    if case .rejected(let rejection) = verdict { rejection } else { nil }
  }

  /// Explains a token.
  ///
  /// A token of an unknown issuer is compared with the probable profile: the only one, or the one whose issuer
  /// differs only by slashes at the end.
  ///
  /// - Parameters:
  ///   - text: the bytes of the token, without scheme or white space.
  ///   - profiles: the configured issuers.
  ///   - now: Unix seconds.
  ///   - material: returns the key set or secret of an issuer; `nil` if it is not available.
  package init(
    of text: [UInt8], profiles: [IssuerProfile], at now: Int64, material: (IssuerID) -> VerificationMaterial?
  ) {
    var list = CheckList()
    let form = TokenForm(text, &list)
    let payload = form.claims(&list)
    let claims = payload.map { $0.claims }
    let named = TokenChecks.issuer(of: claims, among: profiles, &list)
    self.header = try? form.header.get()
    self.claims = try? claims.get()
    issuer = (try? named.get()) ?? self.claims.flatMap { Self.probableProfile($0, profiles) }
    let found = issuer.flatMap { material($0) }
    if let issuer, let claims = self.claims {
      let checks = TokenChecks(
        profile: profiles[issuer.position], claims: ClaimReader(claims: claims), now: now)
      var checker = SignatureChecker()
      _ = checks.withoutKey(form.members, &list)
      let signatureKey = Self.signatureKey(for: form.members, from: found, &list)
      let jws = Checked { () throws(TokenRejection) in try form.jws(payload: try payload.get().bytes) }
      _ = checks.withKey(signatureKey, of: jws, &checker, &list)
    } else {
      for check in Self.checksOfEveryProfile { list.skip(check) }
    }
    steps = list.steps
    verdict = Self.verdict(on: text, profiles, at: now, found)
  }

  /// The verdict, from the same checks as in the authorizer.
  private static func verdict(
    on text: [UInt8], _ profiles: [IssuerProfile], at now: Int64, _ material: VerificationMaterial?
  ) -> Verdict {
    var verifier = TokenVerifier(profiles: profiles)
    do throws(TokenRejection) {
      let token = try UnverifiedToken(parsing: text)
      let candidate = try verifier.candidate(token, at: now)
      switch material {
      case .keys(let keys):
        guard let key = keys.key(for: token.header) else { throw .unknownKey }
        return .accepted(try verifier.verify(candidate, with: key, at: now))
      case .secret(let secret):
        return .accepted(try verifier.verify(candidate, with: secret, at: now))
      case nil:
        return .materialMissing
      }
    } catch {
      return .rejected(error)
    }
  }

  /// The checks after that of the issuer, for a token without one.
  static let checksOfEveryProfile: [TokenCheck] = [
    .algorithm, .type, .expiry, .notBefore, .issuedAt, .key, .signature, .audience, .subject, .binding,
  ]

  private static func probableProfile(_ claims: JSONValue, _ profiles: [IssuerProfile]) -> IssuerID? {
    if profiles.count == 1 { return IssuerID(position: 0) }
    guard let issuer = claims["iss"]?.utf8 else { return nil }
    let position = profiles.firstIndex { profile in
      profile.issuers.contains { withoutSlashes($0.utf8).elementsEqual(withoutSlashes(issuer)) }
    }
    return position.map { IssuerID(position: $0) }
  }

  private static func withoutSlashes(_ text: some BidirectionalCollection<UInt8>) -> [UInt8] {
    var text = Array(text)
    while text.last == .slash { text.removeLast() }
    return text
  }

  /// Selects the key, as the authorizer does between both groups of `TokenChecks`. A secret needs no selection.
  private static func signatureKey(
    for members: HeaderMembers, from material: VerificationMaterial?, _ list: inout CheckList
  ) -> Checked<SignatureKey> {
    switch material {
    case .keys(let keys):
      let header = Checked { () throws(TokenRejection) in try members.header() }
      return list.run(.key, on: header) { header throws(TokenRejection) in
        guard let key = keys.key(for: header) else { throw .unknownKey }
        return .key(key)
      }
    case .secret(let secret): return .success(.secret(secret))
    case nil:
      list.skip(.key)
      return .failure(.unknownKey)
    }
  }
}

/// Records the result of every check and goes on after a failure.
struct CheckList: CheckRecorder {
  typealias End = Never

  private(set) var steps: [TokenExplanation.Step] = []

  mutating func run<Value>(
    _ check: @autoclosure () -> TokenCheck, _ body: @autoclosure () throws(TokenRejection) -> Value
  ) -> Checked<Value> {
    let found = Checked(catching: body)
    let result: TokenExplanation.Result =
      switch found {
      case .success: .passed
      case .failure(let rejection): .failed(rejection)
      }
    steps.append(TokenExplanation.Step(check: check(), result: result))
    return found
  }

  mutating func skip(_ check: @autoclosure () -> TokenCheck) {
    steps.append(TokenExplanation.Step(check: check(), result: .notReached))
  }
}
