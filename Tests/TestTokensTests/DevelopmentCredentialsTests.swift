import TestSupport
import Foundation
import JSON
import Testing

@testable import TestTokens

/// The access key of the development folder.
@Suite struct DevelopmentCredentialsTests {
  @Test func isUnlikeAnAccessKeyOfAWS() throws {
    let made = try (0..<20).map { _ in try DevelopmentCredentials.generate() }
    #expect(Set(made.map(\.accessKeyID)).count == 20)
    #expect(Set(made.map(\.secretAccessKey)).count == 20)
    for key in made {
      #expect(key.accessKeyID.wholeMatch(of: /LOCAL[A-Z2-7]{15}/) != nil)
      #expect(key.secretAccessKey.wholeMatch(of: /[A-Za-z0-9_\-]{40}/) != nil)
    }
  }

  @Test func isTheSameInTheSecondRun() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("keys")
    let first = try DevelopmentCredentials(in: path)
    #expect(try DevelopmentCredentials(in: path) == first)
    #expect(first.document["AccessKeyId"] == .string(first.accessKeyID))
    let mode = try FileManager.default.attributesOfItem(atPath: path + "/credentials.json")[.posixPermissions]
    #expect(mode as? Int == 0o600)
    #expect(try String(contentsOfFile: path + "/.gitignore", encoding: .utf8) == "*\n")
    // The keys beside it stay, and the other way round.
    _ = try DevelopmentKeys(in: path, generate: SharedKeys.all)
    #expect(try DevelopmentCredentials(in: path) == first)
  }

  /// A file of another author, or with an access key of AWS, is neither read nor changed.
  @Test(arguments: [
    "", "{}", "[]", "x", #"{"Version":2,"AccessKeyId":"LOCALAAAAAAAAAAAAAAA","SecretAccessKey":"SECRET"}"#,
    #"{"Version":1,"AccessKeyId":"AKIAAAAAAAAAAAAAAAAA","SecretAccessKey":"SECRET"}"#,
    #"{"Version":1,"AccessKeyId":"LOCALAAAAAAAAAAAAAAA","SecretAccessKey":"short"}"#,
    #"{"Version":1,"AccessKeyId":"LOCALAAAAAAAAAAAAAAA"}"#,
  ]) func damagedFiles(_ text: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("keys")
    _ = try DevelopmentCredentials(in: path)
    let text = text.replacing("SECRET", with: String(repeating: "s", count: 40))
    try Data(text.utf8).write(to: URL(filePath: path + "/credentials.json"))
    let error = #expect(throws: DevelopmentKeysError.self) { try DevelopmentCredentials(in: path) }
    #expect(error.map { caseName($0) } == "damaged")
    #expect(try String(contentsOfFile: path + "/credentials.json", encoding: .utf8) == text)
  }
}
