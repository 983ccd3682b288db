import Foundation
import Testing

/// `scripts/moved-checkout`, which every command of the Makefile that builds calls first.
@Suite("scripts/moved-checkout")
struct MovedCheckoutTests {
  struct Checkout: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// What .build holds; HERE stands for the folder of the checkout.
    let files: [String: String]
    /// Whether what was built is removed.
    let isMoved: Bool
  }

  static let checkouts = [
    Checkout(testDescription: "one that make built here", files: ["checkout": "HERE\n"], isMoved: false),
    Checkout(
      testDescription: "one that make built elsewhere", files: ["checkout": "/a b/c\n"], isMoved: true),
    Checkout(
      testDescription: "one that swift build built here",
      files: ["debug.yaml": "client:\n  file-system: \"x\"\n  outputs: [\"HERE/.build/debug/a\"]\n"],
      isMoved: false),
    Checkout(
      testDescription: "one that swift build built elsewhere",
      files: ["debug.yaml": "client:\n  outputs: [\"/elsewhere/of it/.build/debug/a\"]\n"], isMoved: true),
    Checkout(
      testDescription: "one that make built elsewhere, and swift build planned here",
      files: ["checkout": "/elsewhere\n", "debug.yaml": "  outputs: [\"HERE/.build/debug/a\"]\n"],
      isMoved: true),
    Checkout(testDescription: "one with packages alone", files: [:], isMoved: false),
  ]

  @Test("removes what was built in another folder, and nothing else", arguments: checkouts)
  func script(_ checkout: Checkout) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "checkout-\(UUID().uuidString)")
      .resolvingSymlinksInPath()
    defer { try? FileManager.default.removeItem(at: folder) }
    let kept = ["checkouts/package/file", "repositories/package/file", "workspace-state.json"]
    let built = ["debug/module", "function/module", "moto/bin/python3", ".lock"]
    func path(_ name: String) -> URL { folder.appending(path: ".build/\(name)") }
    for (name, text) in checkout.files.merging((kept + built).map { ($0, "") }, uniquingKeysWith: { $1 }) {
      try FileManager.default.createDirectory(
        at: path(name).deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.replacing("HERE", with: folder.path).utf8).write(to: path(name))
    }
    for isMoved in [checkout.isMoved, false] {
      let said = try Self.run(in: folder)
      #expect(said.contains("make: .build was made in ") == isMoved, "\(said)")
      #expect(said.isEmpty == !isMoved)
      #expect(kept.allSatisfy { FileManager.default.fileExists(atPath: path($0).path) })
      #expect(built.allSatisfy { FileManager.default.fileExists(atPath: path($0).path) } == !checkout.isMoved)
      #expect(try String(contentsOf: path("checkout"), encoding: .utf8) == folder.path + "\n")
    }
  }

  @Test("leaves a checkout alone in which nothing was built")
  func nothingBuilt() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "checkout-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    #expect(try Self.run(in: folder) == "")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  /// What it says.
  private static func run(in folder: URL) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [Repository.root.appending(path: "scripts/moved-checkout").path]
    process.currentDirectoryURL = folder
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    // A few lines, which a pipe holds.
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }
}
