import Testing

@testable import JOSE

/// RFC 7468 section 5.1, as strict as one certificate can be.
@Suite("Client certificates")
struct ClientCertificateTests {
  private static let good = ProofVectorTests.certificate

  /// Changes of the good text, each a pair of a text and its replacement.
  static let changes: [(name: String, from: String, to: String)] = [
    ("text before", "-----BEGIN", "x-----BEGIN"), ("a line feed before", "-----BEGIN", "\n-----BEGIN"),
    ("another label", "CERTIFICATE", "TRUSTED CERTIFICATE"), ("a key", "CERTIFICATE", "PRIVATE KEY"),
    ("no end", "-----END CERTIFICATE-----", ""), ("no begin", "-----BEGIN CERTIFICATE-----\n", ""),
    ("a header line", "-----\nMIIB", "-----\nProc-Type: 4\n\nMIIB"),
    ("an empty line", "-----\nMIIB", "-----\n\nMIIB"),
    ("carriage returns", "\n", "\r\n"), ("a space at the end of a line", "\n", " \n"),
    ("a tab", "MIIB", "\tMIIB"),
    ("no padding", "L+SY=\n", "L+SY\n"), ("more padding", "L+SY=\n", "L+SY==\n"),
    ("padding within", "MIIBBjCB", "MII=BBjC"), ("base64url", "L+SY", "L-SY"),
    ("another bit at the end", "SY=", "SZ="),
    ("a byte less", "+SY=", "+Q=="), ("four bytes more", "+SY=", "+SYAAAA="), ("another tag", "MIIB", "MYIB"),
    ("a longer length", "MIIBBj", "MIIBBz"), ("no line feed after the label", "-----\nMIIB", "-----MIIB"),
    ("no line feed before the end", "=\n-----END", "=-----END"), ("a NUL", "MIIB", "MI\u{0}B"),
  ]

  @Test("anything but exactly one block is refused", arguments: changes)
  func refused(name: String, from: String, to: String) {
    let text = Self.good.replacing(from, with: to)
    #expect(text != Self.good)
    #expect(ClientCertificate(pem: Array(text.utf8)) == nil)
  }

  @Test("two certificates, an empty one and a text that is too long are refused")
  func others() {
    for text in [
      "", "\n", Self.good + "\n" + Self.good, Self.good + Self.good, Self.good + "\n\n", Self.good + " ",
      "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
      "-----BEGIN CERTIFICATE-----\n\n-----END CERTIFICATE-----",
      "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----",
      String(repeating: "A", count: ClientCertificate.maximumBytes + 1),
    ] { #expect(ClientCertificate(pem: Array(text.utf8)) == nil) }
  }

  @Test("lines may have any length")
  func lines() throws {
    let good = try #require(ClientCertificate(pem: Array(Self.good.utf8)))
    let body = Self.good.split(separator: "\n").dropFirst().dropLast().joined()
    let oneLine = "-----BEGIN CERTIFICATE-----\n\(body)\n-----END CERTIFICATE-----\n"
    #expect(ClientCertificate(pem: Array(oneLine.utf8)) == good)
    #expect(good.encoding.count == 4 + 0x106)
  }
}
