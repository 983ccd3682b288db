import JOSE
import JSON

/// From an event's bytes to a decision. Belongs to one thread; holds no socket and no clock.
public struct Authorizer {
  private let settings: Settings
  private var verifier: TokenVerifier

  /// An authorizer for these settings.
  public init(settings: Settings) {
    self.settings = settings
    verifier = TokenVerifier(profiles: settings.issuers.map { $0.profile })
  }

  /// How many signatures libcrypto has looked at.
  public var signatureChecks: Int { verifier.signatureChecks }

  /// Decides about one event.
  ///
  /// - Parameters:
  ///   - event: the bytes of the Lambda event.
  ///   - now: Unix seconds.
  public mutating func decide(on event: [UInt8], at now: Int64) -> Decision {
    let request: AuthorizationRequest
    do {
      request = try AuthorizationRequest(parsing: event)
    } catch {
      return Decision(.invalidEvent, detail: error.description)
    }
    var decision = decide(on: request, at: now)
    decision.eventKind = request.kind
    return decision
  }

  private mutating func decide(on request: AuthorizationRequest, at now: Int64) -> Decision {
    let text: [UInt8]
    do {
      text = try request.token(from: settings)
    } catch {
      return Decision(error.code)
    }
    var evidence = Evidence()
    var decision: Decision
    do {
      let token = try verified(text, at: now, &evidence)
      decision = Self.allow(token, request)
    } catch {
      decision = Decision(ReasonCode(error.code))
      evidence.issuerName = evidence.claims.flatMap(issuerName)
    }
    decision.tokenHash = verifier.fingerprint(text[...])
    decision.keyIDHash = evidence.keyID.map { verifier.fingerprint($0[...]) }
    decision.issuerName = evidence.issuerName
    return decision
  }

  private mutating func verified(
    _ text: [UInt8], at now: Int64, _ evidence: inout Evidence
  ) throws(TokenRejection) -> VerifiedToken {
    let token = try UnverifiedToken(parsing: text)
    evidence.keyID = token.header.keyID
    evidence.claims = token.unverifiedClaims
    let candidate = try verifier.candidate(token, at: now)
    evidence.issuerName = candidate.profile.name
    guard let key = settings.issuers[candidate.profileIndex].keys.key(for: token.header) else {
      throw .unknownKey
    }
    return try verifier.verify(candidate, with: key, at: now)
  }

  private static func allow(_ token: VerifiedToken, _ request: AuthorizationRequest) -> Decision {
    let policy = Policy(principalID: token.principal, stagePrefix: request.arn.stagePrefix)
    guard let bytes = policy.bytes else {
      return Decision(.answerTooLarge, detail: "the stage's ARN is longer than a Resource may be")
    }
    return Decision(allowing: bytes)
  }

  /// The configured name of the issuer that a refused token says it comes from.
  private func issuerName(_ claims: JSONValue) -> String? {
    guard let issuer = claims["iss"] else { return nil }
    return settings.issuers.first { $0.profile.issuers.contains { issuer.equals($0) } }?.profile.name
  }

  /// What a log line may say about a token.
  private struct Evidence {
    var keyID: [UInt8]?
    var claims: JSONValue?
    var issuerName: String?
  }
}
