import Foundation
import Testing
import TestSupport

/// The tool finds its programs in an installation, in a checkout, and nowhere else.
@Suite(.hangLimit)
struct InstalledTests {
  /// The first project of a user, from the samples.
  static let project: [(source: String, destination: String)] = [
    ("template/template.yaml", "template.yaml"), ("docs/harness/quick-start.json", "authorizer.json"),
    ("events/authorizer.json", "events/authorizer.json"), ("events/tokens.json", "events/tokens.json"),
    ("events/rest-token-good.json", "events/good.json"),
    ("events/rest-token-good.expected.json", "events/good.expected.json"),
  ]

  @Test(
    "every command works in a folder outside of the checkout",
    .enabled(if: Installed.isPossible, Installed.notPossible))
  func commands() async throws {
    let installed = try Installed()
    try installed.copy(Self.project)
    let tested = try installed.run(["test"])
    #expect(tested.exit == 0 && tested.output.hasSuffix("\n1 passed, 0 failed\n"), "\(tested)")
    let invoked = try installed.run(["invoke", "--expect", "allowed", "events/good.json"])
    #expect(invoked.exit == 0, "\(invoked)")
    let token = try installed.run(["token", "good"])
    #expect(token.exit == 0 && token.output.split(separator: ".").count == 3, "\(token)")
    let examined = try installed.run(["doctor"])
    #expect(examined.exit <= 1, "\(examined)")
    #expect(examined.output.hasPrefix("template: \(installed.place.path)/template.yaml\n"), "\(examined)")
    let measured = try installed.run([
      "bench", "--no-floor", "--event", "rs256", "--cold", "1", "--warm", "1", "--tokens", "1",
    ])
    #expect(measured.exit == 0, "\(measured)")

    let gateway = try installed.serve()
    let alice = try await gateway.token("user=alice")
    let unverified = try await gateway.token(#"{"user":"bob","claims":{"email_verified":false}}"#)
    for (headers, status) in [
      (["Authorization": "Bearer \(alice)"], 200), ([:], 401),
      (["Authorization": "Bearer \(unverified)"], 403),
    ] {
      let answer = try await gateway.send("GET", "/RestApi/prod/me", headers: headers)
      #expect(answer.status == status, "\(gateway.logText)")
    }
    let state = installed.workshop.folder.resolvingSymlinksInPath().path + "/.development"
    #expect(gateway.logText.contains("note: keys and users of this machine are in \(state)\n"))
  }

  @Test(
    "package packs the installed programs without a checkout",
    .enabled(if: Installed.isPossible, Installed.notPossible), arguments: ["authorizer", "identity"])
  func package(_ name: String) throws {
    let installed = try Installed()
    let answer = try installed.run(["package", "--name", name, "--output", "out"])
    #expect(answer.exit == 0 && answer.output.contains("started with development keys"), "\(answer)")
    for program in ["bootstrap", "fetch-keys", "call-dynamodb"] {
      #expect(answer.output.contains(" \(program)\n"), "\(answer)")
    }
  }

  /// `git clone URL && cd NAME && authorizer-local test` must run nothing of the repository.
  @Test(
    "no program of the working folder runs",
    .enabled(if: Installed.isPossible, Installed.notPossible))
  func foreignRepository() async throws {
    let installed = try Installed()
    try installed.copy(Self.project)
    let planted = "#!/bin/sh\necho $0 >>'\(installed.workshop.folder.path)/ran'\nexit 7\n"
    for name in ["bootstrap", "identity", "fetch-keys", "call-dynamodb", "authorizer-local"] {
      try installed.workshop.write(program: planted, to: "empty/dist/\(name)")
    }
    try installed.workshop.write(program: planted, to: "empty/.build/floor")
    try installed.workshop.write(
      "bootstrap:\n\techo make >>'\(installed.workshop.folder.path)/ran'\n", to: "empty/Makefile")
    try installed.workshop.write("// old", to: "empty/Sources/a.swift")
    let tested = try installed.run(["test"])
    #expect(tested.exit == 0, "\(tested)")
    let note = "note: \(installed.path("libexec/authorizer-local/bootstrap")) runs, and not "
    #expect(tested.errors.contains(note), "\(tested)")
    #expect(tested.errors.components(separatedBy: note).count == 2, "\(tested)")
    let fetched = try installed.run(["keys", "fetch", "--development", "http://127.0.0.1:1/keys"])
    #expect(fetched.errors.contains("connect") || fetched.errors.contains("libcurl"), "\(fetched)")
    let packed = try installed.run(["package", "--output", "out"])
    #expect(packed.exit == 0, "\(packed)")
    let measured = try installed.run(["bench", "--event", "rs256", "--tokens", "1"])
    #expect(measured.exit == 69 && measured.errors.contains(".build/floor is missing"), "\(measured)")
    let gateway = try installed.serve([])
    let token = try await gateway.token("user=alice")
    let answer = try await gateway.send(
      "GET", "/RestApi/prod/me", headers: ["Authorization": "Bearer \(token)"])
    #expect(answer.status == 200, "\(gateway.logText)")
    // A change of the template restarts the server; sources of another author are not built.
    try installed.workshop.write("// new and longer", to: "empty/Sources/a.swift")
    let template = installed.place.appendingPathComponent("template.yaml")
    let text = try String(contentsOf: template, encoding: .utf8)
    try Data((text + "\n# changed\n").utf8).write(to: template)
    _ = try gateway.nextPort()
    #expect(!FileManager.default.fileExists(atPath: installed.workshop.folder.path + "/ran"))
  }

  @Test(
    "a missing program is reported with what to do, wherever the tool is",
    arguments: [
      (
        "a prefix/bin", "HERE/a prefix/libexec/authorizer-local/NAME is missing",
        "run make install again in the checkout"
      ), ("tools", "HERE/tools/NAME is missing", "copy it to the folder of authorizer-local"),
      ("checkout/dist", "dist/NAME is missing", "build it with make bootstrap"),
    ])
  func missing(_ folder: String, _ problem: String, _ cure: String) throws {
    let workshop = try Workshop()
    let here = workshop.folder.resolvingSymlinksInPath().path
    try workshop.write("", to: "checkout/Package.swift")
    try workshop.write("{}", to: "event.json")
    try workshop.write("", to: "\(folder)/notes")
    let tool = workshop.folder.appendingPathComponent("\(folder)/authorizer-local")
    try TestProgram.link(Workshop.tool.path, to: tool.path)
    for (arguments, name, alternative) in [
      (Self.invoke, "bootstrap", "--function COMMAND"),
      (["keys", "fetch", "apple"], "fetch-keys", "--fetch-keys PATH"),
      (["package", "--name", "identity"], "identity", "--bootstrap FILE"),
      (
        ["package", "--bootstrap", "event.json", "--fetch-keys", "event.json"], "call-dynamodb",
        "--call-dynamodb FILE"
      ),
    ] {
      let answer = try workshop.execute(arguments, tool: tool)
      let report = "error: \(problem)\nhint: \(cure), or ".replacing("HERE", with: here).replacing(
        "NAME", with: name)
      #expect(answer.exit == 69, "\(answer)")
      #expect(answer.errors.hasPrefix(report) && answer.errors.contains(alternative), "\(answer)")
    }
  }

  private static let invoke = ["invoke", "event.json", "--env", "AUTHORIZER_ISSUER=apple"]

  /// An event, and a prefix with a function that fails.
  private static func prefix() throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write("{}", to: "event.json")
    try workshop.write(program: "#!/bin/sh\nexit 7\n", to: "prefix/libexec/authorizer-local/bootstrap")
    try workshop.write("", to: "prefix/bin/notes")
    return workshop
  }

  @Test("a link to the tool finds the programs of the tool's own folder")
  func link() throws {
    let workshop = try Self.prefix()
    let here = workshop.folder.resolvingSymlinksInPath().path
    try TestProgram.link(Workshop.tool.path, to: here + "/prefix/bin/authorizer-local")
    let link = workshop.folder.appendingPathComponent("link")
    try FileManager.default.createSymbolicLink(
      atPath: link.path, withDestinationPath: here + "/prefix/bin/authorizer-local")
    let answer = try workshop.execute(Self.invoke, tool: link)
    #expect(answer.exit == 2, "\(answer)")
  }

  /// Anyone can create `/tmp/libexec` beside a copy in `/tmp/bin`.
  @Test(
    "a program of another user is not run",
    .enabled(if: getuid() == 0, "only root can create files of another user"),
    arguments: ["prefix/bin", "tools"])
  func anotherUser(_ folder: String) throws {
    let workshop = try Workshop()
    let isInstalled = folder == "prefix/bin"
    let program = isInstalled ? "prefix/libexec/authorizer-local/bootstrap" : "tools/bootstrap"
    try workshop.write("{}", to: "event.json")
    try workshop.write(program: "#!/bin/sh\nexit 7\n", to: program)
    try workshop.write("", to: "\(folder)/notes")
    let tool = workshop.folder.appendingPathComponent("\(folder)/authorizer-local")
    try TestProgram.link(Workshop.tool.path, to: tool.path)
    #expect(try workshop.execute(Self.invoke, tool: tool).exit == 2)
    try FileManager.default.setAttributes(
      [.ownerAccountID: 65534], ofItemAtPath: workshop.folder.appendingPathComponent(program).path)
    let answer = try workshop.execute(Self.invoke, tool: tool)
    #expect(answer.exit == 69 && answer.errors.contains("bootstrap belongs to another user"), "\(answer)")
  }

  @Test(
    "a program that other users can change is not run",
    arguments: [
      ("prefix/libexec/authorizer-local/bootstrap", 0o777, true),
      ("prefix/libexec/authorizer-local", 0o777, true),
      ("prefix/libexec/authorizer-local", 0o1777, false),
      ("prefix/libexec/authorizer-local/bootstrap", 0o755, false),
    ])
  func changeable(_ path: String, _ permissions: Int, _ isRefused: Bool) throws {
    let workshop = try Self.prefix()
    let tool = workshop.folder.appendingPathComponent("prefix/bin/authorizer-local")
    try TestProgram.copy(Workshop.tool.path, to: tool.path)
    #expect(unsafe chmod(workshop.folder.appendingPathComponent(path).path, mode_t(permissions)) == 0)
    let answer = try workshop.execute(Self.invoke, tool: tool)
    #expect(answer.exit == (isRefused ? 69 : 2), "\(answer)")
    let words = "bootstrap can be changed by other users\nhint: run chmod go-w for it and for its folder, or "
    #expect(answer.errors.contains(words) == isRefused, "\(answer)")
  }

  /// `staff` on macOS and `users` elsewhere have all users as members.
  @Test(
    "of groups, only private ones may be able to change a program",
    .enabled(if: getuid() == 0, "only root can give files to other groups"),
    arguments: [
      // The owner and the group of the tool, and the group of the program.
      (0, 0, 0, false), (0, 65534, 65534, true), (0, 0, 65534, true), (65534, 65534, 65534, false),
    ])
  func groups(_ owner: Int, _ group: Int, _ programGroup: Int, _ isRefused: Bool) throws {
    let workshop = try Self.prefix()
    let tool = workshop.folder.appendingPathComponent("prefix/bin/authorizer-local")
    try TestProgram.copy(Workshop.tool.path, to: tool.path)
    let program = workshop.folder.appendingPathComponent("prefix/libexec/authorizer-local/bootstrap").path
    try FileManager.default.setAttributes(
      [.ownerAccountID: owner, .groupOwnerAccountID: group], ofItemAtPath: tool.path)
    try FileManager.default.setAttributes([.groupOwnerAccountID: programGroup], ofItemAtPath: program)
    #expect(unsafe chmod(program, 0o775) == 0)
    let answer = try workshop.execute(Self.invoke, tool: tool)
    #expect(answer.exit == (isRefused ? 69 : 2), "\(answer)")
    #expect(answer.errors.contains("bootstrap can be changed by other users\n") == isRefused, "\(answer)")
  }

  @Test(
    "the group of the user may be able to change a program only if it is private",
    .enabled(
      if: getuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv"),
      "only root can start a program with another group, with setpriv"),
    arguments: [("65534", 69), ("0", 2)] as [(String, Int32)])
  func groupOfTheUser(_ group: String, _ exit: Int32) throws {
    let workshop = try Self.prefix()
    try TestProgram.copy(
      Workshop.tool.path, to: workshop.folder.appendingPathComponent("prefix/bin/authorizer-local").path)
    let program = "prefix/libexec/authorizer-local/bootstrap"
    let answer = try Shell.run(
      "chgrp \(group) \(program) && chmod 775 \(program) && setpriv --regid \(group) --clear-groups "
        + "prefix/bin/authorizer-local invoke event.json --env AUTHORIZER_ISSUER=apple", in: workshop)
    #expect(answer.exit == exit, "\(answer)")
  }

  @Test("serve and doctor take the template of the nearest folder")
  func nearestTemplate() async throws {
    let workshop = try Workshop()
    let template = "Resources: {}\n"
    for name in ["template/template.yaml", "app/template.yaml", "app/source/notes"] {
      try workshop.write(template, to: name)
    }
    let here = workshop.folder.resolvingSymlinksInPath().path
    for (folder, expected) in [("app/source", "app/template.yaml"), ("template", "template/template.yaml")] {
      let answer = try await workshop.run(["doctor"], in: workshop.folder.appendingPathComponent(folder))
      #expect(answer.output.hasPrefix("template: \(here)/\(expected)\n"), "\(answer)")
    }
    let absent = try await workshop.run(["doctor"])
    #expect(absent.output.hasPrefix("template: \(here)/template/template.yaml\n"), "\(absent)")
  }
}
