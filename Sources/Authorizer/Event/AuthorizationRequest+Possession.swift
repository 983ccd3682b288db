import JOSE
import JSON

/// What an event says about the keys and certificates of its caller.
extension AuthorizationRequest {
  /// Whether events of this kind can contain a proof or a certificate: those without headers have no client certificate
  /// either.
  var carriesProofs: Bool { kind.hasClientHeaders }

  /// The values of all `DPoP` headers; `nil` for one that is not a string.
  var proofs: [[UInt8]?] { TokenSource.header("dpop").credentials(in: event) }

  /// The request that a proof must be for; `nil` if the event does not name it.
  ///
  /// `path` of REST APIs and payload format 1.0 lacks the stage or has the path of a domain's mapping; only
  /// `requestContext.path` is what the client sent. `rawPath` of payload format 2.0 has both. HTTP APIs may decode the
  /// path: captures show it, and AWS does not document it.
  ///
  /// - Parameter origins: the configured origins; `nil` for the domain name in the event.
  func proofTarget(_ origins: [WebOrigin]?) -> ProofTarget? {
    let context = event["requestContext"]
    let isVersion2 = kind == .http2
    let method = isVersion2 ? context?["http"]?["method"] : event["httpMethod"]
    let path = isVersion2 ? event["rawPath"] : context?["path"]
    guard let method = method?.utf8, let path = path?.utf8 else { return nil }
    let isHTTP = isVersion2 || kind == .http1
    if let origins {
      return ProofTarget(method: method, path: path, mayBeDecoded: isHTTP, origins: origins)
    }
    guard let origin = context?["domainName"]?.utf8.flatMap({ WebOrigin(host: $0) }) else { return nil }
    return ProofTarget(method: method, path: path, mayBeDecoded: isHTTP, origins: [origin])
  }

  /// The PEM text of the client's certificate; `nil` without mutual TLS.
  var clientCertificate: JSONValue? {
    let context = event["requestContext"]
    let caller = kind == .http2 ? context?["authentication"] : context?["identity"]
    guard let value = caller?["clientCert"]?["clientCertPem"], value.kind != .null else { return nil }
    return value
  }
}
