import Bytes
import JSON

/// A parsed, unverified DPoP proof (RFC 9449 section 4.2): each member has its type and size, nothing is compared.
///
/// Parsing uses no cryptography. The key is not a `VerificationKey`, so it cannot verify a token.
package struct DPoPProof: Sendable {
  let jws: CompactJWS
  let key: ProofKey
  let identifier: [UInt8]
  let method: [UInt8]
  let url: ResourceURL
  /// The hash of the token; `nil` in a proof for a token request, which has no token yet.
  let tokenHash: Thumbprint?
  let times: ProofTimes

  /// 4 KiB: a proof with an RSA key of 8192 bits has 3.5 KiB (our own limit).
  package static let maximumBytes = 4096
  /// The longest `jti` in bytes (our own limit): it becomes part of a replay key.
  package static let maximumIdentifierBytes = 128

  /// Parses the value of a `DPoP` header.
  ///
  /// - Parameters:
  ///   - algorithms: the configured algorithms.
  ///   - hasToken: whether the proof must have `ath`, as one that comes with a token.
  package init(
    parsing text: [UInt8], algorithms: [Algorithm], hasToken: Bool = true
  ) throws(ProofFlaw) {
    guard text.count <= Self.maximumBytes else { throw .tooLarge }
    // Payload 2.0 joins repeated headers with a comma.
    guard !text.contains(.comma) else { throw .repeated }
    let (jws, header, claims) = try Self.parts(of: text)
    guard let type = jws.header.type, type.elementsEqual("dpop+jwt".utf8) else { throw .wrongType }
    let algorithm = jws.header.algorithm
    guard !algorithm.isSymmetric, algorithms.contains(where: { $0.isSameSignature(as: algorithm) }) else {
      throw .algorithmNotAllowed
    }
    self.jws = jws
    key = try ProofKey(header["jwk"], for: algorithm)
    identifier = try Self.text("jti", in: claims)
    guard 1...Self.maximumIdentifierBytes ~= identifier.count else { throw .malformedClaim("jti") }
    method = try Self.text("htm", in: claims)
    guard let url = ResourceURL(parsing: try Self.text("htu", in: claims)) else {
      throw .malformedClaim("htu")
    }
    self.url = url
    times = try ProofTimes(claims)
    guard hasToken else {
      tokenHash = nil
      return
    }
    guard let hash = Thumbprint(try Self.text("ath", in: claims)) else { throw .malformedClaim("ath") }
    tokenHash = hash
  }

  private static func parts(
    of text: [UInt8]
  ) throws(ProofFlaw) -> (jws: CompactJWS, header: JSONValue, claims: JSONValue) {
    do throws(TokenRejection) {
      var recorder = FirstFailure()
      let form = try TokenForm(text, &recorder)
      let payload = try form.claims(&recorder).get()
      let header = try form.header.get()
      return (try form.jws(payload: payload.bytes), header, payload.claims)
    } catch {
      throw error.code == .algorithmNotAllowed ? .algorithmNotAllowed : .form(error.code)
    }
  }

  private static func text(_ name: String, in claims: JSONValue) throws(ProofFlaw) -> [UInt8] {
    guard let value = claims[name] else { throw .missingClaim(name) }
    guard let text = value.utf8, !text.isEmpty else { throw .malformedClaim(name) }
    return text
  }
}

/// The dates of a proof. Each fraction is rounded to the stricter side.
struct ProofTimes: Sendable {
  private let issued: (earliest: Int64, latest: Int64)
  private let expiry: Int64?
  private let start: Int64?

  init(_ claims: JSONValue) throws(ProofFlaw) {
    do throws(TokenRejection) {
      let reader = ClaimReader(claims: claims)
      guard let earliest = try reader.date("iat", rounding: .down),
        let latest = try reader.date("iat", rounding: .up)
      else { throw .missingClaim("iat") }
      issued = (earliest, latest)
      // A proof needs neither, but what it says of itself holds (RFC 7519 sections 4.1.4 and 4.1.5).
      expiry = try reader.date("exp", rounding: .down)
      start = try reader.date("nbf", rounding: .up)
    } catch {
      switch error {
      case .missingClaim(let name): throw .missingClaim(name)
      case .malformedClaim(let name): throw .malformedClaim(name)
      default: throw .malformedClaim("iat")
      }
    }
  }

  /// Checks the window around `iat` (RFC 9449 section 11.1).
  func check(_ policy: ProofPolicy, at now: Int64) throws(ProofFlaw) {
    let leeway = policy.leewaySeconds
    guard issued.latest <= now + leeway else { throw .inFuture }
    guard now - issued.earliest <= policy.maximumAgeSeconds + leeway else { throw .tooOld }
    if let start, start > now + leeway { throw .inFuture }
    if let expiry, now >= expiry + leeway { throw .tooOld }
  }
}
