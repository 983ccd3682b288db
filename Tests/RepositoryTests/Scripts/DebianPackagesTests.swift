import Foundation
import Testing
import TestSupport

private let isDebian =
  (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8))?.contains("\nID=debian\n") == true

/// `scripts/debian-packages` with an apt of the test, whose only package is `a`.
@Suite("scripts/debian-packages", .enabled(if: isDebian, "the script runs on Debian only"))
struct DebianPackagesTests {
  /// Runs the script for the packages, with apt's answer to `update`.
  private static func run(_ update: String, _ options: [String] = [], in folder: URL) throws -> ScriptRun {
    let programs = folder.appending(path: "bin").path
    let root = folder.appending(path: "a").path
    try FileManager.default.createDirectory(atPath: root + "/DEBIAN", withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: root + "/usr/lib", withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
    let control = "Package: a\nVersion: 1.0-2\nArchitecture: arm64\nMaintainer: a\nDescription: a\n"
    try Data(control.utf8).write(to: URL(filePath: root + "/DEBIAN/control"))
    try Data("the library\n".utf8).write(to: URL(filePath: root + "/usr/lib/a.so"))
    try? FileManager.default.createSymbolicLink(
      atPath: root + "/usr/lib/absolute.so", withDestinationPath: "/usr/lib/a.so")
    try TestProgram.write(
      """
      #!/bin/sh
      case "$2" in
        update) \(update) ;;
        *) echo "$*" >>'\(folder.path)/log'; dpkg-deb --build --root-owner-group '\(root)' "$PWD/a.deb" ;;
      esac
      """, to: programs + "/apt-get")
    try TestProgram.write(
      "#!/bin/sh\nprintf '%s\\n' a-9-dev a-12-dev a-12-dev-cross a\n", to: programs + "/apt-cache")
    return try ScriptRun(
      ["/bin/bash", Repository.root.appending(path: "scripts/debian-packages").path] + options
        + ["arm64", "tree", "a", "a-*-dev"], in: folder, path: programs + ":/usr/bin:/bin")
  }

  @Test("unpacks packages once, with relative links, and leaves the folder as it was after a failure")
  func unpacks() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "mirror \(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    func text(_ path: String) throws -> String {
      try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }
    for _ in 1...2 {
      let run = try Self.run("true", in: folder)
      #expect(run.status == 0, "\(run)")
      #expect(try text("log") == "-qq install --yes --download-only a a-12-dev\n")
    }
    #expect(try text("tree/.packages").hasSuffix(" arm64 all: a a-*-dev\na 1.0-2 arm64\n"))
    #expect(try text("tree/lib/a.so") == "the library\n")
    let link = folder.appending(path: "tree/usr/lib/absolute.so").path
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "a.so")
    for (update, status) in [("exit 100", 69), ("echo NO_PUBKEY 0; exit 100", 1)] as [(String, Int32)] {
      let run = try Self.run(update, ["--only", "usr/lib/a.so"], in: folder)
      #expect(run.status == status, "\(run)")
      #expect(FileManager.default.fileExists(atPath: link))
    }
    #expect(try Self.run("true", ["--only", "usr/lib/a.so"], in: folder).status == 0)
    #expect(!FileManager.default.fileExists(atPath: link))
    #expect(try text("tree/usr/lib/a.so") == "the library\n")
    #expect(try text("log").hasSuffix("-qq download a a-12-dev\n"))
  }
}
