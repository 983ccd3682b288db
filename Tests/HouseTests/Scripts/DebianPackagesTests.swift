import Foundation
import Testing
import TestSupport

/// `scripts/debian-packages` with an apt of the test.
@Suite(
  "scripts/debian-packages",
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ldd"), "the script runs on Linux only"))
struct DebianPackagesTests {
  @Test("unpacks packages once, with relative links, and leaves nothing else")
  func unpacks() throws {
    let mirror = try PackageMirror()
    defer { mirror.remove() }
    let run = try mirror.run("tree", "a", "libgcc-*-dev")
    #expect(run.status == 0, "\(run)")
    #expect(run.output.hasSuffix("debian-packages: tree is complete: 1 packages\n"), "\(run)")
    #expect(try mirror.text("tree/.packages") == "bookworm arm64 all: a libgcc-*-dev\na 1.0-2 arm64\n")
    #expect(try mirror.text("tree/lib/a.so") == "the library\n")
    #expect(mirror.link("tree/usr/lib/absolute.so") == "a.so")
    #expect(mirror.link("tree/lib") == "usr/lib")
    #expect(try mirror.names() == ["tree"])
    let commands = try mirror.commands()
    #expect(commands.filter { $0.hasPrefix("install ") } == ["install --yes --download-only a libgcc-12-dev"])
    // Neither another project's source nor a disk nor another release nor another component.
    let keyring = mirror.folder.appending(path: "keys").path
    #expect(
      try mirror.text("sources.list") == """
        deb [signed-by=\(keyring)] http://mirror.example/debian/ bookworm main
        deb [signed-by=\(keyring)] http://mirror.example/security/ bookworm-security main

        """)
    let configuration = try mirror.text("apt.conf")
    #expect(configuration.contains(#"APT::Architecture "arm64"; APT::Architectures { "arm64"; };"#))
    #expect(configuration.contains(#"Acquire::AllowInsecureRepositories "false";"#))
    #expect(configuration.contains(#"Acquire::http::Proxy "http://proxy.example:3128";"#))
    #expect(
      !configuration.contains("AllowWeakRepositories \"true\"") && !configuration.contains("Post-Invoke"))
    let again = try mirror.run("tree", "a", "libgcc-*-dev")
    #expect(again.status == 0 && again.output.isEmpty && again.errors.isEmpty, "\(again)")
    #expect(try mirror.commands() == commands)
  }

  @Test("replaces a folder with other packages")
  func replaces() throws {
    let mirror = try PackageMirror()
    defer { mirror.remove() }
    #expect(try mirror.run("deep/tree", "a").status == 0)
    #expect(try mirror.run("deep/tree", "a", "b").status == 0)
    #expect(try mirror.text("deep/tree/.packages").hasPrefix("bookworm arm64 all: a b\n"))
  }

  @Test("replaces a folder with the packages of another release of Debian")
  func otherRelease() throws {
    let mirror = try PackageMirror()
    defer { mirror.remove() }
    #expect(try mirror.run("tree", "a").status == 0)
    let run = try mirror.run("tree", "a", variables: ["DEBIAN_PACKAGES_OS_RELEASE": "trixie"])
    #expect(run.status == 0, "\(run)")
    #expect(try mirror.text("tree/.packages").hasPrefix("trixie arm64 all: a\n"))
    #expect(try mirror.text("sources.list").hasSuffix("/debian/ trixie main\n"))
  }

  @Test("reads the release from a file, and does not run it")
  func releaseFile() throws {
    let mirror = try PackageMirror()
    defer { mirror.remove() }
    let run = try mirror.run("tree", "a", variables: ["DEBIAN_PACKAGES_OS_RELEASE": ".program"])
    #expect(run.status == 0, "\(run)")
    #expect(try mirror.names() == ["tree"])
  }

  @Test("unpacks a single file of packages without what they depend on")
  func only() throws {
    let mirror = try PackageMirror()
    defer { mirror.remove() }
    let run = try mirror.run("tree", "a", options: ["--only", "usr/lib/a.so"])
    #expect(run.status == 0, "\(run)")
    #expect(try mirror.text("tree/usr/lib/a.so") == "the library\n")
    #expect(mirror.link("tree/usr/lib/absolute.so") == nil)
    #expect(try mirror.commands().contains("download a"))
  }

  @Test(
    "leaves the folder as it was after a failure",
    arguments: [
      ("update", "the package lists of Debian bookworm cannot be fetched", "check the network"),
      ("install", "the packages cannot be fetched", "check the network"),
      ("nothing", "apt fetched no package", "apt-get update"),
      ("show", "a package cannot be unpacked", "free space"),
      ("unpack", "a package cannot be unpacked", "free space"),
    ])
  func fails(_ step: String, _ message: String, _ hint: String) throws {
    let mirror = try PackageMirror()
    defer { mirror.remove() }
    #expect(try mirror.run("tree", "a").status == 0)
    try mirror.write("", to: "fail-\(step)")
    for folder in ["tree", "new"] {
      let run = try mirror.run(folder, "a", "b")
      #expect(run.status == 69, "\(run)")
      #expect(run.errors.contains("error: \(message)") && run.errors.contains("hint: "), "\(run)")
      #expect(run.errors.contains(hint), "\(run)")
      if ["update", "install"].contains(step) { #expect(run.errors.contains("output of apt"), "\(run)") }
    }
    #expect(try mirror.text("tree/.packages").hasPrefix("bookworm arm64 all: a\n"))
    #expect(try mirror.names() == ["tree"])
  }

  @Test(
    "a wrong signature or checksum is not taken for a missing network",
    arguments: ["NO_PUBKEY 0", "Hash Sum"])
  func forged(_ words: String) throws {
    let mirror = try PackageMirror()
    defer { mirror.remove() }
    try mirror.write(words + "\n", to: "fail-update")
    let run = try mirror.run("tree", "a")
    #expect(run.status == 1 && run.errors.contains("does not match the signatures of Debian"), "\(run)")
    #expect(try mirror.names() == [])
  }

  /// Without package lists, apt does not know which sources are Debian's.
  @Test("leaves out the source of another project, whose suite has the name of Debian's")
  func otherProject() throws {
    let mirror = try PackageMirror()
    defer { mirror.remove() }
    let debian = ["mirror.example/debian/|bookworm", "mirror.example/security/|bookworm-security"]
    let targets = (debian + ["other.example/|bookworm"]).map { "http://\($0)|main|$(ORIGIN)\n" }.joined()
    try mirror.write(targets, to: "targets")
    try mirror.write("//other.example\n", to: "foreign")
    let run = try mirror.run("tree", "a")
    #expect(run.status == 0, "\(run)")
    let words = "left out, because Debian has not signed it: http://other.example/ bookworm main\n"
    #expect(run.output.contains(words), "\(run)")
    let sources = try mirror.text("sources.list")
    #expect(sources.split(separator: "\n").count == 2 && !sources.contains("other.example"), "\(sources)")
  }

  @Test(
    "a source without Debian's signature is left out only if it is unknown and its suite has another one",
    arguments: [
      // The only source of the suite.
      "http://mirror.example/|bookworm|main|$(ORIGIN)\nhttp://other.example/|bookworm-security|main|$(ORIGIN)\n",
      "http://other.example/|bookworm|main|$(ORIGIN)\n",
      // Known to be Debian's.
      "http://mirror.example/|bookworm|main|$(ORIGIN)\nhttp://other.example/|bookworm|main|Debian\n",
    ])
  func forgedSuite(_ targets: String) throws {
    let mirror = try PackageMirror()
    defer { mirror.remove() }
    try mirror.write(targets, to: "targets")
    try mirror.write("//other.example\n", to: "foreign")
    let run = try mirror.run("tree", "a")
    #expect(run.status == 1 && run.errors.contains("does not match the signatures of Debian"), "\(run)")
    #expect(try mirror.names() == [])
  }

  @Test("replaces no folder that it did not make")
  func foreignFolder() throws {
    let mirror = try PackageMirror()
    defer { mirror.remove() }
    try FileManager.default.createDirectory(
      at: mirror.folder.appending(path: "work/tree"), withIntermediateDirectories: true)
    try mirror.write("mine", to: "work/tree/file")
    let run = try mirror.run("tree", "a")
    #expect(run.status == 64 && run.errors.contains("does not come from this script"), "\(run)")
    #expect(try mirror.text("tree/file") == "mine")
    try mirror.removeFile("work/tree/file")
    #expect(try mirror.run("tree", "a").status == 0)
  }

  @Test("a run that was killed is not taken for a complete one")
  func killed() throws {
    let mirror = try PackageMirror()
    defer { mirror.remove() }
    try mirror.write("KILL", to: "signal")
    let run = try mirror.run("tree", "a")
    #expect(run.status == 9, "\(run)")
    // Only a run that could not clean up leaves something.
    #expect(try !mirror.names().isEmpty)
    #expect(try !mirror.names().contains("tree"))
    try mirror.removeFile("signal")
    #expect(try mirror.run("tree", "a").status == 0)
    #expect(try mirror.names() == ["tree"])
  }

  @Test(
    "a signal leaves nothing behind", .enabled(if: SignalMask.canReset, SignalMask.notPossible),
    arguments: ["INT", "TERM", "HUP"])
  func ended(_ signal: String) throws {
    let mirror = try PackageMirror()
    defer { mirror.remove() }
    try mirror.write(signal, to: "signal")
    let run = try mirror.run("tree", "a", starter: SignalMask.reset)
    #expect(run.status == 130, "\(run)")
    #expect(try mirror.names() == [])
  }

  @Test(
    "does not start without what it needs",
    arguments: [
      (
        ["DEBIAN_PACKAGES_OS_RELEASE": "ubuntu"], "", "error: this system is not a release of Debian",
        "docs/deployment.md"
      ),
      (
        ["DEBIAN_PACKAGES_OS_RELEASE": "none"], "", "error: this system is not a release of Debian",
        "docs/deployment.md"
      ),
      (["DEBIAN_KEYRING": "none"], "", "error: none is missing", "apt-get install debian-archive-keyring"),
      ([:], "apt-get", "error: apt-get is not installed", "hint: install"),
      ([:], "dpkg-deb", "error: dpkg-deb is not installed", "hint: install"),
    ] as [([String: String], String, String, String)])
  func refuses(_ variables: [String: String], _ missing: String, _ message: String, _ hint: String) throws {
    let mirror = try PackageMirror()
    defer { mirror.remove() }
    if !missing.isEmpty { try mirror.removeFile("bin/\(missing)") }
    let run = try mirror.run("tree", "a", variables: variables)
    #expect(run.status == 69 && run.errors.contains(message) && run.errors.contains(hint), "\(run)")
    #expect(try mirror.names() == [] && mirror.commands() == [])
  }

  @Test("a machine without a source of Debian is named")
  func noSource() throws {
    let mirror = try PackageMirror()
    defer { mirror.remove() }
    try mirror.write("http://other.example/|bookworm|main|Other\n", to: "targets")
    let run = try mirror.run("tree", "a")
    #expect(run.status == 69 && run.errors.contains("has no source of Debian bookworm"), "\(run)")
    #expect(try mirror.names() == [])
  }

  @Test(
    "reports wrong arguments",
    arguments: [
      [], ["arm64"], ["arm64", "tree"], ["arm64; rm", "tree", "a"], ["--only"], ["--only", "", "a", "b"],
    ])
  func usage(_ arguments: [String]) throws {
    let mirror = try PackageMirror()
    defer { mirror.remove() }
    let run = try mirror.run(words: arguments)
    #expect(run.status == 64 && run.errors.contains("usage: scripts/debian-packages"), "\(run)")
  }
}
