internal import GatewayEmulator

#if SERVES_TLS
  internal import GatewayTLS
  internal import TestTokens
#endif

/// How `serve` encrypts its connections.
struct ServedEncryption: Equatable, Sendable {
  /// The file with the authorities of client certificates; `nil` if none is asked for.
  var clientAuthorities: String?

  /// What encrypts, and the file that clients need.
  struct Opened: Sendable {
    let encryption: any ConnectionEncryption
    /// The file with the authority of the server's certificate.
    let authorityPath: String
  }

  /// Returns what encrypts; makes the development certificate on the first use.
  ///
  /// - Throws: `CommandFailure` if this program was built without TLS, or for a file that is not what it should be.
  func opened(on machine: Machine) throws(CommandFailure) -> Opened {
    #if SERVES_TLS
      let own = try machine.development.certificate(at: machine.now())
      let clients: [UInt8]?
      if let clientAuthorities {
        clients = try machine.files.bytes(at: clientAuthorities)
      } else {
        clients = nil
      }
      do throws(GatewayEncryptionError) {
        let encryption = try GatewayEncryption(
          certificate: own.certificate, key: own.key, clientAuthorities: clients)
        return Opened(encryption: encryption, authorityPath: own.authorityPath)
      } catch {
        throw CommandFailure(
          .usage,
          Printable.text("\(clientAuthorities ?? own.authorityPath) cannot be used: \(error.problem)"),
          hint: "give certificates of authorities in PEM: -----BEGIN CERTIFICATE-----")
      }
    #else
      throw CommandFailure(
        .unavailable, "this authorizer-local was built without TLS, whose library takes minutes to build",
        hint: "make serve TLS=1 builds and serves with it; make build TLS=1 builds dist/authorizer-local")
    #endif
  }
}
