import Foundation
import TestSupport
import Testing

@testable import authorizer_local

/// Links in a working folder, which another author may have made: no file is written through them.
@Suite struct LinkedFolderTests {
  private static let programs = Checkout.root.appending(path: "dist").path

  /// - Parameter link: what is a link in the repository. It leads outside.
  @Test(
    "package writes through no link of the repository",
    .enabled(if: FileManager.default.isExecutableFile(atPath: programs + "/bootstrap"), "make bootstrap"),
    arguments: [
      ("dist", nil), ("dist", "dist"), ("dist", "dist/"), ("dist", "./dist"), ("out", "out/deep"),
      ("a/b", "a/b/c/d"), ("dist", "DOT/dist"), ("dist", "none/../dist"),
    ] as [(String, String?)])
  func package(_ link: String, _ output: String?) async throws {
    let recorded = try RecordedMachine()
    let outside = try RecordedMachine()
    let place = URL(filePath: recorded.folder + "/" + link)
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: place.path, withDestinationPath: outside.folder)
    var arguments = ["package", "--name", "other"]
    for name in ["bootstrap", "fetch-keys", "call-dynamodb"] {
      arguments += ["--" + name, "\(Self.programs)/\(name)"]
    }
    if let output { arguments += ["--output", output.replacing("DOT", with: recorded.folder)] }
    let exit = await AuthorizerLocal.end(of: arguments, on: recorded.machine)
    #expect(exit == 64)
    #expect(
      recorded.notes.contains("\(link) is a symbolic link") && recorded.notes.contains("hint: "),
      "\(recorded.notes)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside.folder) == [".git"])
  }

  /// `test --update`, `keys fetch -o` and others write files in the working folder too.
  @Test(arguments: ["events", "events/a.expected.json"]) func writesThroughNoLink(_ link: String) throws {
    let recorded = try RecordedMachine()
    let outside = try RecordedMachine()
    try outside.write("theirs", to: "file")
    let place = URL(filePath: recorded.folder + "/" + link)
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: place.path, withDestinationPath: outside.folder + (link.hasSuffix("json") ? "/file" : ""))
    #expect(throws: CommandFailure.self) {
      try recorded.machine.files.write([], to: "events/a.expected.json")
    }
    #expect(try outside.text(of: "file") == "theirs")
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside.folder).sorted() == [".git", "file"])
  }

  /// A path outside of the repository is the user's own choice; `/tmp` itself is a link on macOS.
  @Test func aLinkOutsideOfTheRepositoryIsFollowed() throws {
    let recorded = try RecordedMachine()
    let outside = try RecordedMachine()
    try FileManager.default.createSymbolicLink(
      atPath: outside.folder + "/link", withDestinationPath: outside.folder)
    try recorded.machine.files.write([0x61], to: outside.folder + "/link/file")
    #expect(try outside.text(of: "file") == "a")
  }
}
