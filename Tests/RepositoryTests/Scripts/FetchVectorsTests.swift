import Foundation
import Testing

/// `scripts/fetch-vectors` with local bare repositories instead of the public ones.
@Suite(
  "scripts/fetch-vectors",
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/git"), "no /usr/bin/git"))
struct FetchVectorsTests {
  @Test("copies the named files of a commit without their base folder")
  func takes() throws {
    let place = try Place()
    defer { place.remove() }
    let run = try place.fetch(place.pins())
    #expect(run.status == 0, "\(run.errors)")
    #expect(try place.files() == ["suite/.pin", "suite/a.json", "suite/deep/b b.json"])
    #expect(try place.text("suite/a.json") == "[1]\r\n")
  }

  @Test("copies the pinned commit, not the newest one")
  func pinned() throws {
    let place = try Place()
    defer { place.remove() }
    let pins = try place.pins()
    try place.commit(["vectors/a.json": "[2]"])
    #expect(try place.fetch(pins).status == 0)
    #expect(try place.text("suite/a.json") == "[1]\r\n")
  }

  @Test("does not fetch existing vectors, except with another pin")
  func again() throws {
    let place = try Place()
    defer { place.remove() }
    let pins = try place.pins()
    #expect(try place.fetch(pins).status == 0)
    let second = try place.fetch(pins)
    #expect(second.status == 0)
    #expect(second.output.contains("suite is up to date"))
    try place.commit(["vectors/a.json": "[2]"])
    let third = try place.fetch(place.pins())
    #expect(third.status == 0, "\(third.errors)")
    #expect(try place.text("suite/a.json") == "[2]")
  }

  @Test(
    "copies nothing if a pin does not match",
    arguments: [
      ("digest", "not 0000000000000000000000000000000000000000"), ("commit", "has no commit 0000000"),
      ("repository", "cannot be cloned"), ("word", "is neither \"from\" nor \"take\""),
    ])
  func refuses(_ wrong: String, _ message: String) throws {
    let place = try Place()
    defer { place.remove() }
    let run = try place.fetch(place.pins(wrong: wrong))
    #expect(run.status == (wrong == "word" ? 64 : 1))
    #expect(run.errors.contains("error: ") && run.errors.contains(message), "\(run.errors)")
    #expect(run.errors.contains("hint: "))
    #expect(try place.files() == [])
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

/// A bare repository with one suite, and the target folder.
private struct Place {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "vectors-\(UUID().uuidString)")
  private var work: URL { folder.appending(path: "work") }

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try git(["init", "--quiet", "--bare", folder.appending(path: "bare").path], in: folder)
    try git(["clone", "--quiet", folder.appending(path: "bare").path, work.path], in: folder)
    try commit([
      "vectors/a.json": "[1]\r\n", "vectors/deep/b b.json": "{}", "vectors/other.json": "[]", "LICENSE": "x",
    ])
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  func commit(_ files: [String: String]) throws {
    for (path, text) in files {
      let file = work.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let author = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "core.autocrlf=false"]
    try git(author + ["add", "--all"], in: work)
    try git(author + ["commit", "--quiet", "--message", "x"], in: work)
    try git(["push", "--quiet", "origin", "HEAD"], in: work)
  }

  /// Pins for the newest commit, optionally with one wrong word.
  func pins(wrong: String = "") throws -> String {
    let list = try git(["ls-tree", "-r", "HEAD", "vectors/a.json", "vectors/deep"], in: work).output
      .split(separator: "\n").map { $0.split(separator: " ", maxSplits: 2)[2] + "\n" }.sorted().joined()
    try Data(list.utf8).write(to: folder.appending(path: "list"))
    let digest = try git(["hash-object", "--no-filters", "../list"], in: work).output.prefix(40)
    let commit = try git(["rev-parse", "--short=7", "HEAD"], in: work).output.prefix(7)
    let none = String(repeating: "0", count: 40)
    return """
      # A comment.
      \(wrong == "word" ? "form" : "from") suite file://\(folder.path)/\(wrong == "repository" ? "none" : "bare") \
      \(wrong == "commit" ? none.prefix(7) : commit) \(wrong == "digest" ? none[...] : digest)
      take vectors a.json
      take vectors deep
      """
  }

  func fetch(_ pins: String) throws -> (status: Int32, output: String, errors: String) {
    let file = folder.appending(path: "pins")
    try Data(pins.utf8).write(to: file)
    let script = Repository.root.appending(path: "scripts/fetch-vectors").path
    return try run(
      "/bin/bash", [script, "--pins", file.path], in: folder,
      environment: ["VECTORS": folder.appending(path: "out").path])
  }

  /// The fetched files, including hidden ones.
  func files() throws -> [String] {
    let out = folder.appending(path: "out")
    guard FileManager.default.fileExists(atPath: out.path) else { return [] }
    return try FileManager.default.subpathsOfDirectory(atPath: out.path).filter {
      try out.appending(path: $0).resourceValues(forKeys: [.isDirectoryKey]).isDirectory != true
    }.sorted()
  }

  func text(_ path: String) throws -> String {
    try String(contentsOf: folder.appending(path: "out/" + path), encoding: .utf8)
  }

  @discardableResult
  private func git(_ arguments: [String], in place: URL) throws -> (
    status: Int32, output: String, errors: String
  ) {
    let answer = try run("/usr/bin/git", arguments, in: place)
    try #require(answer.status == 0, "git \(arguments): \(answer.errors)")
    return answer
  }

  private func run(
    _ program: String, _ arguments: [String], in place: URL, environment: [String: String] = [:]
  ) throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.currentDirectoryURL = place
    process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path].merging(environment) { $1 }
    let paths = ["output", "errors"].map { folder.appending(path: "run-" + $0) }
    for path in paths { try Data().write(to: path) }
    process.standardOutput = try FileHandle(forWritingTo: paths[0])
    process.standardError = try FileHandle(forWritingTo: paths[1])
    try process.run()
    process.waitUntilExit()
    return (
      process.terminationStatus, try String(contentsOf: paths[0], encoding: .utf8),
      try String(contentsOf: paths[1], encoding: .utf8)
    )
  }
}
