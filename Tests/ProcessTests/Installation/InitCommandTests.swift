import Foundation
import JSON
import Testing
import TestSupport

/// `authorizer-local init`, installed and started outside of a checkout: the project works from the first command.
@Suite(.enabled(if: Installed.isPossible, Installed.notPossible), .serialized, .hangLimit)
struct InitCommandTests {
  static let kinds = ["http", "rest", "websocket", "sign-in", "mcp"]

  /// Runs commands of a user who has installed the program, in the empty folder or below.
  private static func run(
    _ installed: borrowing Installed, _ script: String, in folder: String = "."
  ) throws -> Workshop.Answer {
    try Shell.run(
      "cd 'empty/\(folder)'\n" + script, in: installed.workshop,
      programs: installed.tool.deletingLastPathComponent())
  }

  @Test(arguments: kinds)
  func projectWorksFromTheFirstCommand(_ kind: String) async throws {
    let installed = try Installed()
    let written = try Self.run(installed, "authorizer-local init --for \(kind) demo")
    #expect(written.exit == 0, "\(written.errors)")
    let next = Self.next(in: written.output)
    let serve = "authorizer-local serve" + (kind == "mcp" ? Self.localMCP : "")
    #expect(next == ["cd demo", "authorizer-local doctor", "authorizer-local test", serve])
    let checked = try Self.run(installed, next.dropLast().joined(separator: "\n"))
    #expect(checked.exit == 0, "\(checked.output)\(checked.errors)")
    #expect(checked.output.contains("errors: 0, warnings: 0\n"), "\(checked.output)")
    #expect(checked.output.hasSuffix("\n\(kind == "mcp" ? 4 : 3) passed, 0 failed\n"), "\(checked.output)")
    // Before the first package, doctor says which command writes it.
    #expect(checked.output.contains("note archiveMissing: "), "\(checked.output)")
    let gateway = try installed.serve(in: installed.place.appendingPathComponent("demo"))
    if kind == "websocket" {
      try await Self.checkHandshakes(gateway)
    } else if kind == "mcp" {
      try await Self.checkMCP(gateway)
    } else {
      try await Self.checkRequests(gateway, kind == "rest" ? "/Api/prod" : "/Api")
    }
    if kind == "sign-in" { try await Self.checkSignIn(gateway) }
    #expect(!gateway.logText.contains("\nwarning "), "\(gateway.logText)")
  }

  /// Returns the commands that `init` prints for the user.
  private static func next(in output: String) -> [String] {
    let lines = output.split(separator: "\n").map(String.init)
    return lines.drop { $0 != "next:" }.dropFirst().map { $0.trimmingCharacters(in: .whitespaces) }
  }

  private static func checkRequests(_ gateway: ServedGateway, _ base: String) async throws {
    for (claims, path, status) in [
      ("{}", "/me", 200), (unverified, "/me", 200), (unverified, "/orders", 403), ("{}", "/orders", 200),
      (nil, "/me", 401), (nil, "/orders", 401),
    ] as [(String?, String, Int)] {
      var headers: [String: String] = [:]
      if let claims {
        let token = try await gateway.token(#"{"user":"alice","claims":\#(claims)}"#)
        headers["Authorization"] = "Bearer \(token)"
      }
      let answer = try await gateway.send("GET", base + path, headers: headers)
      #expect(answer.status == status, "\(claims ?? "no token") \(path): \(answer.text) \(gateway.logText)")
    }
  }

  private static let unverified = #"{"email_verified":false}"#

  private static let localMCP =
    " --config local.json --run-functions --parameter BaseUrl=http://127.0.0.1:8080/Api/prod"
    + " --parameter AuthorizationServer=http://127.0.0.1:8080/dev/oauth"

  /// The endpoint of the MCP server, and the document to which its 401 leads.
  private static func checkMCP(_ gateway: ServedGateway) async throws {
    for (claims, tool, status) in [
      (#"{"scope":"mcp:read"}"#, "whoami", 200), (#"{"scope":"mcp:read"}"#, "delete_note", 403),
      (#"{"scope":"mcp:write"}"#, "delete_note", 200), ("{}", nil, 200), ("{}", "whoami", 403),
      (nil, "whoami", 401),
    ] as [(String?, String?, Int)] {
      var headers = [
        "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": tool == nil ? "tools/list" : "tools/call",
      ]
      headers["Mcp-Name"] = tool
      if let claims {
        let token = try await gateway.token(#"{"user":"alice","claims":\#(claims)}"#)
        headers["Authorization"] = "Bearer \(token)"
      }
      let answer = try await gateway.send("POST", "/Api/prod/mcp", headers: headers)
      #expect(
        answer.status == status, "\(claims ?? "no token") \(tool ?? ""): \(answer.text) \(gateway.logText)")
    }
    let document = try await gateway.send("GET", "/Api/prod/.well-known/oauth-protected-resource/mcp")
    #expect(document.json?["resource"] == .string("https://mcp.example.com/mcp"), "\(document.text)")
  }

  private static func checkHandshakes(_ gateway: ServedGateway) async throws {
    for (claims, status) in [("{}", 101), (unverified, 403), (nil, 401)] as [(String?, Int)] {
      var token: String?
      if let claims { token = try await gateway.token(#"{"user":"alice","claims":\#(claims)}"#) }
      let request = ServeTests.handshake(gateway.port, token).replacing(
        "/WebSocketApi/live", with: "/Api/live")
      let answer = try RawConnection(port: gateway.port).exchange(request, until: "\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(claims ?? "no token"): \(answer)")
    }
  }

  /// A nonce, a sign-in with it, and the user's own route.
  private static func checkSignIn(_ gateway: ServedGateway) async throws {
    let issued = try await gateway.send("POST", "/Api/auth/nonce")
    let nonce = try #require(issued.json?["data"]?["nonce"]?.text, "\(issued.text)")
    let token = try await gateway.token(#"{"user":"alice","claims":{"nonce":"\#(nonce)"}}"#)
    let signIn = try await gateway.send(
      "POST", "/Api/auth/verify", headers: ["Content-Type": "application/json"],
      body: #"{"identity_token":"\#(token)","nonce":"\#(nonce)"}"#)
    #expect(signIn.status == 200, "\(signIn.text) \(gateway.logText)")
    let user = try await gateway.send(
      "GET", "/Api/users/me", headers: ["Authorization": "Bearer \(token)"])
    #expect(user.status == 200, "\(user.text) \(gateway.logText)")
  }

  /// The commands of the workflow, and the package that they write.
  @Test(arguments: kinds)
  func workflowPacksWhatTheTemplateDeploys(_ kind: String) throws {
    let installed = try Installed()
    #expect(try Self.run(installed, "authorizer-local init --for \(kind) demo").exit == 0)
    let demo = installed.place.appendingPathComponent("demo")
    let workflow = try String(
      contentsOf: demo.appendingPathComponent(".github/workflows/authorizer.yml"), encoding: .utf8)
    let step = "      - run: "
    let commands = workflow.split(separator: "\n").filter { $0.hasPrefix(step + "authorizer-local ") }
      .map { String($0.dropFirst(step.count)) }
    #expect(commands.count == (kind == "sign-in" ? 5 : 4))
    let packed = try Self.run(installed, commands.joined(separator: "\n"), in: "demo")
    #expect(packed.exit == 0, "\(packed.output)\(packed.errors)")
    let archives = try FileManager.default.contentsOfDirectory(
      atPath: demo.appendingPathComponent("dist").path
    ).filter { $0.hasSuffix(".zip") }
    let template = try String(contentsOf: demo.appendingPathComponent("template.yaml"), encoding: .utf8)
    for archive in archives {
      #expect(template.contains("CodeUri: dist/\(archive)\n"), "\(archive)")
      let doctor = try Self.run(
        installed, "authorizer-local doctor dist/\(archive) --template template.yaml", in: "demo")
      #expect(doctor.exit == 0, "\(doctor.output)")
    }
    // The MCP server is code of the project.
    #expect(template.ranges(of: "CodeUri: ").count == archives.count + (kind == "mcp" ? 1 : 0))
    // With the package there, doctor without arguments reads it.
    let doctor = try Self.run(installed, "authorizer-local doctor", in: "demo")
    #expect(
      doctor.exit == 0 && doctor.output.contains("authorizer.json in dist/authorizer-"), "\(doctor.output)")
    #expect(!doctor.output.contains("archiveMissing"), "\(doctor.output)")
    // A configuration that was changed after the packing would not be deployed.
    try installed.workshop.write(
      try String(contentsOf: demo.appendingPathComponent("authorizer.json"), encoding: .utf8) + "\n",
      to: "empty/demo/authorizer.json")
    let outdated = try Self.run(installed, "authorizer-local doctor || true", in: "demo")
    #expect(outdated.output.contains("warning archiveOutdated: "), "\(outdated.output)")
  }

  /// The tree of each kind.
  @Test(
    arguments: [
      ("http", []), ("rest", []), ("websocket", []),
      ("sign-in", ["events/authorizer.json", "identity.json"]),
      (
        "mcp",
        ["events/deleted.expected.json", "events/deleted.json", "local.json", "server/app.py"]
      ),
    ] as [(String, [String])])
  func writesTheStarterFiles(_ kind: String, _ more: [String]) async throws {
    let workshop = try Workshop()
    let answer = try await workshop.run(["init", "--for", kind, "demo"])
    #expect(answer.exit == 0, "\(answer.errors)")
    let paths =
      [
        ".github/workflows/authorizer.yml", ".gitignore", "authorizer.json", "events/allowed.expected.json",
        "events/allowed.json", "events/forbidden.expected.json", "events/forbidden.json",
        "events/tokens.json",
        "events/unauthorized.expected.json", "events/unauthorized.json", "template.yaml",
      ] + more
    let written = try FolderSnapshot.of(workshop.folder.appendingPathComponent("demo"))
    let folders = Set([".github", ".github/workflows", "events"]).union(kind == "mcp" ? ["server"] : [])
    #expect(Set(written.keys) == folders.union(paths))
    let starter = Workshop.packageRoot.appendingPathComponent("template/init/\(kind)")
    for path in paths {
      #expect(answer.output.contains("\n  \(path)\n"), "\(answer.output)")
      // These two name the architecture of this machine.
      guard path != "template.yaml", !path.hasPrefix(".github/") else { continue }
      #expect(try Data(contentsOf: starter.appendingPathComponent(path)) == written[path], "\(path)")
    }
    let source = try FolderSnapshot.of(starter).keys.filter { !$0.hasPrefix(".development") }
    #expect(Set(source) == folders.union(paths), "a starter file that init does not write, or the reverse")
  }

  /// The rules are tested with a copy of the configuration that looks up no revocation.
  @Test func bothConfigurationsOfTheSignInHaveTheSameRules() throws {
    let trees = try ["authorizer.json", "events/authorizer.json"].map { path in
      try JSONTree(
        parsing: Array(
          Data(contentsOf: Workshop.packageRoot.appendingPathComponent("template/init/sign-in/\(path)"))),
        limits: .configuration)
    }
    var deployed = trees[0]
    #expect(deployed["revocation"] != nil)
    deployed["revocation"] = nil
    #expect(deployed == trees[1])
  }

  /// A user of a real issuer may choose their name: the rules name what the issuer grants or verifies.
  @Test(arguments: kinds) func rulesNameNoUser(_ kind: String) throws {
    let text = try Checkout.text("template/init/\(kind)/authorizer.json")
    #expect(text.contains(#""default": "deny""#) && !text.contains(#""sub""#), "\(text)")
  }

  /// Code of others runs in the job: each action is the commit that was checked, and finds no credentials.
  @Test(arguments: kinds) func workflowNamesCommits(_ kind: String) throws {
    let text = try Checkout.text("template/init/\(kind)/.github/workflows/authorizer.yml")
    let uses = text.split(separator: "\n").filter { $0.contains("uses: ") }
    #expect(uses.count == 6)
    for line in uses {
      let commit = line.split(separator: "@").last?.prefix { $0 != " " } ?? ""
      #expect(commit.count == 40 && commit.allSatisfy(\.isHexDigit), "\(line)")
    }
    #expect(text.ranges(of: "persist-credentials: false").count == text.ranges(of: "actions/checkout@").count)
    #expect(!text.contains("restore-keys"))
  }

  /// A project below the root of its repository needs one changed line: no step assumes that both folders are one.
  @Test(arguments: kinds) func workflowFindsTheProjectInAFolder(_ kind: String) throws {
    let text = try Checkout.text("template/init/\(kind)/.github/workflows/authorizer.yml")
    #expect(text.contains("\nenv:\n") && text.contains("\n  PROJECT: .\n"))
    #expect(text.contains("\n    defaults:\n      run:\n        working-directory: ${{ env.PROJECT }}\n"))
    // No step may run in the folder before it exists, and make must not look for the sources in it.
    let steps = text.components(separatedBy: "\n    steps:\n").last ?? ""
    #expect(steps.hasPrefix("      - uses: actions/checkout@"))
    let sources = steps.split(separator: "\n").filter { $0.contains("run: ") && $0.contains(".authorizer") }
    #expect(sources.count == 2 && sources.allSatisfy { $0.contains("\"$GITHUB_WORKSPACE/.authorizer") })
    for path in ["report.xml", "dist/*.zip"] {
      #expect(steps.contains("            ${{ env.PROJECT }}/\(path)\n"))
    }
  }

  /// The step of a pull request: its exit code is that of the comparison, and a new project has nothing to compare.
  @Test(arguments: kinds) func workflowComparesTheRules(_ kind: String) throws {
    let text = try Checkout.text("template/init/\(kind)/.github/workflows/authorizer.yml")
    let step = try #require(
      text.components(separatedBy: "compare the rules with those of the base branch\n").last)
    let script = step.components(separatedBy: "        run: |\n")[1].split(separator: "\n")
      .prefix { $0.hasPrefix("          ") }.joined(separator: "\n")
    #expect(step.hasPrefix("        if: github.event_name == 'pull_request'\n"))
    #expect(
      text.contains("          ref: ${{ github.event.pull_request.base.sha }}\n          path: .base\n"))
    let workshop = try Workshop()
    try workshop.write(program: "#!/bin/sh\necho \"$@\"\nexit $EXIT\n", to: "programs/authorizer-local")
    let programs = workshop.folder.appendingPathComponent("programs")
    let run = "export GITHUB_WORKSPACE=here PROJECT=demo\n\(script)"
    let new = try Shell.run(run, in: workshop, programs: programs)
    #expect(new.exit == 0 && new.output.isEmpty, "\(new)")
    try workshop.write("{}", to: "here/.base/demo/authorizer.json")
    // A comparison that cannot be decided is never accepted.
    for (exit, mayAllowMore, expected) in [
      (0, "false", 0), (1, "false", 1), (1, "true", 0), (2, "false", 2), (2, "true", 2),
    ] as [(Int32, String, Int32)] {
      let compared = try Shell.run(
        "export EXIT=\(exit) MAY_ALLOW_MORE=\(mayAllowMore)\n" + run, in: workshop, programs: programs)
      #expect(compared.exit == expected, "\(exit) \(mayAllowMore) \(compared)")
      #expect(compared.output == "config compare here/.base/demo/authorizer.json authorizer.json\n")
    }
  }

  // MARK: Issuers

  @Test(
    arguments: [
      ("apple", "com.example.journal, com.example.web", nil), ("google", "client", nil),
      ("supabase:abcdefghijklmnopqrst", nil, nil), ("firebase:example-project", nil, nil),
      ("cognito-id:eu-central-1_Example01", "client", nil),
      ("cognito-access:eu-central-1_Example01", "client", nil),
      ("auth0:example.eu.auth0.com", #"https://api.example.com/"quoted"\"#, nil),
      ("entra:11111111-2222-4333-8444-555555555555", "api", nil),
      ("entra-v1:11111111-2222-4333-8444-555555555555", "api", nil),
      ("aws:a1b2c3d4-1177-4468-9351-2f0123456789", "api", nil), ("github:octo-org@65", "api", nil),
      ("https://id.example.com", "api", "https://id.example.com/jwks"),
    ] as [(String, String?, String?)])
  func expectationsHoldForEveryIssuer(_ issuer: String, _ audience: String?, _ keys: String?) async throws {
    let workshop = try Workshop()
    var options = ["--issuer", issuer]
    if let audience { options += ["--audience", audience] }
    if let keys { options += ["--keys", keys] }
    let answer = try await workshop.run(["init", "--for", "websocket"] + options + ["demo"])
    #expect(answer.exit == 0, "\(answer.errors)")
    #expect(answer.output.contains("the issuer \(issuer) to demo:"), "\(answer.output)")
    let demo = workshop.folder.appendingPathComponent("demo")
    let check = try await workshop.run(["config", "check"], in: demo)
    #expect(check.exit == 0 && check.output.hasPrefix("valid\n"), "\(check.output)")
    let tests = try workshop.execute(["test"], in: demo)
    #expect(
      tests.exit == 0 && tests.output.hasSuffix("\n3 passed, 0 failed\n"), "\(tests.output)\(tests.errors)")
  }

  @Test func signInAcceptsTheGivenAudiences() async throws {
    let workshop = try Workshop()
    let answer = try await workshop.run(
      ["init", "--for", "sign-in", "--audience", "com.example.journal,com.example.web", "demo"])
    #expect(answer.exit == 0, "\(answer.errors)")
    for path in ["authorizer.json", "identity.json", "events/authorizer.json"] {
      let text = try String(
        contentsOf: workshop.folder.appendingPathComponent("demo/\(path)"), encoding: .utf8)
      #expect(text.contains(#""audiences": ["com.example.journal", "com.example.web"]"#), "\(text)")
    }
  }
}
