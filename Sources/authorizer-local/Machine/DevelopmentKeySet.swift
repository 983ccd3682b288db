internal import JSON
internal import TestTokens

/// The development keys, and the file with their public halves that a function reads.
enum DevelopmentKeySet {
  private static let fileName = "jwks.json"

  /// Read once per run, because a run may have many events.
  private static let stored = Result { () throws(DevelopmentKeysError) in
    try DevelopmentKeys(in: DevelopmentFolder.path)
  }
  private static let published = Result { () throws(CommandFailure) in try publish() }

  /// Returns the keys; makes them on the first use.
  static func keys() throws(CommandFailure) -> DevelopmentKeys {
    try DevelopmentFolder.prepare()
    do throws(DevelopmentKeysError) {
      return try stored.get()
    } catch {
      throw CommandFailure(.unavailable, error.description, hint: error.hint)
    }
  }

  /// Returns the path of the public key set; the file exists and matches the keys.
  static func existingPath() throws(CommandFailure) -> String { try published.get() }

  private static func publish() throws(CommandFailure) -> String {
    try write(try keys().publicKeySet.bytes(indentedBy: 2) + [0x0A], to: fileName)
    return DevelopmentFolder.path + "/" + fileName
  }

  /// Replaces a file of the development folder, unless it has this content already.
  static func write(_ bytes: [UInt8], to name: String) throws(CommandFailure) {
    do throws(DevelopmentKeysError) {
      try DevelopmentKeys.write(bytes, to: name, in: DevelopmentFolder.path)
    } catch {
      throw CommandFailure(.unavailable, error.description, hint: error.hint)
    }
  }
}
