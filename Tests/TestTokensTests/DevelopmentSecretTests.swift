import TestSupport
import Foundation
import Testing

@testable import TestTokens

/// The secret of the development folder.
@Suite struct DevelopmentSecretTests {
  @Test func isTheSameInTheSecondRunAndOnlyItsOwnerCanReadIt() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("state")
    let first = try DevelopmentSecret(in: path)
    #expect(first.value.wholeMatch(of: /[A-Za-z0-9_\-]{43}/) != nil)
    #expect(try DevelopmentSecret(in: path) == first)
    #expect(first.path == path + "/secret")
    #expect(
      try String(contentsOfFile: first.path, encoding: .utf8) == "X-Development-Secret: \(first.value)\n")
    let attributes = try FileManager.default.attributesOfItem(atPath: first.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try String(contentsOfFile: path + "/.gitignore", encoding: .utf8) == "*\n")
    #expect(try DevelopmentSecret(in: folder.path("other")).value != first.value)
  }

  /// A copy of the folder may have lost the permissions.
  @Test func permissionsOfOthersAreRemoved() throws {
    let folder = try TemporaryFolder()
    let first = try DevelopmentSecret(in: folder.path("state"))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: first.path)
    #expect(try DevelopmentSecret(in: folder.path("state")) == first)
    let attributes = try FileManager.default.attributesOfItem(atPath: first.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  /// A file of another author is neither read nor changed.
  @Test(arguments: [
    "", "\n", "VALUE\n", "X-Development-Secret: VALUE", "X-Development-Secret: \n",
    "X-Development-Secret:VALUE\n",
    "X-Development-Secret: VALUEA\n", "X-Development-Secret: VALUE\nX: y\n", "X-Development-Secret: =VALUE\n",
  ]) func damagedFiles(_ text: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("state")
    let first = try DevelopmentSecret(in: path)
    let text = text.replacing("VALUE", with: String(repeating: "A", count: 43))
    try Data(text.utf8).write(to: URL(filePath: first.path))
    let error = #expect(throws: DevelopmentKeysError.self) { try DevelopmentSecret(in: path) }
    #expect(error.map { caseName($0) } == "damaged")
    #expect(try String(contentsOfFile: first.path, encoding: .utf8) == text)
  }

  /// The access key of the folder too.
  @Test(arguments: ["secret", "credentials.json"]) func linksAreRefused(_ name: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("state")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try Data("precious".utf8).write(to: URL(filePath: folder.path("victim")))
    try FileManager.default.createSymbolicLink(
      atPath: path + "/" + name, withDestinationPath: folder.path("victim"))
    let error = #expect(throws: DevelopmentKeysError.self) {
      if name == "secret" {
        _ = try DevelopmentSecret(in: path)
      } else {
        _ = try DevelopmentCredentials(in: path)
      }
    }
    #expect(error.map { caseName($0) } == "untrusted")
  }
}
