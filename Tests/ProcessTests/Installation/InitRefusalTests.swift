import Foundation
import Testing
import TestSupport

/// What `authorizer-local init` refuses. It never changes a file, and it never leaves a part of a project.
@Suite(.hangLimit) struct InitRefusalTests {
  @Test(
    arguments: [
      ["--for", "htpp", "demo"]: "hint: did you mean http?",
      ["--for", "signin", "demo"]: "hint: did you mean sign-in?",
      ["--for", "graphql", "demo"]: "hint: use one of http, rest, websocket, sign-in",
      [""]: "error: name a folder",
      ["--issuer", "auht0:example.eu.auth0.com", "demo"]: "hint: did you mean auth0?",
      ["--issuer", "auth0", "demo"]: "error: --issuer: auth0 needs an argument after a colon",
      ["--issuer", "auth0:example.eu.auth0.com", "demo"]: "hint: give the audiences that its tokens are for",
      ["--issuer", "https://id.example.com", "--audience", "api", "demo"]: "hint: give --keys URL",
      ["--issuer", "rfc9068", "--audience", "api", "demo"]: "hint: give the issuer itself",
      ["--keys", "https://id.example.com/jwks", "demo"]: "error: --keys is for an https issuer",
      ["--audience", " , ", "demo"]: "error: --audience is empty",
      [
        "--issuer", "http://id.example.com", "--audience", "a", "--keys", "https://id.example.com/k",
        "demo",
      ]: "an https address is expected",
      [
        "--issuer", "https://accounts.google.com", "--audience", "a", "--keys", "https://a.example/k",
        "demo",
      ]: "this issuer has a preset",
      ["--for", "sign-in", "--issuer", "google", "--audience", "a", "demo"]:
        "error: --for sign-in is for Sign in with Apple",
    ] as [[String]: String])
  func reportsWrongCommandLines(_ arguments: [String], _ words: String) async throws {
    let workshop = try Workshop()
    let before = try FolderSnapshot.of(workshop.folder)
    let answer = try await workshop.run(["init"] + arguments)
    #expect(answer.exit == 64 && answer.output.isEmpty, "\(answer)")
    #expect(answer.errors.contains(words), "\(answer.errors)")
    #expect(try FolderSnapshot.of(workshop.folder) == before)
  }

  /// What may be in the way, made by a shell, and the lines that name it.
  @Test(
    arguments: [
      ("touch demo", ["error: demo exists and is not a folder"]),
      ("ln -s nowhere demo", ["error: demo exists and is not a folder"]),
      ("mkfifo demo", ["error: demo exists and is not a folder"]),
      ("mkdir demo; touch demo/events", ["\n  events\n"]),
      ("mkdir demo elsewhere; ln -s ../elsewhere demo/events", ["\n  events\n"]),
      ("mkdir -p demo/template.yaml", ["\n  template.yaml\n"]),
      ("mkdir demo; ln -s nowhere demo/authorizer.json", ["\n  authorizer.json\n"]),
      ("mkdir demo; mkfifo demo/.gitignore", ["\n  .gitignore\n"]),
      (
        "mkdir -p demo/.github/workflows; echo x > demo/.github/workflows/authorizer.yml; echo y > demo/template.yaml",
        ["\n  .github/workflows/authorizer.yml\n", "\n  template.yaml\n"]
      ),
    ] as [(String, [String])])
  func changesNothingThatExists(_ script: String, _ words: [String]) async throws {
    let workshop = try Workshop()
    #expect(try Shell.run(script, in: workshop).exit == 0)
    let before = try FolderSnapshot.of(workshop.folder)
    let answer = try await workshop.run(["init", "demo"])
    #expect(answer.exit == 64 && answer.output.isEmpty, "\(answer)")
    for word in words { #expect(answer.errors.contains(word), "\(answer.errors)") }
    #expect(try FolderSnapshot.of(workshop.folder) == before)
  }

  /// Most repositories have this file.
  @Test func keepsAFileForGit() async throws {
    let workshop = try Workshop()
    try workshop.write("mine\n", to: "demo/.gitignore")
    let answer = try await workshop.run(["init", "demo"])
    #expect(answer.exit == 0 && !answer.output.contains("  .gitignore\n"), "\(answer)")
    #expect(
      answer.errors.contains(
        "note: .gitignore exists and was not changed: add .development/, dist/, .aws-sam/\n"),
      "\(answer.errors)")
    let written = try FolderSnapshot.of(workshop.folder.appendingPathComponent("demo"))
    #expect(written[".gitignore"] == Data("mine\n".utf8) && written["template.yaml"] != nil)
    #expect(try await workshop.run(["init", "demo"]).exit == 64)
  }

  @Test func aSecondRunChangesNothing() async throws {
    let workshop = try Workshop()
    #expect(try await workshop.run(["init", "demo"]).exit == 0)
    try workshop.write("{}", to: "demo/authorizer.json")
    let before = try FolderSnapshot.of(workshop.folder)
    for kind in ["http", "sign-in"] {
      let answer = try await workshop.run(["init", "--for", kind, "demo"])
      #expect(answer.exit == 64, "\(answer)")
      for path in ["authorizer.json", "template.yaml", "events/tokens.json"] {
        #expect(answer.errors.contains("\n  \(path)\n"), "\(answer.errors)")
      }
      #expect(try FolderSnapshot.of(workshop.folder) == before)
    }
  }

  /// A run that was killed may leave some of the files, each of them whole.
  @Test func completesAnInterruptedRun() async throws {
    let workshop = try Workshop()
    #expect(try await workshop.run(["init", "demo"]).exit == 0)
    let whole = try FolderSnapshot.of(workshop.folder)
    for path in ["events/allowed.json", "template.yaml"] {
      try FileManager.default.removeItem(at: workshop.folder.appendingPathComponent("demo/\(path)"))
    }
    let answer = try await workshop.run(["init", "demo"])
    #expect(answer.exit == 0, "\(answer)")
    #expect(try FolderSnapshot.of(workshop.folder) == whole)
    // All files are there: this is a second run.
    #expect(try await workshop.run(["init", "demo"]).exit == 64)
  }

  /// A limit on the file size stops the last file, the largest one, like a full disk.
  @Test func removesEverythingIfAFileCannotBeWritten() async throws {
    let workshop = try Workshop()
    try workshop.write("mine", to: "there/notes.txt")
    for folder in ["new/demo", "there"] {
      let before = try FolderSnapshot.of(workshop.folder)
      let answer = try Shell.run(
        "trap '' XFSZ; ulimit -f 4; '\(Workshop.tool.path)' init \(folder) 2>&1 | cat", in: workshop)
      #expect(
        answer.output.contains("error: cannot write \(folder)/template.yaml; nothing was written"),
        "\(answer.output)")
      #expect(try FolderSnapshot.of(workshop.folder) == before)
      #expect(try await workshop.run(["init", folder]).exit == 0)
    }
  }

  /// Not even root can create a folder there.
  @Test(arguments: ["/proc/demo", "there/notes.txt/demo"])
  func reportsAFolderThatCannotBeCreated(_ folder: String) async throws {
    let workshop = try Workshop()
    try workshop.write("mine", to: "there/notes.txt")
    let before = try FolderSnapshot.of(workshop.folder)
    let answer = try await workshop.run(["init", folder])
    #expect(answer.exit == 64 && answer.errors.contains("error: cannot write \(folder)/"), "\(answer)")
    #expect(try FolderSnapshot.of(workshop.folder) == before)
  }

  @Test func reportsMissingStarterFiles() throws {
    let workshop = try Workshop()
    let program = workshop.folder.appendingPathComponent("bin/authorizer-local")
    try FileManager.default.createDirectory(
      at: program.deletingLastPathComponent(), withIntermediateDirectories: true)
    try TestProgram.link(Workshop.tool.path, to: program.path)
    let answer = try Shell.run("bin/authorizer-local init demo || echo \"exit $?\"", in: workshop)
    #expect(answer.output == "exit 69\n", "\(answer)")
    #expect(answer.errors.contains("hint: install authorizer-local again"), "\(answer.errors)")
    #expect(!FileManager.default.fileExists(atPath: workshop.folder.appendingPathComponent("demo").path))
  }

  @Test func refusesStarterFilesThatOthersCanChange() throws {
    let workshop = try Workshop()
    let program = workshop.folder.appendingPathComponent("prefix/bin/authorizer-local")
    try workshop.write("", to: "prefix/bin/notes")
    try TestProgram.copy(Workshop.tool.path, to: program.path)
    let starter = "prefix/share/authorizer-local/init"
    #expect(
      try Shell.run(
        "mkdir -p \(starter); cp -R '\(Workshop.packageRoot.path)/template/init/rest' \(starter)",
        in: workshop
      ).exit == 0)
    #expect(try workshop.execute(["init", "--for", "rest", "first"], tool: program).exit == 0)
    #expect(try Shell.run("chmod o+w \(starter)/rest/events/tokens.json", in: workshop).exit == 0)
    let answer = try workshop.execute(["init", "--for", "rest", "second"], tool: program)
    #expect(answer.exit == 69 && answer.errors.contains("hint: install authorizer-local again"), "\(answer)")
    #expect(!FileManager.default.fileExists(atPath: workshop.folder.appendingPathComponent("second").path))
  }

  // MARK: Other folders

  /// The printed commands can be pasted, whatever the folder's name.
  @Test(arguments: ["my project's api", "deep/er", "$HOME;echo", "=a", "+1", "a/../b"])
  func printedCommandsCanBePasted(_ folder: String) async throws {
    let workshop = try Workshop()
    let answer = try await workshop.run(["init", folder])
    #expect(answer.exit == 0, "\(answer.errors)")
    let lines = answer.output.split(separator: "\n").drop { $0 != "next:" }.dropFirst()
    let script = lines.prefix(2).joined(separator: "\n") + "\npwd -P"
    let doctor = try Shell.run(script, in: workshop)
    let name = folder == "a/../b" ? "b" : folder
    #expect(doctor.exit == 0, "\(script)\n\(doctor.errors)")
    #expect(doctor.output.contains("/\(name)/template.yaml\n"), "\(doctor.output)")
    #expect(doctor.output.hasSuffix("/\(name)\n"), "\(doctor.output)")
  }

  @Test func writesToTheWorkingFolderAndThroughALink() async throws {
    let workshop = try Workshop()
    try workshop.write("mine", to: "real/notes.txt")
    let real = workshop.folder.appendingPathComponent("real")
    let here = try await workshop.run(["init", "."], in: real)
    #expect(here.exit == 0 && !here.output.contains("\n  cd "), "\(here)")
    // The workshop is the root of a repository.
    #expect(here.errors.contains("note: GitHub reads workflows only in the root of a repository"), "\(here)")
    #expect(here.errors.contains(", and write PROJECT: real in its workflow\n"), "\(here)")
    #expect(try FolderSnapshot.of(real)["notes.txt"] == Data("mine".utf8))
    #expect(try Shell.run("mkdir other; ln -s other link", in: workshop).exit == 0)
    #expect(try await workshop.run(["init", "link"]).exit == 0)
    #expect(
      try FolderSnapshot.of(workshop.folder.appendingPathComponent("other"))["template.yaml"] != nil
    )
  }
}
