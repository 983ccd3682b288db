import Bytes
import JSON

/// The JOSE header parameters that this library uses (RFC 7515 section 4.1).
///
/// `jwk`, `jku`, `x5u`, `x5c` and `x5t` are never read: a token must not supply its own key.
package struct TokenHeader: Sendable {
  /// The algorithm in the header. It is only compared with the algorithms of the key and the issuer.
  package let algorithm: Algorithm
  /// The key's identifier, 1 to 256 bytes; `nil` if the header has none.
  package let keyID: [UInt8]?
  /// The media type of the token as written.
  package let type: [UInt8]?

  /// 256, far more than any known issuer uses.
  package static let maximumKeyIDBytes = 256

  /// The members, all of which have been read.
  var members: HeaderMembers {
    HeaderMembers(algorithm: .success(algorithm), keyID: .success(keyID), type: .success(type))
  }

  /// Refuses unsupported features. RFC 7515 section 4.1.11: an unknown critical extension makes the token invalid.
  /// This library supports none, so the presence of `crit` is enough, with any value. The same applies to `b64` (RFC
  /// 7797), to members of encryption (RFC 7516 section 4.1) and to nested tokens (RFC 7519 section 5.2).
  static func refuseUnsupported(_ header: JSONValue) throws(TokenRejection) {
    // Nearly all headers have no other members than those that are read.
    var known = 0
    for name in read where header[name] != nil { known += 1 }
    guard known < header.memberCount else { return }
    for name in unsupported where header[name] != nil {
      throw .malformedToken(.unsupportedHeaderMember(name.description))
    }
    for name in encryption where header[name] != nil { throw .encryptedToken }
    guard let contentType = header["cty"] else { return }
    guard let text = contentType.utf8 else { throw .malformedToken(.headerMember("cty")) }
    if "jwt".withBytes({ MediaType.areEqual(text.span, $0) }) {
      throw .malformedToken(.unsupportedHeaderMember("cty"))
    }
  }

  private static let read: [StaticString] = ["alg", "kid", "typ"]
  private static let unsupported: [StaticString] = ["crit", "b64"]
  private static let encryption: [StaticString] = [
    "enc", "zip", "epk", "p2c", "p2s", "apu", "apv", "iv", "tag",
  ]

  static func algorithm(_ header: JSONValue) throws(TokenRejection) -> Algorithm {
    guard let name = header["alg"]?.utf8Slice else { throw .malformedToken(.headerMember("alg")) }
    guard let algorithm = Algorithm(utf8: name) else {
      throw .algorithmNotAllowed(found: String(decoding: name, as: UTF8.self))
    }
    return algorithm
  }

  static func keyID(_ header: JSONValue) throws(TokenRejection) -> [UInt8]? {
    guard let value = header["kid"] else { return nil }
    guard let bytes = value.utf8, 1...maximumKeyIDBytes ~= bytes.count,
      bytes.allSatisfy({ $0.isPrintable })
    else { throw .malformedToken(.headerMember("kid")) }
    return bytes
  }

  static func type(_ header: JSONValue) throws(TokenRejection) -> [UInt8]? {
    guard let value = header["typ"] else { return nil }
    guard let text = value.utf8 else { throw .malformedToken(.headerMember("typ")) }
    return text
  }
}

/// The members of a header that the verifier uses, each as far as it could be read.
struct HeaderMembers {
  let algorithm: Checked<Algorithm>
  let keyID: Checked<[UInt8]?>
  let type: Checked<[UInt8]?>

  /// The header, if all of its members could be read.
  func header() throws(TokenRejection) -> TokenHeader {
    TokenHeader(algorithm: try algorithm.get(), keyID: try keyID.get(), type: try type.get())
  }
}

/// Media types in `typ` and `cty`: ASCII case is ignored, and `application/` may be omitted (RFC 7515 section 4.1.9).
enum MediaType {
  static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    let left = left.extracting(droppingFirst: prefixBytes(of: left))
    let right = right.extracting(droppingFirst: prefixBytes(of: right))
    guard left.count == right.count else { return false }
    for index in left.indices where left[index].lowercase != right[index].lowercase { return false }
    return true
  }

  /// The number of bytes of `application/`, if the type begins with it and has more; otherwise 0.
  private static func prefixBytes(of type: Span<UInt8>) -> Int {
    let prefix: StaticString = "application/"
    let count = prefix.utf8CodeUnitCount
    guard type.count > count, prefix.equals(ignoringASCIICase: type.extracting(first: count)) else {
      return 0
    }
    return count
  }
}
