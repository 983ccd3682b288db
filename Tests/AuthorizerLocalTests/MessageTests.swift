import ArgumentParser
import AuthorizerContract
import JSON
import TestSupport
import Testing

@testable import LambdaEmulator
@testable import authorizer_local

/// What commands say about a mistake, with what to change.
@Suite struct MessageTests {
  private static let arn = "arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets"

  /// The command, the file `it` that it reads, and what it prints.
  @Test(
    arguments: [
      (
        "config check it.json", #"{"issuers":[{"preset":"apple","audiences":["a",]}]}"#,
        "it.json: not JSON: an unexpected ] at line 1, column 48: remove the comma before ]\n"
      ),
      (
        "config check it.json", "{\n// keys\n}",
        "it.json: not JSON: an unexpected / at line 2, column 1: JSON has no comments\n"
      ),
      (
        "config check it.json", "{'issuers':[]}",
        "it.json: not JSON: an unexpected ' at line 1, column 2: use double quotes\n"
      ),
      (
        "config check it.json", "\u{FEFF}{}",
        "it.json: not JSON: the text begins with a byte order mark: save it as UTF-8 without one\n"
      ),
      (
        "config check it.json", #"{"issuers":[{"preset":"supabse:abc"}]}"#,
        "issuers[0].preset: unknown preset, did you mean \"supabase:<ref>\"?\n"
      ),
      (
        "config check it.json", String(repeating: " ", count: (1 << 20) + 1),
        "it.json: larger than 1048576 bytes, the limit of a configuration\n"
      ),
      (
        "evaluate it.json --arn \(arn)", #"{"issuers":[]}"#,
        """
        error: it.json is a configuration, not a policy
        hint: check it with authorizer-local config check it.json; authorizer-local explain shows what it decides about \
        a token

        """
      ),
      (
        "routes --template it.yaml", "Resources:\n\tA: 1\n",
        """
        error: it.yaml:2: template: is indented with a tab, not YAML (indent with spaces)
        hint: serve supports no API of this template; correct the lines above

        """
      ),
      (
        "routes --template it.yaml --parameter Foo=1", parameters,
        "Parameters.Foo: is set, but not declared in the template (its parameters are Stage, Table)\n"
      ),
      (
        "serve --template it.yaml --port 0 --run Backend=true", functions,
        "error: the template has no function Backend\nhint: its functions are Own, Pets\n"
      ),
      (
        "serve --template it.yaml --port 0 --handler Backend=a.py:f", functions,
        "error: the template has no function Backend\nhint: its functions are Own, Pets\n"
      ),
      (
        "event --kind rest https://a/prod/x", "",
        "--kind must be restToken or restRequest, found rest\nhint: see authorizer-local help event\n"
      ),
      ("serve --porte 1", "", "\nhint: see authorizer-local help serve\n"),
      ("keys fetch --discovery x", "", "\nhint: see authorizer-local help keys fetch\n"),
      (
        "init --for rest", "",
        """
        error: name a folder for the project
        hint: for example authorizer-local init --for rest demo, or . for this folder

        """
      ),
      (
        "token --preset apple --scope a --claim scope=b", "",
        "error: give --scope or --claim scope, not both\nhint: see authorizer-local help token\n"
      ),
      (
        "token --preset apple --scope a", "",
        """
        error: token.claims.scope: no token of this issuer has it in production
          hint: leave it out, or sign it all the same with --unsent-claims

        """
      ),
      (
        "token t --tokens it.json", #"{"t":{"preset":"google","claims":{"groups":["a"]}}}"#,
        """
        error: it.json: t.claims.groups: no token of this issuer has it in production
          hint: leave it out, or sign it all the same with --unsent-claims

        """
      ),
      (
        "doctor it.yaml", "Resources: {}",
        "error: it.yaml is not a package\nhint: give a template with --template it.yaml\n"
      ),
      (
        "explain x --clock 10m", "",
        "error: --clock must be a time such as 2026-11-21T10:00:00Z or +10m, found 10m; did you mean +10m?\n"
          + "hint: see authorizer-local help explain\n"
      ),
      (
        "test absent", "",
        "error: no such folder: absent\nhint: an event is X.json, and its expectation is X.expected.json\n"
      ),
      (
        "token good --scope a", "",
        "error: a named token takes no other claims; change tokens.json, or use --preset\n"
      ),
    ] as [(String, String, String)])
  func namesTheMistakeAndTheCure(_ line: String, _ text: String, _ message: String) async throws {
    let recorded = try RecordedMachine()
    for name in ["it.json", "it.yaml"] where line.contains(name) { try recorded.write(text, to: name) }
    let exit = await recorded.run(words: line)
    #expect(exit != 0)
    #expect((recorded.answer + recorded.notes).contains(message), "\(recorded.answer)\(recorded.notes)")
  }

  private static let parameters = """
    Parameters:
      Table: {Type: String, Default: t}
      Stage: {Type: String, Default: s}
    Resources: {}
    """

  private static let functions = """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Pets:
        Type: AWS::Serverless::Function
        Properties:
          Handler: app.pets
          Runtime: python3.12
          CodeUri: src/
          Events: {Get: {Type: HttpApi, Properties: {Path: /pets, Method: get}}}
      Own: {Type: AWS::Serverless::Function, Properties: {Handler: app.own, Runtime: python3.12, CodeUri: src/}}
    """

  @Test func aTextInUTF16IsNamed() async throws {
    let recorded = try RecordedMachine()
    try recorded.machine.files.write([0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00], to: "it.json")
    let exit = await recorded.run(words: "config check it.json")
    #expect(exit == 1)
    #expect(
      recorded.answer.hasSuffix(
        "it.json: not JSON: a byte that JSON does not allow here, at line 1, column 1: the text is UTF-16; save it as "
          + "UTF-8\n"))
  }

  @Test func aScopeIsAClaim() async throws {
    let recorded = try RecordedMachine(hasKeys: true)
    let exit = await recorded.run(
      "token", "--preset", "auth0:example.eu.auth0.com", "--audience", "api", "--scope", "1")
    #expect(exit == 0, "\(recorded.notes)")
    #expect(try DissectedToken(recorded.answer).payload()["scope"] == .string("1"))
  }

  @Test(arguments: [["--preset", "apple", "--scope", "a"], ["t"]])
  func aClaimThatTheIssuerNeverSendsIsSignedOnDemand(_ words: [String]) async throws {
    let recorded = try RecordedMachine(hasKeys: true)
    try recorded.write(#"{"t":{"preset":"apple","claims":{"scope":"a"}}}"#, to: "tokens.json")
    let refused = await AuthorizerLocal.end(of: ["token"] + words, on: recorded.machine)
    #expect(refused == 64 && recorded.answer == "")
    let exit = await AuthorizerLocal.end(of: ["token", "--unsent-claims"] + words, on: recorded.machine)
    #expect(exit == 0, "\(recorded.notes)")
    #expect(try DissectedToken(recorded.answer).payload()["scope"] == .string("a"))
  }

  /// What the function writes about an event that it cannot read comes before what to do.
  @Test func anEventOfAnotherServiceGetsAHintAtTheEnd() async throws {
    let recorded = try RecordedMachine()
    let event = Array(#"{"Records":[{"eventSource":"aws:s3"}]}"#.utf8)
    let answer = InvocationAnswer.error(
      FunctionErrorReport(headerType: "invalidEvent", document: Array(#"{"errorMessage":"x"}"#.utf8)))
    let outcome = EventOutcome(
      event: PreparedEvent(
        name: "s3.json", bytes: event, configuration: FunctionConfiguration(variables: [:], taskRoot: nil)),
      result: InvocationResult(
        requestID: "r", answer: answer, microseconds: 1,
        lines: [FunctionLogLine(stream: .standardOutput, text: "internal")], peakMemoryKiB: nil),
      evaluation: Evaluation(of: answer, to: event, by: AnswerRules(), at: 0))
    let command = try InvokeCommand.parse(["s3.json"])
    let run = InvokeRun(
      command: command, function: FunctionOptions(), expected: nil, answers: AnswerOptions(),
      lint: command.lint, machine: recorded.machine)
    #expect(throws: CommandExit.functionFailed) { try run.judge([outcome]) }
    #expect(
      recorded.notes == """
        function: internal
        note: s3.json is not an event that API Gateway sends to an authorizer
        hint: make one with authorizer-local event https://HOST/STAGE/PATH

        """)
  }

  @Test func completionOffersFilesValuesAndTokenNames() async throws {
    let recorded = try RecordedMachine()
    let exit = await recorded.run("--generate-completion-script", "bash")
    #expect(exit == 0)
    for words in [
      "add_completions -f", "add_completions -d", "restRequest", "websocket", "---completion token",
    ] {
      #expect(recorded.answer.contains(words), "\(words)")
    }
  }

  /// The lines of a function, and what `serve` shows of them without `--verbose`.
  @Test(
    arguments: [
      (
        [(.standardOutput, "loading"), (.standardError, "no module x"), (.platform, died)],
        ["\(exited); its last line: no module x"]
      ),
      (
        [
          (
            .standardOutput,
            "[ERROR] KeyError: 'x'\rTraceback (most recent call last):\r  File \"/a/app.py\", line 3, in f\r    x"
          ),
          (.platform, died),
        ], ["KeyError: 'x' (File \"/a/app.py\", line 3, in f)"]
      ),
      (
        [
          (
            .standardOutput,
            "2026-11-24T10:00:00.000Z\tid\tERROR\tTypeError: x\r    at f (/a/app.mjs:3:9)\r    at g"
          )
        ],
        ["TypeError: x (at f (/a/app.mjs:3:9))"]
      ),
      // The code of the user, not that of the language or of a package.
      (
        [
          (
            .standardOutput,
            "[ERROR] E: x\rTraceback (most recent call last):\r  File \"/a/app.py\", line 3, in f\r    x\r  File "
              + "\"/usr/lib/python3.11/json/__init__.py\", line 9, in loads\r    y"
          )
        ], ["E: x (File \"/a/app.py\", line 3, in f)"]
      ),
      (
        [
          (
            .standardOutput,
            "2026-11-24T10:00:00.000Z\tid\tERROR\tTypeError: x\r    at g (node:fs:1:2)\r    at h "
              + "(/a/node_modules/b.js:1:2)\r    at f (/a/app.mjs:3:9)"
          )
        ],
        ["TypeError: x (at f (/a/app.mjs:3:9))"]
      ),
      (
        [
          (.standardError, "hint: install x"), (.standardError, "hint: install x"),
          (.standardOutput, "hint: y"),
        ], ["hint: install x"]
      ),
      ([(.platform, "START RequestId: 1 Version: 1"), (.platform, died)], []),
    ] as [([(FunctionLogLine.Stream, String)], [String])])
  func serveShowsWhyAFunctionFailed(_ lines: [(FunctionLogLine.Stream, String)], _ shown: [String]) throws {
    let recorded = try RecordedMachine()
    let output = ServedOutput(of: "Pets", showsAll: false, terminal: recorded.machine.terminal)
    for (stream, text) in lines { output.show(FunctionLogLine(stream: stream, text: text)) }
    #expect(recorded.notes == shown.map { "Pets: \($0)\n" }.joined())
  }

  private static let exited = "Runtime exited with error: exit status 1"
  private static let died = "RequestId: 8f1c Error: " + exited
}
