internal import Authorizer
internal import JOSE

/// The checks of the proof or certificate that a bound token needs.
struct ExplainedPossession {
  private let explanation: PossessionExplanation

  /// - Parameter event: the event that contained the token.
  /// - Returns: `nil` if nothing is checked for the issuer.
  init?(_ token: VerifiedToken, _ settings: Settings, event: [UInt8], at now: Int64) {
    // An event that cannot be read was refused before its token was verified.
    guard
      let explanation = try? PossessionExplanation(of: token, in: event, settings: settings, at: now)
    else { return nil }
    self.explanation = explanation
  }

  var rows: [ExplanationReport.Row] {
    explanation.steps.map { step in
      let isCertificate = step.name == Self.certificate
      let (result, found) =
        switch step.result {
        case .passed: ("passed", "as expected")
        case .failed: ("FAILED", explanation.detail ?? "")
        case .notReached: (ExplanationReport.notReached, "")
        }
      return ExplanationReport.Row(
        check: isCertificate ? step.name : "proof." + step.name,
        title: isCertificate ? step.name : "proof: " + step.name, result: result,
        reason: step.result == .failed ? explanation.reason?.rawValue : nil,
        expected: Self.expected[step.name] ?? "", found: found)
    }
  }

  /// The first lines of the answer if the caller has not proven possession.
  var verdict: VerdictWords? {
    guard let reason = explanation.reason else { return nil }
    return VerdictWords(
      code: reason.rawValue,
      sentence: "the token is valid, and its possession is not proven"
        + (explanation.detail.map { ": " + $0 } ?? ""),
      hint: "authorizer-local proof makes a proof for a development token; docs/guides/dpop.md and"
        + " docs/guides/mutual-tls.md show requests that are accepted")
  }

  private static let certificate = "certificate"

  /// What each check expects (RFC 9449 section 4.3).
  private static let expected = [
    "header": "one DPoP header, of at most 4,096 bytes", "form": "a signed JWT", "type": "dpop+jwt",
    "algorithm": "one of those in proofOfPossession.dpop", "key": "a public key",
    "claims": "jti, htm, htu, iat and ath", "method": "htm is the method of the request",
    "url": "htu is the URL of the request", "time": "iat is now", "token": "ath is the hash of the token",
    "thumbprint": "the key that cnf.jkt names", "signature": "made with that key",
    certificate: "the certificate that cnf.x5t#S256 names",
  ]
}
