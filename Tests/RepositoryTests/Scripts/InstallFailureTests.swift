import Foundation
import Testing
import TestSupport

/// `scripts/install` where something fails, is interrupted, or belongs to others.
@Suite("scripts/install, failures", .hangLimit)
struct InstallFailureTests {
  typealias Place = InstallScriptTests.Place

  @Test(
    "reports a tool that fails and a folder for temporary files that is missing",
    arguments: [
      ("exit 1", [:], "harness --generate-completion-script failed"),
      ("", ["TMPDIR": "/nonexistent"], "no folder can be created in /nonexistent"),
    ] as [(String, [String: String], String)])
  func failures(_ start: String, _ environment: [String: String], _ message: String) throws {
    let place = try Place()
    try place.writeHarness(start: start)
    let before = try place.names()
    let answer = try place.run("install", environment: environment)
    #expect(answer.status == 69, "\(answer)")
    #expect(answer.output.hasPrefix("error: ") && answer.output.contains("\nhint: "), "\(answer)")
    #expect(answer.output.contains(message), "\(answer)")
    #expect(try place.names() == before)
  }

  @Test("a list that cannot be written is reported, and the old installation stays")
  func unwritableList() throws {
    let place = try Place()
    #expect(try place.run("install").status == 0)
    // The name of an earlier draft.
    try FileManager.default.createDirectory(
      atPath: place.path("prefix/share/authorizer-local/.installed.new"), withIntermediateDirectories: false)
    try TestProgram.write("#!/bin/sh\n# newer\n", to: place.path("programs/bootstrap"))
    let before = try place.names()
    let answer = try place.run("install")
    #expect(answer.status == 69, "\(answer)")
    #expect(answer.output.contains("error: ") && answer.output.contains("\nhint: "), "\(answer)")
    #expect(try place.names() == before)
    let bootstrap = place.path("prefix/libexec/authorizer-local/bootstrap")
    #expect(try String(contentsOfFile: bootstrap, encoding: .utf8).contains("# bootstrap"))
  }

  @Test("takes a tool and a folder without a slash from the working folder")
  func relativePrograms() throws {
    let place = try Place()
    let answer = try place.run("install", programs: ["harness", "programs"])
    #expect(answer.status == 0, "\(answer)")
    #expect(FileManager.default.isExecutableFile(atPath: place.path("prefix/bin/authorizer-local")))
  }

  @Test(
    "a signal leaves nothing behind", .enabled(if: SignalMask.canReset, SignalMask.notPossible),
    arguments: ["INT", "TERM", "HUP"])
  func interrupted(_ signal: String) throws {
    let place = try Place()
    // The tool is started by the script itself; cp is, too, when some files are already copied.
    try TestProgram.write(
      "#!/bin/sh\ncase $* in *identity*) kill -\(signal) \"$PPID\" ;; esac\nexec /bin/cp \"$@\"\n",
      to: place.path("programs/cp"))
    for (start, path) in [("kill -\(signal) \"$PPID\"", ""), ("", place.path("programs") + ":")] {
      try place.writeHarness(start: start)
      let before = try place.names()
      let answer = try place.run(
        "install", starter: SignalMask.reset,
        environment: ["PATH": path + "/usr/bin:/bin", "TMPDIR": place.folder.path])
      #expect(answer.status == 130, "\(answer)")
      #expect(try place.names() == before)
    }
    let complete = try place.run("install")
    #expect(complete.status == 0, "\(complete)")
  }

  @Test(
    "the next run removes the drafts of a run that was killed",
    .enabled(if: InstallFailureTests.hasLocks, "without locks, they could be those of another run"))
  func killed() throws {
    let place = try Place()
    #expect(try place.run("install").status == 0)
    for draft in [
      "libexec/authorizer-local/.authorizer-local.new.12-34-1/identity",
      // Those of earlier releases.
      "bin/.authorizer-local.new.aB3dE6", "share/authorizer-local/.installed.new.aB3dE6",
    ] { try place.create("prefix/\(draft)") }
    #expect(try place.run("install").status == 0)
    #expect(try !place.names().contains { $0.contains(".new") })
  }

  static let hasLocks = FileManager.default.isExecutableFile(atPath: "/usr/bin/flock")

  @Test(
    "a second run at the same time changes nothing",
    .enabled(if: InstallFailureTests.hasLocks, "there is no flock"))
  func concurrent() throws {
    let place = try Place()
    #expect(try place.run("install").status == 0)
    let before = try place.names()
    for script in ["install", "uninstall"] {
      let answer = try place.run(
        script, starter: ["/usr/bin/flock", place.path("prefix/share/authorizer-local")])
      #expect(answer.status == 69, "\(answer)")
      #expect(answer.output.contains("error: another installation or removal is running"), "\(answer)")
    }
    #expect(try place.names() == before)
  }

  @Test(
    "root installs into no folder that another user can change",
    .enabled(if: getuid() == 0, "only root can create files of another user"),
    arguments: [
      ("prefix", 65534, 0o755, "belongs to another user"),
      ("prefix/share", 65534, 0o755, "belongs to another user"),
      ("prefix/share/zsh/site-functions", 0, 0o777, "every user can write to"),
      ("prefix", 0, 0o1777, "every user can write to"),
    ])
  func foreignFolder(_ folder: String, _ owner: Int, _ permissions: Int, _ message: String) throws {
    let place = try Place()
    try FileManager.default.createDirectory(atPath: place.path(folder), withIntermediateDirectories: true)
    try FileManager.default.setAttributes(
      [.ownerAccountID: owner, .posixPermissions: permissions], ofItemAtPath: place.path(folder))
    for arguments in [["--check"], []] {
      let answer = try place.run("install", arguments)
      #expect(answer.status == 69 && answer.output.contains(message), "\(answer)")
      #expect(answer.output.contains(place.path(folder)) && answer.output.contains("\nhint: "), "\(answer)")
    }
    #expect(try !place.names().contains { $0.hasSuffix("authorizer-local") })
  }

  @Test("a PREFIX of the environment must be repeated on the command line")
  func foreignPrefix() throws {
    let place = try Place()
    for (words, isRefused) in [([], true), (["PREFIX=/opt/a b"], false)] as [([String], Bool)] {
      let run = try ScriptRun(
        ["/usr/bin/env", "make", "-C", Repository.root.path, "own-prefix"] + words, in: place.folder,
        path: "/usr/bin:/bin", environment: ["PREFIX": "/data/usr"])
      #expect((run.status != 0) == isRefused, "\(run)")
      #expect(
        run.errors.contains("error: PREFIX=/data/usr comes from the environment") == isRefused, "\(run)")
    }
  }
}

extension InstallScriptTests.Place {
  /// The names of everything in the folder.
  fileprivate func names() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
  }
}

/// Starts programs that signals can end. The threads that run tests block signals, and programs inherit this.
enum SignalMask {
  /// The command before the program; only GNU's env has the option.
  static let reset = ["/usr/bin/env", "--default-signal=INT,TERM,HUP"]

  static let notPossible: Comment = "env of this system cannot unblock signals"

  static let canReset: Bool = {
    let process = Process()
    process.executableURL = URL(filePath: reset[0])
    process.arguments = Array(reset.dropFirst()) + ["true"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()
}
