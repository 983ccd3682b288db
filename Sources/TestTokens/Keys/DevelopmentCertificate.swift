import JSON

/// The certificate of the local gateway for `localhost`, and the authority that has signed it.
///
/// Both are made on the first use of a folder, and again before they expire. The private key of the authority is
/// discarded, so that a machine that trusts the authority trusts this one server.
package struct DevelopmentCertificate: Equatable, Sendable {
  /// The server's certificate, in PEM.
  package let certificate: [UInt8]
  /// Its private key, in PEM.
  package let key: [UInt8]
  /// The file with the authority's certificate, for clients.
  package let authorityPath: String

  private static let fileName = "tls.json"
  private static let authorityFileName = "tls-ca.pem"
  private static let formVersion = "1"
  /// 397 days, the longest life that browsers accept of public certificates (CA/Browser Forum, Baseline Requirements
  /// 6.3.2).
  private static let lifeSeconds: Int64 = 397 * 86_400
  /// A certificate that ends sooner is replaced: our choice, longer than a session.
  private static let reserveSeconds: Int64 = 2 * 86_400
  /// The begin is earlier than now, for a client whose clock is slow: our choice.
  private static let pastSeconds: Int64 = 3600
  private static let names = "DNS:localhost,DNS:*.localhost,IP:127.0.0.1,IP:0:0:0:0:0:0:0:1"

  /// Reads the certificate of a folder, or makes it. The folder is that of `DevelopmentKeys`, with the same checks.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Throws: `inaccessible`, `untrusted`, `damaged` (the file is not changed), or `notMade`.
  package init(in path: String, at now: Int64) throws(DevelopmentKeysError) {
    let folder = PrivateFolder(path: path)
    try folder.create()
    let server = try folder.locked { () throws(DevelopmentKeysError) -> X509Certificate.Server in
      if let known = try Self.read(from: folder, at: now) { return known }
      let made: X509Certificate.Server
      do throws(SigningKeyError) {
        made = try X509Certificate.makeServer(
          names: Self.names, validity: now - Self.pastSeconds..<now + Self.lifeSeconds)
      } catch {
        throw .notMade(error)
      }
      try folder.replace(".gitignore", with: Array("*\n".utf8))
      try folder.replace(Self.fileName, with: Self.document(of: made).bytes(indentedBy: 2) + [0x0A])
      return made
    }
    try DevelopmentKeys.write(server.authority, to: Self.authorityFileName, in: path)
    certificate = server.certificate
    key = server.key
    authorityPath = folder.path(of: Self.authorityFileName)
  }

  private static func document(of server: X509Certificate.Server) -> JSONTree {
    func text(_ bytes: [UInt8]) -> JSONTree { .string(String(decoding: bytes, as: UTF8.self)) }
    return .members([
      "version": .number(formVersion),
      "note": .string("private key for development, generated locally: do not commit"),
      "authority": text(server.authority), "certificate": text(server.certificate), "key": text(server.key),
    ])
  }

  /// The stored certificate; `nil` if there is none that is valid for long enough.
  private static func read(
    from folder: PrivateFolder, at now: Int64
  ) throws(DevelopmentKeysError) -> X509Certificate.Server? {
    guard let bytes = try folder.contents(of: fileName) else { return nil }
    let path = folder.path(of: fileName)
    guard let tree = try? JSONTree(parsing: bytes, limits: .configuration) else {
      throw .damaged(path: path, reason: "it is not JSON")
    }
    guard tree["version"] == .number(formVersion), case .string(let authority)? = tree["authority"],
      case .string(let text)? = tree["certificate"], case .string(let key)? = tree["key"],
      let certificate = X509Certificate(pem: Array(text.utf8))
    else { throw .damaged(path: path, reason: "it has no certificate of this program") }
    guard certificate.end - now > reserveSeconds else { return nil }
    return X509Certificate.Server(
      authority: Array(authority.utf8), certificate: Array(text.utf8), key: Array(key.utf8))
  }
}
