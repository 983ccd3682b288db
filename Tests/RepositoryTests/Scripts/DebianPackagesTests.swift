import Foundation
import Testing
import TestSupport

private let isDebian =
  (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8))?.contains("\nID=debian\n") == true

/// `scripts/debian-packages` with an apt of the test, whose only package is `a`.
@Suite("scripts/debian-packages", .enabled(if: isDebian, "the script runs on Debian only"))
struct DebianPackagesTests {
  /// Runs the script for the packages, with apt's answer to `update`.
  private static func run(_ update: String, _ options: [String] = [], in folder: TemporaryFolder)
    throws -> ScriptRun
  {
    let root = folder.path("a")
    try folder.write(
      "Package: a\nVersion: 1.0-2\nArchitecture: arm64\nMaintainer: a\nDescription: a\n",
      to: "a/DEBIAN/control")
    try folder.write("the library\n", to: "a/usr/lib/a.so")
    try? FileManager.default.createSymbolicLink(
      atPath: root + "/usr/lib/absolute.so", withDestinationPath: "/usr/lib/a.so")
    try folder.script(
      """
      case "$2" in
        update) \(update) ;;
        *) echo "$*" >>'\(folder.path)/log'; dpkg-deb --build --root-owner-group '\(root)' "$PWD/a.deb" ;;
      esac
      """, to: "bin/apt-get")
    try folder.script("printf '%s\\n' a-9-dev a-12-dev a-12-dev-cross a", to: "bin/apt-cache")
    return try ScriptRun(
      ["debian-packages"] + options + ["arm64", "tree", "a", "a-*-dev"], in: folder.url,
      path: folder.path("bin") + ":/usr/bin:/bin")
  }

  @Test("unpacks packages once, with relative links, and leaves the folder as it was after a failure")
  func unpacks() throws {
    let folder = try TemporaryFolder("mirror ")
    for _ in 1...2 {
      let run = try Self.run("true", in: folder)
      #expect(run.status == 0, "\(run)")
      #expect(try folder.text("log") == "-qq install --yes --download-only a a-12-dev\n")
    }
    #expect(try folder.text("tree/.packages").hasSuffix(" arm64 all: a a-*-dev\na 1.0-2 arm64\n"))
    #expect(try folder.text("tree/lib/a.so") == "the library\n")
    let link = folder.path("tree/usr/lib/absolute.so")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "a.so")
    for (update, status) in [("exit 100", 69), ("echo NO_PUBKEY 0; exit 100", 1)] as [(String, Int32)] {
      let run = try Self.run(update, ["--only", "usr/lib/a.so"], in: folder)
      #expect(run.status == status, "\(run)")
      #expect(FileManager.default.fileExists(atPath: link))
    }
    #expect(try Self.run("true", ["--only", "usr/lib/a.so"], in: folder).status == 0)
    #expect(!FileManager.default.fileExists(atPath: link))
    #expect(try folder.text("tree/usr/lib/a.so") == "the library\n")
    #expect(try folder.text("log").hasSuffix("-qq download a a-12-dev\n"))
  }
}
