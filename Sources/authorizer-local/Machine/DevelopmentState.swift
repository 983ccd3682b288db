internal import JSON
internal import TestTokens

/// The development keys, the file with their public halves that a function reads, and the folder of both.
///
/// Everything is found on its first use and kept, because a run may have many events.
final class DevelopmentState: Sendable {
  private let files: FileSystem
  private let folder: Once<DevelopmentFolder>
  private let prepared: Once<Result<Void, CommandFailure>>
  private let storedKeys: Once<Result<DevelopmentKeys, CommandFailure>>
  private let published: Once<Result<String, CommandFailure>>

  private static let fileName = "jwks.json"

  /// - Parameter generateKeys: makes the keys on the first use.
  init(
    files: FileSystem, environment: [String: String], terminal: Terminal,
    generateKeys: @escaping @Sendable () throws(DevelopmentKeysError) -> DevelopmentKeys
  ) {
    self.files = files
    let folder = Once { DevelopmentFolder(files, environment, terminal) }
    let prepared = Once { Result { () throws(CommandFailure) -> Void in try folder.value.prepare() } }
    let storedKeys = Once {
      Result { () throws(CommandFailure) -> DevelopmentKeys in
        try prepared.value.get()
        return try Self.readable { () throws(DevelopmentKeysError) in
          try DevelopmentKeys(in: folder.value.path, generate: generateKeys)
        }
      }
    }
    published = Once {
      Result { () throws(CommandFailure) -> String in
        let keys = try storedKeys.value.get().publicKeySet.bytes(indentedBy: 2) + [0x0A]
        try Self.write(keys, to: Self.fileName, in: folder.value.path)
        return folder.value.path + "/" + Self.fileName
      }
    }
    (self.folder, self.prepared, self.storedKeys) = (folder, prepared, storedKeys)
  }

  /// The path of the folder, which may not exist yet. Found once, because creating the folder must not change it.
  var path: String { folder.value.path }

  /// Checks the place of the folder and creates the folders above it.
  ///
  /// - Throws: `CommandFailure` if files of another author or user would be used, or if a folder cannot be created.
  func prepare() throws(CommandFailure) { try prepared.value.get() }

  /// Returns the keys; makes them on the first use.
  func keys() throws(CommandFailure) -> DevelopmentKeys { try storedKeys.value.get() }

  /// Returns the thumbprint of the client's key for DPoP; makes the key on the first use.
  func proofThumbprint() throws(CommandFailure) -> String {
    let keys = try keys()
    let key = try Self.readable { () throws(DevelopmentKeysError) in try keys.proofKey() }
    return try Result { () throws(SigningKeyError) in try key.thumbprint() }
      .mapError { CommandFailure(.unavailable, $0.description) }.get()
  }

  /// Returns the certificate of the local gateway; makes it on the first use.
  func certificate(at now: Int64) throws(CommandFailure) -> DevelopmentCertificate {
    try stored { path throws(DevelopmentKeysError) in try DevelopmentCertificate(in: path, at: now) }
  }

  /// Returns the access key for routes with `AWS_IAM`; makes it on the first use.
  func credentials() throws(CommandFailure) -> DevelopmentCredentials {
    try stored { path throws(DevelopmentKeysError) in try DevelopmentCredentials(in: path) }
  }

  /// Returns the secret that programs send to the local gateway; makes it on the first use.
  func secret() throws(CommandFailure) -> DevelopmentSecret {
    try stored { path throws(DevelopmentKeysError) in try DevelopmentSecret(in: path) }
  }

  private func stored<Value>(
    _ read: (_ path: String) throws(DevelopmentKeysError) -> Value
  ) throws(CommandFailure) -> Value {
    try prepare()
    return try Self.readable { () throws(DevelopmentKeysError) in try read(path) }
  }

  /// Returns the path of the public key set; the file exists and matches the keys.
  func keySetPath() throws(CommandFailure) -> String { try published.value.get() }

  /// Replaces a file of the development folder, unless it has this content already.
  func write(_ bytes: [UInt8], to name: String) throws(CommandFailure) {
    try Self.write(bytes, to: name, in: path)
  }

  private static func write(_ bytes: [UInt8], to name: String, in path: String) throws(CommandFailure) {
    try readable { () throws(DevelopmentKeysError) in try DevelopmentKeys.write(bytes, to: name, in: path) }
  }

  /// Returns the result of a closure; its error becomes the failure of a command.
  private static func readable<Value>(
    _ body: () throws(DevelopmentKeysError) -> Value
  ) throws(CommandFailure) -> Value {
    try Result(catching: body).mapError {
      CommandFailure(.unavailable, $0.description, hint: $0.hint)
    }.get()
  }
}
