package import JSON

/// An access key for routes of a local gateway with `AWS_IAM`. AWS does not know it, so it opens nothing there.
///
/// It is generated on the first use of a folder and stored in its file, beside the development keys.
package struct DevelopmentCredentials: Equatable, Sendable {
  /// `LOCAL` and 15 characters. AWS's own IDs have the same length and begin with `AKIA` or `ASIA` (IAM User Guide,
  /// "Understanding unique ID prefixes").
  package let accessKeyID: String
  /// 40 characters, as many as AWS's secrets have.
  package let secretAccessKey: String

  private static let fileName = "credentials.json"
  private static let idPrefix = "LOCAL"
  private static let idCharacters = 20
  private static let secretCharacters = 40
  /// The version of the file format and of the AWS CLI's format, which it follows.
  private static let formVersion = "1"

  /// Generates a new access key and does not store it.
  ///
  /// - Throws: `notMade`.
  package static func generate() throws(DevelopmentKeysError) -> DevelopmentCredentials {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    do throws(SigningKeyError) {
      let random = try Libcrypto.randomBytes(count: idCharacters - idPrefix.utf8.count)
      let identifier = String(decoding: random.map { alphabet[Int($0 & 31)] }, as: UTF8.self)
      let secret = Base64URL.encode(try Libcrypto.randomBytes(count: secretCharacters / 4 * 3))
      return DevelopmentCredentials(
        accessKeyID: idPrefix + identifier, secretAccessKey: String(decoding: secret, as: UTF8.self))
    } catch {
      throw .notMade(error)
    }
  }

  /// Reads the access key of a folder, or generates it on the first use. The folder is that of `DevelopmentKeys`, with
  /// the same checks.
  ///
  /// - Throws: `inaccessible`, `untrusted`, `damaged` (the file is not changed), or `notMade`.
  package init(in path: String) throws(DevelopmentKeysError) {
    self = try PrivateFolder(path: path).value(of: Self.fileName, read: Self.read) {
      () throws(DevelopmentKeysError) in
      let made = try Self.generate()
      return (made, made.document.bytes(indentedBy: 2) + [0x0A])
    }
  }

  /// The access key in the form that the AWS CLI reads from a `credential_process` (AWS CLI User Guide, "Sourcing
  /// credentials with an external process").
  package var document: JSONTree {
    .members([
      "Version": .number(Self.formVersion), "AccessKeyId": .string(accessKeyID),
      "SecretAccessKey": .string(secretAccessKey),
    ])
  }

  /// Creates an access key from its parts, such as those of AWS's published examples.
  package init(accessKeyID: String, secretAccessKey: String) {
    self.accessKeyID = accessKeyID
    self.secretAccessKey = secretAccessKey
  }

  private static func read(
    _ bytes: [UInt8], at path: String
  ) throws(DevelopmentKeysError) -> DevelopmentCredentials {
    guard let tree = try? JSONTree(parsing: bytes, limits: .configuration) else {
      throw .damaged(path: path, reason: "it is not JSON")
    }
    guard tree["Version"] == .number(formVersion), case .string(let identifier)? = tree["AccessKeyId"],
      case .string(let secret)? = tree["SecretAccessKey"], identifier.utf8.count == idCharacters,
      // An access key of AWS does not belong into this file, and must not be read out of it.
      identifier.utf8.starts(with: idPrefix.utf8), secret.utf8.count == secretCharacters
    else { throw .damaged(path: path, reason: "it has no access key of this program") }
    return DevelopmentCredentials(accessKeyID: identifier, secretAccessKey: secret)
  }
}
