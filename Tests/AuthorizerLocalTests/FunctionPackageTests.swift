import DeploymentChecks
import Foundation
import Testing

@testable import authorizer_local

/// The folders of unpacked archives.
@Suite struct FunctionPackageTests {
  private static func write(_ text: String, _ recorded: RecordedMachine) throws {
    let file = DeploymentPackage.File(path: "app.py", bytes: Array(text.utf8), permissions: 0o644)
    try recorded.machine.files.write(try DeploymentPackage(files: [file]).archive, to: "code.zip")
  }

  private static func folder(_ recorded: RecordedMachine) throws -> String {
    try FunctionPackage.folder(of: "code.zip", startsBootstrap: false, recorded.machine.files)
  }

  private static func text(_ folder: String) throws -> String {
    try String(contentsOfFile: folder + "/app.py", encoding: .utf8)
  }

  @Test func aChangedArchiveIsUnpackedAgain() throws {
    let recorded = try RecordedMachine()
    try Self.write("one", recorded)
    let first = try Self.folder(recorded)
    #expect(try Self.text(first) == "one")
    #expect(try Self.folder(recorded) == first)
    // As long as the first one, and perhaps of the same time.
    try Self.write("two", recorded)
    let second = try Self.folder(recorded)
    #expect(try Self.text(second) == "two")
    #expect(!FileManager.default.fileExists(atPath: first))
  }

  @Test func aBrokenArchiveLeavesNothing() throws {
    let recorded = try RecordedMachine()
    try Self.write("one", recorded)
    let whole = try recorded.machine.files.bytes(at: "code.zip")
    try recorded.machine.files.write(Array(whole.prefix(whole.count / 2)), to: "code.zip")
    for _ in 1...2 { #expect(throws: CommandFailure.self) { try Self.folder(recorded) } }
    try recorded.machine.files.write(whole, to: "code.zip")
    #expect(try Self.text(try Self.folder(recorded)) == "one")
  }

  @Test func anArchiveWithoutBootstrapIsRefusedAlsoAfterItWasUnpacked() throws {
    let recorded = try RecordedMachine()
    try Self.write("one", recorded)
    _ = try Self.folder(recorded)
    #expect(throws: CommandFailure.self) {
      try FunctionPackage.folder(of: "code.zip", recorded.machine.files)
    }
  }
}
