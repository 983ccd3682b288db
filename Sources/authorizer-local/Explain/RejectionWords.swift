internal import Text
internal import Authorizer
internal import JOSE
internal import JSON

/// Why a token is rejected, in a sentence, and what to do about it.
struct RejectionWords {
  let sentence: String
  let hint: String?

  init(_ token: ExplainedToken, _ rejection: TokenRejection) {
    let name = token.profile?.name ?? "the issuer"
    switch rejection {
    case .malformedToken(let flaw):
      (sentence, hint) = (Self.sentence(flaw, token), Self.hint(flaw, token))
    case .encryptedToken:
      sentence = "the token is encrypted (a JWE): only its recipient can read it"
      hint =
        "Auth0 issues these if the login request has no audience: request the API's identifier as audience to get a "
        + "signed access token"
    case .algorithmNotAllowed(let found):
      let expected = token.profile?.algorithms.map(\.rawValue).joined(separator: ", ") ?? ""
      sentence =
        "the token is signed with \(found)"
        + (expected.isEmpty ? ", which is not a known algorithm" : ", but \(name) uses \(expected)")
      hint = Self.algorithmHint(found, token)
    case .wrongIssuer(let found):
      sentence = "\(found) is not a configured issuer"
      hint = IssuerHint.text(found, configured: token.reading.settings.issuers.map(\.profile))
    case .wrongAudience(let found):
      sentence =
        "the token's audience is \(found.joined(separator: " and ")), which is not configured for \(name)"
      hint = Self.audienceHint(found, token)
    case .expired, .notYetValid, .issuedInFuture, .lifetimeTooLong, .tooOld:
      (sentence, hint) = TimeWords.words(rejection, token)
    case .missingClaim(let claim):
      (sentence, hint) = ("the claim \(claim) is missing", Self.missingHint(claim, token))
    case .malformedClaim(let claim):
      sentence = "the claim \(claim) has an invalid value"
      hint = Self.malformedHint(claim, token)
    case .wrongType(let found):
      (sentence, hint) = Self.typeWords(found, token)
    case .boundToken(let bindings):
      (sentence, hint) = Self.bindingWords(bindings)
    case .unknownKey:
      (sentence, hint) = KeyWords.unknownKey(token)
    case .signatureMismatch:
      sentence = "the signature does not match the content and the key of the token"
      hint = KeyWords.signatureHint(token)
    }
  }

  private static func sentence(_ flaw: TokenFlaw, _ token: ExplainedToken) -> String {
    switch flaw {
    case .tooLarge(let bytes, let limit): "the token has \(bytes) bytes, the maximum is \(limit)"
    case .illegalByte(let offset):
      "byte \(offset) is \(character(token.text[offset])), which is invalid in a token"
    case .scheme: "the scheme is DPoP, which the issuer of this token is not configured for"
    case .segments(let count): "a token has three segments, this text has \(count)"
    case .base64url(let segment): "the \(segment.rawValue) is not canonical base64url"
    case .empty(let segment): "the \(segment.rawValue) is empty"
    case .json(let segment, let error): "the token's \(segment.rawValue) (JWT) is not JSON: \(error)"
    case .notAnObject(let segment): "the \(segment.rawValue) is JSON, but not an object"
    case .headerMember(let name): "\(name) in the header is missing or has an invalid value"
    case .unsupportedHeaderMember(let name): "\(name) in the header is not supported"
    }
  }

  private static func character(_ byte: UInt8) -> String {
    switch byte {
    case 0x20: "a space"
    case 0x0A, 0x0D: "a line break"
    case 0x21...0x7E: String(UnicodeScalar(byte))
    default: "the byte \(byte)"
    }
  }

  private static func hint(_ flaw: TokenFlaw, _ token: ExplainedToken) -> String? {
    switch flaw {
    case .illegalByte(let offset):
      switch token.text[offset] {
      case 0x3D: "base64url has no padding (RFC 7515 section 2): remove the ="
      case 0x2B, 0x2F: "that is the standard base64 alphabet: tokens use - and _ (RFC 4648 section 5)"
      case 0x20, 0x09, 0x0A, 0x0D: "it was probably added when the token was copied: remove it"
      case 0x22, 0x27: "remove the quotes around the token"
      case 0x25: "the token is percent-encoded: decode it"
      default: nil
      }
    case .segments(1):
      "an opaque token cannot be verified; with Auth0 request an audience at login, with Google send the ID token"
    case .segments(2): "the signature and the dot before it are missing"
    case .base64url(.signature): "the end of the token may be missing"
    case .empty(.signature): "a token without a signature proves nothing"
    default: nil
    }
  }

  private static func algorithmHint(_ found: String, _ token: ExplainedToken) -> String? {
    if found.lowercased() == "none" { return "a token without a signature proves nothing" }
    guard let algorithm = Algorithm(rawValue: found) else {
      let same = Algorithm.allCases.first { $0.rawValue.lowercased() == found.lowercased() }
      return same.map { "names of algorithms are case-sensitive: \($0.rawValue)" }
    }
    guard algorithm.isSymmetric, token.profile?.algorithms.contains(where: \.isSymmetric) == false else {
      return nil
    }
    if token.claims?["iss"]?.text?.containsBytes(of: ".supabase.co/") == true {
      return
        "it is signed with the legacy secret of a Supabase project, which is in no key set: switch to signing keys"
    }
    return
      "\(found) uses a shared secret, but this issuer is verified with public keys: let it sign with one of them"
  }

  private static func audienceHint(_ found: [String], _ token: ExplainedToken) -> String? {
    let accepted =
      switch token.profile?.audience {
      case .audience(let values), .clientID(let values): values
      case nil: [String]()
      }
    for audience in found {
      for other in accepted where other.lowercased() == audience.lowercased() {
        return "\(audience) differs from \(other) only in case"
      }
      for other in accepted where other + "/" == audience || other == audience + "/" {
        return "\(audience) differs from \(other) only in the trailing slash"
      }
    }
    let list = accepted.joined(separator: ", ")
    switch token.profile?.name {
    case "apple":
      return
        "accepted: \(list); a native app has its bundle ID there, a web client its Services ID: list both"
    default: return "accepted: \(list); if the token is meant for this API, add its audience to audiences"
    }
  }

  private static func missingHint(_ claim: String, _ token: ExplainedToken) -> String? {
    switch claim {
    case "aud" where token.claims?["client_id"] != nil:
      "access tokens of Cognito have client_id instead: use the preset cognito-access"
    case "client_id": "ID tokens of Cognito have aud instead: use the preset cognito-id"
    case "iat": "the issuer's limit for lifetime or age needs it"
    case "sub": "every token needs it, because it identifies the user"
    default: nil
    }
  }

  private static func malformedHint(_ claim: String, _ token: ExplainedToken) -> String? {
    if claim == "cnf" { return "it must be an object (RFC 7800 section 3.1)" }
    if claim.hasBytePrefix("cnf.") { return "a SHA-256 in base64url has 43 characters, without padding" }
    guard ["exp", "nbf", "iat", "auth_time"].contains(claim), let value = token.claims?[claim] else {
      return nil
    }
    if value.kind != .number {
      return "a date is a number of seconds since 1970 (RFC 7519 section 2), not a string"
    }
    let isLate = value.number?.bounds.map { $0.floor > 253_402_300_799 } ?? true
    return isLate
      ? "a date is in seconds since 1970 (RFC 7519 section 2): these look like milliseconds" : nil
  }

  private static func bindingWords(_ bindings: [TokenBinding]) -> (String, String) {
    let members = bindings.map { "cnf.\($0.rawValue)" }.joined(separator: " and ")
    let settings = bindings.map { $0 == .key ? "\"dpop\": {}" : "\"certificate\": true" }
    return (
      "\(members) binds the token to its client, and the issuer's configuration does not check "
        + (bindings.count == 1 ? "this binding" : "these bindings"),
      "set \"proofOfPossession\": { \(settings.joined(separator: ", ")) } of the issuer (docs/bound-tokens.md); "
        + "\"ignore\" accepts bound tokens without proof, stolen ones too"
    )
  }

  private static func typeWords(_ found: String, _ token: ExplainedToken) -> (String, String?) {
    guard case .rule(let rule)? = token.firstFailedCheck else {
      return (
        found.isEmpty ? "the header has no typ" : "typ is \(found): another kind of token",
        "the issuer's types lists the accepted values"
      )
    }
    switch rule {
    case .absent("events"):
      return (
        "the claim events marks a server-to-server notification of Apple",
        "it is not an identity token: send the identity token from the sign-in"
      )
    case .absent(let name):
      return (
        "the claim \(name) occurs only in tokens of another kind",
        ["nonce", "at_hash"].contains(name) ? "this is an ID token: send the access token" : nil
      )
    case .equals("token_use", let expected):
      let other = expected == "id" ? "cognito-access" : "cognito-id"
      return (
        "token_use is \(found), expected \(expected)",
        "send the \(expected) token, or use the preset \(other)"
      )
    case .equals("ver", let expected):
      return (
        "ver is \(found), expected \(expected)",
        "use the preset entra for version 2.0, entra-v1 for version 1.0"
      )
    case .equals(let name, let expected): return ("\(name) is \(found), expected \(expected)", nil)
    case .present, .atMostBytes, .inPast, .authorizedParty: return ("another kind of token: \(found)", nil)
    }
  }
}
