package import Foundation
package import JSON
package import TestTokens

/// Development keys that all tests share, because making them takes a second.
package enum SharedKeys {
  private static let made = Result { () throws(DevelopmentKeysError) in try DevelopmentKeys.generate() }

  package static func all() throws(DevelopmentKeysError) -> DevelopmentKeys { try made.get() }

  /// The file with these keys.
  package static func file() throws -> JSONTree {
    let keys = try all()
    return .members([
      "version": .number("1"),
      "keys": .object(
        DevelopmentKeyName.allCases.map { .init(name: $0.rawValue, value: keys[$0].privateJWK) }),
    ])
  }

  /// Writes the file (0600) to a folder (0700), and creates it.
  package static func write(to place: URL) throws {
    try FileManager.default.createDirectory(
      at: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let path = place.appending(path: "keys.json")
    try Data(file().bytes()).write(to: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path.path)
  }
}
