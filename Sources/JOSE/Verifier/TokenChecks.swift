import Bytes
import JSON

/// The checks of a token whose form is valid, in their order. `TokenVerifier` ends at the first failure,
/// `TokenExplanation` goes on; the order stands only here and in `TokenForm`. A header that is known from a verified token
/// has passed those of `TokenForm` already.
struct TokenChecks {
  let profile: IssuerProfile
  let claims: ClaimReader
  /// Unix seconds.
  let now: Int64

  /// Finds the profile with the issuer of these claims. It selects the checks below.
  static func issuer<Recorder: CheckRecorder>(
    of claims: Checked<JSONValue>, among profiles: [IssuerProfile], _ recorder: inout Recorder
  ) throws(Recorder.End) -> Checked<IssuerID> {
    try recorder.run(.issuer, on: claims) { claims throws(TokenRejection) in
      let issuer = try ClaimReader(claims: claims).requiredSlice("iss")
      guard
        let index = profiles.firstIndex(where: { $0.issuerTexts.contains { $0.span.equals(issuer.span) } })
      else {
        throw .wrongIssuer(found: String(decoding: issuer, as: UTF8.self))
      }
      return IssuerID(position: index)
    }
  }

  /// Makes the checks that need no key: algorithm, type and times.
  ///
  /// - Returns: `exp` in Unix seconds.
  func withoutKey<Recorder: CheckRecorder>(
    _ header: HeaderMembers, _ recorder: inout Recorder
  ) throws(Recorder.End) -> Checked<Int64> {
    try recorder.run(.algorithm, on: header.algorithm) { algorithm throws(TokenRejection) in
      try profile.checkAlgorithm(algorithm)
    }
    if profile.requiresKeyID {
      try recorder.run(.requiredKeyID, on: header.keyID) { keyID throws(TokenRejection) in
        try profile.checkKeyID(keyID)
      }
    }
    try recorder.run(.type, on: header.type) { type throws(TokenRejection) in
      try profile.types.check(type)
    }
    return try times(&recorder)
  }

  /// Checks all time claims (RFC 7519 sections 4.1.4 to 4.1.6).
  ///
  /// Lifetime and age need only readable dates: they are checked for an expired token too.
  ///
  /// - Returns: `exp` in Unix seconds.
  func times<Recorder: CheckRecorder>(_ recorder: inout Recorder) throws(Recorder.End) -> Checked<Int64> {
    let expiry = Checked { () throws(TokenRejection) in try profile.expiry(of: claims) }
    try recorder.run(.expiry, try profile.checkExpiry(try expiry.get(), now: now))
    try recorder.run(.notBefore, try profile.checkNotBefore(try claims.date("nbf", rounding: .up), now: now))
    let issued = Checked { () throws(TokenRejection) in try claims.date("iat", rounding: .up) }
    try recorder.run(.issuedAt, try profile.checkIssuedAt(try issued.get(), now: now))
    if let limit = profile.maximumLifetimeSeconds {
      let dates = expiry.flatMap { expiry in issued.map { (expiry: expiry, issued: $0) } }
      try recorder.run(.lifetime, on: dates) { dates throws(TokenRejection) in
        try profile.checkLifetime(expiry: dates.expiry, issued: dates.issued, limit: limit)
      }
    }
    if let limit = profile.maximumAgeSeconds {
      try recorder.run(.age, on: issued) { issued throws(TokenRejection) in
        try profile.checkAge(issued: issued, now: now, limit: limit)
      }
    }
    return expiry
  }

  /// Checks the signature, then the claims that only a valid signature makes trustworthy.
  ///
  /// - Returns: the subject, if the issuer's tokens have one, the principal, and the bindings, if they are read.
  func withKey<Recorder: CheckRecorder>(
    _ signatureKey: Checked<SignatureKey>, of jws: Checked<CompactJWS>, _ checker: inout SignatureChecker,
    _ recorder: inout Recorder
  ) throws(Recorder.End) -> (
    subject: Checked<[UInt8]>?, principal: Checked<[UInt8]>, confirmation: Checked<Confirmation>?
  ) {
    // Not `run(_:on:)`, which takes one value: a pair would be a copy of the key and the signature.
    if case .success(let signatureKey) = signatureKey, case .success(let jws) = jws {
      try recorder.run(.signature, try Self.checkSignature(of: jws, with: signatureKey, &checker))
    } else {
      recorder.skip(.signature)
    }
    try recorder.run(.audience, try profile.checkAudience(claims))
    for rule in profile.claimRules {
      try recorder.run(.rule(rule), try profile.check(rule, claims, now: now))
    }
    var subject: Checked<[UInt8]>?
    if profile.hasSubject { subject = try recorder.run(.subject, try claims.identifier(.subject)) }
    let principal: Checked<[UInt8]>
    if let subject, profile.principal == .subject {
      principal = subject
    } else {
      principal = try recorder.run(
        .principal(profile.principal), try claims.identifier(profile.principal))
    }
    // This check is last, because a proof of possession could resolve it. All other reasons take precedence.
    var confirmation: Checked<Confirmation>?
    if profile.proofOfPossession != .ignore {
      confirmation = try recorder.run(.binding, try profile.checkBinding(claims))
    }
    return (subject, principal, confirmation)
  }

  private static func checkSignature(
    of jws: CompactJWS, with signatureKey: SignatureKey, _ checker: inout SignatureChecker
  ) throws(TokenRejection) {
    guard checker.verifies(jws, with: signatureKey) else { throw .signatureMismatch }
  }
}
