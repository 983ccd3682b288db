import Foundation
import Testing
import TestSupport

/// A checkout with a commit and made-up programs, for `scripts/pack-release` and `scripts/check-release`.
struct ReleaseStage {
  private let temporary: TemporaryFolder
  var folder: URL { temporary.url }

  /// A stage without a release.
  ///
  /// - Parameter name: the beginning of the folder's name.
  init(_ name: String = Self.usualName) throws {
    try self.init(name, copying: Self.committed.get())
    // Its path depends on the length of the folder's path.
    if name.utf8.count != Self.usualName.utf8.count {
      #expect(try run("rm -r .build/tool*").status == 0)
      try writeBuild()
    }
  }

  private static let usualName = "release"

  /// A stage without a release, which no test may change.
  static func unchanged() throws -> ReleaseStage { try committed.get() }

  /// A stage with a release.
  static func released() throws -> ReleaseStage { try ReleaseStage(usualName, copying: packed.get()) }

  /// A stage with a release, which no test may change.
  static func unchangedRelease() throws -> ReleaseStage { try packed.get() }

  /// What Git knows of all stages.
  private static let repository: Result<TemporaryFolder, any Error> = Result {
    let folder = try TemporaryFolder("repository")
    atexit { if let folder = try? repository.get() { try? FileManager.default.removeItem(at: folder.url) } }
    return folder
  }

  private static let committed: Result<ReleaseStage, any Error> = Result {
    let stage = try ReleaseStage(committing: usualName)
    atexit { ReleaseStage.remove(try? committed.get()) }
    return stage
  }

  private static let packed: Result<ReleaseStage, any Error> = Result {
    let stage = try ReleaseStage()
    let run = try stage.pack()
    #expect(run.status == 0, "\(run.output)")
    atexit { ReleaseStage.remove(try? packed.get()) }
    return stage
  }

  private static func remove(_ stage: ReleaseStage?) {
    if let stage { try? FileManager.default.removeItem(at: stage.folder) }
  }

  private init(committing name: String) throws {
    temporary = try TemporaryFolder(name + " ")
    try write(
      "  static let version = \"1.2.3\"\n", to: "checkout/Sources/authorizer-local/A/AuthorizerLocal.swift")
    try write("dist/\n.build/\n", to: "checkout/.gitignore")
    for file in ["LICENSE", "template/sar.yaml", "template/sar.md", "template/terraform/modules/a/main.tf"] {
      try write("\(file)\n", to: "checkout/\(file)")
    }
    try writeSystem()
    for place in ["", "/arm64"] {
      for program in ["bootstrap", "identity", "fetch-keys", "call-dynamodb"] {
        try writeProgram("dist\(place)/\(program)")
      }
    }
    try writeHarness()
    try writeBuild()
    // In another folder, which is not copied: no test writes to it.
    let git = try Self.repository.get().path("git")
    for command in [
      "init --quiet --separate-git-dir='\(git)'", "add --all",
      "-c user.name=a -c user.email=a@example.com -c commit.gpgsign=false commit --quiet --message x",
    ] { #expect(try run("git \(command)").status == 0) }
  }

  private init(_ name: String, copying other: ReleaseStage) throws {
    temporary = try TemporaryFolder(name + " ")
    let copy = try ScriptRun(["/bin/cp", "-a", other.folder.path + "/.", folder.path], in: folder)
    #expect(copy.status == 0, "\(copy.output)")
  }

  /// The release's sums.
  var sums: String? { try? text("dist/release/SHA256SUMS") }

  func text(_ path: String) throws -> String { try temporary.text("checkout/" + path) }

  /// The names in a folder of the checkout, with hidden ones.
  func names(in path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "checkout/" + path).path)
      .sorted()
  }

  func write(_ text: String, to path: String) throws { try temporary.write(text, to: path) }

  /// Writes a program that contains these libraries.
  func writeProgram(
    _ path: String, openSSL: String = "3.0.19", sqlite: String = "2022-12-28 abc", text: String = ""
  ) throws {
    try temporary.script("# OpenSSL \(openSSL) 27 Jan 2026, \(sqlite), \(text)", to: "checkout/" + path)
  }

  /// Runs scripts/pack-release for both architectures.
  func pack(before: String = "", environment: [String: String] = [:]) throws -> ScriptRun {
    try run(
      "\(before) \"$SCRIPTS/pack-release\" dist/authorizer-local dist dist/arm64 emulate",
      environment: environment)
  }

  /// Runs a shell command in the checkout. Time zone, umask and locale are unusual, and must not matter.
  func run(_ command: String, environment: [String: String] = [:]) throws -> ScriptRun {
    // Through `cat`, so that a limit of file sizes in the command does not concern its output.
    try ScriptRun(
      ["/bin/bash", "-o", "pipefail", "-c", "umask 077; (\(command)\n) 2>&1 | cat"],
      in: folder.appending(path: "checkout"),
      environment: [
        "PATH": "\(folder.path)/bin:/usr/bin:/bin", "HOME": folder.path, "TZ": "Asia/Tokyo",
        "TMPDIR": folder.path, "SCRIPTS": Repository.root.appending(path: "scripts").path,
        "GIT_AUTHOR_DATE": "2026-11-22T10:00:00Z", "GIT_COMMITTER_DATE": "2026-11-22T10:00:00Z",
      ].merging(environment) { $1 }, isMerged: true)
  }

  /// A release build with two packages, of which one is linked.
  private func writeBuild() throws {
    let tool = try run("\"$SCRIPTS/tool-folder\"").output.trimmingCharacters(in: .newlines)
    let build = "checkout/\(tool)/release"
    try write(
      "'/a b/\(tool)/x/release/NIOCore.build/A.swift.o'\n/a/\(tool)/x/release/Own.build/B.swift.o\n",
      to: "\(build)/authorizer-local.product/Objects.LinkFileList")
    try write(
      "{\n  \"\": {\n  },\n  \"/a b/\(tool)/checkouts/swift-nio/Sources/NIOCore/A.swift\": {\n",
      to: "\(build)/NIOCore.build/output-file-map.json")
    try write("{\n  \"/a/Sources/Own/B.swift\": {\n", to: "\(build)/Own.build/output-file-map.json")
    let package = "checkout/\(tool)/checkouts/swift-nio"
    try write("Apache License\n", to: "\(package)/LICENSE.txt")
    let version = ["MAJOR 9", "MINOR 3", "PATCH 0"].map { "#define LLHTTP_VERSION_\($0)\n" }
    try write(version.joined(), to: "\(package)/Sources/CNIOLLHTTP/include/c_nio_llhttp.h")
    let pins = ["swift-nio", "swift-unused"].map { name in
      """
            "identity" : "\(name)",
            "location" : "https://github.com/apple/\(name).git",
            "state" : {
              "revision" : "0123456789abcdef",
              "version" : "2.101.2"
            }

      """
    }
    try write(pins.joined() + "  \"version\" : 3\n", to: "checkout/\(tool)/workspace-state.json")
  }

  /// Headers, Debian's versions of the libraries, and commands.
  private func writeSystem() throws {
    let versions = [
      "libssl-dev": "3.0.19-1~deb12u2", "libsqlite3-dev": "3.40.1-2+deb12u2",
      "libcurl4-openssl-dev": "7.88.1-10", "libc6-dev": "2.36-9", "libstdc++-12-dev": "12.2.0-14+deb12u1",
      "zlib1g-dev": "1:1.2.13.dfsg-1",
    ]
    for place in ["include", "checkout/.build/arm64/sysroot/usr/include"] {
      try write(
        "#define SQLITE_VERSION        \"3.40.1\"\n#define SQLITE_SOURCE_ID      \"2022-12-28 abc\"\n",
        to: "\(place)/sqlite3.h")
      try write("#define LIBCURL_VERSION \"7.88.1\"\n", to: "\(place)/x/curl/curlver.h")
      try write("#define\t__GLIBC__\t2\n#define\t__GLIBC_MINOR__\t36\n", to: "\(place)/features.h")
    }
    let lines = versions.sorted { $0.key < $1.key }
    try write(
      "arm64 all: x\n" + lines.map { "\($0.key) \($0.value) 0\n" }.joined(),
      to: "checkout/.build/arm64/sysroot/.packages")
    let cases = lines.map { "\($0.key)) echo '\($0.value)' ;;" }.joined(separator: " ")
    try command("dpkg-query", "case \"$4\" in \(cases) esac")
    try command("pkg-config", "echo \"${0%/bin/*}/include\"")
    try command("swift", "echo 'Swift version 6.3.1 (swift-6.3.1-RELEASE)'")
    // No test may fetch the schema. Only the packages for Python and Node.js need Python.
    try command(
      "python3", "case \"$1\" in *scripts/pack-languages) exec /usr/bin/python3 \"$@\" ;; esac; exit 1")
    try command("npm", "exit 1")
  }

  /// Writes a command into the first folder of `PATH`.
  func command(_ name: String, _ script: String) throws {
    try temporary.script(script, to: "bin/\(name)")
  }

  private func writeHarness() throws {
    try TestProgram.write(
      #"""
      #!/bin/sh
      # GCC: (Debian 12.2.0-14) 12.2.0
      # deflate 1.2.13 Copyright, OpenSSL 3.0.19 27 Jan 2026
      # icudt76, c_nio_llhttp_init
      case $1 in
        --version) echo "authorizer-local 1.2.3" ;;
        --generate-completion-script) echo "completions for $2" ;;
        package)
          own=x86_64
          case $5 in dist/arm64/*) own=arm64 ;; esac
          cat "$5" "$7" "$9" >"${11}/$3-$own.zip" || { echo "error: no space" >&2; exit 69; }
          ;;
      esac
      """#, to: folder.appending(path: "checkout/dist/authorizer-local").path)
  }
}
