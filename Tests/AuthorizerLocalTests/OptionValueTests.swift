@testable import DeploymentChecks
import GatewayEmulator
import GatewayModel
import AuthorizerContract
import Templates
import ArgumentParser
import Bench
import JOSE
import Testing

@testable import authorizer_local

/// The values that the arguments of a command line become.
@Suite struct OptionValueTests {
  @Test func functionOptionsHaveParsedParts() throws {
    let arguments = [
      "--function", "node f.mjs", "--config", "a.json", "--real-keys", "--tokens", "t.json", "--env", "A=1",
      "--env", "B=x=y", "--env", "A=2", "--timeout", "0.0015", "--verbose",
    ]
    let options = try FunctionArguments.parse(arguments).options()
    #expect(options.function == "node f.mjs")
    #expect(options.configuration.config == "a.json")
    #expect(options.configuration.realKeys)
    #expect(options.configuration.tokens == "t.json")
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
      "--clock", "-10m", "--watch", "--build", "make", "--port", "0", "--concurrency", "2",
    ]
    let options = try ServeCommand.parse(arguments).options()
    #expect(options.template == "t.yaml")
    #expect(options.parameters == ["Stage": "dev"])
    #expect(options.commands == ["F": "node a.mjs"])
    #expect(options.clockOffsetSeconds == -600)
    #expect(options.watches && options.build == "make")
    #expect(options.port == 0 && options.concurrency == 2)
    guard case .origin("http://h:1") = options.backend else {
      Issue.record("an origin has no slash at its end")
      return
    }
  }

  @Test(arguments: ["echo", "template"]) func aBackendMayHaveAName(_ name: String) throws {
    switch (name, try ServeCommand.parse(["--backend", name]).options().backend) {
    case ("echo", .echo), ("template", .template): break
    case (_, let other): Issue.record("\(other)")
    }
  }

  @Test func otherOptionsHaveParsedParts() throws {
    let invoke = try InvokeCommand.parse(["a.json", "-", "--expect", "forbidden", "--raw", "--strict"])
      .options()
    #expect(invoke.events == ["a.json", "-"])
    #expect(invoke.expected == .forbidden && invoke.isRaw && invoke.isStrict && !invoke.isJSON)

    let test = try TestCommand.parse(["e", "--repeat", "3", "--update", "--junit", "r.xml", "--ttl", "5"])
      .options()
    #expect(test.directory == "e" && test.repetitions == 3 && test.updates && test.junit == "r.xml")
    #expect(test.lint.ttl == 5)

    let assumed = try TestCommand.parse(["--simple-responses", "--assume", "answer-limit=8KiB"]).options()
    #expect(assumed.answers.rules.takesSimpleAnswers == true)
    #expect(assumed.answers.rules.assumptions.answerLimit == .webSocket)
    #expect(test.answers.rules == AnswerRules())

    let doctor = try DoctorCommand.parse(["p", "--accept", "cacheExpectedOff", "--parameter", "A=b"])
      .options()
    #expect(doctor.paths == ["p"] && doctor.parameters == ["A": "b"])
    #expect(doctor.accepted.map(\.rawValue) == ["cacheExpectedOff"])

    let package = try PackageCommand.parse(["--name", "identity", "--run-with", "qemu"]).options()
    #expect(package.shipped == .identity && package.emulator == "qemu" && package.output == "dist")
    #expect(try PackageCommand.parse(["--name", "other"]).options().shipped == nil)

    let bench = try BenchCommand.parse(["--cold", "1", "--no-floor"]).options()
    #expect(bench.plan.coldStarts == 1 && bench.plan.warmInvocations == 10_000)
    #expect(bench.loads == ["rs256", "es256", "request", "again", "dpop"])
    guard case .omitted = bench.floor else {
      Issue.record("--no-floor omits the floor")
      return
    }
  }

  @Test func keysAreFetchedFromASetOrAnIssuer() throws {
    let preset = try KeysCommand.Fetch.parse(["apple", "-o", "k.json", "--timeout", "1.5"]).options()
    guard case .keySet("apple") = preset.source else {
      Issue.record("\(preset.source)")
      return
    }
    #expect(preset.output == "k.json" && preset.milliseconds == 1500 && !preset.isDevelopment)
    let issuer = try KeysCommand.Fetch.parse(["--discover", "https://i", "--development"]).options()
    guard case .issuer("https://i") = issuer.source else {
      Issue.record("\(issuer.source)")
      return
    }
    #expect(issuer.isDevelopment && issuer.policy == KeyPolicy() && issuer.milliseconds == nil)
  }

  @Test(
    arguments: [
      (["identity.json"], ShippedFunction.identity), (["a/identity.json"], .identity),
      (["--identity", "x.json"], .identity), (["x.json"], .authorizer), ([], .authorizer),
    ] as [([String], ShippedFunction)])
  func theNameOfAConfigurationSelectsItsFunction(_ arguments: [String], _ function: ShippedFunction) throws {
    #expect(try ConfigCommand.Check.parse(arguments).options().function == function)
  }
}
