import Foundation
import JSON
import Testing
import TestSupport
import TestTokens

/// Where the development keys and local users are stored: docs/harness/state.md.
@Suite(.hangLimit)
struct DevelopmentStateTests {
  /// A folder without a repository above it, in which the tool runs.
  struct StateFolder: ~Copyable {
    let workshop: Workshop
    private let temporary: TemporaryFolder
    var folder: URL { temporary.url }

    /// - Parameter files: paths below the folder; those with a slash at the end are folders.
    init(_ files: [String]) throws {
      let workshop = try Workshop(hasDevelopmentKeys: false)
      let folder = try TemporaryFolder("state")
      for file in files where file.hasSuffix("/") {
        try FileManager.default.createDirectory(atPath: folder.path(file), withIntermediateDirectories: true)
      }
      for file in files where !file.hasSuffix("/") { try folder.write("{}", to: file) }
      // After everything that can fail, because a value that cannot be copied is not initialized conditionally.
      self.workshop = workshop
      temporary = folder
    }

    func path(_ name: String) -> String { temporary.path(name) }

    /// Runs the tool; `HOME` is its folder `home`.
    func run(
      _ arguments: [String], in place: String, environment: [String: String] = [:]
    ) async throws -> Workshop.Answer {
      var variables = ["HOME": path("home")]
      for (name, value) in environment { variables[name] = value.replacing("HERE", with: folder.path) }
      return try await workshop.run(
        arguments, environment: variables, in: folder.appendingPathComponent(place))
    }

    /// Writes keys as an earlier release left them, and returns the public key set.
    func addKeys(_ name: String) throws -> String {
      try SharedKeys.write(to: folder.appendingPathComponent(name))
      for (file, text) in [(".gitignore", "*\n"), ("lock", "")] {
        try temporary.write(text, to: "\(name)/\(file)")
      }
      let keys = try DevelopmentKeys(in: path(name))
      return String(decoding: keys.publicKeySet.bytes(indentedBy: 2), as: UTF8.self) + "\n"
    }
  }

  static func permissions(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  /// The rule of the releases up to 0.1.0: the top folder of the git repository, else the working folder.
  static func oldFolder(from place: URL) -> String {
    var folder = place
    while !FileManager.default.fileExists(atPath: folder.appendingPathComponent(".git").path) {
      let parent = folder.deletingLastPathComponent().standardizedFileURL
      if parent.path == folder.path { return place.appendingPathComponent(".development").path }
      folder = parent
    }
    return folder.appendingPathComponent(".development").path
  }

  @Test(
    "keys and users of an earlier release are found again",
    arguments: [
      // A repository, from its top and from a folder below that now looks like a project of its own.
      ([".git/", "template/template.yaml"], "."),
      ([".git/", "template/template.yaml", "authorizer.json"], "template"),
      ([".git/", "a/b/"], "a/b"), ([".git", "src/"], "src"),
      // No repository.
      (["plain/"], "plain"), (["template.yaml", "plain/"], "plain"),
    ])
  func upgrade(_ files: [String], _ place: String) async throws {
    let base = try StateFolder(files)
    let old = Self.oldFolder(from: base.folder.appendingPathComponent(place).standardizedFileURL)
    #expect(old.hasPrefix(base.folder.path))
    let keySet = try base.addKeys(String(old.dropFirst(base.folder.path.count + 1)))
    let answer = try await base.run(["keys", "show"], in: place)
    #expect(answer.exit == 0 && answer.output == keySet, "\(answer.errors)")
    #expect(answer.errors == "note: the private keys are in \(old)\n")
  }

  @Test(
    "a user of an earlier release is found again, from a folder that now looks like a project",
    .needsBootstrap, .needsIdentity)
  func users() async throws {
    let base = try StateFolder([".git/", "app/template.yaml", "app/source/"])
    let source = base.folder.appendingPathComponent("app/source")
    let old = Self.oldFolder(from: source)
    #expect(old == base.path(".development"))
    _ = try base.addKeys(".development")
    let first = try ServedGateway(base.workshop, IdentityStoryTests.arguments, in: base.folder)
    let story = Story("/HttpApi", first)
    let user = try await story.signIn()
    #expect(user.data["is_new_user"] == .boolean(true))
    #expect(FileManager.default.fileExists(atPath: old + "/identity.sqlite3"))
    first.process.terminate()
    first.process.waitUntilExit()
    let second = try ServedGateway(base.workshop, IdentityStoryTests.arguments, in: source)
    let again = try await Story("/HttpApi", second, subject: story.subject).signIn()
    #expect(again.data["is_new_user"] == .boolean(false), "\(second.logText)")
    #expect(again.data["user_id"] == user.data["user_id"])
  }

  @Test(
    "new keys belong to the nearest project, else to the user",
    arguments: [
      ([".git/", "a/"], "a", [:], ".development"),
      (["app/template.yaml", "app/a/"], "app/a", [:], "app/.development"),
      (["app/template.yml"], "app", [:], "app/.development"),
      (["app/authorizer.json", "app/a/"], "app/a", [:], "app/.development"),
      (["app/template/template.yaml", "app/a/"], "app/a", [:], "app/.development"),
      (["a/"], "a", [:], "home/.local/state/authorizer-local"),
      (["a/"], "a", ["XDG_STATE_HOME": "HERE/state"], "state/authorizer-local"),
      (["a/"], "a", ["XDG_STATE_HOME": "relative"], "home/.local/state/authorizer-local"),
    ] as [([String], String, [String: String], String)])
  func newKeys(
    _ files: [String], _ place: String, _ environment: [String: String], _ expected: String
  ) async throws {
    let base = try StateFolder(files + ["home/"])
    let answer = try await base.run(["keys", "make"], in: place, environment: environment)
    #expect(answer.exit == 0 && answer.output == base.path(expected) + "/jwks.json\n", "\(answer)")
    // The second run finds them.
    let again = try await base.run(["keys", "make"], in: place, environment: environment)
    #expect(again.output == answer.output)
    #expect(try Self.permissions(base.path(expected)) == 0o700)
    #expect(try Self.permissions(base.path(expected + "/keys.json")) == 0o600)
    if expected.hasPrefix("home/") {
      for parent in ["home/.local", "home/.local/state"] {
        #expect(try Self.permissions(base.path(parent)) == 0o700)
      }
    }
  }

  @Test("a link above the working folder is not used, and one in place of the folder is refused")
  func links() async throws {
    for (files, isRefused) in [([], false), ([".git/"], true)] as [([String], Bool)] {
      // A file that would be an error if it were read.
      let base = try StateFolder(["a/", "elsewhere/keys.json"] + files)
      let keySet = try base.addKeys("home/.local/state/authorizer-local")
      try FileManager.default.createSymbolicLink(
        atPath: base.path(".development"), withDestinationPath: base.path("elsewhere"))
      let answer = try await base.run(["keys", "show"], in: "a")
      if isRefused {
        #expect(answer.exit == 64 && answer.output.isEmpty, "\(answer)")
        #expect(answer.errors.contains(".development is a symbolic link"), "\(answer)")
        #expect(answer.errors.contains("\nhint: remove the link"), "\(answer)")
      } else {
        #expect(answer.exit == 0 && answer.output == keySet, "\(answer)")
      }
    }
  }

  @Test(
    "a folder of another user is not used",
    .enabled(if: getuid() == 0, "only root can create files of another user"),
    arguments: [["a/"], ["a/", ".git/"]])
  func foreign(_ files: [String]) async throws {
    // A file that would be an error if it were read.
    let base = try StateFolder(files + [".development/keys.json"])
    for name in ["", "/keys.json"] {
      try FileManager.default.setAttributes(
        [.ownerAccountID: 65534], ofItemAtPath: base.path(".development" + name))
    }
    let keySet = try base.addKeys("home/.local/state/authorizer-local")
    let answer = try await base.run(["keys", "show"], in: "a")
    #expect(answer.exit == 0 && answer.output == keySet, "\(answer)")
    let isNoted = answer.errors.contains(".development belongs to another user and is not used")
    #expect(isNoted == files.contains(".git/"), "\(answer)")
  }

  /// Any user can create `/tmp/authorizer.json`.
  @Test("a folder to which every user can add files is no project", arguments: [0o1777, 0o777])
  func sharedFolder(_ mode: Int) async throws {
    let base = try StateFolder(["shared/authorizer.json", "shared/a/", "shared/template.yaml"])
    #expect(unsafe chmod(base.path("shared"), mode_t(mode)) == 0)
    let keySet = try base.addKeys("home/.local/state/authorizer-local")
    for place in ["shared/a", "shared"] {
      let answer = try await base.run(["keys", "show"], in: place)
      #expect(answer.exit == 0 && answer.output == keySet, "\(answer)")
    }
    // Nor is a template or configuration in it found from below.
    let served = try await base.run(["doctor"], in: "shared/a")
    #expect(served.exit == 64 && served.errors.hasPrefix("error: no template found"), "\(served)")
  }

  @Test("the user's own folder is refused where another user could have made it")
  func sharedState() async throws {
    let base = try StateFolder(["a/", "shared/"])
    #expect(unsafe chmod(base.path("shared"), 0o1777) == 0)
    for variable in ["HOME", "XDG_STATE_HOME"] {
      let answer = try await base.run(["keys", "show"], in: "a", environment: [variable: "HERE/shared"])
      #expect(answer.exit == 69 && answer.output.isEmpty, "\(answer)")
      #expect(
        answer.errors.contains("cannot be used: \(base.path("shared")) can be written to by every user"))
      #expect(answer.errors.contains("\nhint: set XDG_STATE_HOME to a folder of yours"), "\(answer)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: base.path("shared")) == [])
  }

  @Test(
    "root creates no folder in the home of a user, and reads none of another user",
    .enabled(if: getuid() == 0, "only root can create files of another user"))
  func homeOfAnotherUser() async throws {
    let base = try StateFolder(["a/", "home/", "state/authorizer-local/keys.json"])
    for name in ["home", "state/authorizer-local"] {
      try FileManager.default.setAttributes([.ownerAccountID: 65534], ofItemAtPath: base.path(name))
    }
    let home = try await base.run(["keys", "show"], in: "a")
    #expect(home.exit == 69 && home.errors.contains("home belongs to another user"), "\(home)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: base.path("home")) == [])
    let state = try await base.run(["keys", "show"], in: "a", environment: ["XDG_STATE_HOME": "HERE/state"])
    #expect(state.exit == 69, "\(state)")
    #expect(state.errors.contains("state/authorizer-local belongs to another user"), "\(state)")
  }

  /// A cloned repository may contain state: its author knows the keys.
  @Test(
    "state that git tracks is refused",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/git"), "git is not installed"),
    arguments: [("", "keys.json"), ("app/", "identity.sqlite3"), ("", "note.txt")])
  func tracked(_ folder: String, _ file: String) async throws {
    let base = try StateFolder(["\(folder)a/"])
    let state = "\(folder).development"
    let keySet = try base.addKeys(state)
    try Data("text".utf8).write(to: URL(fileURLWithPath: base.path("\(state)/note.txt")))
    if file == "identity.sqlite3" {
      try Data().write(to: URL(fileURLWithPath: base.path("\(state)/\(file)")))
    }
    let made = try Shell.run(
      "cd '\(base.folder.path)' && git init -q . && git add -f '\(state)/\(file)'", in: base.workshop)
    #expect(made.exit == 0, "\(made)")
    let answer = try await base.run(["keys", "show"], in: folder + "a")
    if file == "note.txt" {
      #expect(answer.exit == 0 && answer.output == keySet, "\(answer)")
    } else {
      #expect(answer.exit == 64 && answer.output.isEmpty, "\(answer)")
      #expect(answer.errors.contains("\(state)/\(file) is in the git repository"), "\(answer)")
      #expect(answer.errors.contains("\nhint: git rm -r --cached \(state), commit"), "\(answer)")
    }
  }

  /// What the script does after `keys.json` of the folder `repository/app` was added to the repository.
  static let repositories: [(script: String, message: String?)] = [
    // The folders of a submodule and of a linked worktree.
    ("mv .git ../git; echo 'gitdir: ../git' >.git", "keys.json is in the git repository"),
    ("mv .git ../git; echo 'gitdir: HERE/git' >.git", "keys.json is in the git repository"),
    ("git update-index --split-index", "keys.json is in the git repository"),
    ("git add -f --intent-to-add note", "keys.json is in the git repository"),
    // On some file systems, every folder has these permissions.
    ("chmod 777 .", "keys.json is in the git repository"),
    ("git update-index --index-version 4", "hint: git update-index --index-version 2\n"),
    ("rm .git/index; mkdir .git/index", "error: cannot read "),
    ("echo text >.git/index", "error: cannot read "),
    ("rm -r .git; echo 'gitdir: ../nowhere' >.git", "error: cannot read "),
    // Reading these would not end, or fill the memory. The large files are sparse.
    ("rm .git/index; mkfifo .git/index", "error: cannot read "),
    ("mkfifo .git/sharedindex.a", "error: cannot read "),
    ("ln -s /dev/zero .git/sharedindex.a", "error: cannot read "),
    ("rm -r .git; mkfifo .git", "error: cannot read "),
    (
      "rm .git/index; dd if=/dev/zero of=.git/index bs=1 count=1 seek=1000000000",
      "index: the index has more than 134217728 bytes, so"
    ),
    (
      "rm -r .git; dd if=/dev/zero of=.git bs=1 count=1 seek=1000000000",
      ".git: it has more than 8192 bytes, so"
    ),
    // Nothing is tracked, or only files with similar names.
    ("rm .git/index", nil), ("rm -r .git", nil),
    (
      "git rm -rq --cached app; mkdir -p tests/app/.development; "
        + "touch tests/app/.development/keys.json app/.development/keys.json.sample; git add -f tests app/.development/*.sample",
      nil
    ),
  ]

  @Test(
    "the index of any repository is read, and one that cannot be read is refused",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/git"), "git is not installed"),
    arguments: repositories)
  func indexes(_ script: String, _ message: String?) async throws {
    let base = try StateFolder(["repository/note"])
    let keySet = try base.addKeys("repository/app/.development")
    let made = try Shell.run(
      "cd '\(base.path("repository"))'; git init -q .; git add -f app; "
        + script.replacing("HERE", with: base.folder.path), in: base.workshop)
    #expect(made.exit == 0, "\(made)")
    let answer = try await base.run(["keys", "show"], in: "repository/app")
    if let message {
      #expect(answer.exit == 64 && answer.output.isEmpty, "\(answer)")
      #expect(answer.errors.contains(message) && answer.errors.contains("\nhint: "), "\(answer)")
    } else {
      #expect(answer.exit == 0 && answer.output == keySet, "\(answer)")
    }
  }

  @Test("a state folder that cannot be created is reported", arguments: ["XDG_STATE_HOME", "HOME"])
  func notCreated(_ variable: String) async throws {
    let base = try StateFolder(["a/", "file"])
    let answer = try await base.run(["keys", "make"], in: "a", environment: [variable: "HERE/file/state"])
    #expect(answer.exit == 69 && answer.output.isEmpty, "\(answer)")
    #expect(answer.errors.hasPrefix("error: cannot create \(base.path("file"))"), "\(answer)")
    #expect(answer.errors.contains("\nhint: set XDG_STATE_HOME to a folder"), "\(answer)")
  }

  @Test("permissions of other users are removed from the folder and the keys")
  func openPermissions() async throws {
    let base = try StateFolder(["a/"])
    _ = try base.addKeys("a/.development")
    for (name, mode) in [("", 0o755), ("/keys.json", 0o644)] {
      #expect(unsafe chmod(base.path("a/.development" + name), mode_t(mode)) == 0)
    }
    #expect(try await base.run(["keys", "show"], in: "a").exit == 0)
    #expect(try Self.permissions(base.path("a/.development")) == 0o700)
    #expect(try Self.permissions(base.path("a/.development/keys.json")) == 0o600)
  }
}
