package import GatewayModel
package import HTTPTypes
internal import TestTokens

extension DevelopmentSecret {
  /// The paths of `DevelopmentEndpoint` that need the secret: they change what other requests get.
  ///
  /// Those that make tokens do not need it, because the applications that a user develops get their tokens there. Only
  /// this machine trusts these tokens.
  static let endpointPaths: Set<String> = ["/dev/clock", "/dev/cache/flush"]

  /// The header in which an AWS SDK sends `AWS_SESSION_TOKEN` (Signature Version 4, "Using temporary credentials").
  private static let sessionToken = "X-Amz-Security-Token"

  /// Why a request is refused that needs the secret, and what to do.
  package var refusal: String {
    "this needs a header that only the user of serve can read: curl -H @FILE sends it, and FILE is \(path); a browser "
      + "gets it from the address of the console that serve prints"
  }

  /// Why an invocation is refused, and what to do.
  var invocationRefusal: String {
    "\(refusal); an AWS SDK sends its value if that is AWS_SESSION_TOKEN"
  }

  package func isSent(in request: GatewayRequest) -> Bool { isAmong(request.values(ofHeader: Self.header)) }

  /// Whether a request of the Invoke API has the secret.
  package func isSent(in fields: HTTPFields) -> Bool {
    isAmong(
      [Self.header, Self.sessionToken].flatMap { name in HTTPField.Name(name).map { fields[values: $0] } ?? []
      })
  }
}
