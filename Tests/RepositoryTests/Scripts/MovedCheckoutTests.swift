import Foundation
import TestSupport
import Testing

/// `scripts/moved-checkout`, which all build commands of the Makefile call first.
@Suite("scripts/moved-checkout")
struct MovedCheckoutTests {
  struct Checkout: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The files in .build; HERE is replaced by the folder of the checkout.
    let files: [String: String]
    /// Whether the build results are removed.
    let isMoved: Bool
  }

  static let checkouts = [
    Checkout(testDescription: "built by make in this folder", files: ["checkout": "HERE\n"], isMoved: false),
    Checkout(
      testDescription: "built by make in another folder", files: ["checkout": "/a b/c\n"], isMoved: true),
    Checkout(
      testDescription: "built by swift build in this folder",
      files: ["debug.yaml": "client:\n  file-system: \"x\"\n  outputs: [\"HERE/.build/debug/a\"]\n"],
      isMoved: false),
    Checkout(
      testDescription: "built by swift build in another folder",
      files: ["debug.yaml": "client:\n  outputs: [\"/elsewhere/of it/.build/debug/a\"]\n"], isMoved: true),
    Checkout(
      testDescription: "built by make in another folder, planned by swift build in this folder",
      files: ["checkout": "/elsewhere\n", "debug.yaml": "  outputs: [\"HERE/.build/debug/a\"]\n"],
      isMoved: true),
    Checkout(testDescription: "only packages", files: [:], isMoved: false),
  ]

  @Test("removes only the build results of another folder", arguments: checkouts)
  func script(_ checkout: Checkout) throws {
    let folder = try TemporaryFolder()
    let kept = [
      "checkouts/package/file", "repositories/package/file", "workspace-state.json", "arm64/sysroot/file",
    ]
    let built = ["debug/module", "function/module", "moto/bin/python3", ".lock"]
    let build = folder.url.appending(path: ".build")
    func path(_ name: String) -> URL { build.appending(path: name) }
    for (name, text) in checkout.files.merging((kept + built).map { ($0, "") }, uniquingKeysWith: { $1 }) {
      try folder.write(text.replacing("HERE", with: folder.path), to: ".build/" + name)
    }
    for isMoved in [checkout.isMoved, false] {
      let output = try Self.run(in: folder.url)
      #expect(output.contains("make: .build was made in ") == isMoved, "\(output)")
      #expect(output.isEmpty == !isMoved)
      #expect(kept.allSatisfy { FileManager.default.fileExists(atPath: path($0).path) })
      #expect(built.allSatisfy { FileManager.default.fileExists(atPath: path($0).path) } == !checkout.isMoved)
      #expect(try String(contentsOf: path("checkout"), encoding: .utf8) == folder.path + "\n")
    }
  }

  @Test("does not change a checkout without a build")
  func nothingBuilt() throws {
    let folder = try TemporaryFolder()
    #expect(try Self.run(in: folder.url) == "")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  /// Runs the script; returns its output.
  private static func run(in folder: URL) throws -> String {
    let run = try ScriptRun(["moved-checkout"], in: folder, isMerged: true)
    #expect(run.status == 0)
    return run.output
  }
}
