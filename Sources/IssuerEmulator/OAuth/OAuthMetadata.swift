internal import JOSE
internal import JSON

/// The addresses of the authorization server below one origin, and its metadata.
struct OAuthMetadata: Sendable {
  enum Path: String, Sendable {
    /// The metadata's place for an issuer with a path (RFC 8414 section 3).
    case metadata = "/.well-known/oauth-authorization-server/dev/oauth"
    case authorization = "/dev/oauth/authorize"
    case token = "/dev/oauth/token"
    case registration = "/dev/oauth/register"

    /// The supported methods; a preflight request is answered for all but the login page.
    var methods: [String] {
      switch self {
      case .metadata: ["GET"]
      case .authorization: ["GET", "POST"]
      case .token, .registration: ["POST"]
      }
    }
  }

  /// Scheme, host and port, without a slash at the end.
  let base: String

  /// The issuer. Its path gives the metadata a place of its own. It separates no trust: `/dev/token` issues tokens in the
  /// name of any issuer, this one too, to every caller on this machine.
  var issuer: String { base + "/dev/oauth" }

  /// The algorithms of proofs.
  static let proofPolicy = ProofPolicy()

  /// The metadata (RFC 8414 section 2, RFC 9207 section 3, RFC 9449 section 5.1).
  var document: JSONTree {
    func list(_ values: [String]) -> JSONTree { .array(values.map { .string($0) }) }
    return .members([
      "issuer": .string(issuer),
      "authorization_endpoint": .string(base + Path.authorization.rawValue),
      "token_endpoint": .string(base + Path.token.rawValue),
      "registration_endpoint": .string(base + Path.registration.rawValue),
      "jwks_uri": .string(base + "/.well-known/jwks.json"),
      "response_types_supported": list(["code"]),
      "response_modes_supported": list(["query"]),
      "grant_types_supported": list(GrantType.allCases.map(\.rawValue)),
      "token_endpoint_auth_methods_supported": list(["none"]),
      "code_challenge_methods_supported": list(["S256"]),
      "authorization_response_iss_parameter_supported": .boolean(true),
      "dpop_signing_alg_values_supported": list(ProofPolicy.defaultAlgorithms.map(\.rawValue)),
    ])
  }

  /// The target of a proof for the token endpoint; `nil` for an origin that cannot be compared.
  var proofTarget: ProofTarget? {
    WebOrigin(parsing: Array(base.utf8)).flatMap {
      ProofTarget(method: Array("POST".utf8), path: Array(Path.token.rawValue.utf8), origins: [$0])
    }
  }
}
