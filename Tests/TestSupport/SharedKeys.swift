package import Foundation
package import TestTokens

/// Development keys that all tests share, because making them takes a second.
package enum SharedKeys {
  private static let made = Result {
    let folder = try TemporaryFolder("keys")
    let keys = try DevelopmentKeys(in: folder.path)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).map { name in
      (name: name, content: try Data(contentsOf: folder.url.appending(path: name)))
    }
    return (keys: keys, files: files)
  }

  package static func all() throws -> DevelopmentKeys { try made.get().keys }

  /// Writes their files to a folder (0700, the files 0600), and creates it.
  package static func write(to place: URL) throws {
    try FileManager.default.createDirectory(
      at: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for file in try made.get().files {
      let url = place.appending(path: file.name)
      try file.content.write(to: url)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    }
  }
}
