package import JOSE

/// What proves that the caller of an event has what a token is bound to, check by check. Used for explanations only.
package struct PossessionExplanation: Sendable {
  /// The checks of the proof in their order, then that of the certificate; empty if the request fails before the first
  /// one, or if the token is not bound.
  package let steps: [Step]
  /// Why the request is rejected; `nil` if it is not.
  package let reason: ReasonCode?
  /// The cause, for the operator.
  package let detail: String?

  /// One check and its result.
  package struct Step: Equatable, Sendable {
    /// The name of the check: that of a `ProofCheck`, or `certificate`.
    package let name: String
    package let result: Result
  }

  package enum Result: Equatable, Sendable {
    case passed, failed, notReached
  }

  /// Explains the proof of an event whose token is already verified. Used proofs are neither looked up nor remembered.
  ///
  /// - Parameter now: Unix seconds.
  /// - Returns: `nil` if nothing is checked for the issuer, or if the event does not have exactly one credential.
  /// - Throws: `EventFlaw` if it is not an authorizer event.
  package init?(
    of token: VerifiedToken, in event: [UInt8], settings: Settings, at now: Int64
  ) throws(EventFlaw) {
    let request = try AuthorizationRequest(parsing: event)
    guard let proof = settings.proof(of: token.issuer),
      let credential = try? request.credential(in: settings.places)
    else { return nil }
    var flaw: PossessionFlaw?
    do throws(PossessionFlaw) {
      var check = PossessionCheck()
      _ = try check.proven(token, in: request, credential, proof, at: now)
    } catch {
      flaw = error
    }
    steps = Self.steps(token.confirmation, flaw)
    reason = flaw?.reason
    detail = flaw?.detail
  }

  private static func steps(_ confirmation: Confirmation, _ flaw: PossessionFlaw?) -> [Step] {
    var steps: [Step] = []
    var hasFailed = false
    switch flaw {
    case nil, .invalidProof, .noCertificate, .malformedCertificate, .otherCertificate: break
    default: return []
    }
    if confirmation.key != nil {
      for check in ProofCheck.allCases {
        var result = hasFailed ? Result.notReached : .passed
        if case .invalidProof(let flaw) = flaw, flaw.check == check {
          result = .failed
          hasFailed = true
        }
        steps.append(Step(name: check.rawValue, result: result))
      }
    }
    if confirmation.certificate != nil {
      let result: Result = hasFailed ? .notReached : flaw == nil ? .passed : .failed
      steps.append(Step(name: "certificate", result: result))
    }
    return steps
  }
}
