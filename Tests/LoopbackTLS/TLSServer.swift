import CLibssl
import Foundation
package import TestSupport

/// The server side of TLS with a certificate of a new CA.
@safe package final class TLSServer: @unchecked Sendable {
  /// The options of the certificate and of TLS.
  package struct Form: Sendable {
    /// The value of subjectAltName (x509v3_config(5)).
    package var names: String
    /// The validity in seconds from now.
    package var validFrom: Int
    package var validUntil: Int
    package var highestVersion: Int32

    package init(
      names: String = "IP:127.0.0.1,DNS:localhost", validFrom: Int = -3600, validUntil: Int = 3600,
      highestVersion: Int32 = TLS1_3_VERSION
    ) {
      self.names = names
      self.validFrom = validFrom
      self.validUntil = validUntil
      self.highestVersion = highestVersion
    }
  }

  /// An error of OpenSSL.
  package struct Failure: Error {
    package let text: String

    fileprivate init() {
      // ERR_error_string_n(3) writes at most the size of the buffer, including a zero byte.
      var buffer = [CChar](repeating: 0, count: 256)
      text = unsafe String(cString: clibssl_problem(&buffer, buffer.count))
    }
  }

  private let context: OpaquePointer

  /// Creates a server, and writes the CA's certificate to `authorityFile`.
  package init(_ form: Form, authorityFile: String) throws {
    guard let authorityKey = unsafe clibssl_key(), let key = unsafe clibssl_key() else {
      throw Failure()
    }
    defer {
      unsafe EVP_PKEY_free(authorityKey)
      unsafe EVP_PKEY_free(key)
    }
    guard
      let authority = unsafe clibssl_certificate(
        authorityKey, nil, authorityKey, "Test CA", nil, -86400, 86400)
    else { throw Failure() }
    defer { unsafe X509_free(authority) }
    guard
      let certificate = unsafe clibssl_certificate(
        key, authority, authorityKey, "Test server", form.names, form.validFrom, form.validUntil)
    else { throw Failure() }
    defer { unsafe X509_free(certificate) }
    guard unsafe clibssl_write(authority, authorityFile) == 1,
      let context = unsafe clibssl_server(certificate, key, form.highestVersion)
    else { throw Failure() }
    unsafe self.context = context
  }

  deinit { unsafe SSL_CTX_free(context) }

  /// The connection of a peer, with TLS if there is a server for it; nil if the handshake fails.
  package static func connection(_ peer: Int32, _ server: TLSServer?) -> (any ServerConnection)? {
    ignoreBrokenPipes()
    guard let server else { return LoopbackConnection(descriptor: peer) }
    return server.accept(peer)
  }

  /// Blocks SIGPIPE for this thread, because OpenSSL writes without MSG_NOSIGNAL.
  private static func ignoreBrokenPipes() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Accepts a TLS connection; nil if the handshake fails.
  package func accept(_ descriptor: Int32) -> TLSConnection? {
    guard let connection = unsafe SSL_new(context) else { return nil }
    let secured = unsafe TLSConnection(connection)
    return unsafe SSL_set_fd(connection, descriptor) == 1 && SSL_accept(connection) == 1 ? secured : nil
  }
}

@safe package final class TLSConnection: ServerConnection {
  private let connection: OpaquePointer

  init(_ connection: OpaquePointer) { unsafe self.connection = connection }

  deinit {
    unsafe SSL_free(connection)
    ERR_clear_error()
  }

  package func read() -> [UInt8]? {
    var piece = [UInt8](repeating: 0, count: 16384)
    let count = unsafe SSL_read(connection, &piece, Int32(piece.count))
    return count > 0 ? Array(piece[..<Int(count)]) : nil
  }

  package func write(_ bytes: [UInt8]) -> Bool {
    unsafe SSL_write(connection, bytes, Int32(bytes.count)) == Int32(bytes.count)
  }
}
