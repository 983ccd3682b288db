@testable import DeploymentChecks
import GatewayEmulator
import GatewayModel
import AuthorizerContract
import Templates
import ArgumentParser
import Bench
import Testing

@testable import authorizer_local

/// The values that the arguments of a command line become.
@Suite struct OptionValueTests {
  @Test func functionOptionsHaveParsedParts() throws {
    let arguments = [
      "--function", "node f.mjs", "--config", "a.json", "--real-keys", "--tokens", "t.json",
      "--unsent-claims", "--env", "A=1",
      "--env", "B=x=y", "--env", "A=2", "--timeout", "0.0015", "--verbose",
    ]
    let test = try TestCommand.parse(arguments)
    let options = try test.function.options(test.configuration.options(test.tokens))
    #expect(options.function == "node f.mjs")
    #expect(options.configuration.config == "a.json")
    #expect(options.configuration.realKeys)
    #expect(options.configuration.tokens == TokenSource(path: "t.json", signsUnsentClaims: true))
    #expect(options.configuration.variables == ["A": "2", "B": "x=y"])
    #expect(options.timeoutMilliseconds == 2, "rounded up, because 0 would be no time at all")
    #expect(options.verbose)
    #expect(!options.needsConfiguration)
    #expect(FunctionOptions().needsConfiguration)
    #expect(!FunctionOptions(zip: "f.zip").needsConfiguration)
  }

  @Test func serveOptionsHaveParsedParts() throws {
    let arguments = [
      "--template", "t.yaml", "--parameter", "Stage=dev", "--run", "F=node a.mjs", "--backend", "http://h:1/",
      "--clock", "-10m", "--port", "0", "--concurrency", "2",
    ]
    let options = try ServeCommand.parse(arguments).options(at: 0)
    #expect(options.template == "t.yaml")
    #expect(options.values.parameters == ["Stage": "dev"])
    #expect(options.commands == ["F": "node a.mjs"])
    #expect(options.clockOffsetSeconds == -600)
    #expect(options.port == 0 && options.concurrency == 2)
    guard case .origin("http://h:1") = options.backend else {
      Issue.record("an origin has no slash at its end")
      return
    }
  }

  /// `--watch` was an option before it was the default.
  @Test(arguments: [([], true), (["--watch"], true), (["--no-watch"], false)] as [([String], Bool)])
  func serveFollowsItsFiles(_ arguments: [String], _ follows: Bool) throws {
    #expect(try ServeCommand.parse(arguments).options(at: 0).follows == follows)
  }

  @Test(arguments: ["echo", "template"]) func aBackendMayHaveAName(_ name: String) throws {
    switch (name, try ServeCommand.parse(["--backend", name]).options(at: 0).backend) {
    case ("echo", .echo), ("template", .template): break
    case (_, let other): Issue.record("\(other)")
    }
  }

  @Test func otherOptionsHaveParsedParts() throws {
    let test = try TestCommand.parse([
      "e", "--simple-responses", "--assume", "answer-limit=8KiB", "--ttl", "5",
    ])
    #expect(test.lint.ttl == 5)
    let assumed = try test.answers.options(test.values, test.assumed)
    #expect(assumed.rules.takesSimpleAnswers == true)
    #expect(assumed.rules.assumptions.answerLimit == .webSocket)
    let plain = try TestCommand.parse([])
    #expect(try plain.answers.options(plain.values, plain.assumed).rules == AnswerRules())

    let doctor = try DoctorCommand.parse(["p", "--accept", "cacheExpectedOff", "--parameter", "A=b"])
    #expect(try doctor.values.values().parameters == ["A": "b"])
    #expect(try doctor.accepted().map(\.rawValue) == ["cacheExpectedOff"])

    #expect(try PackageCommand.parse(["--name", "identity"]).shipped == .identity)
    #expect(try PackageCommand.parse(["--name", "other"]).shipped == nil)

    let bench = try BenchCommand.parse(["--cold", "1"])
    #expect(bench.plan.coldStarts == 1 && bench.plan.warmInvocations == 10_000)
    #expect(bench.loads == ["rs256", "es256", "request", "again", "dpop", "rules"])
  }

  @Test(
    arguments: [
      (["identity.json"], ShippedFunction.identity), (["a/identity.json"], .identity),
      (["--identity", "x.json"], .identity), (["x.json"], .authorizer), ([], .authorizer),
    ] as [([String], ShippedFunction)])
  func theNameOfAConfigurationSelectsItsFunction(_ arguments: [String], _ function: ShippedFunction) throws {
    #expect(try ConfigCommand.Check.parse(arguments).function == function)
  }
}
