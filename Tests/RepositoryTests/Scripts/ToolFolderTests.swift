import Foundation
import Testing
import TestSupport

/// `scripts/tool-folder`: where the release build of the tool is, whose bytes depend on the length of that path.
@Suite("scripts/tool-folder", .hangLimit)
struct ToolFolderTests {
  /// The longest path of a checkout in which `.build/tool` can have 150 bytes.
  static let limit = 138

  @Test("its path has the same length in every checkout", arguments: ["a", "another folder", "föld", ""])
  func sameLength(name: String) throws {
    let checkout = try ScriptFolder(name)
    for option in ["", "--check"] {
      let run = try checkout.run("tool-folder \(option)")
      #expect(run.status == 0 && run.output.hasPrefix(".build/tool"), "\(run.output)")
      #expect("\(checkout.url.path)/\(run.output)".utf8.count == 150 + "\n".utf8.count)
    }
  }

  @Test("in a checkout with a longer path, the tool is built, but no release", arguments: [1, 50])
  func longPath(more: Int) throws {
    let checkout = try ScriptFolder(bytes: Self.limit + more)
    let run = try checkout.run("tool-folder")
    #expect(run.status == 0 && run.output == ".build/tool\n", "\(run.output)")
    for command in ["tool-folder --check", "release"] {
      let refused = try checkout.run(command)
      #expect(refused.status == 69, "\(command)")
      #expect(
        refused.output == """
          error: the path of this checkout is too long for a release: \(checkout.url.path)
          hint: move it to a path of at most 138 bytes, in which the tool has the same bytes

          """, "\(command)")
    }
  }

  @Test("wrong arguments are usage errors", arguments: ["--all", "''", "--check x"])
  func arguments(_ arguments: String) throws {
    let run = try ScriptFolder("a").run("tool-folder \(arguments)")
    #expect(run.status == 64 && run.output.hasPrefix("error: unexpected arguments: "), "\(run.output)")
  }

  @Test("make builds the tool there, and the paths of C files in it begin with .build")
  func makefile() throws {
    let makefile = try #require(try Repository.checkedOut.get().files["Makefile"])
    let build = try #require(makefile.components(separatedBy: "\nHARNESS_RELEASE = ").dropFirst().first)
    let command = try #require(build.components(separatedBy: "\n\n").first)
    #expect(command.contains(" --scratch-path $(TOOL_FOLDER) "))
    #expect(command.contains("\"-ffile-prefix-map=$(CURDIR)/$(TOOL_FOLDER)=./.build\""))
  }
}

/// A folder with the scripts.
private struct ScriptFolder {
  let url: URL
  private let top: TemporaryFolder

  /// - Parameter name: the last part of the path; if empty, the path is as long as it may be.
  init(_ name: String) throws {
    try self.init(name: name, bytes: name.isEmpty ? ToolFolderTests.limit : nil)
  }

  init(bytes: Int) throws { try self.init(name: "", bytes: bytes) }

  private init(name: String, bytes: Int?) throws {
    top = try TemporaryFolder("t")
    let path = top.path
    let rest = bytes.map { $0 - path.utf8.count - 1 }
    url = top.url.appending(path: rest.map { String(repeating: "x", count: max(1, $0)) } ?? name)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: url.appending(path: "scripts"), withDestinationURL: Repository.root.appending(path: "scripts"))
  }

  /// Runs a script in the folder.
  func run(_ command: String) throws -> ScriptRun {
    try ScriptRun(["/bin/sh", "-c", "exec scripts/" + command], in: url, isMerged: true)
  }
}
