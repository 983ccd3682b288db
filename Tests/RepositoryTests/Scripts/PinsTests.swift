import Foundation
import Testing
import TestSupport

/// `scripts/pins`, and what `make release` refuses because of it.
@Suite("scripts/pins", .hangLimit)
struct PinsTests {
  #if os(Linux)
    struct Change: Sendable, CustomTestStringConvertible {
      let testDescription: String
      /// A shell command in the checkout, in which everything is pinned.
      let command: String
      /// The arguments of the script.
      let arguments: String
      let status: Int32
      /// Part of the output.
      let message: String

      init(
        _ name: String, _ command: String = ":", with arguments: String = "--release .build", status: Int32,
        _ message: String = ""
      ) {
        (testDescription, self.command, self.arguments) = (name, command, arguments)
        (self.status, self.message) = (status, message)
      }
    }

    private static let state = ".build/workspace-state.json"
    private static let workflow = ".github/workflows/release.yml"

    private static func inState(_ edit: String) -> String { "sed -i \(edit) \(state)" }
    private static func inPins(_ edit: String) -> String { "sed -i \(edit) scripts/packages.pins" }
    private static func inWorkflow(_ edit: String) -> String { "sed -i \(edit) \(workflow)" }

    static let changes: [Change] = [
      Change("everything is pinned", status: 0),
      Change("before the build", "rm -r .build", with: "--release", status: 0),
      Change("a version", inState("s/2.101.2/2.102.0/"), status: 1, "swift-nio: 2.102.0, pinned is 2.101.2"),
      Change(
        "a version, outside a release", inState("s/2.101.2/2.102.0/"), with: "--check .build", status: 1,
        "swift-nio: 2.102.0, pinned is 2.101.2"),
      Change(
        "a branch instead of a version", inState(#"'/"version" : "2/d'"#), status: 1,
        "swift-nio: -, pinned is 2.101.2"),
      Change(
        "a tag that was moved to another commit", inState("s/aaa1/aaa2/"), status: 1,
        "swift-nio: commit \(PinsStage.commit.replacing("aaa1", with: "aaa2")), pinned is \(PinsStage.commit)"
      ),
      Change(
        "the commits of a mirror, outside a release", inState("s/aaa1/aaa2/"), with: "--check .build",
        status: 0),
      Change(
        "another owner's package with the same name", inState("s,apple/swift-nio,other/swift-nio,"),
        status: 1,
        "swift-nio: from other/swift-nio, pinned is apple/swift-nio"),
      Change(
        "another host", inState("s,github.com/jpsim,github.example/jpsim,"), with: "--check .build",
        status: 1,
        "yams: from https://github.example/jpsim/Yams, pinned is jpsim/Yams"),
      Change(
        "a package that is not pinned", inPins("/swift-nio/d"), with: "--check .build", status: 1,
        "swift-nio: 2.101.2 of apple/swift-nio, which is not pinned"),
      Change(
        "a package that is not resolved",
        "echo apple/swift-log 1.16.2 \(PinsStage.commit) >>scripts/packages.pins", status: 1,
        "swift-log: pinned, but not resolved"),
      Change(
        "a pin without a commit", inPins("'s/2.101.2 .*/2.101.2 -/'"), with: "--release", status: 1,
        "apple/swift-nio 2.101.2 has no commit"),
      Change(
        "a pin without a commit, outside a release", inPins("'s/2.101.2 .*/2.101.2 -/'"),
        with: "--check .build", status: 0),
      Change(
        "an image without a digest", inWorkflow("s/@sha256:.*//"), with: "--release", status: 1,
        "the image swift:6.3-bookworm has no digest"),
      Change(
        "a digest that is cut", inWorkflow("s/cdef$//"), with: "--release", status: 1, "has no digest"),
      Change(
        "an image of a mapping", inWorkflow("'s/container:.*/container:\\n      image: swift/'"),
        with: "--release", status: 1, "the image swift has no digest"),
      Change(
        "an action by a tag", inWorkflow("'s/@a.*# v4/@v4 # v4/'"), with: "--release", status: 1,
        "the action actions/checkout@v4 has no commit"),
      Change(
        "an action of another workflow by a tag",
        "sed 's/@a.*# v4/@v4 # v4/' \(workflow) >.github/workflows/ci.yml", with: "--release", status: 1,
        "ci.yml: the action actions/checkout@v4 has no commit"),
      Change(
        "an action of action.yml by a tag", "sed -i 's/@a.*/@v4/' action.yml", with: "--release", status: 1,
        "action.yml: the action actions/checkout@v4 has no commit"),
      Change(
        "an image of another workflow without a digest",
        "sed s/@sha256:.*// \(workflow) >.github/workflows/ci.yml", with: "--release", status: 0),
      Change(
        "an action in a mapping on one line", inWorkflow("'s/- uses: actions.*/- {uses: a\\/b@v4}/'"),
        with: "--release", status: 1, "write {uses: a/b@v4} as a line of its own"),
      Change(
        "an action with a quoted key", inWorkflow("'s/- uses: actions.*/- \"uses\": a\\/b@v4/'"),
        with: "--release", status: 1, "as a line of its own"),
      Change(
        "an action with a blank before the colon", inWorkflow("'s/- uses: actions.*/- uses : a\\/b@v4/'"),
        with: "--release", status: 1, "as a line of its own"),
      Change(
        "a trial", "export UNPINNED=1; " + inPins("'s/2.101.2 .*/2.101.2 -/'"), status: 0,
        "note: apple/swift-nio 2.101.2 has no commit"),
      Change(
        "no trial of a build", "export UNPINNED=1; " + inState("s/2.101.2/2.102.0/"), with: "--check .build",
        status: 1, "swift-nio: 2.102.0, pinned is 2.101.2"),
      Change(
        "a commit that is cut", inPins("s/bbb1$/bbb/"), status: 1, "cannot be read: line 4: jpsim/Yams"),
      Change(
        "two pins of one package", "echo other/SWIFT-NIO 1.0.0 - >>scripts/packages.pins", status: 1,
        "cannot be read: line 5: a second swift-nio"),
      Change("no list", "rm scripts/packages.pins", status: 1, "packages.pins cannot be read"),
      Change("no build", with: "--check nothing", status: 69, "nothing/workspace-state.json is missing"),
      Change("a build without packages", "echo '{}' >\(state)", status: 69, "has no Swift package"),
      Change("no arguments", with: "", status: 64, "usage: scripts/pins --resolve"),
      Change("another option", with: "--all .build", status: 64, "usage: scripts/pins"),
    ]

    @Test("what is not pinned is an error in a release, and what differs in every build", arguments: changes)
    func change(_ change: Change) throws {
      let stage = try PinsStage()
      let run = try stage.run("\(change.command); scripts/pins \(change.arguments)")
      #expect(run.status == change.status, "\(run.output)")
      #expect(
        change.message.isEmpty ? run.output.isEmpty : run.output.contains(change.message), "\(run.output)")
      if change.status != 0 { #expect(run.output.contains("error: ") && run.output.contains("\nhint: ")) }
    }

    @Test("a folder with other packages gets the pinned ones before a build, another one is left as it is")
    func resolve() throws {
      let stage = try PinsStage()
      let log =
        #"printf '#!/bin/sh\necho "$@"; cp "$3/Package.resolved" seen\n' >../bin/swift; chmod 755 ../bin/swift"#
      #expect(try stage.run("\(log); scripts/pins --resolve .build echo built").output == "built\n")
      #expect(
        try stage.run("sed -i s,github.com,mirror.example, \(Self.state); scripts/pins --resolve .build")
          .output == "")
      for change in ["sed -i s/2.101.2/2.102.0/ \(Self.state)", "rm -r .build"] {
        let run = try stage.run(
          "\(change); scripts/pins --resolve .build echo built; ls Package.resolved 2>/dev/null")
        let folder = stage.path(".build")
        let fetch = "package --package-path .build/pinned --scratch-path \(folder) resolve"
        #expect(run.output == "\(fetch)\nbuilt\n", "\(run.output)")
        let text = Data(try stage.text("seen").utf8)
        let file = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
        let pins = try #require(file["pins"] as? [[String: Any]])
        #expect(pins.compactMap { $0["identity"] as? String } == ["swift-nio", "yams"])
        #expect(pins.compactMap { $0["location"] as? String }.last == "https://github.com/jpsim/Yams")
        let states = pins.compactMap { $0["state"] as? [String: String] }
        #expect(states == [["version": "2.101.2"], ["version": "6.2.2"]])
      }
      let failed = try stage.run("echo exit 1 >>../bin/swift; scripts/pins --resolve .build echo built")
      #expect(!failed.output.contains("built\n"))
      #expect(failed.status == 69 && failed.output.contains("error: the Swift packages cannot be fetched"))
    }

    @Test("an update copies commits from GitHub alone")
    func update() throws {
      let stage = try PinsStage()
      let list = try stage.text("scripts/packages.pins")
      let newer = "sed -i -e s/2.101.2/2.102.0/ -e s/aaa1/aaa2/ -e s/bbb1/bbb2/ .build/workspace-state.json"
      let update = "scripts/pins --update .build"
      #expect(try stage.run("\(newer); \(update)").status == 0)
      let updated = list.replacing("2.101.2", with: "2.102.0").replacing("aaa1", with: "aaa2")
        .replacing("bbb1", with: "bbb2")
      #expect(try stage.text("scripts/packages.pins") == updated)
      // A pinned commit stays with its version.
      let mirror = try PinsStage()
      let settings = "git config --global url./mirror/.insteadOf https://github.com/"
      #expect(try mirror.run("\(settings); \(newer); \(update)").status == 0)
      #expect(
        try mirror.text("scripts/packages.pins")
          == list.replacing("2.101.2 \(PinsStage.commit)", with: "2.102.0 -"))
    }

    @Test("make release refuses before and after the build, and says if it is a trial")
    func release() throws {
      let stage = try PinsStage()
      let scripts = Repository.root.appending(path: "scripts").path
      let prepare = """
        cp '\(scripts)'/{release,check-tools} scripts/
        printf '#!/bin/sh\\necho .build\\n' >scripts/tool-folder
        printf '#!/bin/sh\\n[ "$1" = --check ] || echo packed\\n' >scripts/pack-release
        printf '#!/bin/sh\\n[ "$PORTABLE" = 1 ] && echo built\\n' >../bin/make
        printf '#!/bin/sh\\necho aarch64\\n' >../bin/uname
        chmod 755 scripts/* ../bin/*; cp .build/workspace-state.json state
        """
      let good = try stage.run("\(prepare)\nscripts/release")
      #expect(
        good.status == 0 && good.output.contains("built\n") && good.output.contains("packed\n"),
        "\(good.output)")
      #expect(good.output.contains(": dist/release, 1 skipped"), "\(good.output)")
      let moved = try stage.run("sed -i s/aaa1/aaa2/ .build/workspace-state.json; scripts/release")
      #expect(moved.status == 1 && moved.output.contains("built\n"), "\(moved.output)")
      #expect(!moved.output.contains("packed\n"), "\(moved.output)")
      let image = try stage.run(
        "cp state .build/workspace-state.json; sed -i s/@sha256:.*// .github/workflows/release.yml; scripts/release"
      )
      #expect(image.status == 1 && !image.output.contains("built\n"), "\(image.output)")
      let trial = try stage.run("UNPINNED=1 scripts/release")
      #expect(trial.status == 0 && trial.output.contains("packed\n"), "\(trial.output)")
      #expect(
        trial.output.contains(": dist/release is a trial, not for others: UNPINNED=1, 1 skipped"),
        "\(trial.output)")
    }
  #endif
}

/// A checkout in which everything is pinned.
private struct PinsStage {
  static let commit = "012345678901234567890123456789012345aaa1"

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder("pins ")
    let yams = Self.commit.replacing("aaa1", with: "bbb1")
    try write(
      "# OWNER/NAME VERSION COMMIT\n\napple/swift-nio 2.101.2 \(Self.commit)\njpsim/Yams 6.2.2 \(yams)\n",
      to: "scripts/packages.pins")
    let digest = String(repeating: "0123456789abcdef", count: 4)
    let commit = Self.commit.replacing("0123456789", with: "a123456789")
    let action = "- uses: actions/checkout@\(commit) # v4.2.2"
    try write(
      """
      jobs:
        a:
          container: swift:6.3-bookworm@sha256:\(digest)
          steps:
            \(action)
            - uses: ./.github/workflows/b.yml

      """, to: ".github/workflows/release.yml")
    try write("runs:\n  steps:\n    \(action)\n", to: "action.yml")
    let packages = [
      ("swift-nio", "apple/swift-nio.git", "2.101.2", Self.commit), ("yams", "jpsim/Yams", "6.2.2", yams),
    ].map { name, place, version, commit in
      """
            "identity" : "\(name)",
            "location" : "https://github.com/\(place)",
            "state" : {
              "revision" : "\(commit)",
              "version" : "\(version)"
            }

      """
    }
    try write("// swift-tools-version: 6.2\n", to: "Package.swift")
    try write(packages.joined() + "  \"version\" : 7\n", to: ".build/workspace-state.json")
    try FileManager.default.createDirectory(atPath: folder.path("bin"), withIntermediateDirectories: true)
    try TestProgram.copy(
      Repository.root.appending(path: "scripts/pins").path, to: folder.path("checkout/scripts/pins"))
  }

  func path(_ path: String) -> String { folder.path("checkout/" + path) }

  func text(_ path: String) throws -> String { try folder.text("checkout/" + path) }

  private func write(_ text: String, to path: String) throws {
    try folder.write(text, to: "checkout/" + path)
  }

  /// Runs a shell command in the checkout.
  func run(_ command: String) throws -> ScriptRun {
    try ScriptRun(
      ["/bin/bash", "-c", command], in: folder.url.appending(path: "checkout"),
      environment: [
        "PATH": "\(folder.path)/bin:/usr/bin:/bin", "HOME": folder.path, "TMPDIR": folder.path,
        // The machine's own settings may name a mirror.
        "GIT_CONFIG_NOSYSTEM": "1",
      ], isMerged: true)
  }
}
