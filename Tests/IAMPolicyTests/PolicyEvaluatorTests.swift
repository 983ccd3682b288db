@testable import IAMPolicy
import JSON
import TestSupport
import Testing

@Suite struct PolicyEvaluatorTests {
  static let arn = "arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets"

  static func document(_ statements: String) throws -> PolicyDocument {
    let text = #"{"Version":"2012-10-17","Statement":\#(statements)}"#
    return try PolicyDocument(JSONDocument(parsing: Array(text.utf8), limits: .event).root)
  }

  static func statement(
    _ effect: String, _ resource: String, action: String = #""Action":"execute-api:Invoke""#
  ) -> String {
    #"{"Effect":"\#(effect)",\#(action),\#(resource)}"#
  }

  static let all = #""Resource":"*""#
  static let exact = #""Resource":"\#(arn)""#
  static let other = #""Resource":"arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/dogs""#

  @Test(
    arguments: [
      // Some emulators allow this, but an explicit Deny overrides every Allow in any order.
      "[\(statement("Allow", all)),\(statement("Deny", exact))]":
        PolicyEvaluator.Decision.explicitlyDenied(statement: 1),
      "[\(statement("Deny", exact)),\(statement("Allow", all))]": .explicitlyDenied(statement: 0),
      "[\(statement("Allow", other)),\(statement("Allow", exact))]": .allowed(statement: 1),
      "[\(statement("Allow", other))]": .implicitlyDenied,
      // A single statement needs no array.
      statement("Allow", exact): .allowed(statement: 0),
      statement("Allow", #""Resource":["x","\#(arn)"]"#): .allowed(statement: 0),
      // Actions are case-insensitive patterns and are always compared.
      statement("Allow", all, action: #""Action":"execute-api:*""#): .allowed(statement: 0),
      statement("Allow", all, action: #""Action":"*""#): .allowed(statement: 0),
      statement("Allow", all, action: #""Action":"EXECUTE-API:INVOKE""#): .allowed(statement: 0),
      statement("Allow", all, action: #""Action":"execute-api:Inv?ke""#): .allowed(statement: 0),
      statement("Allow", all, action: #""Action":"s3:*""#): .implicitlyDenied,
      statement("Allow", all, action: #""Action":["s3:*","execute-api:Invoke"]"#): .allowed(statement: 0),
      statement("Allow", all, action: #""Action":"execute-api:InvokeNot""#): .implicitlyDenied,
      statement("Allow", all, action: #""NotAction":"s3:*""#): .allowed(statement: 0),
      statement("Allow", all, action: #""NotAction":"execute-api:*""#): .implicitlyDenied,
      statement("Allow", #""NotResource":"\#(arn)""#): .implicitlyDenied,
      statement("Deny", #""NotResource":"\#(arn)""#): .implicitlyDenied,
      statement("Deny", other.replacing("\"Resource", with: "\"NotResource")):
        .explicitlyDenied(statement: 0),
      // A resource is neither a regular expression nor a prefix; a star crosses slashes and may be empty.
      statement("Allow", #""Resource":"arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/p.ts""#):
        .implicitlyDenied,
      statement("Allow", #""Resource":"arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pet""#):
        .implicitlyDenied,
      statement("Allow", #""Resource":"arn:aws:execute-api:eu-west-1:123456789012:api/*""#):
        .allowed(statement: 0),
      statement("Allow", #""Resource":"arn:aws:execute-api:*:*:api/prod/GET/pets*""#): .allowed(statement: 0),
      statement("Allow", #""Resource":"arn:aws:execute-api:eu-west-1:123456789012:API/*""#):
        .implicitlyDenied,
      statement("Allow", #""Resource":"arn:*""#): .allowed(statement: 0),
      // A wildcard as the service matches nothing (IAM User Guide, "IAM JSON policy elements: Resource").
      statement("Allow", #""Resource":"arn:aws:*:eu-west-1:123456789012:api/prod/GET/pets""#):
        .implicitlyDenied,
      statement("Allow", #""Resource":"arn:aws:execute-*:*:*:api/*""#): .implicitlyDenied,
      statement("Allow", #""Resource":"arn:aws:execute-ap?:*:*:api/*""#): .implicitlyDenied,
      statement("Deny", #""Resource":"arn:aws:*:*:*:*""#): .implicitlyDenied,
      statement("Allow", #""Resource":"arn:*:execute-api:*:*:api/*""#): .allowed(statement: 0),
      // Several statements without a name are accepted.
      #"[{"Sid":"","Effect":"Allow","Action":"*","Resource":"*"},{"Sid":"","Effect":"Deny","Action":"s3:*","Resource":"*"}]"#:
        .allowed(statement: 0),
    ] as [String: PolicyEvaluator.Decision])
  func decidesAsIAMDoes(_ statements: String, _ expected: PolicyEvaluator.Decision) throws {
    #expect(try PolicyEvaluator(Self.document(statements)).decision(for: Self.arn) == expected)
  }

  @Test(arguments: [
    ("/stage/*/*", false), ("/stage/*", true), ("/stage/$connect", true), ("/stage/$?onnect", true),
  ]) func matchesTheConnectRoute(_ path: String, _ matches: Bool) throws {
    let document = try Self.document(
      Self.statement("Allow", #""Resource":"arn:aws:execute-api:r:1:api\#(path)""#))
    let decision = try PolicyEvaluator(document).decision(for: "arn:aws:execute-api:r:1:api/stage/$connect")
    #expect(decision.isAllowed == matches)
  }

  @Test(arguments: [
    ("[]", "empty", "Statement"), ("3", "wrongType", "Statement"), ("[3]", "wrongType", "Statement[0]"),
    (#"[{"Action":"*","Resource":"*"}]"#, "missing", "Statement[0].Effect"),
    (#"[{"Effect":"allow","Action":"*","Resource":"*"}]"#, "wrongType", "Statement[0].Effect"),
    (#"[{"effect":"Allow","Action":"*","Resource":"*"}]"#, "wrongCase", "Statement[0].effect"),
    (#"[{"Effect":"Allow","Resource":"*"}]"#, "missing", "Statement[0].Action"),
    (#"[{"Effect":"Allow","Action":"*"}]"#, "missing", "Statement[0].Resource"),
    (#"[{"Effect":"Allow","Action":[],"Resource":"*"}]"#, "empty", "Statement[0].Action"),
    (#"[{"Effect":"Allow","Action":"*","Resource":[]}]"#, "empty", "Statement[0].Resource"),
    (#"[{"Effect":"Allow","Action":"*","Resource":[1]}]"#, "wrongType", "Statement[0].Resource"),
    (#"[{"Effect":"Allow","Action":"*","NotAction":"*","Resource":"*"}]"#, "both", "Statement[0].Action"),
    (
      #"[{"Effect":"Allow","Action":"*","Resource":"*","Condition":null}]"#, "nullElement",
      "Statement[0].Condition"
    ),
    (
      #"[{"Effect":"Allow","Action":"*","Resource":"*","Principal":"*"}]"#, "notEvaluated",
      "Statement[0].Principal"
    ),
    (#"[{"Effect":"Allow","Action":"*","Resource":"*","Sid":7}]"#, "wrongType", "Statement[0].Sid"),
    ("[\(statement("Allow", all)),{}]", "missing", "Statement[1].Effect"),
    (
      #"[{"Sid":"A","Effect":"Allow","Action":"*","Resource":"*"},{"Sid":"A","Effect":"Deny","Action":"*","Resource":"*"}]"#,
      "duplicate", "Statement[1].Sid"
    ),
    (
      #"[{"Effect":"Allow","Action":"*","Resource":"\#(String(repeating: "a", count: 513))"}]"#, "tooLong",
      "Statement[0].Resource"
    ),
  ]) func refusesInvalidStatements(_ statements: String, _ code: String, _ path: String) throws {
    let error = try #require(throws: PolicyError.self) { try Self.document(statements) }
    #expect(caseName(error.problem) == code)
    #expect(error.path == path)
  }

  @Test(arguments: [
    (#"{"Version":"2012-10-17"}"#, "missing"), (#"{"Version":"2013","Statement":[]}"#, "wrongType"),
    (#"{"version":"2012-10-17","Statement":[]}"#, "wrongCase"), (#"{"statement":[]}"#, "wrongCase"),
    ("[]", "wrongType"),
  ]) func refusesInvalidDocuments(_ text: String, _ code: String) throws {
    let root = try JSONDocument(parsing: Array(text.utf8), limits: .event).root
    #expect(throws: PolicyError.self) { try PolicyDocument(root) }
    let error = try #require(throws: PolicyError.self) { try PolicyDocument(root) }
    #expect(caseName(error.problem) == code)
  }
}
