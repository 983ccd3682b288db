import Foundation
import TestSupport
import Testing

/// `scripts/fetch-vectors` with local repositories instead of the public ones.
@Suite(
  "scripts/fetch-vectors",
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/git"), "no /usr/bin/git"))
struct FetchVectorsTests {
  @Test("copies the named files of a commit without their base folder")
  func takes() throws {
    let vectors = try VectorRepository()
    let run = try vectors.fetch(vectors.pins())
    #expect(run.status == 0, "\(run.errors)")
    #expect(try vectors.files() == ["suite/.pin", "suite/a.json", "suite/deep/b b.json"])
    #expect(try vectors.text("suite/a.json") == "[1]\r\n")
  }

  @Test("copies the pinned commit, not the newest one")
  func pinned() throws {
    let vectors = try VectorRepository()
    let pins = try vectors.pins()
    try vectors.commit(["vectors/a.json": "[2]"])
    #expect(try vectors.fetch(pins).status == 0)
    #expect(try vectors.text("suite/a.json") == "[1]\r\n")
  }

  @Test("does not fetch existing vectors, except with another pin")
  func again() throws {
    let vectors = try VectorRepository()
    let pins = try vectors.pins()
    #expect(try vectors.fetch(pins).status == 0)
    let second = try vectors.fetch(pins)
    #expect(second.status == 0)
    #expect(second.output.contains("suite is up to date"))
    try vectors.commit(["vectors/a.json": "[2]"])
    let third = try vectors.fetch(vectors.pins())
    #expect(third.status == 0, "\(third.errors)")
    #expect(try vectors.text("suite/a.json") == "[2]")
  }

  @Test(
    "copies nothing if a pin does not match",
    arguments: [
      ("digest", "not 0000000000000000000000000000000000000000"), ("commit", "has no commit 0000000"),
      ("repository", "cannot be cloned"), ("word", "is neither \"from\" nor \"take\""),
    ])
  func refuses(_ wrong: String, _ message: String) throws {
    let vectors = try VectorRepository()
    let run = try vectors.fetch(vectors.pins(wrong: wrong))
    #expect(run.status == (wrong == "word" ? 64 : 1))
    #expect(run.errors.contains("error: ") && run.errors.contains(message), "\(run.errors)")
    #expect(run.errors.contains("hint: "))
    #expect(try vectors.files() == [])
  }

  @Test("the shipped pins have the folders that the tests use")
  func shipped() throws {
    let pins = try String(
      contentsOf: Repository.root.appending(path: "scripts/vectors.pins"), encoding: .utf8)
    let words = pins.split(separator: "\n").map { $0.split(separator: " ") }
    let folders = words.filter { $0.first == "from" }
    #expect(folders.map { $0[1] } == ["wycheproof", "JSONTestSuite", "ietf-jose-cookbook"])
    for folder in folders {
      #expect(folder.count == 5 && folder[2].hasPrefix("https://github.com/") && folder[4].count == 40)
    }
  }
}

/// A repository with one suite, and the target folder.
private struct VectorRepository {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try git(["init", "--quiet", "work"])
    try commit([
      "vectors/a.json": "[1]\r\n", "vectors/deep/b b.json": "{}", "vectors/other.json": "[]", "LICENSE": "x",
    ])
  }

  /// Without a template, whose 14 files would be in each repository.
  private var variables: [String: String] { ["HOME": folder.path, "GIT_TEMPLATE_DIR": ""] }

  func commit(_ files: [String: String]) throws {
    for (path, text) in files { try folder.write(text, to: "work/" + path) }
    let author = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "core.autocrlf=false"]
    try git(author + ["add", "--all"], in: "work")
    try git(author + ["commit", "--quiet", "--message", "x"], in: "work")
  }

  /// Pins for the newest commit, optionally with one wrong word.
  func pins(wrong: String = "") throws -> String {
    let list = try git(["ls-tree", "-r", "HEAD", "vectors/a.json", "vectors/deep"], in: "work").output
      .split(separator: "\n").map { $0.split(separator: " ", maxSplits: 2)[2] + "\n" }.sorted().joined()
    try folder.write(list, to: "list")
    let digest = try git(["hash-object", "--no-filters", "../list"], in: "work").output.prefix(40)
    let commit = try git(["rev-parse", "--short=7", "HEAD"], in: "work").output.prefix(7)
    let none = String(repeating: "0", count: 40)
    return """
      # A comment.
      \(wrong == "word" ? "form" : "from") suite file://\(folder.path)/\(wrong == "repository" ? "none" : "work") \
      \(wrong == "commit" ? none.prefix(7) : commit) \(wrong == "digest" ? none[...] : digest)
      take vectors a.json
      take vectors deep
      """
  }

  func fetch(_ pins: String) throws -> ScriptRun {
    try folder.write(pins, to: "pins")
    return try ScriptRun(
      ["fetch-vectors", "--pins", folder.path("pins")], in: folder.url,
      environment: ["VECTORS": folder.path("out")].merging(variables) { $1 })
  }

  /// The fetched files, including hidden ones.
  func files() throws -> [String] {
    let out = folder.url.appending(path: "out")
    guard FileManager.default.fileExists(atPath: out.path) else { return [] }
    return try FileManager.default.subpathsOfDirectory(atPath: out.path).filter {
      try out.appending(path: $0).resourceValues(forKeys: [.isDirectoryKey]).isDirectory != true
    }.sorted()
  }

  func text(_ path: String) throws -> String { try folder.text("out/" + path) }

  @discardableResult
  private func git(_ arguments: [String], in name: String = ".") throws -> ScriptRun {
    let run = try ScriptRun(
      ["/usr/bin/git"] + arguments, in: folder.url.appending(path: name), environment: variables)
    try #require(run.status == 0, "git \(arguments): \(run.errors)")
    return run
  }
}
