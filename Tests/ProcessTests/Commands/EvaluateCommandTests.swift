import JSON
import Testing
import TestSupport

/// `evaluate` from end to end.
@Suite(.hangLimit)
struct EvaluateCommandTests {
  static let arn = "arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets"
  static let dogs = "arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/dogs"

  static let policy = """
    {"Version":"2012-10-17","Statement":[
    {"Sid":"Stage","Effect":"Allow","Action":"execute-api:Invoke",
    "Resource":"arn:aws:execute-api:eu-west-1:123456789012:api/prod/*"},
    {"Sid":"Night","Effect":"Deny","Action":"execute-api:Invoke","Resource":"*/dogs",
    "Condition":{"DateGreaterThan":{"aws:CurrentTime":"2026-11-21T22:00:00Z"},
    "NotIpAddress":{"aws:SourceIp":"10.0.0.0/8"}}}]}
    """

  static func run(_ arguments: [String], policy: String = policy) async throws -> Workshop.Answer {
    let workshop = try Workshop()
    return try await workshop.run(["evaluate", "-"] + arguments, input: policy)
  }

  @Test(
    arguments: [
      (["--arn", arn], 0, "allowed by Statement[0] \"Stage\"\n{"),
      (
        ["--arn", dogs, "--clock", "2026-11-21T21:00:00Z", "--context", "aws:SourceIp=203.0.113.7"], 0,
        "allowed by Statement[0] \"Stage\""
      ),
      (
        ["--arn", dogs, "--clock", "2026-11-21T23:00:00Z", "--context", "AWS:sourceip=203.0.113.7"], 1,
        "denied by Statement[1] \"Night\""
      ),
      (
        ["--arn", dogs, "--clock", "2026-11-21T23:00:00Z", "--context", "aws:SourceIp=10.0.0.7"], 0,
        "allowed by Statement[0] \"Stage\""
      ),
      (["--arn", arn, "--clock", "-1h"], 0, "allowed by Statement[0] \"Stage\""),
      (["--arn", "arn:other"], 1, "denied: no statement allows it\n"),
      (["--arn", arn, "--action", "s3:GetObject"], 1, "denied: no statement allows it\n"),
    ] as [([String], Int32, String)])
  func printsTheDecidingStatement(_ arguments: [String], _ exit: Int32, _ text: String) async throws {
    let answer = try await Self.run(arguments)
    #expect(answer.exit == exit, "\(answer.errors)")
    #expect(answer.output.hasPrefix(text), "\(answer.output)")
  }

  @Test func explainsEveryStatementForSeveralARNs() async throws {
    let answer = try await Self.run([
      "--arn", Self.arn, "--arn", Self.dogs, "--verbose", "--clock", "2026-11-21T23:00:00Z", "--context",
      "aws:SourceIp=203.0.113.7",
    ])
    #expect(answer.exit == 1)
    #expect(
      answer.output == """
        \(Self.arn): allowed by Statement[0] "Stage"
          Statement[0] "Stage" Allow applies: Action execute-api:Invoke and Resource \
        arn:aws:execute-api:eu-west-1:123456789012:api/prod/* match
          Statement[1] "Night" Deny does not apply: no Resource matches the requested ARN
        \(Self.dogs): denied by Statement[1] "Night"
          Statement[0] "Stage" Allow applies: Action execute-api:Invoke and Resource \
        arn:aws:execute-api:eu-west-1:123456789012:api/prod/* match
          Statement[1] "Night" Deny applies: Action execute-api:Invoke and Resource */dogs match, and its Condition is met

        """)
  }

  @Test func printsTheSameAsJSON() async throws {
    let one = try await Self.run(["--arn", Self.arn, "--json"])
    let root = try JSONDocument(parsing: Array(one.output.utf8), limits: .event).root
    #expect(root["allowed"]?.boolean == true)
    #expect(root["decision"]?.text == "allowed")
    #expect(root["statement"]?.number?.integer == 0)
    #expect(root["statements"].map { $0.elements.compactMap { $0["applies"]?.boolean } } == [true, false])
    let all = try await Self.run(["--arn", Self.arn, "--arn", "arn:other", "--json", "--lint"])
    let both = try JSONDocument(parsing: Array(all.output.utf8), limits: .event).root
    #expect(all.exit == 1)
    #expect(
      both["decisions"].map { $0.elements.compactMap { $0["decision"]?.text } } == [
        "allowed", "implicitlyDenied",
      ])
    #expect(both["findings"].map { Array($0.elements).count } == 0)
  }

  @Test(arguments: [
    (["--arn", dogs], "error: the policy cannot be evaluated: Statement[1] depends on aws:SourceIp"),
    (
      ["--arn", dogs],
      "hint: give --context aws:SourceIp=VALUE, or --context aws:SourceIp if the request does not have it"
    ),
    (["--arn", arn, "--context", "aws:Nonsense=1"], "error: --context: aws:Nonsense is not a condition key"),
    (["--arn", arn, "--context", "aws:SourceIp=x"], "error: --context: aws:SourceIp cannot be x"),
    (
      ["--arn", arn, "--context", "aws:UserAgent=a", "--context", "aws:useragent=b"], "has one value at most"
    ),
    (["--lint", "--kind", "x"], "--kind must be one of"), (["--lint", "--ttl", "3601"], "--ttl must"),
  ]) func reportsMissingOrInvalidInput(_ arguments: [String], _ text: String) async throws {
    let time = arguments.contains("--lint") ? [] : ["--clock", "2026-11-21T23:00:00Z"]
    let answer = try await Self.run(arguments + time)
    #expect(answer.exit == 64, "\(answer.output)")
    #expect(answer.output.isEmpty)
    #expect(answer.errors.contains(text), "\(answer.errors)")
  }

  @Test(
    arguments: [
      (policy, [], 0, "no findings"),
      (
        #"{"Statement":{"Effect":"Allow","Action":"*","Resource":"*"}}"#, [], 1,
        "wideWildcard: Statement.Resource"
      ),
      (
        #"{"policyDocument":{"Statement":[{"Effect":"Allow","Action":"*","Resource":"\#(arn)","Condition":null}]}}"#,
        ["--kind", "restToken"], 1,
        "conditionNull: policyDocument.Statement[0].Condition: it is null\nhint: remove"
      ),
      (#"{"isAuthorized":"false"}"#, ["--kind", "http2"], 1, "booleanAsText: isAuthorized"),
    ] as [(String, [String], Int32, String)])
  func lintNeedsNoARN(_ policy: String, _ arguments: [String], _ exit: Int32, _ text: String) async throws {
    let answer = try await Self.run(["--lint"] + arguments, policy: policy)
    #expect(answer.exit == exit, "\(answer.errors)")
    #expect(answer.output.contains(text), "\(answer.output)")
  }
}
