/// The secret of a development folder. Programs send it to the local gateway for what other users of this machine must
/// not do: every user can connect to a port of 127.0.0.1, and only the owner can read the folder.
///
/// It is generated on the first use of a folder and stored in its file, as the header field that programs send:
/// `curl -H @FILE` reads it from there. As an argument it would be in the list of processes, which every user can read.
package struct DevelopmentSecret: Equatable, Sendable {
  /// The name of the header field.
  package static let header = "X-Development-Secret"
  /// The name of the file in the folder.
  package static let fileName = "secret"

  /// 43 characters of base64url.
  package let value: String
  /// The path of the file, for messages.
  package let path: String

  /// 256 bits: as many as the development keys have at least.
  private static let byteCount = 32

  /// Generates a new secret and does not store it.
  ///
  /// - Parameter path: where messages say that it is.
  /// - Throws: `notMade`.
  package static func generate(for path: String) throws(DevelopmentKeysError) -> DevelopmentSecret {
    do throws(SigningKeyError) {
      return DevelopmentSecret(
        value: Base64URL.text(try Libcrypto.randomBytes(count: byteCount)), path: path)
    } catch {
      throw .notMade(error)
    }
  }

  /// Reads the secret of a folder, or generates it on the first use. The folder is that of `DevelopmentKeys`, with the
  /// same checks.
  ///
  /// - Throws: `inaccessible`, `untrusted`, `damaged` (the file is not changed), or `notMade`.
  package init(in path: String) throws(DevelopmentKeysError) {
    let folder = PrivateFolder(path: path)
    self = try folder.value(of: Self.fileName, read: Self.read) { () throws(DevelopmentKeysError) in
      let made = try Self.generate(for: folder.path(of: Self.fileName))
      return (made, Array("\(Self.header): \(made.value)\n".utf8))
    }
  }

  /// Whether one of the values of a request is the secret. The time does not depend on where a value differs.
  package func isAmong(_ values: [String]) -> Bool {
    let own = Array(value.utf8)
    return values.contains { sent in
      let sent = Array(sent.utf8)
      return sent.count == own.count && zip(sent, own).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
  }

  private init(value: String, path: String) {
    (self.value, self.path) = (value, path)
  }

  private static func read(
    _ bytes: [UInt8], at path: String
  ) throws(DevelopmentKeysError) -> DevelopmentSecret {
    let start = Array("\(header): ".utf8)
    let value = bytes.dropFirst(start.count).dropLast()
    guard bytes.starts(with: start), bytes.last == UInt8(ascii: "\n"),
      Base64URL.decode(Array(value))?.count == byteCount
    else { throw .damaged(path: path, reason: "it has no secret of this program") }
    return DevelopmentSecret(value: String(decoding: value, as: UTF8.self), path: path)
  }
}
