import Foundation
import TestSupport
import Testing

/// What a handler can look up: neither the access key nor another variable of the user's shell, in any command that
/// runs handlers.
@Suite(.needsPython, .needsNode, .hangLimit)
struct HandlerSecretTests {
  static let shell = [
    "AWS_ACCESS_KEY_ID": "AKIAREALKEY", "AWS_SECRET_ACCESS_KEY": "real-secret", "AWS_PROFILE": "real-profile",
    "AWS_SESSION_TOKEN": "real-session", "GITHUB_TOKEN": "real-token", "NODE_OPTIONS": "--real-option",
    "PYTHONPATH": "/real/folder", "AUTHORIZER_AUDIENCE": "real-audience", "LD_REAL": "real-loader",
  ]

  /// Handlers that write down their own variables, and those with which the program that started them was started.
  static let handlers = [
    "app.py": """
    import json, os
    def handler(event, context):
        seen = json.dumps(dict(os.environ))
        if os.path.exists("/proc/self/environ"):
            with open("/proc/%d/environ" % os.getppid(), errors="replace") as file:
                seen += file.read()
        with open("seen.txt", "a") as file:
            file.write(seen)
        return {"principalId": "u", "policyDocument": {"Version": "2012-10-17", "Statement": [
            {"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": "arn:aws:execute-api:eu-west-1:123456789012:a1b2c3d4e5/prod/*"}]}}
    """,
    "app.cjs": """
    const fs = require("node:fs");
    exports.handler = async () => {
      let seen = JSON.stringify(process.env);
      if (fs.existsSync("/proc/self/environ")) seen += fs.readFileSync(`/proc/${process.ppid}/environ`, "utf8");
      fs.appendFileSync("seen.txt", seen);
      return { principalId: "u", policyDocument: { Version: "2012-10-17", Statement: [
        { Action: "execute-api:Invoke", Effect: "Allow", Resource: "arn:aws:execute-api:eu-west-1:123456789012:a1b2c3d4e5/prod/*" }] } };
    };
    """,
  ]

  private static func check(_ workshop: borrowing Workshop, _ words: String) throws {
    let seen = try String(contentsOf: workshop.folder.appendingPathComponent("seen.txt"), encoding: .utf8)
    #expect(seen.contains("AWS_LAMBDA_FUNCTION_NAME"), "\(words)")
    for (name, value) in Self.shell { #expect(!seen.contains(value), "\(words): \(name)") }
  }

  private static func workshop(_ file: String) throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(try #require(handlers[file]), to: file)
    try workshop.write(
      #"{"type":"TOKEN","authorizationToken":"x","methodArn":"arn:aws:execute-api:eu-west-1:123456789012:a1b2c3d4e5/prod/GET/pets"}"#,
      to: "events/pets.json")
    try workshop.write(#"{"outcome":"allowed"}"#, to: "events/pets.expected.json")
    return workshop
  }

  static let commands = [
    ["invoke", "events/pets.json"], ["test", "events"],
    ["bench", "--no-floor", "--event", "events/pets.json", "--cold", "1", "--warm", "1", "--tokens", "1"],
  ]

  @Test("no command shows the user's variables to a handler", arguments: handlers.keys.sorted(), commands)
  func command(_ file: String, _ command: [String]) throws {
    let workshop = try Self.workshop(file)
    let answer = try workshop.execute(command + ["--handler", "\(file):handler"], environment: Self.shell)
    #expect(answer.exit == 0, "\(answer.output)\(answer.errors)")
    try Self.check(workshop, command[0])
  }

  @Test("serve does not either", arguments: handlers.keys.sorted())
  func serve(_ file: String) async throws {
    let workshop = try Self.workshop(file)
    let gateway = try ServedGateway(
      workshop, ["--kind", "restToken", "--handler", "\(file):handler"], environment: Self.shell)
    _ = try await gateway.send("GET", "/Api/prod/pets", headers: ["Authorization": "x"])
    try Self.check(workshop, "serve")
  }

  @Test("--memory ends a handler that needs more, with Lambda's error", arguments: ["invoke", "test"])
  func memory(_ command: String) throws {
    let workshop = try Self.workshop("app.py")
    try workshop.write(
      """
      import os
      held = []
      def handler(event, context):
          assert context.memory_limit_in_mb == "128"
          while True:
              held.append(os.urandom(1 << 20))
      """, to: "greedy.py")
    let events = command == "test" ? "events" : "events/pets.json"
    let answer = try workshop.execute([command, events, "--handler", "greedy.py:handler", "--memory", "128"])
    #expect(answer.exit != 0)
    #expect((answer.output + answer.errors).contains("OutOfMemory"), "\(answer.output)\(answer.errors)")
    let enough = try workshop.execute([command, events, "--handler", "app.py:handler", "--memory", "512"])
    #expect(enough.exit == 0, "\(enough.output)\(enough.errors)")
    for wrong in ["127", "10241", "-1"] {
      let refused = try workshop.execute([
        command, events, "--handler", "app.py:handler", "--memory=\(wrong)",
      ])
      #expect(refused.exit == 64, "\(wrong)")
    }
  }

  @Test("a package outside of the function is named once") func hints() throws {
    let workshop = try Self.workshop("app.cjs")
    try workshop.write("", to: "node_modules/shared/index.js")
    let source = try #require(Self.handlers["app.cjs"])
    try workshop.write("require('shared');\n" + source, to: "code/app.cjs")
    let answer = try workshop.execute([
      "invoke", "--handler", "code/app.cjs:handler", "events/pets.json", "events/pets.json",
    ])
    #expect(answer.exit == 0, "\(answer.errors)")
    #expect(answer.errors.components(separatedBy: "hint: shared is in ").count == 2, "\(answer.errors)")
  }
}
