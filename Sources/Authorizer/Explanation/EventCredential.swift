import JOSE
import JSON

/// The credential of an event as the authorizer finds it, for diagnosis.
package struct EventCredential: Sendable {
  package let kind: EventKind
  /// Every text in the places where credentials are expected, including the scheme.
  package let values: [[UInt8]]
  /// The one token, or why there is none.
  package let token: Finding

  /// The result of reading these values.
  package enum Finding: Equatable, Sendable {
    /// The token, without its scheme.
    case found([UInt8])
    /// `missingToken`, `ambiguousToken` or `malformedToken`.
    case refused(ReasonCode)
    /// None at all, so the caller is a guest: the configuration has guest routes.
    case guest
  }

  /// Reads the credential of an event.
  ///
  /// - Parameters:
  ///   - event: the bytes of the Lambda event.
  ///   - settings: name the sources of the token in REQUEST events.
  /// - Throws: `EventFlaw` if it is not an authorizer event.
  package init(in event: [UInt8], settings: Settings) throws(EventFlaw) {
    let request = try AuthorizationRequest(parsing: event)
    kind = request.kind
    values = request.credentials(in: settings.places)
    do throws(CredentialFlaw) {
      let credential = try request.credential(in: settings.places)
      // A token that cannot be parsed is rejected later, with a reason for its format.
      let claims = try? UnverifiedToken(parsing: credential.token).unverifiedClaims
      let isAccepted = claims.map { settings.accepts(credential, claims: $0) } ?? true
      token = isAccepted ? .found(credential.token) : .refused(.malformedToken)
    } catch {
      let isGuest = error == .missing && settings.guest(of: request) != nil
      token = isGuest ? .guest : .refused(ReasonCode(error))
    }
  }
}
