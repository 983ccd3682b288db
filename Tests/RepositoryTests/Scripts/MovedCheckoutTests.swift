import Foundation
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
    let folder = FileManager.default.temporaryDirectory.appending(path: "checkout-\(UUID().uuidString)")
      .resolvingSymlinksInPath()
    defer { try? FileManager.default.removeItem(at: folder) }
    let kept = [
      "checkouts/package/file", "repositories/package/file", "workspace-state.json", "arm64/sysroot/file",
    ]
    let built = ["debug/module", "function/module", "moto/bin/python3", ".lock"]
    func path(_ name: String) -> URL { folder.appending(path: ".build/\(name)") }
    for (name, text) in checkout.files.merging((kept + built).map { ($0, "") }, uniquingKeysWith: { $1 }) {
      try FileManager.default.createDirectory(
        at: path(name).deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.replacing("HERE", with: folder.path).utf8).write(to: path(name))
    }
    for isMoved in [checkout.isMoved, false] {
      let output = try Self.run(in: folder)
      #expect(output.contains("make: .build was made in ") == isMoved, "\(output)")
      #expect(output.isEmpty == !isMoved)
      #expect(kept.allSatisfy { FileManager.default.fileExists(atPath: path($0).path) })
      #expect(built.allSatisfy { FileManager.default.fileExists(atPath: path($0).path) } == !checkout.isMoved)
      #expect(try String(contentsOf: path("checkout"), encoding: .utf8) == folder.path + "\n")
    }
  }

  @Test("does not change a checkout without a build")
  func nothingBuilt() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "checkout-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    #expect(try Self.run(in: folder) == "")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  /// Runs the script; returns its output.
  private static func run(in folder: URL) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [Repository.root.appending(path: "scripts/moved-checkout").path]
    process.currentDirectoryURL = folder
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    // The output is a few lines, which fit into a pipe's buffer.
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }
}
