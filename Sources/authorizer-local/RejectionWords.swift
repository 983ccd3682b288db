internal import Authorizer
internal import JOSE
internal import JSON

/// Why a token is refused, in a sentence, and what to do about it.
struct RejectionWords {
  let sentence: String
  let hint: String?

  init(_ token: ExplainedToken, _ rejection: TokenRejection) {
    let name = token.profile?.name ?? "the issuer"
    switch rejection {
    case .malformedToken(let flaw):
      (sentence, hint) = (Self.sentence(flaw, token), Self.hint(flaw, token))
    case .encryptedToken:
      sentence = "the token is encrypted (a JWE): nobody but its receiver can look at it"
      hint =
        "Auth0 gives these out where the login request names no audience: ask for the API's identifier as audience, and "
        + "get a signed access token"
    case .algorithmNotAllowed(let found):
      let expected = token.profile?.algorithms.map(\.rawValue).joined(separator: ", ") ?? ""
      sentence =
        "it is signed with \(found)"
        + (expected.isEmpty ? ", which is no algorithm" : ", \(name) signs with \(expected)")
      hint = Self.algorithmHint(found, token)
    case .wrongIssuer(let found):
      sentence = "no configured issuer is \(found)"
      hint = IssuerHint.text(found, configured: token.reading.settings.issuers.map(\.profile))
    case .wrongAudience(let found):
      sentence = "it is for \(found.joined(separator: " and ")), and not for \(name)'s audience"
      hint = Self.audienceHint(found, token)
    case .expired, .notYetValid, .issuedInFuture, .lifetimeTooLong, .tooOld:
      (sentence, hint) = TimeWords.words(rejection, token)
    case .missingClaim(let claim):
      (sentence, hint) = ("the claim \(claim) is missing", Self.missingHint(claim, token))
    case .malformedClaim(let claim):
      sentence = "the claim \(claim) has a value that it cannot have"
      hint = Self.malformedHint(claim, token)
    case .wrongType(let found):
      (sentence, hint) = Self.typeWords(found, token)
    case .boundToken(let bindings):
      (sentence, hint) = Self.bindingWords(bindings)
    case .unknownKey:
      (sentence, hint) = KeyWords.unknownKey(token)
    case .signatureMismatch:
      sentence = "the signature was not made with the key that the token names, over this text"
      hint = KeyWords.signatureHint(token)
    }
  }

  private static func sentence(_ flaw: TokenFlaw, _ token: ExplainedToken) -> String {
    switch flaw {
    case .tooLarge(let bytes, let limit): "it has \(bytes) bytes, \(limit) are allowed"
    case .illegalByte(let offset):
      "at byte \(offset) stands \(character(token.text[offset])), which no token holds"
    case .scheme: "the scheme is DPoP, which the issuer of this token is not configured for"
    case .segments(let count): "a token has three segments, this text has \(count)"
    case .base64url(let segment): "the \(segment.rawValue) is not canonical base64url"
    case .empty(let segment): "the \(segment.rawValue) is empty"
    case .json(let segment, let code, let offset):
      "the \(segment.rawValue) is not strict JSON: \(code) at byte \(offset)"
    case .notAnObject(let segment): "the \(segment.rawValue) is JSON, but no object"
    case .headerMember(let name): "\(name) in the header is missing, or has a value that it cannot have"
    case .unsupportedHeaderMember(let name): "\(name) in the header asks for what is not done here"
    }
  }

  private static func character(_ byte: UInt8) -> String {
    switch byte {
    case 0x20: "a blank"
    case 0x0A, 0x0D: "a line break"
    case 0x21...0x7E: String(UnicodeScalar(byte))
    default: "the byte \(byte)"
    }
  }

  private static func hint(_ flaw: TokenFlaw, _ token: ExplainedToken) -> String? {
    switch flaw {
    case .illegalByte(let offset):
      switch token.text[offset] {
      case 0x3D: "base64url stands without padding (RFC 7515 section 2): leave the = out"
      case 0x2B, 0x2F: "that is the other base64: tokens have - and _ (RFC 4648 section 5)"
      case 0x20, 0x09, 0x0A, 0x0D: "it came in when the token was copied: take it out"
      case 0x22, 0x27: "that is a quote around the token"
      case 0x25: "the token went through percent encoding"
      default: nil
      }
    case .segments(1):
      "an opaque token says nothing by itself; with Auth0 ask for an audience at the login, with Google send the ID token"
    case .segments(2): "the signature and its dot were cut off"
    case .base64url(.signature): "the end of the token may have been cut off"
    case .empty(.signature): "a token without a signature proves nothing"
    default: nil
    }
  }

  private static func algorithmHint(_ found: String, _ token: ExplainedToken) -> String? {
    if found.lowercased() == "none" { return "a token without a signature proves nothing, whatever it says" }
    guard let algorithm = Algorithm(rawValue: found) else {
      let same = Algorithm.allCases.first { $0.rawValue.lowercased() == found.lowercased() }
      return same.map { "names of algorithms are exact: \($0.rawValue)" }
    }
    guard algorithm.isSymmetric, token.profile?.algorithms.contains(where: \.isSymmetric) == false else {
      return nil
    }
    if token.claims?["iss"]?.text?.contains(".supabase.co/") == true {
      return
        "that is the legacy secret of a Supabase project, which no key set holds: switch the project to signing keys"
    }
    return
      "\(found) is made with a secret, and this issuer is checked with public keys: let it sign with one of them"
  }

  private static func audienceHint(_ found: [String], _ token: ExplainedToken) -> String? {
    let accepted =
      switch token.profile?.audience {
      case .audience(let values), .clientID(let values): values
      case nil: [String]()
      }
    for audience in found {
      for other in accepted where other.lowercased() == audience.lowercased() {
        return "\(audience) differs from \(other) in upper and lower case alone"
      }
      for other in accepted where other + "/" == audience || other == audience + "/" {
        return "\(audience) differs from \(other) by the slash at the end alone"
      }
    }
    let list = accepted.joined(separator: ", ")
    switch token.profile?.name {
    case "apple":
      return
        "accepted are \(list); a native app has its bundle ID there, a web client its Services ID: list both"
    default: return "accepted are \(list); if the token is meant for this API, add its audience to audiences"
    }
  }

  private static func missingHint(_ claim: String, _ token: ExplainedToken) -> String? {
    switch claim {
    case "aud" where token.claims?["client_id"] != nil:
      "access tokens of Cognito have client_id in its place: take the preset cognito-access"
    case "client_id": "ID tokens of Cognito have aud in its place: take the preset cognito-id"
    case "iat": "the issuer's limit of lifetime or age needs it"
    case "sub": "without it there is nobody to allow anything to"
    default: nil
    }
  }

  private static func malformedHint(_ claim: String, _ token: ExplainedToken) -> String? {
    if claim == "cnf" { return "it is an object (RFC 7800 section 3.1)" }
    if claim.hasPrefix("cnf.") { return "a SHA-256 in base64url has 43 characters, without padding" }
    guard ["exp", "nbf", "iat", "auth_time"].contains(claim), let value = token.claims?[claim] else {
      return nil
    }
    if value.kind != .number {
      return "a date is a number of seconds since 1970 (RFC 7519 section 2), not a text"
    }
    let isLate = value.number?.bounds.map { $0.floor > 253_402_300_799 } ?? true
    return isLate
      ? "a date is in seconds since 1970 (RFC 7519 section 2): these look like milliseconds" : nil
  }

  private static func bindingWords(_ bindings: [TokenBinding]) -> (String, String) {
    let members = bindings.map { "cnf.\($0.rawValue)" }.joined(separator: " and ")
    return (
      "\(members) binds the token to a key of its client, and no proof of that key is checked",
      "let the client ask for an unbound token; \"proofOfPossession\": \"ignore\" of the issuer accepts bound ones "
        + "without a proof, stolen ones too"
    )
  }

  private static func typeWords(_ found: String, _ token: ExplainedToken) -> (String, String?) {
    guard case .rule(let rule)? = token.firstFailedCheck else {
      return (
        found.isEmpty ? "the header has no typ" : "typ is \(found): another kind of token",
        "the issuer's types say what typ may be"
      )
    }
    switch rule {
    case .absent("events"):
      return (
        "the claim events says that this is a server-to-server notification of Apple",
        "it is no identity token: send the identity token that the sign-in gave"
      )
    case .absent(let name):
      return (
        "the claim \(name) stands in tokens of another kind alone",
        ["nonce", "at_hash"].contains(name) ? "this is an ID token: send the access token" : nil
      )
    case .equals("token_use", let expected):
      let other = expected == "id" ? "cognito-access" : "cognito-id"
      return (
        "token_use is \(found), expected is \(expected)",
        "send the \(expected) token, or take the preset \(other)"
      )
    case .equals("ver", let expected):
      return (
        "ver is \(found), expected is \(expected)",
        "the presets are entra for version 2.0 and entra-v1 for version 1.0"
      )
    case .equals(let name, let expected): return ("\(name) is \(found), expected is \(expected)", nil)
    case .present, .atMostBytes, .inPast, .authorizedParty: return ("another kind of token: \(found)", nil)
    }
  }
}
