@testable import IAMPolicy
import JSON
import TestSupport
import Testing

/// Tests of conditions and policy variables with one request (IAM User Guide, "Condition operators").
@Suite struct ConditionTests {
  /// 2026-11-21T10:00:00Z.
  static let now: Int64 = 1_795_255_200

  static func context() throws -> ConditionContext {
    var context = ConditionContext(at: now, sourceIP: "203.0.113.24")
    try context.set("aws:UserAgent", to: ["curl/8.9.1"])
    try context.set("aws:Referer", to: [])
    try context.set("aws:SourceArn", to: ["arn:aws:execute-api:eu-west-1:1:api/prod"])
    try context.set("aws:PrincipalOrgPaths", to: ["o-1/r-1/a/", "o-1/r-1/b/"])
    try context.set("AWS:PRINCIPALTAG/team", to: ["red"])
    return context
  }

  static func document(
    _ condition: String, resource: String = "*", effect: String = "Allow", version: String = "2012-10-17"
  ) throws -> PolicyDocument {
    let text =
      #"{"Version":"\#(version)","Statement":{"Effect":"\#(effect)","Action":"execute-api:Invoke","#
      + #""Resource":"\#(resource)","Condition":\#(condition)}}"#
    return try PolicyDocument(JSONDocument(parsing: Array(text.utf8), limits: .event).root)
  }

  static func holds(_ condition: String) throws -> Bool {
    try PolicyEvaluator(document(condition)).decision(for: "arn", in: context()).isAllowed
  }

  @Test(arguments: [
    ("{}", true),
    // Strings.
    (#"{"StringEquals":{"aws:UserAgent":"curl/8.9.1"}}"#, true),
    (#"{"StringEquals":{"aws:UserAgent":"CURL/8.9.1"}}"#, false),
    (#"{"StringEquals":{"aws:UserAgent":"curl/*"}}"#, false),
    (#"{"StringEquals":{"AWS:useragent":["x","curl/8.9.1"]}}"#, true),
    (#"{"StringNotEquals":{"aws:UserAgent":["x","curl/8.9.1"]}}"#, false),
    (#"{"StringNotEquals":{"aws:UserAgent":["x","y"]}}"#, true),
    (#"{"StringEqualsIgnoreCase":{"aws:UserAgent":"CURL/8.9.1"}}"#, true),
    (#"{"StringNotEqualsIgnoreCase":{"aws:UserAgent":"CURL/8.9.1"}}"#, false),
    (#"{"StringLike":{"aws:UserAgent":"curl/?.*"}}"#, true),
    (#"{"StringLike":{"aws:UserAgent":"url*"}}"#, false),
    (#"{"StringNotLike":{"aws:UserAgent":"curl/*"}}"#, false),
    (#"{"StringLike":{"aws:SourceIp":"203.0.113.*"}}"#, true),
    (#"{"StringEquals":{"aws:PrincipalTag/team":"red"}}"#, true),
    (#"{"StringEquals":{"aws:PrincipalTag/other":"red"}}"#, false),
    // All operators and keys must match.
    (
      #"{"StringLike":{"aws:UserAgent":"curl*","aws:SourceIp":"10.*"},"Bool":{"aws:SecureTransport":"true"}}"#,
      false
    ),
    (#"{"StringLike":{"aws:UserAgent":"curl*"},"Bool":{"aws:SecureTransport":"true"}}"#, true),
    // Keys that the request does not have.
    (#"{"StringEquals":{"aws:Referer":"x"}}"#, false), (#"{"StringNotEquals":{"aws:Referer":"x"}}"#, true),
    (#"{"StringEqualsIfExists":{"aws:Referer":"x"}}"#, true),
    (#"{"StringEqualsIfExists":{"aws:UserAgent":"x"}}"#, false),
    (#"{"StringNotEqualsIfExists":{"aws:UserAgent":"curl/8.9.1"}}"#, false),
    (#"{"BoolIfExists":{"aws:MultiFactorAuthPresent":true}}"#, true),
    (#"{"Bool":{"aws:MultiFactorAuthPresent":"true"}}"#, false),
    (#"{"Null":{"aws:Referer":"true"}}"#, true), (#"{"Null":{"aws:Referer":false}}"#, false),
    (#"{"Null":{"aws:UserAgent":"true"}}"#, false), (#"{"Null":{"aws:UserAgent":"false"}}"#, true),
    (#"{"Null":{"aws:TokenIssueTime":true}}"#, true),
    // Booleans.
    (#"{"Bool":{"aws:SecureTransport":true}}"#, true), (#"{"Bool":{"aws:SecureTransport":"false"}}"#, false),
    // Times.
    (#"{"DateLessThan":{"aws:CurrentTime":"2026-11-21T10:00:01Z"}}"#, true),
    (#"{"DateLessThan":{"aws:CurrentTime":"2026-11-21T10:00:00Z"}}"#, false),
    (#"{"DateLessThanEquals":{"aws:CurrentTime":"2026-11-21T10:00:00Z"}}"#, true),
    (#"{"DateGreaterThan":{"aws:CurrentTime":"2026-11-21"}}"#, true),
    (#"{"DateGreaterThan":{"aws:CurrentTime":"2026-12"}}"#, false),
    (#"{"DateEquals":{"aws:CurrentTime":"2026-11-21T19:00:00+09:00"}}"#, true),
    (#"{"DateNotEquals":{"aws:CurrentTime":"2026-11-21T10:00:00.5Z"}}"#, true),
    (#"{"DateGreaterThanEquals":{"aws:EpochTime":1795255200}}"#, true),
    (#"{"DateLessThan":{"aws:EpochTime":"2026-11-21T09:59:59Z"}}"#, false),
    (#"{"NumericLessThan":{"aws:EpochTime":"1795255201"}}"#, true),
    (#"{"NumericGreaterThan":{"aws:EpochTime":1795255200.5}}"#, false),
    (#"{"NumericEquals":{"aws:EpochTime":"1795255200"}}"#, true),
    (#"{"NumericNotEquals":{"aws:EpochTime":["1","2"]}}"#, true),
    (#"{"NumericLessThanEquals":{"aws:EpochTime":1795255200}}"#, true),
    (#"{"NumericGreaterThanEquals":{"aws:EpochTime":1795255201}}"#, false),
    // Addresses.
    (#"{"IpAddress":{"aws:SourceIp":"203.0.113.0/24"}}"#, true),
    (#"{"IpAddress":{"aws:SourceIp":["10.0.0.0/8","203.0.113.24"]}}"#, true),
    (#"{"IpAddress":{"aws:SourceIp":"203.0.113.16/29"}}"#, false),
    (#"{"IpAddress":{"aws:SourceIp":"203.0.113.99/24"}}"#, true),
    (#"{"IpAddress":{"aws:SourceIp":"0.0.0.0/0"}}"#, true),
    (#"{"IpAddress":{"aws:SourceIp":"::/0"}}"#, false),
    (#"{"NotIpAddress":{"aws:SourceIp":["10.0.0.0/8","203.0.113.0/24"]}}"#, false),
    (#"{"NotIpAddress":{"aws:SourceIp":"2001:db8::/32"}}"#, true),
    // ARNs are compared part by part: a wildcard crosses a colon only in the last part.
    (#"{"ArnLike":{"aws:SourceArn":"arn:aws:execute-api:*:1:api/*"}}"#, true),
    (#"{"ArnEquals":{"aws:SourceArn":"arn:aws:execute-api:*:*:api/prod"}}"#, true),
    (#"{"ArnLike":{"aws:SourceArn":"arn:aws:*:1:api/prod:x"}}"#, false),
    (#"{"ArnNotLike":{"aws:SourceArn":"arn:aws:execute-api:*:1:api/*"}}"#, false),
    (#"{"ArnNotEquals":{"aws:SourceArn":"arn:aws:execute-api:eu-west-1:2:api/prod"}}"#, true),
    // A pattern with fewer than six parts is no ARN.
    (#"{"ArnLike":{"aws:SourceArn":"*"}}"#, false), (#"{"ArnEquals":{"aws:SourceArn":"arn:aws:*"}}"#, false),
    (#"{"ArnNotLike":{"aws:SourceArn":"*"}}"#, true),
    // Sets.
    (#"{"ForAnyValue:StringEquals":{"aws:PrincipalOrgPaths":"o-1/r-1/b/"}}"#, true),
    (#"{"ForAnyValue:StringEquals":{"aws:PrincipalOrgPaths":"o-2"}}"#, false),
    (#"{"ForAllValues:StringLike":{"aws:PrincipalOrgPaths":"o-1/*"}}"#, true),
    (#"{"ForAllValues:StringLike":{"aws:PrincipalOrgPaths":"o-1/r-1/a/"}}"#, false),
    (#"{"ForAnyValue:StringNotLike":{"aws:PrincipalOrgPaths":"o-1/r-1/a/"}}"#, true),
    (#"{"ForAllValues:StringNotLike":{"aws:PrincipalOrgPaths":"o-1/r-1/a/"}}"#, false),
    (#"{"ForAllValues:StringEquals":{"aws:Referer":"x"}}"#, true),
    (#"{"ForAnyValue:StringNotEquals":{"aws:Referer":"x"}}"#, false),
    (#"{"ForAllValues:StringEqualsIfExists":{"aws:Referer":"x"}}"#, true),
    // The set operator decides before IfExists, as measured by iam.cloudcopilot.io.
    (#"{"ForAnyValue:StringEqualsIfExists":{"aws:Referer":"x"}}"#, false),
    (#"{"ForAnyValue:StringEqualsIfExists":{"aws:PrincipalOrgPaths":"o-1/r-1/b/"}}"#, true),
    (#"{"Null":{"aws:PrincipalOrgPaths":"false"}}"#, true),
  ]) func evaluatesConditionsAsIAMDoes(_ condition: String, _ expected: Bool) throws {
    #expect(try Self.holds(condition) == expected)
  }

  @Test(arguments: [
    ("null", "nullElement"), ("[]", "wrongType"), (#"{"StringEquals":{}}"#, "empty"),
    (#"{"StringEquals":"x"}"#, "wrongType"), (#"{"StringEquals":{"aws:UserAgent":[]}}"#, "empty"),
    (#"{"StringEquals":{"aws:UserAgent":null}}"#, "wrongType"),
    (#"{"StringIs":{"aws:UserAgent":"x"}}"#, "unknownOperator"),
    (#"{"stringequals":{"aws:UserAgent":"x"}}"#, "unknownOperator"),
    (#"{"BinaryEquals":{"aws:UserAgent":"eA=="}}"#, "unknownOperator"),
    (#"{"ForAll:StringEquals":{"aws:UserAgent":"x"}}"#, "unknownOperator"),
    (#"{"StringEquals":{"aws:Nonsense":"x"}}"#, "unknownKey"),
    (#"{"StringEquals":{"s3:prefix":"x"}}"#, "unknownKey"),
    (#"{"StringEquals":{"aws:PrincipalTag/":"x"}}"#, "unknownKey"),
    (#"{"NumericEquals":{"aws:UserAgent":1}}"#, "misfit"), (#"{"Bool":{"aws:SourceIp":true}}"#, "misfit"),
    (#"{"IpAddress":{"aws:UserAgent":"10.0.0.0/8"}}"#, "misfit"),
    (#"{"NumericEquals":{"aws:CurrentTime":1}}"#, "misfit"),
    (#"{"ArnLike":{"aws:SourceIp":"arn:a:b:c:d:e"}}"#, "misfit"),
    (#"{"StringEquals":{"aws:PrincipalOrgPaths":"x"}}"#, "needsSetOperator"),
    (#"{"NullIfExists":{"aws:Referer":true}}"#, "contradiction"),
    (#"{"ForAnyValue:Null":{"aws:Referer":true}}"#, "contradiction"),
    (#"{"Null":{"aws:Referer":"maybe"}}"#, "wrongValue"),
    (#"{"DateLessThan":{"aws:EpochTime":-9223372036854775808}}"#, "wrongValue"),
    (#"{"Null":{"aws:Referer":["true","false"]}}"#, "wrongValue"),
    (#"{"Bool":{"aws:SecureTransport":"True"}}"#, "wrongValue"),
    (#"{"DateLessThan":{"aws:CurrentTime":"tomorrow"}}"#, "wrongValue"),
    (#"{"DateLessThan":{"aws:CurrentTime":"2026-11-21T10:00:00"}}"#, "wrongValue"),
    (#"{"DateLessThan":{"aws:CurrentTime":"2026-02-29"}}"#, "wrongValue"),
    (#"{"DateLessThan":{"aws:CurrentTime":"2026"}}"#, "wrongValue"),
    (#"{"NumericEquals":{"aws:EpochTime":"1e9"}}"#, "wrongValue"),
    (#"{"IpAddress":{"aws:SourceIp":"203.0.113.0/33"}}"#, "wrongValue"),
    (#"{"IpAddress":{"aws:SourceIp":"203.0.113"}}"#, "wrongValue"),
    (#"{"IpAddress":{"aws:SourceIp":"010.0.0.1"}}"#, "wrongValue"),
    (#"{"IpAddress":{"aws:SourceIp":"1:2:3:4:5:6:7::8::"}}"#, "wrongValue"),
    (#"{"IpAddress":{"aws:SourceIp":"${aws:SourceIp}"}}"#, "variable"),
    (#"{"StringEquals":{"aws:UserAgent":"${aws:nonsense}"}}"#, "variable"),
    (#"{"StringEquals":{"aws:UserAgent":"${aws:username"}}"#, "variable"),
    (#"{"StringEquals":{"aws:UserAgent":"${aws:PrincipalOrgPaths}"}}"#, "variable"),
  ]) func refusesInvalidConditions(_ condition: String, _ code: String) throws {
    let error = try #require(throws: PolicyError.self) { try Self.document(condition) }
    #expect(caseName(error.problem) == code)
    #expect(error.path.hasPrefix("Statement.Condition"))
  }

  @Test func namesTheSpellingOfAnOperatorInAnotherCase() throws {
    let error = try #require(throws: PolicyError.self) {
      try Self.document(#"{"forallvalues:stringequalsifexists":{"aws:Referer":"x"}}"#)
    }
    #expect(error.description.hasSuffix("must be spelled ForAllValues:StringEqualsIfExists"))
  }

  @Test(arguments: [
    // Request values in a resource and in a condition.
    (#"{}"#, "arn:a:b:c:d:users/${aws:PrincipalTag/team}/*", true),
    (#"{}"#, "arn:a:b:c:d:users/${aws:username}/*", false),
    (#"{}"#, "arn:a:b:c:d:users/${aws:username, 'red'}/*", true),
    (#"{}"#, "arn:a:b:c:d:users/${*}/*", false),
    (#"{"StringEquals":{"aws:UserAgent":"curl/${aws:username, '8.9.1'}"}}"#, "*", true),
    (#"{"StringLike":{"aws:UserAgent":"${aws:username}*"}}"#, "*", false),
    (#"{"StringLike":{"aws:UserAgent":"curl${?}*"}}"#, "*", false),
    (#"{"StringEquals":{"aws:PrincipalTag/team":"${aws:principaltag/TEAM}"}}"#, "*", true),
  ]) func substitutesPolicyVariables(_ condition: String, _ resource: String, _ expected: Bool) throws {
    let evaluator = PolicyEvaluator(try Self.document(condition, resource: resource))
    let decision = try evaluator.decision(for: "arn:a:b:c:d:users/red/x", in: Self.context())
    #expect(decision.isAllowed == expected)
  }

  /// Before 2012-10-17, and without a version, `${…}` is text.
  @Test func oldVersionHasNoVariables() throws {
    let document = try Self.document("{}", resource: "a/${aws:username}", version: "2008-10-17")
    #expect(document.version == .original)
    #expect(try PolicyEvaluator(document).decision(for: "a/${aws:username}").isAllowed)
    let bare = #"{"Statement":{"Effect":"Allow","Action":"*","Resource":"${x"}}"#
    let root = try JSONDocument(parsing: Array(bare.utf8), limits: .event).root
    #expect(try PolicyDocument(root).version == .original)
  }

  @Test(arguments: [
    ("execute-api:${aws:username}", "*", "Statement.Action"),
    ("*", "arn:aws:execute-api:${aws:PrincipalTag/region}:1:api/*", "Statement.Resource"),
    ("*", "${aws:username}", "Statement.Resource"),
  ]) func refusesVariablesInOtherElements(_ action: String, _ resource: String, _ path: String) throws {
    let text =
      #"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"\#(action)","Resource":"\#(resource)"}}"#
    let root = try JSONDocument(parsing: Array(text.utf8), limits: .event).root
    let error = try #require(throws: PolicyError.self) { try PolicyDocument(root) }
    #expect(caseName(error.problem) == "variable")
    #expect(error.path == path)
  }

  /// A key with an unknown value does not count as absent, because a Deny on it would have no effect.
  @Test(arguments: [
    (#"{"IpAddress":{"aws:SourceIp":"10.0.0.0/8"}}"#, "*", "unknownValue", "aws:SourceIp"),
    (#"{"StringEqualsIfExists":{"aws:Referer":"x"}}"#, "*", "unknownValue", "aws:Referer"),
    (#"{"Null":{"aws:SourceVpce":"true"}}"#, "*", "unknownValue", "aws:SourceVpce"),
    (#"{"DateLessThan":{"aws:CurrentTime":"2027-01-01"}}"#, "*", "unknownValue", "aws:CurrentTime"),
    ("{}", "a:b:c:d:e:${aws:UserAgent}", "unknownValue", "aws:UserAgent"),
    (
      #"{"StringNotLike":{"aws:PrincipalType":"x","aws:PrincipalArn":"${aws:username}"}}"#, "*", "", ""
    ),
  ]) func isUndecidedWithoutTheNeededValue(
    _ condition: String, _ resource: String, _ code: String, _ key: String
  ) throws {
    let evaluator = PolicyEvaluator(try Self.document(condition, resource: resource, effect: "Deny"))
    guard !code.isEmpty else {
      // A negated operator matches an absent key before the policy's values are evaluated.
      #expect(try evaluator.decision(for: "arn") == .explicitlyDenied(statement: 0))
      return
    }
    let error = try #require(throws: UndecidedPolicy.self) { try evaluator.decision(for: "arn") }
    #expect(caseName(error.problem) == code)
    #expect(error.key == key)
  }

  @Test func wildcardValuesAndNegatedMissingValuesAreUndecided() throws {
    var context = try Self.context()
    try context.set("aws:UserAgent", to: ["*"])
    let wild = PolicyEvaluator(try Self.document("{}", resource: "a:b:c:d:e:${aws:UserAgent}"))
    #expect(throws: UndecidedPolicy(statement: 0, problem: .wildcardInValue("aws:UserAgent"))) {
      try wild.decision(for: "a:b:c:d:e:anything", in: context)
    }
    let exact = PolicyEvaluator(
      try Self.document(#"{"StringEquals":{"aws:UserAgent":"${aws:UserAgent}"}}"#))
    #expect(try exact.decision(for: "arn", in: context).isAllowed)
    let negated = PolicyEvaluator(
      try Self.document(#"{"StringNotEquals":{"aws:UserAgent":"${aws:username}"}}"#))
    #expect(throws: UndecidedPolicy(statement: 0, problem: .variableWithoutValue("aws:username"))) {
      try negated.decision(for: "arn", in: context)
    }
  }

  @Test(arguments: [
    ("aws:Nonsense", ["x"], "unknownKey"), ("aws:UserAgent", ["a", "b"], "severalValues"),
    ("aws:SourceIp", ["300.0.0.1"], "wrongValue"), ("aws:SourceIp", ["10.0.0.0/8"], "wrongValue"),
    ("aws:SecureTransport", ["yes"], "wrongValue"), ("aws:CurrentTime", ["now"], "wrongValue"),
    ("aws:MultiFactorAuthAge", ["old"], "wrongValue"),
  ]) func refusesInvalidRequestValues(_ name: String, _ values: [String], _ code: String) throws {
    var context = ConditionContext.unknown
    let error = try #require(throws: ConditionContextError.self) { try context.set(name, to: values) }
    #expect(caseName(error) == code)
  }

  @Test(arguments: [
    ("2001:db8::/32", "2001:db8:1::7", true), ("2001:db8::/32", "2001:db9::7", false),
    ("::ffff:10.0.0.0/104", "::ffff:10.1.2.3", true), ("::1", "0:0:0:0:0:0:0:1", true),
    ("fe80::/10", "febf::1", true), ("fe80::/10", "fec0::1", false), ("10.0.0.0/8", "::ffff:10.0.0.1", false),
    ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8", true), ("128.0.0.0/1", "255.0.0.1", true),
  ]) func matchesAddressesToNetworks(_ network: String, _ address: String, _ expected: Bool) throws {
    let network = try #require(ConditionNetwork(network))
    #expect(network.contains(try #require(ConditionNetwork(address: address))) == expected)
  }

  @Test(arguments: [
    "", ":", "1:2", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::", "1.2.3.4.5", "1.2.3.256", "1.2.3.4/",
    "1.2.3.4/33", "::/129", ":1:2:3:4:5:6:7", "::1.2.3", "1.2.3.4::", " 1.2.3.4", "1.2.3.4/+8",
    "01.2.3.4", "1.2.3.4\u{0}", "::1\u{0}", "fe80::1%eth0", "ffff", "1.2.3",
  ]) func refusesInvalidAddresses(_ text: String) {
    #expect(ConditionNetwork(text) == nil)
  }

  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2000-02-29T23:59:59Z", 951_868_799_000), ("2026-11-21", 1_795_219_200_000),
    ("2026-11", 1_793_491_200_000), ("2026-11-21T10:00Z", 1_795_255_200_000),
    ("2026-11-21T10:00:00.123456Z", 1_795_255_200_123), ("2026-11-21T05:30:00-04:30", 1_795_255_200_000),
    ("1795255200", 1_795_255_200_000), ("-1", -1000), ("1969-12-31T23:59:59Z", -1000),
  ]) func readsDates(_ text: String, _ milliseconds: Int64) {
    #expect(ConditionDate(text)?.unixMilliseconds == milliseconds)
  }
}
