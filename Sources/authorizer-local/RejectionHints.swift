internal import Authorizer
internal import JOSE
internal import JSON

/// Why an issuer is not the configured one although it looks like it.
enum IssuerHint {
  static func text(_ found: String, configured: [IssuerProfile]) -> String {
    let issuers = configured.flatMap(\.issuers)
    for issuer in issuers {
      if found == issuer + "/" { return "\(issuer) is configured: the token's has a slash at the end more" }
      if found + "/" == issuer { return "\(issuer) is configured: the token's has no slash at the end" }
      if found.lowercased() == issuer.lowercased() {
        return "\(issuer) is configured: it differs in upper and lower case alone"
      }
      if "https://" + found == issuer || found == issuer.replacing("https://", with: "http://") {
        return "\(issuer) is configured: it differs by the scheme alone"
      }
    }
    if found == "https://account.apple.com" {
      return
        "Apple's tokens name https://appleid.apple.com; the other stood in its discovery document in June 2025"
    }
    if found.hasPrefix("https://sts.windows.net/") {
      return
        "a version 1.0 token of Entra: take the preset entra-v1, or let the application ask for version 2.0"
    }
    if found.hasPrefix("https://session.firebase.google.com/") {
      return "a session cookie of Firebase: send the ID token"
    }
    return "configured are \(issuers.joined(separator: ", "))"
  }
}

/// Refusals that have to do with time.
enum TimeWords {
  static func words(_ rejection: TokenRejection, _ token: ExplainedToken) -> (String, String?) {
    let leeway = token.profile?.leewaySeconds ?? 0
    switch rejection {
    case .expired(let moment, let now):
      let beyond = now - moment - leeway
      return (
        "it expired \(Moment.duration(now - moment)) ago, \(Moment.text(moment) ?? "")",
        now - moment < IssuerProfile.maximumLeewaySeconds
          ? "\(beyond) s beyond the leeway of \(leeway) s: if the clocks differ, leewaySeconds may be up to "
            + "\(IssuerProfile.maximumLeewaySeconds)"
          : "get a new token from the issuer; --now looks at it as at another time"
      )
    case .notYetValid(let moment, let now):
      return (
        "it begins in \(Moment.duration(moment - now)), \(Moment.text(moment) ?? "")",
        ahead(moment, now, leeway)
      )
    case .issuedInFuture(let moment, let now):
      return (
        "it was issued \(Moment.duration(moment - now)) ahead of now, \(Moment.text(moment) ?? "")",
        ahead(moment, now, leeway)
      )
    case .lifetimeTooLong(let seconds, let limit):
      return (
        "it is good for \(Moment.duration(seconds)), at most \(Moment.duration(limit)) are allowed",
        "maximumLifetimeSeconds of the issuer sets the limit"
      )
    case .tooOld(let seconds, let limit):
      return (
        "it was issued \(Moment.duration(seconds)) ago, at most \(Moment.duration(limit)) are allowed",
        "maximumAgeSeconds of the issuer sets the limit; get a new token"
      )
    default: return (rejection.code.rawValue, nil)
    }
  }

  private static func ahead(_ moment: Int64, _ now: Int64, _ leeway: Int64) -> String {
    "the issuer's clock is \(moment - now) s ahead of this one, or the token is meant for later; the leeway is \(leeway) s"
      + " and may be up to \(IssuerProfile.maximumLeewaySeconds)"
  }
}

/// Refusals that have to do with keys.
enum KeyWords {
  static func unknownKey(_ token: ExplainedToken) -> (String, String?) {
    guard case .keys(let keys)? = token.issuer?.keys.deployed else {
      return ("no key of the issuer fits", nil)
    }
    let known = keys.keys.map { KeySetFile.name($0.keyID) }.joined(separator: ", ")
    guard let keyID = token.header?["kid"]?.text else {
      return (
        "the token names no key, and more or less than one fits",
        "let the issuer write kid; known are \(known)"
      )
    }
    let sentence = "no usable key of the issuer is \(keyID) and fits \(token.algorithmName ?? "")"
    if let key = keys.unusable.first(where: { $0.keyID?.elementsEqual(keyID.utf8) == true }) {
      return (sentence, "the key set has it, but it cannot be used: " + KeySetFile.words(key.flaw))
    }
    if let key = keys.keys.first(where: { $0.keyID?.elementsEqual(keyID.utf8) == true }) {
      let algorithms = key.algorithms.map(\.rawValue).joined(separator: ", ")
      return (sentence, "the key \(keyID) is for \(algorithms)")
    }
    if keyID.hasPrefix("development-") {
      return (
        sentence, "a development token of another machine, or of keys that were made anew; known are \(known)"
      )
    }
    return (sentence, "known are \(known); if the issuer has new keys, fetch its key set again")
  }

  static func signatureHint(_ token: ExplainedToken) -> String {
    let segments = token.text.split(separator: 0x2E, omittingEmptySubsequences: false).map { Array($0) }
    let signature = segments.count == 3 ? Base64URL.decode(segments[2]) ?? [] : []
    let isElliptic = token.algorithmName?.hasPrefix("ES") == true
    if isElliptic, signature.first == 0x30, signature.count > 2, Int(signature[1]) == signature.count - 2 {
      return "the signature is a DER structure: JWS has r and s side by side (RFC 7518 section 3.4)"
    }
    return
      "the text was changed after it was signed, or signed with another key under the same kid; a stale key set "
      + "looks the same"
  }
}
