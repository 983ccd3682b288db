package import JSON
package import TestTokens

/// The client certificate of a request, as events have it.
///
/// Names and forms are those of "Working with Lambda authorizers for HTTP APIs" and of a recorded event
/// (aws-lambda-dotnet, `mtls-request.json`): names in the order of the certificate, times as OpenSSL writes them.
package struct CallerCertificate: Equatable, Sendable {
  package let pem: String
  package let subject: String
  package let issuer: String
  package let serialNumber: String
  package let notBefore: String
  package let notAfter: String

  /// Creates the certificate of a connection.
  package init(_ certificate: X509Certificate, _ settings: Assumptions = Assumptions()) {
    let text = certificate.pem
    pem = settings.certificateEndsWithLineFeed == .yes ? text : String(text.dropLast())
    subject = certificate.subject
    issuer = certificate.issuer
    notBefore = certificate.notBefore
    notAfter = certificate.notAfter
    let bytes = certificate.serialNumber
    if settings.certificateSerial == .short, bytes.count <= Self.shortBytes {
      serialNumber = String(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    } else {
      serialNumber = (bytes.isEmpty ? [0] : bytes).map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined(separator: ":")
    }
  }

  /// The longest number that OpenSSL prints in decimal: one of 64 bits (`X509_print_ex`).
  private static let shortBytes = 8

  /// `clientCert` of an event.
  package var tree: JSONTree {
    .members([
      "clientCertPem": .string(pem), "issuerDN": .string(issuer), "serialNumber": .string(serialNumber),
      "subjectDN": .string(subject),
      "validity": .members(["notAfter": .string(notAfter), "notBefore": .string(notBefore)]),
    ])
  }

  /// `$context.identity.clientCert` ("API Gateway mapping template and access logging variable reference").
  package var variables: [String: String] {
    [
      "identity.clientCert.clientCertPem": pem, "identity.clientCert.subjectDN": subject,
      "identity.clientCert.issuerDN": issuer, "identity.clientCert.serialNumber": serialNumber,
      "identity.clientCert.validity.notBefore": notBefore,
      "identity.clientCert.validity.notAfter": notAfter,
    ]
  }
}

/// What is known of the client of a connection.
package enum ConnectionClient: Equatable, Sendable {
  /// The server does not ask for certificates.
  case unasked
  /// The server asks; `nil` if the client sent none. A certificate that no authority has signed ends the handshake.
  case asked(X509Certificate?)
}
