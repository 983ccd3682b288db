package import Foundation
package import TestTokens

/// Development keys that all tests share, because making them takes a second.
package enum SharedKeys {
  private static let fileName = "keys.json"
  private static let made = Result {
    let folder = try TemporaryFolder("keys")
    let keys = try DevelopmentKeys(in: folder.path)
    return (keys: keys, file: try Data(contentsOf: folder.url.appending(path: fileName)))
  }

  package static func all() throws -> DevelopmentKeys { try made.get().keys }

  /// Writes their file (0600) to a folder (0700), and creates it.
  package static func write(to place: URL) throws {
    try FileManager.default.createDirectory(
      at: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let file = place.appending(path: fileName)
    try made.get().file.write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
  }
}
