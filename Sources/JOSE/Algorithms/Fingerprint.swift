/// One digest of several texts.
package enum Fingerprint {
  /// The SHA-256 over the parts, each after its length in four bytes, big-endian, so that no two lists of parts have the
  /// same bytes; `nil` if libcrypto fails.
  package static func sha256(of parts: [[UInt8]]) -> [UInt8]? { Digester()?.fingerprint(of: parts) }
}

extension Digester {
  /// ``Fingerprint/sha256(of:)`` with this digester.
  func fingerprint(of parts: [[UInt8]]) -> [UInt8]? {
    var bytes: [UInt8] = []
    for part in parts {
      for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: part.count >> shift)) }
      bytes += part
    }
    return digest(.sha256, of: bytes[...])
  }
}
