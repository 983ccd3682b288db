import Foundation
import TestTokens

extension Workshop {
  /// Development keys that all tests share, and their files, because generating keys takes a second.
  static let sharedKeys = Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "workshop-keys-\(ProcessInfo.processInfo.processIdentifier)")
    let keys = try DevelopmentKeys(in: folder.path)
    // The process deletes the folder at once and keeps the content in memory.
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).map { name in
      (name: name, content: try Data(contentsOf: folder.appendingPathComponent(name)))
    }
    return (keys: keys, files: files)
  }

  /// Writes development keys to a folder, and creates it.
  static func writeDevelopmentKeys(to place: URL) throws {
    try FileManager.default.createDirectory(
      at: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for file in try sharedKeys.get().files {
      let path = place.appendingPathComponent(file.name).path
      _ = FileManager.default.createFile(
        atPath: path, contents: file.content, attributes: [.posixPermissions: 0o600])
    }
  }
}
