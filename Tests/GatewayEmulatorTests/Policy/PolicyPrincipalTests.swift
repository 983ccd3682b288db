@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import IAMPolicy
@testable import Templates
import JSON
import TestSupport
import Testing

/// Principals of resource policies, and the policies that SAM makes.
@Suite struct PolicyPrincipalTests {
  static let user = PolicyCaller.identity(arn: "arn:aws:iam::123456789012:user/anna", account: "123456789012")
  static let session = PolicyCaller.identity(
    arn: "arn:aws:sts::123456789012:assumed-role/Admin/anna", account: "123456789012")

  static func decision(
    _ principal: String, effect: String = "Allow", by caller: PolicyCaller
  ) throws -> PolicyEvaluator.Decision {
    let statement =
      #"{"Effect":"\#(effect)",\#(principal),"Action":"execute-api:Invoke","Resource":"execute-api:/*"}"#
    return try PolicyEvaluator(ResourcePolicyTests.policy(statement)).decision(
      for: "arn:aws:execute-api:us-east-1:123456789012:abcdefghij/prod/GET/pets", by: caller)
  }

  @Test(arguments: [
    (#""Principal":"*""#, true, true, true), (#""Principal":{"AWS":"*"}"#, true, true, true),
    (#""Principal":{"AWS":["1","*"]}"#, true, true, true),
    (#""Principal":{"AWS":"123456789012"}"#, false, true, true),
    (#""Principal":{"AWS":"arn:aws:iam::123456789012:root"}"#, false, true, true),
    (#""Principal":{"AWS":"arn:aws:iam::210987654321:root"}"#, false, false, false),
    (#""Principal":{"AWS":"arn:aws:iam::123456789012:user/anna"}"#, false, true, false),
    (#""Principal":{"AWS":"arn:aws:iam::123456789012:role/path/Admin"}"#, false, false, true),
    (#""Principal":{"AWS":"arn:aws:iam::123456789012:role/Adm"}"#, false, false, false),
    (#""Principal":{"Service":"apigateway.amazonaws.com"}"#, false, false, false),
    (#""Principal":{"Federated":"x","AWS":"*"}"#, true, true, true),
  ]) func comparesTheCaller(_ principal: String, _ anonymous: Bool, _ user: Bool, _ session: Bool) throws {
    #expect(try Self.decision(principal, by: .anonymous).isAllowed == anonymous)
    #expect(try Self.decision(principal, by: Self.user).isAllowed == user)
    #expect(try Self.decision(principal, by: Self.session).isAllowed == session)
  }

  /// It spares an identity only if it names the account too, and a session only with its role.
  @Test(arguments: [
    (#""arn:aws:iam::123456789012:user/anna""#, true, true),
    (#""arn:aws:iam::123456789012:root""#, true, true), (#""123456789012""#, true, true),
    (#""arn:aws:iam::123456789012:user/anna","123456789012""#, false, true),
    (#""arn:aws:iam::123456789012:user/anna","arn:aws:iam::123456789012:root""#, false, true),
    (#""arn:aws:iam::123456789012:user/anna","arn:aws:iam::210987654321:root""#, true, true),
    (#""arn:aws:sts::123456789012:assumed-role/Admin/anna","123456789012""#, true, true),
    (
      #""arn:aws:sts::123456789012:assumed-role/Admin/anna","arn:aws:iam::123456789012:role/Admin","123456789012""#,
      true, false
    ),
    (#""*""#, false, false),
  ]) func aNotPrincipalDeniesTheOthers(_ names: String, _ user: Bool, _ session: Bool) throws {
    let principal = #""NotPrincipal":{"AWS":[\#(names)]}"#
    func isDenied(_ caller: PolicyCaller) throws -> Bool {
      try Self.decision(principal, effect: "Deny", by: caller) == .explicitlyDenied(statement: 0)
    }
    #expect(try isDenied(Self.user) == user)
    #expect(try isDenied(Self.session) == session)
    #expect(try isDenied(.anonymous) == (names != #""*""#))
  }

  @Test(arguments: [
    (#""Sid":"A""#, "missing"), (#""Principal":"*","NotPrincipal":"*""#, "both"),
    (#""NotPrincipal":{"AWS":"1"}"#, "notEvaluated"), (#""Principal":{"aws":"*"}"#, "notEvaluated"),
    (#""Principal":{}"#, "empty"), (#""Principal":"123456789012""#, "wrongType"),
    (#""Principal":7"#, "wrongType"),
    (#""Principal":{"AWS":7}"#, "wrongType"), (#""Principal":{"AWS":"arn:aws:iam::*:root"}"#, "wrongValue"),
  ]) func refusesWhatIAMDoesNotAccept(_ principal: String, _ code: String) throws {
    let error = try #require(throws: PolicyError.self) { try Self.decision(principal, by: .anonymous) }
    #expect(caseName(error.problem) == code)
  }

  @Test func aPolicyMayBeText() throws {
    let text = #"{"Statement":\#(ResourcePolicyTests.allow)}"#
    let document = try ResourcePolicy.document(
      .string(text), prefix: AWSLocation().policyPrefix(ofAPI: "a"))
    #expect(document.statements.count == 1)
    #expect(throws: PolicyError.self) {
      try ResourcePolicy.document(.string("not json"), prefix: AWSLocation().policyPrefix(ofAPI: "a"))
    }
  }

  /// `IpRangeWhitelist: [192.0.2.0/24]` as SAM's translator writes it.
  @Test func readsTheListsOfSAM() throws {
    let report = Diagnostics()
    let reader = TemplateReader(
      TemplateDocument("Resources: {}", parameters: [:], report), place: AWSLocation(), report)
    func texts(_ list: [String]) -> TemplateValue {
      .init(line: 1, content: .list(list.map { .init(line: 1, content: .text($0)) }))
    }
    func read(_ members: [(String, TemplateValue)]) throws -> PolicyDocument? {
      let part = ResourcePolicyReader.Part(
        value: .init(line: 1, content: .map(members.map { .init(name: $0.0, value: $0.1) })), path: "P",
        routes: [try GatewayStage.route("GET /pets/{id}"), try GatewayStage.route("ANY /{proxy+}")],
        stage: "prod")
      return ResourcePolicyReader(reader: reader, report: report).document(ofSAM: [part], of: "abcdefghij")
    }
    func isAllowed(_ document: PolicyDocument?, _ address: String, _ path: String = "GET/pets/1") throws
      -> Bool
    {
      var context = ConditionContext(at: 0, sourceIP: address)
      for key in ["aws:SourceVpc", "aws:SourceVpce"] { try context.set(key, to: []) }
      return try PolicyEvaluator(#require(document)).decision(
        for: "arn:aws:execute-api:us-east-1:123456789012:abcdefghij/prod/\(path)", in: context
      ).isAllowed
    }
    let allowed = try read([("IpRangeWhitelist", texts(["192.0.2.0/24"]))])
    #expect(try isAllowed(allowed, "192.0.2.7"))
    #expect(try !isAllowed(allowed, "198.51.100.7"))
    #expect(try isAllowed(allowed, "192.0.2.7", "PUT/any/path"))
    #expect(try !isAllowed(allowed, "198.51.100.7", "PUT/any/path"))
    let denied = try read([("IpRangeBlacklist", texts(["192.0.2.0/24"]))])
    #expect(try !isAllowed(denied, "192.0.2.7"))
    #expect(try isAllowed(denied, "198.51.100.7"))
    #expect(try !isAllowed(try read([("SourceVpcWhitelist", texts(["vpce-1", "vpc-1"]))]), "192.0.2.7"))
    #expect(try isAllowed(try read([("IntrinsicVpceBlacklist", texts(["vpce-1"]))]), "192.0.2.7"))
    #expect(try !isAllowed(try read([("AwsAccountWhitelist", texts(["123456789012"]))]), "192.0.2.7"))
    #expect(try read([]) == nil)
    #expect(report.findings.isEmpty)
    _ = try read([("SourceVpcWhitelist", texts(["subnet-1"]))])
    _ = try read([("IpRangeWhitelist", texts(["192.0.2.0/33"]))])
    _ = try read([("IpRangeWhitelists", texts(["192.0.2.0/24"]))])
    #expect(report.findings.count == 3)
  }
}
