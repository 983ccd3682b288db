import Bytes

/// The certificate of a client, as API Gateway puts it into events: one PEM block.
///
/// API Gateway has verified it against the trust store of the domain. Only its bytes matter here.
package struct ClientCertificate: Equatable, Sendable {
  /// The DER encoding.
  let encoding: [UInt8]

  /// 32 KiB. The handshake of TLS allows more, but API Gateway's trust stores contain certificates of a few KiB (our
  /// own limit).
  package static let maximumBytes = 32 << 10

  private static let begin = "-----BEGIN CERTIFICATE-----\n"
  private static let end = "\n-----END CERTIFICATE-----"

  /// Parses exactly one block with nothing around it but a final line feed (RFC 7468 section 5.1); `nil` for
  /// anything else. Its base64 is canonical, and its content is one DER sequence.
  package init?(pem: [UInt8]) {
    guard pem.count <= Self.maximumBytes else { return nil }
    let text = pem.last == .lineFeed ? pem.dropLast() : pem[...]
    let frame = Self.begin.utf8.count + Self.end.utf8.count
    guard text.count > frame, text.starts(with: Self.begin.utf8),
      text.suffix(Self.end.utf8.count).elementsEqual(Self.end.utf8)
    else { return nil }
    let body = text.dropFirst(Self.begin.utf8.count).dropLast(Self.end.utf8.count)
    guard let bytes = Self.decoded(body), Self.isOneSequence(bytes) else { return nil }
    encoding = bytes
  }

  /// Decodes lines of base64 (RFC 4648 section 4) with the required padding; `nil` for an empty line or any other form.
  private static func decoded(_ body: ArraySlice<UInt8>) -> [UInt8]? {
    var text: [UInt8] = []
    text.reserveCapacity(body.count)
    for line in body.split(separator: .lineFeed, omittingEmptySubsequences: false) {
      guard !line.isEmpty else { return nil }
      for byte in line {
        switch byte {
        case .hyphen, .underscore: return nil
        case .plus: text.append(.hyphen)
        case .slash: text.append(.underscore)
        default: text.append(byte)
        }
      }
    }
    guard text.count % 4 == 0 else { return nil }
    // The decoder of base64url accepts no padding, and no bits that a second spelling could change.
    if text.last == .equalsSign { text.removeLast() }
    if text.last == .equalsSign { text.removeLast() }
    return Base64URL.decode(text)
  }

  /// Whether the bytes are one SEQUENCE with a length in its shortest form, and nothing after it (X.690 section 10.1).
  private static func isOneSequence(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 2, bytes[0] == 0x30 else { return false }
    if bytes[1] < 0x80 { return bytes.count == 2 + Int(bytes[1]) }
    let count = Int(bytes[1] & 0x7F)
    guard 1...2 ~= count, bytes.count > 2 + count, bytes[2] != 0 else { return false }
    let length = bytes[2..<(2 + count)].reduce(0) { $0 << 8 | Int($1) }
    return length >= 0x80 && bytes.count == 2 + count + length
  }
}
