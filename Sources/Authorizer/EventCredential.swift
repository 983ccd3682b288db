import JOSE
import JSON

/// The credential of an event, as the authorizer finds it; for people who ask why.
public struct EventCredential: Sendable {
  /// Which event it is.
  public let kind: EventKind
  /// Everything that stands where a credential is looked for, as text, scheme included.
  public let values: [[UInt8]]
  /// The one token, or why there is none.
  public let token: Finding

  /// What the authorizer makes of the values.
  public enum Finding: Equatable, Sendable {
    /// The token, without its scheme.
    case found([UInt8])
    /// `missingToken`, `ambiguousToken` or `malformedToken`.
    case refused(ReasonCode)
  }

  /// Looks for the credential of an event.
  ///
  /// - Parameters:
  ///   - event: the bytes of the Lambda event.
  ///   - settings: they say where REQUEST events carry it.
  /// - Throws: `EventFlaw` where it is no authorizer event.
  public init(in event: [UInt8], settings: Settings) throws(EventFlaw) {
    let request = try AuthorizationRequest(parsing: event)
    kind = request.kind
    values = request.credentials(from: settings)
    do throws(CredentialFlaw) {
      let credential = try request.credential(from: settings)
      // A token that cannot be read is refused for its own form.
      let claims = try? UnverifiedToken(parsing: credential.token).unverifiedClaims
      let isAccepted = claims.map { settings.accepts(credential, claims: $0) } ?? true
      token = isAccepted ? .found(credential.token) : .refused(.malformedToken)
    } catch {
      token = .refused(error.code)
    }
  }
}
