internal import GatewayEmulator
package import NIOCore
internal import NIOSSL

/// TLS for the connections of `serve`, with BoringSSL.
package struct GatewayEncryption: ConnectionEncryption {
  /// Whether clients are asked for certificates.
  package let asksForCertificates: Bool
  private let context: NIOSSLContext

  /// Creates TLS with these certificates.
  ///
  /// - Parameters:
  ///   - certificate: the server's certificate, in PEM.
  ///   - key: its private key, in PEM.
  ///   - clientAuthorities: the authorities of client certificates, in PEM; `nil` if none is asked for. A client without
  ///     a certificate is accepted, because only some domains need one.
  /// - Throws: `GatewayEncryptionError` for a text that is not what it should be.
  package init(
    certificate: [UInt8], key: [UInt8], clientAuthorities: [UInt8]?
  ) throws(GatewayEncryptionError) {
    asksForCertificates = clientAuthorities != nil
    do {
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMBytes(certificate).map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(bytes: key, format: .pem)))
      // API Gateway's oldest TLS version for regional domain names ("Choose a security policy").
      configuration.minimumTLSVersion = .tlsv12
      configuration.applicationProtocols = ["http/1.1"]
      if let clientAuthorities {
        let authorities = try NIOSSLCertificate.fromPEMBytes(clientAuthorities)
        guard !authorities.isEmpty else { throw GatewayEncryptionError(problem: "it has no certificate") }
        configuration.trustRoots = .certificates(authorities)
        configuration.certificateVerification = .optionalVerification
      }
      context = try NIOSSLContext(configuration: configuration)
    } catch let error as GatewayEncryptionError {
      throw error
    } catch {
      throw GatewayEncryptionError(problem: "BoringSSL refuses it: \(error)")
    }
  }

  /// Adds the handler that encrypts.
  package func install(on channel: any Channel) throws {
    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
  }

  /// The certificate of the client, in DER; `nil` if it sent none.
  package func clientCertificate(of channel: any Channel) async -> [UInt8]? {
    try? await channel.nioSSL_peerCertificate().get()?.toDERBytes()
  }
}

/// Why there is no TLS.
package struct GatewayEncryptionError: Error, Equatable, Sendable {
  /// The reason as human-readable text.
  package let problem: String
}
