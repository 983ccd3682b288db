import Foundation
import Testing
import TestSupport

/// `scripts/install` and `scripts/uninstall` with programs of a few bytes. `InstalledTests` runs the real ones.
@Suite("scripts/install", .hangLimit)
struct InstallScriptTests {
  /// Programs to install, and folders to install them in.
  struct Place {
    private let temporary: TemporaryFolder
    var folder: URL { temporary.url }

    init() throws {
      // With a blank, as in the paths of many users.
      temporary = try TemporaryFolder("install ")
      try FileManager.default.createDirectory(
        atPath: path("programs"), withIntermediateDirectories: false)
      for name in Self.names {
        try FileManager.default.linkItem(atPath: try Self.written.get().path(name), toPath: path(name))
      }
    }

    private init(writing names: [String]) throws {
      temporary = try TemporaryFolder("programs")
      for name in names.dropFirst() { try temporary.script("# \(name.dropFirst(9))", to: name) }
      try writeHarness()
    }

    private static let names =
      ["harness"] + ["bootstrap", "identity", "fetch-keys", "call-dynamodb"].map { "programs/\($0)" }

    /// All places have links to these programs. A test replaces them, and writes to none.
    private static let written: Result<Place, any Error> = Result {
      let place = try Place(writing: names)
      atexit { if let place = try? written.get() { try? FileManager.default.removeItem(at: place.folder) } }
      return place
    }

    func path(_ name: String) -> String { temporary.path(name) }

    /// Creates an empty file and its folders.
    func create(_ name: String) throws { try temporary.write("", to: name) }

    /// - Parameter start: what the tool does first.
    func writeHarness(start: String = "") throws {
      try temporary.script(
        """
        \(start)
        case $1 in
          --generate-completion-script) echo "completions for $2" ;;
        esac
        """, to: "harness")
    }

    /// Runs a script in the folder, with a umask that hides new files from others.
    ///
    /// - Parameters:
    ///   - starter: a command that starts the script.
    ///   - programs: the tool and the folder of functions, if they are named differently.
    func run(
      _ script: String, _ arguments: [String] = [], prefix: String? = nil, destination: String? = nil,
      starter: [String] = [], programs: [String]? = nil, environment: [String: String] = [:]
    ) throws -> ScriptRun {
      let program = Repository.root.appending(path: "scripts/\(script)").path
      let installed = script == "install" ? programs ?? [path("harness"), path("programs")] : []
      var variables = ["PREFIX": prefix ?? path("prefix")].merging(environment) { $1 }
      if let destination { variables["DESTDIR"] = destination }
      return try ScriptRun(
        ["/bin/bash", "-c", #"umask 077; exec "$@""#, "bash"] + starter + [program] + arguments + installed,
        in: folder, environment: variables, isMerged: true)
    }

    /// Creates an empty file below the prefix and adds it, and its new folders, to the list of what was installed.
    func list(_ name: String) throws {
      let parts = name.split(separator: "/")
      let folders = parts.indices.dropFirst().map { parts[..<$0].joined(separator: "/") }
        .filter { !FileManager.default.fileExists(atPath: path("prefix/\($0)")) }
      try create("prefix/\(name)")
      let list = "prefix/share/authorizer-local/installed"
      let lines = folders.map { "folder \($0)\n" }.joined() + "file \(name)\n"
      try temporary.write(try temporary.text(list) + lines, to: list)
    }

    /// The files and folders below a folder, with their permissions.
    func contents(of name: String) throws -> [String: Int] {
      guard FileManager.default.fileExists(atPath: path(name)) else { return [:] }
      var contents: [String: Int] = [:]
      for below in try FileManager.default.subpathsOfDirectory(atPath: path(name)) {
        let attributes = try FileManager.default.attributesOfItem(atPath: path("\(name)/\(below)"))
        contents[below] = attributes[.posixPermissions] as? Int
      }
      return contents
    }
  }

  static let files = [
    "bin/authorizer-local": 0o755, "libexec/authorizer-local/bootstrap": 0o755,
    "libexec/authorizer-local/identity": 0o755, "libexec/authorizer-local/fetch-keys": 0o755,
    "libexec/authorizer-local/call-dynamodb": 0o755,
    "share/bash-completion/completions/authorizer-local": 0o644,
    "share/zsh/site-functions/_authorizer-local": 0o644,
    "share/fish/vendor_completions.d/authorizer-local.fish": 0o644,
    "share/authorizer-local/installed": 0o644,
  ]

  /// The files without starter files and folders.
  private static func installed(_ contents: [String: Int]) -> [String: Int] {
    let names = contents.keys
    return contents.filter { name, _ in
      !name.hasPrefix("share/authorizer-local/init") && !names.contains { $0.hasPrefix(name + "/") }
    }
  }

  @Test("installs twice, with permissions that do not depend on the umask, and removes everything")
  func installAndRemove() throws {
    let place = try Place()
    for _ in 1...2 {
      let answer = try place.run("install")
      #expect(answer.status == 0, "\(answer.output)")
      #expect(answer.output.hasPrefix("installed in \(place.path("prefix")):\n"), "\(answer.output)")
      let contents = try place.contents(of: "prefix")
      #expect(Self.installed(contents) == Self.files)
      let folders = ["bin", "libexec/authorizer-local", "share/zsh/site-functions"]
      #expect(folders.allSatisfy { contents[$0] == 0o755 }, "\(contents)")
    }
    let removed = try place.run("uninstall")
    #expect(removed.status == 0, "\(removed.output)")
    #expect(!FileManager.default.fileExists(atPath: place.path("prefix")))
    let again = try place.run("uninstall")
    #expect(again.status == 0 && again.output == "nothing is installed in \(place.path("prefix"))\n")
  }

  @Test("removes what an earlier release installed and this one does not have")
  func upgrade() throws {
    let place = try Place()
    #expect(try place.run("install").status == 0)
    // Completions that had other names, and man pages.
    let old = [
      "share/bash-completion/completions/authorizer-local.bash",
      "share/zsh/site-functions/_authorizer-local.zsh", "share/man/man1/authorizer-local-serve.1",
    ]
    for name in old { try place.list(name) }
    #expect(try place.run("install").status == 0)
    for name in old { #expect(!FileManager.default.fileExists(atPath: place.path("prefix/\(name)"))) }
    #expect(try place.run("uninstall").status == 0)
    #expect(!FileManager.default.fileExists(atPath: place.path("prefix")))
  }

  @Test("keeps files of others, and folders that existed before")
  func otherFiles() throws {
    let place = try Place()
    for name in ["prefix/share/zsh/site-functions", "prefix/libexec"] {
      try FileManager.default.createDirectory(
        atPath: place.path(name), withIntermediateDirectories: true)
    }
    #expect(try place.run("install").status == 0)
    try Data("theirs".utf8).write(to: URL(filePath: place.path("prefix/bin/theirs")))
    #expect(try place.run("uninstall").status == 0)
    #expect(
      try place.contents(of: "prefix").keys.sorted() == [
        "bin", "bin/theirs", "libexec", "share", "share/zsh", "share/zsh/site-functions",
      ])
  }

  @Test("installs into DESTDIR for a package", arguments: ["", "HERE/"])
  func packages(_ start: String) throws {
    let place = try Place()
    let destination = start.replacing("HERE", with: place.folder.path) + "root"
    let answer = try place.run("install", prefix: "/usr", destination: destination)
    #expect(answer.status == 0, "\(answer.output)")
    #expect(Self.installed(try place.contents(of: "root/usr")) == Self.files)
    #expect(try place.run("uninstall", prefix: "/usr", destination: destination).status == 0)
    #expect(try place.contents(of: "root") == [:])
  }

  @Test(
    "changes nothing if a destination is wrong",
    arguments: [
      ("relative", nil, 64, "PREFIX is not an absolute path: relative"),
      // A variable that is not set: make uninstall PREFIX="$UNSET"
      ("", nil, 64, "PREFIX is not an absolute path: "),
      ("HERE/file", "file", 69, "is not a folder"),
      ("HERE/prefix", "prefix/libexec/authorizer-local/identity/x", 69, "identity is a folder"),
      ("HERE/prefix", "prefix/share", 69, "share is not a folder"),
    ] as [(String, String?, Int32, String)])
  func refusals(_ prefix: String, _ file: String?, _ status: Int32, _ message: String) throws {
    let place = try Place()
    if let file { try place.create(file) }
    let before = try FileManager.default.subpathsOfDirectory(atPath: place.folder.path).sorted()
    let answer = try place.run("install", prefix: prefix.replacing("HERE", with: place.folder.path))
    if status == 64 { #expect(try place.run("uninstall", prefix: prefix).status == 64) }
    #expect(answer.status == status, "\(answer.output)")
    #expect(answer.output.hasPrefix("error: "), "\(answer.output)")
    #expect(answer.output.contains(message) && answer.output.contains("\nhint: "), "\(answer.output)")
    #expect(try FileManager.default.subpathsOfDirectory(atPath: place.folder.path).sorted() == before)
  }

  @Test(
    "refuses a folder without write permission before anything is built",
    .enabled(if: getuid() != 0, "root may write to every folder"))
  func notWritable() throws {
    let place = try Place()
    try FileManager.default.createDirectory(
      atPath: place.path("prefix"), withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o555])
    let answer = try place.run("install", ["--check"])
    #expect(answer.status == 69 && answer.output.contains("prefix is not writable\nhint: "), "\(answer)")
  }

  @Test(
    "leaves the old installation unchanged if a program is missing or cannot be copied",
    arguments: [(false, "call-dynamodb is missing"), (true, "nothing was replaced")])
  func failureInTheMiddle(_ isFolder: Bool, _ message: String) throws {
    let place = try Place()
    #expect(try place.run("install").status == 0)
    let before = try place.contents(of: "prefix")
    let program = place.path("programs/call-dynamodb")
    try FileManager.default.removeItem(atPath: program)
    if isFolder {
      try FileManager.default.createDirectory(atPath: program, withIntermediateDirectories: false)
    }
    try TestProgram.write("#!/bin/sh\n# newer\n", to: place.path("programs/bootstrap"))
    let answer = try place.run("install")
    #expect(answer.status == 69 && answer.output.contains(message), "\(answer)")
    #expect(try place.contents(of: "prefix") == before)
    let bootstrap = place.path("prefix/libexec/authorizer-local/bootstrap")
    #expect(try String(contentsOfFile: bootstrap, encoding: .utf8).contains("# bootstrap"))
  }

  @Test("the script lists all starter files, and installs no other")
  func starterFiles() throws {
    let place = try Place()
    var project = [".github/workflows/authorizer.yml", ".gitignore", "authorizer.json", "template.yaml"]
    project.append("events/tokens.json")
    for name in ["allowed", "forbidden", "unauthorized"] {
      project += ["events/\(name).json", "events/\(name).expected.json"]
    }
    var files = ["rest", "http", "websocket", "sign-in", "mcp"].flatMap { kind in
      project.map { "\(kind)/\($0)" }
    }
    files += ["sign-in/identity.json", "sign-in/events/authorizer.json"]
    files += ["events/deleted.json", "events/deleted.expected.json", "local.json", "server/app.py"].map {
      "mcp/\($0)"
    }
    files += ["capture/capture.mjs", "capture/capture.py"]
    for file in files + ["rest/secret.pem", "rest/.development/keys.json"] {
      try place.create("template/init/\(file)")
    }
    let answer = try place.run("install")
    #expect(answer.status == 0 && answer.output.contains("init: \(files.count) files\n"), "\(answer)")
    let installed = try place.contents(of: "prefix/share/authorizer-local/init")
    #expect(installed.filter { $0.value == 0o644 }.keys.sorted() == files.sorted())
    #expect(try place.run("uninstall").status == 0)
    #expect(!FileManager.default.fileExists(atPath: place.path("prefix")))
    // The starter files of the repository, once there are some.
    let ours = try Repository.checkedOut.get().files(under: "template/init/").map(\.path)
    let known = Set(files.map { "template/init/" + $0 })
    #expect(ours.allSatisfy(known.contains), "\(Set(ours).subtracting(known))")
  }

  @Test("installs the pages of docs, and nothing else that is beside them")
  func pages() throws {
    let place = try Place()
    let pages = ["README.md", "rules.md", "harness/installation.md", "pictures/console-matrix.png"]
    for file in pages + ["notes.txt", ".hidden.md", "harness/keys.json"] {
      try place.create("docs/\(file)")
    }
    let answer = try place.run("install")
    #expect(answer.status == 0 && answer.output.contains("docs: 4 pages\n"), "\(answer)")
    let installed = try place.contents(of: "prefix/share/authorizer-local/docs")
    #expect(installed.filter { $0.value == 0o644 }.keys.sorted() == pages.sorted())
    #expect(try place.run("uninstall").status == 0)
    #expect(!FileManager.default.fileExists(atPath: place.path("prefix")))
  }

  static let others = [
    "victim", "prefix/bin/theirs", "prefix/etc/theirs", "prefix/share/man/man1/theirs.1",
    "prefix/share/zsh/site-functions/_theirs",
  ]

  @Test("a list of files decides nothing outside of the folders of the installation")
  func foreignList() throws {
    let place = try Place()
    #expect(try place.run("install").status == 0)
    let list = place.path("prefix/share/authorizer-local/installed")
    for name in Self.others { try place.create(name) }
    let paths = [
      "../victim", "bin/../../victim", "bin/theirs", "etc/theirs", "share/man/man1/theirs.1",
      "share/zsh/site-functions/_theirs", "share/authorizer-local/init/../../../etc/theirs",
      place.path("victim"),
    ]
    let lines = paths.map { "file \($0)\n" }.joined()
    try Data((try String(contentsOfFile: list, encoding: .utf8) + lines).utf8).write(to: URL(filePath: list))
    #expect(try place.run("install").status == 0)
    try Data((try String(contentsOfFile: list, encoding: .utf8) + lines).utf8).write(to: URL(filePath: list))
    #expect(try place.run("uninstall").status == 0)
    for name in Self.others {
      #expect(FileManager.default.fileExists(atPath: place.path(name)), "\(name)")
    }
  }

  @Test(
    "refuses a link in place of a folder",
    arguments: [
      "bin", "share", "share/zsh/site-functions", "share/authorizer-local/init",
      "share/authorizer-local/init/old",
    ])
  func links(_ folder: String) throws {
    let place = try Place()
    #expect(try place.run("install").status == 0)
    // Of an earlier release: this one would only remove it.
    try place.list("share/authorizer-local/init/old/file")
    let original = place.path("prefix/\(folder)")
    try FileManager.default.moveItem(atPath: original, toPath: place.path("moved"))
    try FileManager.default.createSymbolicLink(
      atPath: original, withDestinationPath: place.path("moved"))
    let before = try place.contents(of: "moved")
    for script in ["install", "uninstall"] {
      let answer = try place.run(script)
      #expect(answer.status == 69 && answer.output.contains("\(folder) is a symbolic link"), "\(answer)")
    }
    #expect(try place.contents(of: "moved") == before)
  }

  @Test(
    "root does not follow the list of another user",
    .enabled(if: getuid() == 0, "only root can create files of another user"))
  func listOfAnotherUser() throws {
    let place = try Place()
    #expect(try place.run("install").status == 0)
    try FileManager.default.setAttributes(
      [.ownerAccountID: 65534], ofItemAtPath: place.path("prefix/share/authorizer-local/installed"))
    for script in ["install", "uninstall"] {
      let answer = try place.run(script)
      #expect(answer.status == 69 && answer.output.contains("does not belong to root"), "\(answer)")
    }
    #expect(FileManager.default.fileExists(atPath: place.path("prefix/bin/authorizer-local")))
  }

  @Test("make install checks the prefix first, builds only if something is outdated, and checks the tool")
  func targets() throws {
    let run = try ScriptRun(
      ["/usr/bin/env", "make", "-n", "install", "uninstall", "OUTDATED=false"], in: Repository.root,
      environment: ProcessInfo.processInfo.environment)
    let commands = run.output.split(separator: "\n").filter { $0.hasPrefix("scripts/") }
    #expect(run.status == 0)
    #if os(Linux)
      let check: [Substring] = ["scripts/check-programs -- -- dist/authorizer-local"]
    #else
      let check: [Substring] = []
    #endif
    #expect(
      commands == ["scripts/install --check"] + check + ["scripts/install", "scripts/uninstall"], "\(run)")
  }
}
