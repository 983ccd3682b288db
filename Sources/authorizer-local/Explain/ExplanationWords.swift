internal import LambdaEmulator
internal import JOSE
internal import JSON

/// The names of the checks, and the values they expect.
enum ExplanationWords {
  static func title(_ check: TokenCheck) -> String {
    switch check {
    case .headerMembers: "header members"
    case .algorithmName: "alg is known"
    case .keyID: "kid is a string"
    case .typeName: "typ is a string"
    case .signatureEncoding: "signature encoding"
    case .issuer: "iss"
    case .algorithm: "alg"
    case .requiredKeyID: "kid"
    case .type: "typ"
    case .expiry: "exp"
    case .notBefore: "nbf"
    case .issuedAt: "iat"
    case .audience: "audience"
    case .rule(let rule): "rule: " + subject(rule)
    case .subject: "sub"
    case .principal: "principal"
    case .binding: "cnf"
    case .size, .segments, .header, .payload, .lifetime, .age, .key, .signature: check.name
    }
  }

  private static func subject(_ rule: ClaimRule) -> String {
    switch rule {
    case .equals(let name, _), .absent(let name), .present(let name), .atMostBytes(let name, _),
      .inPast(let name):
      name
    case .authorizedParty: "azp"
    }
  }

  static func expected(_ rule: ClaimRule, _ profile: IssuerProfile?) -> String {
    switch rule {
    case .equals(_, let value): "\"\(value)\""
    case .absent: "absent"
    case .present: "present"
    case .atMostBytes(_, let limit): "at most \(limit) bytes"
    case .inPast: "in the past" + leeway(profile)
    case .authorizedParty: "a configured audience, if aud has several"
    }
  }

  static func expected(_ check: TokenCheck, _ profile: IssuerProfile) -> String {
    switch check {
    case .algorithm: profile.algorithms.map(\.rawValue).joined(separator: ", ")
    case .type:
      switch profile.types {
      case .ifPresent(let types): "absent, or " + types.joined(separator: " or ")
      case .required(let types): types.joined(separator: " or ")
      }
    case .expiry: "in the future" + leeway(profile)
    case .notBefore: "absent, or in the past" + leeway(profile)
    case .issuedAt:
      (profile.maximumLifetimeSeconds ?? profile.maximumAgeSeconds == nil ? "absent, or " : "")
        + "in the past" + leeway(profile)
    case .lifetime: "at most \(limit(profile.maximumLifetimeSeconds))" + leeway(profile)
    case .age: "at most \(limit(profile.maximumAgeSeconds))" + leeway(profile)
    case .audience: values(profile.audience)
    default: ""
    }
  }

  private static func limit(_ seconds: Int64?) -> String { Moment.duration(seconds ?? 0) }

  private static func leeway(_ profile: IssuerProfile?) -> String {
    profile.map { ", leeway \($0.leewaySeconds) s" } ?? ""
  }

  static func values(_ audience: IssuerProfile.AudienceRule) -> String {
    switch audience {
    case .audience(let values): values.joined(separator: " or ")
    case .clientID(let values): "client_id " + values.joined(separator: " or ")
    }
  }

  static func audienceFound(_ claims: JSONValue?, _ profile: IssuerProfile?) -> String {
    let name = if case .clientID = profile?.audience { "client_id" } else { "aud" }
    return claims?[name].map { String(decoding: $0.source, as: UTF8.self) } ?? "\(name) is absent"
  }

  /// Returns text such as `3 keys and 1 unusable`.
  static func count(_ material: VerificationMaterial?) -> String {
    switch material {
    case .keys(let keys): count(keys)
    case .secret: "a secret"
    case nil: "keys fetched from the issuer"
    }
  }

  private static func count(_ keys: KeySet) -> String {
    let usable = keys.keys.count == 1 ? "1 key" : "\(keys.keys.count) keys"
    return keys.unusable.isEmpty ? usable : usable + " and \(keys.unusable.count) unusable"
  }
}
