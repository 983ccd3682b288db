@testable import DeploymentChecks
import Foundation
import TestSupport
import Testing

/// Files that a template names must be in its folder, otherwise they are not read.
@Suite struct ConfinedFolderTests {
  /// `inside/keys/a.json`, `outside.json`, and links of all kinds.
  private struct Links {
    private let root: TemporaryFolder
    let folder: ConfinedFolder

    init() throws {
      root = try TemporaryFolder("confined")
      for path in ["inside/keys/a.json", "outside.json", "inside2/b.json"] { try root.write("{}", to: path) }
      for (link, target) in [
        ("out", "../outside.json"), ("in", "keys/a.json"), ("folder", ".."), ("loop", "loop"),
        ("device", "/dev/zero"), ("chain", "out"), ("root", "/"),
      ] {
        try FileManager.default.createSymbolicLink(
          atPath: root.path("inside/" + link), withDestinationPath: target)
      }
      folder = ConfinedFolder(root.path("inside"))
    }
  }

  @Test(arguments: ["keys/a.json", "./keys/a.json", "keys/../keys/a.json", "in", "/var/task/keys/a.json"])
  func findsFilesInTheFolder(_ name: String) throws {
    let links = try Links()
    #expect(links.folder.place(of: name) == .file(links.folder.path + "/keys/a.json"))
    #expect(links.folder.place(of: links.folder.path + "/keys/a.json") != .outside)
  }

  @Test(arguments: [
    "../outside.json", "keys/../../outside.json", "out", "chain", "folder/outside.json", "folder",
    "/etc/passwd", "/",
    "..", "root/etc/passwd", "../inside2/b.json", "/var/task/../outside.json", "../nothing", "device",
    "/dev/zero",
    "/var/task/../../etc/passwd", "folder/inside2/b.json",
  ]) func refusesPathsOutsideTheFolder(_ name: String) throws {
    let links = try Links()
    #expect(links.folder.place(of: name) == .outside, "\(name)")
  }

  @Test(arguments: ["nothing", "keys", "keys/b.json", "loop", "var/task"]) func reportsMissingFiles(
    _ name: String
  )
    throws
  {
    let links = try Links()
    #expect(links.folder.place(of: name) == .missing, "\(name)")
  }
}
