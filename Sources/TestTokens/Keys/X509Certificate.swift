internal import Bytes
import CLibcryptoX509
internal import Foundation
internal import Text

// This file contains every use of libcrypto's certificates. Each `unsafe` call passes objects that this scope owns and
// frees, or arrays and strings that Swift keeps alive until the call returns; bytes of libcrypto are copied at once.

/// What a certificate says (RFC 5280), and its bytes.
package struct X509Certificate: Equatable, Sendable {
  /// The certificate in DER.
  package let bytes: [UInt8]
  /// The subject in the certificate's order: `C=US,O=Example,CN=client`.
  package let subject: String
  /// The issuer in the same form.
  package let issuer: String
  /// The serial number, big-endian without leading zeros; empty for zero.
  package let serialNumber: [UInt8]
  /// The begin of the validity, as OpenSSL writes it: `May 28 12:30:02 2019 GMT`.
  package let notBefore: String
  /// The end of the validity.
  package let notAfter: String
  /// The end of the validity in seconds since 1970.
  package let end: Int64

  /// Reads a certificate in DER; `nil` for anything else, also with bytes behind it.
  package init?(bytes: [UInt8]) {
    let parsed = unsafe bytes.withUnsafeBufferPointer { buffer in
      var cursor = buffer.baseAddress
      return unsafe d2i_X509(nil, &cursor, buffer.count)
    }
    defer { ERR_clear_error() }
    guard let parsed = unsafe parsed else { return nil }
    defer { unsafe X509_free(parsed) }
    // Bytes behind the certificate would be left over.
    guard unsafe i2d_X509(parsed, nil) == Int32(clamping: bytes.count),
      let subject = unsafe Self.text({ unsafe x509_write_name($0, parsed, 0) }),
      let issuer = unsafe Self.text({ unsafe x509_write_name($0, parsed, 1) }),
      let notBefore = unsafe Self.text({ unsafe x509_write_time($0, parsed, 0) }),
      let notAfter = unsafe Self.text({ unsafe x509_write_time($0, parsed, 1) }),
      let number = unsafe ASN1_INTEGER_to_BN(X509_get_serialNumber(parsed), nil)
    else { return nil }
    defer { unsafe BN_free(number) }
    var serial = [UInt8](repeating: 0, count: Int((unsafe BN_num_bits(number) + 7) / 8))
    _ = unsafe BN_bn2bin(number, &serial)
    self.bytes = bytes
    self.subject = subject
    self.issuer = issuer
    serialNumber = serial
    self.notBefore = notBefore
    self.notAfter = notAfter
    end = unsafe x509_end(parsed)
  }

  /// The certificate in PEM, 64 characters a line, with a final line feed (RFC 7468 section 5.1).
  package var pem: String {
    let text = Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
  }

  /// The first certificate of a PEM file; `nil` if it has none.
  package init?(pem: [UInt8]) {
    let lines = pem.split { $0 == .lineFeed || $0 == .carriageReturn }
    guard let begin = lines.firstIndex(where: { $0.elementsEqual("-----BEGIN CERTIFICATE-----".utf8) }),
      let end = lines[begin...].firstIndex(where: { $0.elementsEqual("-----END CERTIFICATE-----".utf8) })
    else { return nil }
    let text = lines[(begin + 1)..<end].joined().filter { $0 != .space }
    guard let bytes = Base64Text.decodedForURL(text) else { return nil }
    self.init(bytes: bytes)
  }

  /// `x5t#S256`: the SHA-256 of the certificate in base64url (RFC 8705 section 3.1).
  ///
  /// - Throws: `libcrypto`.
  package func thumbprint() throws(SigningKeyError) -> String { Base64URL.text(try Libcrypto.hash(bytes)) }

  // MARK: A server

  /// The PEM texts of a new authority and of a server that it has signed.
  struct Server: Equatable, Sendable {
    let authority: [UInt8]
    let certificate: [UInt8]
    let key: [UInt8]
  }

  /// Makes an authority and a server's certificate. The authority's private key is not kept.
  ///
  /// - Parameters:
  ///   - names: the names and addresses of the server: `DNS:localhost,IP:127.0.0.1`.
  ///   - validity: seconds since 1970.
  static func makeServer(names: String, validity: Range<Int64>) throws(SigningKeyError) -> Server {
    var outputs: [OpaquePointer] = unsafe []
    defer { for index in unsafe outputs.indices { unsafe BIO_free(outputs[index]) } }
    for _ in 0..<3 {
      guard let output = unsafe BIO_new(BIO_s_mem()) else { throw Libcrypto.failure("BIO_new") }
      unsafe outputs.append(output)
    }
    let isMade = unsafe x509_make_server(
      "authorizer-local development authority", "authorizer-local", names, validity.lowerBound,
      validity.upperBound, outputs[0], outputs[1], outputs[2])
    guard isMade == 1 else { throw Libcrypto.failure("x509_make_server") }
    return unsafe Server(
      authority: Self.content(of: outputs[0]), certificate: Self.content(of: outputs[1]),
      key: Self.content(of: outputs[2]))
  }

  private static func content(of output: OpaquePointer) -> [UInt8] {
    var start: UnsafeMutablePointer<CChar>?
    let count = unsafe x509_bytes(output, &start)
    return unsafe UnsafeBufferPointer(start: start, count: count).map { UInt8(bitPattern: $0) }
  }

  private static func text(_ write: (OpaquePointer) -> Int32) -> String? {
    guard let output = unsafe BIO_new(BIO_s_mem()) else { return nil }
    defer { unsafe BIO_free(output) }
    guard unsafe write(output) == 1 else { return nil }
    return String(decoding: unsafe content(of: output), as: UTF8.self)
  }
}
