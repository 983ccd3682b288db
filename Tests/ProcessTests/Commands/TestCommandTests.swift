import Foundation
import JSON
import Testing
import TestSupport

/// `test` from end to end: matchers, updates, repetition, packages, findings.
@Suite(.needsPython, .hangLimit)
struct TestCommandTests {
  static func text(_ path: String, in workshop: borrowing Workshop) throws -> String {
    try String(contentsOf: workshop.folder.appendingPathComponent(path), encoding: .utf8)
  }

  @Test func matchesResponsesWithMatchers() throws {
    let workshop = try ScriptedRuntime.workshop()
    try workshop.write(ScriptedRuntime.event("environment"), to: "events/a.json")
    let expectation = { (pid: String) in
      """
      {"outcome":"allowed","response":{"$includes":{"principalId":{"$regex":"[a-z]"},
      "context":{"$includes":{"pid":\(pid)}},"usageIdentifierKey":{"$absent":true}}}}
      """
    }
    try workshop.write(expectation(#"{"$present":true}"#), to: "events/a.expected.json")
    let good = try workshop.execute(["test"] + ScriptedRuntime.arguments())
    #expect(good.exit == 0, "\(good.output)\(good.errors)")
    try workshop.write(expectation(#"{"$any":[-1,-2]}"#), to: "events/a.expected.json")
    let bad = try workshop.execute(["test"] + ScriptedRuntime.arguments())
    #expect(bad.exit == 1)
    // The difference shows only the wrong part of the response.
    #expect(bad.output.contains("+    \"pid\": "))
    #expect(!bad.output.contains("-  \"principalId\""))
    try workshop.write(expectation(#"{"$ny":[]}"#), to: "events/a.expected.json")
    let unread = try workshop.execute(["test"] + ScriptedRuntime.arguments())
    #expect(unread.exit == 1)
    #expect(unread.output.contains("unknown member response.$includes.context.$includes.pid.$ny"))
  }

  /// A template of an HTTP API whose authorizer takes simple answers or policies.
  private static func template(simple: Bool) -> String {
    """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Api:
        Type: AWS::Serverless::HttpApi
        Properties:
          Auth:
            Authorizers:
              Own:
                EnableSimpleResponses: \(simple)
                AuthorizerPayloadFormatVersion: "2.0"
                FunctionArn: !GetAtt Guard.Arn
                Identity: { Headers: [Authorization] }
            DefaultAuthorizer: Own
      Guard:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: python3.13
          Handler: app.handler
          CodeUri: guard
          Events: { Pets: { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: /pets, Method: get } } }
    """
  }

  @Test(
    arguments: [
      ("simple", [], 0), ("simple", ["--simple-responses"], 0), ("simple", ["--no-simple-responses"], 1),
      ("simple", ["--template", "simple.yaml"], 0), ("simple", ["--template", "policies.yaml"], 1),
      ("Allow", ["--template", "policies.yaml"], 0), ("Allow", ["--template", "simple.yaml"], 1),
      ("Unauthorized", [], 0), ("Unauthorized", ["--assume", "http-thrown-unauthorized=500"], 1),
    ] as [(String, [String], Int32)])
  func theSettingsOfTheAPIDecideAboutAnAnswer(_ act: String, _ options: [String], _ exit: Int32) throws {
    let workshop = try ScriptedRuntime.workshop()
    try workshop.write(Self.template(simple: true), to: "simple.yaml")
    try workshop.write(Self.template(simple: false), to: "policies.yaml")
    let arn = "arn:aws:execute-api:eu-west-1:123456789012:api/$default/GET/pets"
    try workshop.write(
      #"{"version":"2.0","type":"REQUEST","routeArn":"\#(arn)","do":"\#(act)"}"#, to: "events/a.json")
    let outcome = act == "Unauthorized" ? "unauthorized" : "allowed"
    try workshop.write(#"{"outcome":"\#(outcome)"}"#, to: "events/a.expected.json")
    let tested = try workshop.execute(["test"] + options + ScriptedRuntime.arguments())
    #expect(tested.exit == exit, "\(tested.output)\(tested.errors)")
    let invoked = try workshop.execute(
      ["invoke", "events/a.json", "--expect", outcome] + options + ScriptedRuntime.arguments())
    #expect(invoked.exit == exit, "\(invoked.output)\(invoked.errors)")
    #expect(
      invoked.output.contains("which needs EnableSimpleResponses") == (act == "simple" && options == []))
  }

  @Test func updateWritesTheResultAndShowsTheChanges() throws {
    let workshop = try ScriptedRuntime.workshop()
    try workshop.write(ScriptedRuntime.event("Unauthorized"), to: "events/new.json")
    try workshop.write(ScriptedRuntime.event("Deny"), to: "events/changed.json")
    try workshop.write(#"{"outcome":"allowed"}"#, to: "events/changed.expected.json")
    try workshop.write(ScriptedRuntime.event("Allow"), to: "events/manual.json")
    let manual = #"{"outcome":"allowed","response":{"principalId":{"$regex":"[0-9]+"}}}"#
    try workshop.write(manual, to: "events/manual.expected.json")
    try workshop.write(ScriptedRuntime.event("exit"), to: "events/dead.json")
    let first = try workshop.execute(["test", "--update"] + ScriptedRuntime.arguments())
    #expect(first.exit == 3, "\(first.output)\(first.errors)")
    #expect(first.errors.contains("wrote "))
    #expect(first.errors.contains("  -{\"outcome\":\"allowed\"}"))
    #expect(first.errors.contains("  +  \"outcome\": \"forbidden\""))
    #expect(first.errors.contains("manual.expected.json: one of its matchers does not match"))
    #expect(first.errors.contains("dead.expected.json: the function died"))
    #expect(try Self.text("events/manual.expected.json", in: workshop) == manual)
    let written = try JSONTree(parsing: Array(Self.text("events/new.expected.json", in: workshop).utf8))
    #expect(written["outcome"] == .string("unauthorized"))
    #expect(written["error"]?["errorMessage"] == .string("Unauthorized"))

    for name in ["manual", "dead"] {
      for suffix in [".json", ".expected.json"] {
        try? FileManager.default.removeItem(
          at: workshop.folder.appendingPathComponent("events/\(name)\(suffix)"))
      }
    }
    let again = try workshop.execute(["test"] + ScriptedRuntime.arguments())
    #expect(again.exit == 0, "\(again.output)")
    #expect(again.output.hasSuffix("\n2 passed, 0 failed\n"))
  }

  @Test(
    "an expectation written by --update is met in a later run, whose tokens have other times",
    .needsBootstrap)
  func updateDoesNotExpectTimesOfTokens() throws {
    let workshop = try Workshop()
    try workshop.write(
      """
      {"issuers":[{"preset":"auth0:example.eu.auth0.com","audiences":["https://api.example.com"]}]}
      """, to: "events/authorizer.json")
    func mint(_ distance: String) throws {
      try workshop.write(
        """
        {"user":{"preset":"auth0:example.eu.auth0.com",
        "claims":{"aud":"https://api.example.com","exp":"\(distance)"}}}
        """, to: "events/tokens.json")
    }
    try mint("+10m")
    let event = try workshop.execute(["event", "--token", "user", "https://api.example.com/prod/orders"])
    #expect(event.exit == 0, "\(event.errors)")
    try workshop.write(event.output, to: "events/user.json")
    let update = try workshop.execute(["test", "--update", "--function", Workshop.bootstrap])
    #expect(update.exit == 0, "\(update.output)\(update.errors)")
    #expect(try Self.text("events/user.expected.json", in: workshop).contains(#""exp": {"#))
    // Another lifetime has the effect of a later run, without waiting.
    try mint("+11m")
    let later = try workshop.execute(["test", "--function", Workshop.bootstrap])
    #expect(later.exit == 0, "\(later.output)\(later.errors)")
  }

  @Test func reportsHowToWriteAMissingExpectation() throws {
    let workshop = try ScriptedRuntime.workshop()
    try workshop.write(ScriptedRuntime.event("Allow"), to: "events/a.json")
    let answer = try workshop.execute(["test"] + ScriptedRuntime.arguments())
    #expect(answer.exit == 1)
    #expect(answer.output.contains("found no file (--update writes it)"))
  }

  /// Answers that differ between processes cannot be written as an expectation.
  @Test func runsSeveralProcessesAndUpdateDetectsDifferences() throws {
    let workshop = try ScriptedRuntime.workshop()
    try workshop.write(ScriptedRuntime.event("environment"), to: "events/a.json")
    try workshop.write(
      #"{"outcome":"allowed","response":{"$includes":{"principalId":"u"}}}"#, to: "events/a.expected.json")
    try workshop.write(ScriptedRuntime.event("Allow"), to: "events/b.json")
    try workshop.write(#"{"outcome":"allowed"}"#, to: "events/b.expected.json")
    let options = ["--repeat", "30", "--concurrency", "3"]
    let answer = try workshop.execute(["test", "--json"] + options + ScriptedRuntime.arguments())
    #expect(answer.exit == 0, "\(answer.output)\(answer.errors)")
    let root = try JSONDocument(parsing: Array(answer.output.utf8), limits: .event).root
    #expect(root["passed"]?.number?.integer == 2)
    try workshop.write(ScriptedRuntime.event("count"), to: "events/b.json")
    try workshop.write(
      ScriptedRuntime.source.replacing(
        #"elif do == "garbage""#,
        with: """
          elif do == "count":
                  served = globals().get("served", 0) + 1
                  call("POST", request + ("/response" if served < 3 else "/error"), json.dumps(policy("Allow")))
              elif do == "garbage"
          """), to: ScriptedRuntime.path)
    let some = try workshop.execute(["test", "--repeat", "3"] + ScriptedRuntime.arguments())
    #expect(some.exit == 1)
    #expect(some.output.contains("run 3 of 3"), "\(some.output)")
    let kept = try workshop.execute(["test", "--repeat", "3", "--update"] + ScriptedRuntime.arguments())
    #expect(kept.errors.contains("b.expected.json: the answers differ"), "\(kept.errors)")
  }

  @Test(arguments: [
    (["--repeat", "0"], "--repeat must"), (["--concurrency", "0"], "--concurrency must"),
    (["--concurrency", "65"], "--concurrency must"), (["--ttl", "3601"], "--ttl must"),
    (["--zip", "a.zip", "--function", "x"], "give --function or --zip"),
    (["--zip", "absent.zip"], "there is no such file"), (["--zip", "events/a.json"], "not a valid ZIP file"),
  ]) func reportsWrongOptionsAsUsageErrors(_ options: [String], _ text: String) throws {
    let workshop = try ScriptedRuntime.workshop()
    try workshop.write(ScriptedRuntime.event("Allow"), to: "events/a.json")
    try workshop.write(#"{"outcome":"allowed"}"#, to: "events/a.expected.json")
    let answer = try workshop.execute(["test"] + options)
    #expect(answer.exit == 64, "\(answer.errors)")
    #expect(answer.errors.contains(text), "\(answer.errors)")
  }

  @Test func findingsAreWarningsUnlessStrict() throws {
    let workshop = try ScriptedRuntime.workshop()
    try workshop.write(ScriptedRuntime.event("Allow"), to: "events/a.json")
    try workshop.write(#"{"outcome":"allowed"}"#, to: "events/a.expected.json")
    let plain = try workshop.execute(["test"] + ScriptedRuntime.arguments())
    #expect(plain.exit == 0)
    #expect(plain.errors.contains("warning: a: wideWildcard: policyDocument.Statement[0].Resource: "))
    #expect(plain.errors.contains("hint: use the region, account and API"))
    let strict = try workshop.execute(["test", "--strict"] + ScriptedRuntime.arguments())
    #expect(strict.exit == 1)
    let invoked = try workshop.execute(["invoke", "--strict", "events/a.json"] + ScriptedRuntime.arguments())
    #expect(invoked.exit == 1)
    #expect(invoked.errors.contains("wideWildcard"))
    let folder = try workshop.execute(["invoke", "events"] + ScriptedRuntime.arguments())
    #expect(folder.exit == 64)
    #expect(folder.errors.contains("hint: run all of its events with authorizer-local test events"))
  }

  /// A package is unpacked, started in a temporary folder, and removed afterwards.
  @Test func aPackageRunsAsOnLambda() throws {
    let workshop = try ScriptedRuntime.workshop()
    try workshop.write("\(ScriptedRuntime.source)\n", to: "package/function.py")
    try workshop.write(
      "#!/bin/sh\nexec \(Workshop.python ?? "python3") -I -u function.py\n", to: "package/bootstrap")
    try workshop.write(
      """
      import sys, zipfile
      mode = int(sys.argv[1], 8)
      with zipfile.ZipFile("function.zip", "w", zipfile.ZIP_DEFLATED) as package:
          for name in ("bootstrap", "function.py"):
              entry = zipfile.ZipInfo(sys.argv[2] + name)
              entry.external_attr = (0o100000 | mode) << 16
              entry.compress_type = zipfile.ZIP_DEFLATED
              package.writestr(entry, open("package/" + name).read())
      """, to: "pack.py")
    let pack = { (mode: String, folder: String, place: URL) throws in
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Workshop.python ?? "/usr/bin/python3")
      process.arguments = ["pack.py", mode, folder]
      process.currentDirectoryURL = place
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    let temporary = workshop.folder.appendingPathComponent("temporary")
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
    let environment = ["TMPDIR": temporary.path]
    let event = ScriptedRuntime.event("environment")
    try pack("755", "", workshop.folder)
    let answer = try workshop.execute(
      ["invoke", "-", "--json", "--zip", "function.zip"], input: event, environment: environment)
    #expect(answer.exit == 0, "\(answer.output)\(answer.errors)")
    let root = try JSONDocument(parsing: Array(answer.output.utf8), limits: .event).root
    let context = root["results"]?.elements.first(where: { _ in true })?["response"]?["context"]
    #expect(context?["root"]?.text?.contains("/authorizer-package-") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])

    for (mode, folder, text) in [
      ("644", "", "bootstrap is not executable"), ("755", "deep/", "no bootstrap at the top"),
    ] {
      try pack(mode, folder, workshop.folder)
      let refused = try workshop.execute(["invoke", "-", "--zip", "function.zip"], input: event)
      #expect(refused.exit == 64)
      #expect(refused.errors.contains(text), "\(refused.errors)")
    }
  }

  /// A short --timeout also limits the start.
  @Test func timeoutLimitsTheWaitForTheFirstCall() throws {
    let workshop = try ScriptedRuntime.workshop()
    let answer = try workshop.execute(
      ["invoke", "-", "--timeout", "0.3", "--function", "sleep 60"], input: ScriptedRuntime.event("Allow"))
    #expect(answer.exit == 3)
    #expect(answer.output.contains("did not request an event within 0.3 s"), "\(answer.output)")
  }
}
