internal import Text
internal import LambdaEmulator
internal import Bytes
internal import Authorizer
internal import IssuerKeys
internal import JOSE
internal import JSON

/// Explains how the token's issuer differs from a similar configured one.
enum IssuerHint {
  static func text(_ found: String, configured: [IssuerProfile]) -> String {
    let issuers = configured.flatMap(\.issuers)
    for issuer in issuers {
      if found == issuer + "/" {
        return "\(issuer) is configured; the token's issuer has an additional trailing slash"
      }
      if found + "/" == issuer { return "\(issuer) is configured; the token's issuer has no trailing slash" }
      if found.lowercased() == issuer.lowercased() {
        return "\(issuer) is configured; it differs only in case"
      }
      if "https://" + found == issuer || found == issuer.replacingBytes(of: "https://", with: "http://") {
        return "\(issuer) is configured; it differs only in the scheme"
      }
    }
    if found == "https://account.apple.com" {
      return
        "Apple's tokens have https://appleid.apple.com; Apple's discovery document named https://account.apple.com in"
        + " June 2025"
    }
    if found.hasBytePrefix("https://sts.windows.net/") {
      return
        "a version 1.0 token of Entra: use the preset entra-v1, or let the application request version 2.0"
    }
    if found.hasBytePrefix("https://session.firebase.google.com/") {
      return "a session cookie of Firebase: send the ID token"
    }
    return "configured issuers: \(issuers.joined(separator: ", "))"
  }
}

/// Texts for rejections that depend on time.
enum TimeWords {
  static func words(_ rejection: TokenRejection, _ token: ExplainedToken) -> (String, String?) {
    let leeway = token.profile?.leewaySeconds ?? 0
    switch rejection {
    case .expired(let moment, let now):
      let beyond = now - moment - leeway
      return (
        "the token expired \(Moment.duration(now - moment)) ago, \(Moment.text(moment) ?? "")",
        now - moment < IssuerProfile.maximumLeewaySeconds
          ? "\(beyond) s more than the leeway of \(leeway) s: if the clocks differ, leewaySeconds can be up to "
            + "\(IssuerProfile.maximumLeewaySeconds)"
          : "get a new token from the issuer; --clock checks it at another time"
      )
    case .notYetValid(let moment, let now):
      return (
        "the token becomes valid in \(Moment.duration(moment - now)), \(Moment.text(moment) ?? "")",
        ahead(moment, now, leeway)
      )
    case .issuedInFuture(let moment, let now):
      return (
        "the token's iat is \(Moment.duration(moment - now)) in the future, \(Moment.text(moment) ?? "")",
        ahead(moment, now, leeway)
      )
    case .lifetimeTooLong(let seconds, let limit):
      return (
        "the token's lifetime is \(Moment.duration(seconds)), the maximum is \(Moment.duration(limit))",
        "maximumLifetimeSeconds of the issuer sets the limit"
      )
    case .tooOld(let seconds, let limit):
      return (
        "the token was issued \(Moment.duration(seconds)) ago, the maximum is \(Moment.duration(limit))",
        "maximumAgeSeconds of the issuer sets the limit; get a new token"
      )
    default: return (rejection.code.rawValue, nil)
    }
  }

  private static func ahead(_ moment: Int64, _ now: Int64, _ leeway: Int64) -> String {
    "the issuer's clock is \(moment - now) s ahead of this one, or the token is for later use; the leeway is \(leeway) s"
      + " and can be up to \(IssuerProfile.maximumLeewaySeconds)"
  }
}

/// Texts for rejections that depend on keys.
enum KeyWords {
  static func unknownKey(_ token: ExplainedToken) -> (String, String?) {
    guard case .keys(let keys)? = token.issuer?.keys.deployed else {
      return ("no key of the issuer matches", nil)
    }
    let known = keys.keys.map { KeySetFile.name($0.keyID) }.joined(separator: ", ")
    guard let keyID = token.header?["kid"]?.text else {
      return (
        "the token has no kid, and no key or several keys match",
        "let the issuer add kid; known keys: \(known)"
      )
    }
    let sentence = "the issuer has no usable key \(keyID) for \(token.algorithmName ?? "")"
    if let key = keys.unusable.first(where: { $0.keyID?.elementsEqual(keyID.utf8) == true }) {
      return (sentence, "the key set contains it, but it is not usable: " + KeySetFile.words(key.flaw))
    }
    if let key = keys.keys.first(where: { $0.keyID?.elementsEqual(keyID.utf8) == true }) {
      let algorithms = key.algorithms.map(\.rawValue).joined(separator: ", ")
      return (sentence, "the key \(keyID) is for \(algorithms)")
    }
    if keyID.hasBytePrefix("development-") {
      return (
        sentence, "a development token from another machine or from replaced keys; known keys: \(known)"
      )
    }
    return (sentence, "known keys: \(known); if the issuer rotated its keys, fetch its key set again")
  }

  static func signatureHint(_ token: ExplainedToken) -> String {
    let segments = token.text.split(separator: .dot, omittingEmptySubsequences: false).map { Array($0) }
    let signature = segments.count == 3 ? Base64URL.decode(segments[2]) ?? [] : []
    let isElliptic = token.algorithmName?.hasBytePrefix("ES") == true
    if isElliptic, signature.first == 0x30, signature.count > 2, Int(signature[1]) == signature.count - 2 {
      return "the signature is in DER; a JWS has r and s concatenated (RFC 7518 section 3.4)"
    }
    return
      "the content was changed after signing, or another key with the same kid signed it; an outdated key set has "
      + "the same effect"
  }
}
