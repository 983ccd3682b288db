@testable import DeploymentChecks
import Foundation
import Testing

/// Files that a template names must be in its folder, otherwise they are not read.
@Suite struct ConfinedFolderTests {
  /// `inside/keys/a.json`, `outside.json`, and links of all kinds.
  private struct Stage: ~Copyable {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("confined-\(UUID().uuidString)")
    let folder: ConfinedFolder

    init() throws {
      let files = FileManager.default
      let inside = root.appendingPathComponent("inside")
      try files.createDirectory(
        at: inside.appendingPathComponent("keys"), withIntermediateDirectories: true)
      try files.createDirectory(at: root.appendingPathComponent("inside2"), withIntermediateDirectories: true)
      for path in ["inside/keys/a.json", "outside.json", "inside2/b.json"] {
        try Data("{}".utf8).write(to: root.appendingPathComponent(path))
      }
      for (link, target) in [
        ("out", "../outside.json"), ("in", "keys/a.json"), ("folder", ".."), ("loop", "loop"),
        ("device", "/dev/zero"), ("chain", "out"), ("root", "/"),
      ] {
        try files.createSymbolicLink(
          atPath: inside.appendingPathComponent(link).path, withDestinationPath: target)
      }
      folder = ConfinedFolder(inside.path)
    }

    deinit { try? FileManager.default.removeItem(at: root) }
  }

  @Test(arguments: ["keys/a.json", "./keys/a.json", "keys/../keys/a.json", "in", "/var/task/keys/a.json"])
  func findsFilesInTheFolder(_ name: String) throws {
    let stage = try Stage()
    #expect(stage.folder.place(of: name) == .file(stage.folder.path + "/keys/a.json"))
    #expect(stage.folder.place(of: stage.folder.path + "/keys/a.json") != .outside)
  }

  @Test(arguments: [
    "../outside.json", "keys/../../outside.json", "out", "chain", "folder/outside.json", "folder",
    "/etc/passwd", "/",
    "..", "root/etc/passwd", "../inside2/b.json", "/var/task/../outside.json", "../nothing", "device",
    "/dev/zero",
    "/var/task/../../etc/passwd", "folder/inside2/b.json",
  ]) func refusesPathsOutsideTheFolder(_ name: String) throws {
    let stage = try Stage()
    #expect(stage.folder.place(of: name) == .outside, "\(name)")
  }

  @Test(arguments: ["nothing", "keys", "keys/b.json", "loop", "var/task"]) func reportsMissingFiles(
    _ name: String
  )
    throws
  {
    let stage = try Stage()
    #expect(stage.folder.place(of: name) == .missing, "\(name)")
  }
}
