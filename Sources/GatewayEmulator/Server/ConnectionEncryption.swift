package import NIOCore

/// Encrypts the connections of the gateway. Made by another module, because its library takes minutes to build.
package protocol ConnectionEncryption: Sendable {
  var asksForCertificates: Bool { get }

  /// Adds its handlers to a new connection, before those of HTTP.
  func install(on channel: any Channel) throws

  /// The certificate that the client of a connection has proven, in DER; `nil` if it sent none.
  func clientCertificate(of channel: any Channel) async -> [UInt8]?
}
