@testable import EmulatorTestSupport
@testable import DeploymentChecks
@testable import Templates
import Testing

/// Tests with variants of the shipped sign-in template.
@Suite struct TemplateIdentityTests {
  typealias Code = DeploymentFinding.Code

  static let identity = DeployedIdentity(
    table: DeployedTable(name: "UserTable", region: nil), secretVariables: ["IDENTITY_NONCE_SECRET"])
  static let revocations = DeployedTable(name: "UserTable", region: nil)

  /// A replacement of all occurrences in `template/identity.yaml`.
  struct Change: Sendable {
    let old: String
    let new: String

    init(_ old: String, _ new: String) {
      self.old = old
      self.new = new
    }
  }

  static func findings(
    _ changes: [Change], _ identity: DeployedIdentity? = identity,
    _ revocations: DeployedTable? = revocations, proofs: [DeployedTable] = []
  ) throws -> [DeploymentFinding] {
    var text = try TemplateSamples.deployed("identity")
    for change in changes {
      #expect(text.contains(change.old), "\(change.old)")
      text = text.replacing(change.old, with: change.new)
    }
    return TemplateIdentityInspection(
      ParsedTemplate(text).survey, template: try GatewayTemplate(parsing: text),
      identities: identity.map { ["IdentityFunction": $0] } ?? [:],
      revocations: revocations.map { ["AuthorizerFunction": $0] } ?? [:],
      proofs: ["AuthorizerFunction": proofs]
    ).findings
  }

  @Test func shippedTemplateHasNoFindings() throws {
    #expect(try Self.findings([]) == [])
    let template = try GatewayTemplate(parsing: TemplateSamples.deployed("identity"))
    #expect(template.identityFunctions == ["IdentityFunction"])
    let others = TemplateInspection(
      template, ["AuthorizerFunction": DeployedConfiguration(fetchMilliseconds: 3000)])
    #expect(others.findings.filter { $0.severity != .note } == [])
    let resources = TemplateResourceInspection(
      ParsedTemplate(try TemplateSamples.deployed("identity")).survey, isUnderstood: true)
    #expect(resources.findings == [])
  }

  @Test(arguments: ["template", "simple-answers"]) func otherTemplatesHaveNoSignInFunction(_ name: String)
    throws
  {
    let text = try TemplateSamples.deployed(name)
    let parameters = ["Issuer": "apple", "Audience": "a"]
    let template = try GatewayTemplate(parsing: text, parameters: parameters)
    #expect(template.identityFunctions == [])
    let inspection = TemplateIdentityInspection(
      ParsedTemplate(text, parameters: parameters).survey, template: template, identities: [:])
    #expect(inspection.findings == [])
  }

  // MARK: Routes

  static let me = "Path: /users/me, Method: GET"
  static let verify = "Path: /auth/verify, Method: POST, Auth: { Authorizer: NONE }"

  @Test(
    arguments: [
      ([Change(me, me + ", Auth: { Authorizer: NONE }")], [.userRouteOpen, .userRouteOpen]),
      ([Change(verify, "Path: /auth/verify, Method: POST")], [.signInGuarded, .signInGuarded]),
      (
        [Change("        DefaultAuthorizer: Bearer\n", "")],
        [.userRouteOpen, .userRouteOpen, .userRouteOpen, .userRouteOpen]
      ),
      // The method of a route does not matter.
      ([Change(me, "Path: /users/me, Method: ANY")], []),
      ([Change(me, "Path: /users/me/photo, Method: GET, Auth: { Authorizer: NONE }")], []),
      // A greedy path, for all paths without another route.
      (
        [
          Change(
            "ApiId: !Ref HttpApi, " + verify, "ApiId: !Ref HttpApi, Path: \"/auth/{proxy+}\", Method: ANY")
        ],
        [.signInGuarded]
      ),
      ([Change("Runtime: provided.al2023", "Runtime: provided.al2")], [.wrongRuntime]),
    ] as [([Change], [Code])])
  func comparesRoutesWithTheirAuthorizers(_ changes: [Change], _ codes: [Code]) throws {
    // The findings do not depend on the configuration.
    #expect(try Self.findings(changes).map(\.code) == codes)
    #expect(try Self.findings(changes, nil, nil).map(\.code) == codes)
  }

  @Test func basePathIsAPrefixOfEachRoute() throws {
    let changes = [
      Change("Path: /users/me, Method: GET", "Path: /v1/users/me, Method: GET, Auth: { Authorizer: NONE }")
    ]
    #expect(try Self.findings(changes) == [])
    let identity = DeployedIdentity(table: nil, basePath: "/v1")
    #expect(
      try Self.findings(changes, identity, nil).map(\.place) == [
        "HttpApi GET /v1/users/me", "RestApi GET /v1/users/me",
      ])
  }

  // MARK: The table

  static let schema = "- { AttributeName: pk, KeyType: HASH }"
  static let ttl = "TimeToLiveSpecification: { AttributeName: expires, Enabled: true }"

  @Test(
    arguments: [
      ([Change("AttributeName: pk,", "AttributeName: id,")], [.tableKeyMismatch]),
      ([Change("AttributeType: S", "AttributeType: N")], [.tableKeyMismatch]),
      (
        [
          Change(schema, schema + "\n        - { AttributeName: sk, KeyType: RANGE }"),
          Change(
            "AttributeType: S }", "AttributeType: S }\n        - { AttributeName: sk, AttributeType: S }"),
        ], [.tableKeyMismatch]
      ),
      ([Change(ttl, "TableName: users")], [.tableWithoutExpiry]),
      ([Change("expires, Enabled: true", "expiry, Enabled: true")], [.tableWithoutExpiry]),
      ([Change("expires, Enabled: true", "expires, Enabled: false")], [.tableWithoutExpiry]),
      ([Change("DeletionPolicy: Retain", "DeletionPolicy: Delete")], [.tableNotRetained]),
      ([Change("    DeletionPolicy: Retain\n", "")], [.tableNotRetained]),
      ([Change("DeletionPolicy: Retain", "DeletionPolicy: RetainExceptOnCreate")], []),
    ] as [([Change], [Code])])
  func inspectsTheTable(_ changes: [Change], _ codes: [Code]) throws {
    #expect(try Self.findings(changes).map(\.code) == codes)
  }

  @Test func findsATableByItsName() throws {
    let users = DeployedTable(name: "users", region: "eu-central-1")
    let changes = [
      Change(Self.ttl, "TableName: users"),
      Change("!GetAtt UserTable.Arn", "arn:aws:dynamodb:*:*:table/users"),
    ]
    let identity = DeployedIdentity(table: users)
    #expect(try Self.findings(changes, identity, users).map(\.code) == [.tableWithoutExpiry])
    // A table of another stack is not checked, but the role has no rights on it.
    let elsewhere = DeployedIdentity(table: DeployedTable(name: "elsewhere", region: nil))
    #expect(try Self.findings([], elsewhere, nil).map(\.code) == [.roleTooNarrow])
  }

  @Test(
    arguments: [
      (DeployedTable(name: "UserTable", region: "eu-west-1"), [Code]()),
      (DeployedTable(name: "Users", region: nil), [.roleTooNarrow, .tablesDiffer]),
    ])
  func comparesTheTablesOfBothFunctions(_ table: DeployedTable, _ codes: [Code]) throws {
    #expect(try Self.findings([], Self.identity, table).map(\.code) == codes)
  }

  @Test func comparesRegions() throws {
    let identity = DeployedIdentity(table: DeployedTable(name: "UserTable", region: "eu-west-1"))
    let other = DeployedTable(name: "UserTable", region: "eu-west-2")
    #expect(try Self.findings([], identity, other).map(\.code) == [.tablesDiffer])
    #expect(try Self.findings([], DeployedIdentity(table: nil), other).map(\.code) == [])
  }

  // MARK: Secrets

  static let resolved = #"!Sub "{{resolve:secretsmanager:${NonceSecret}}}""#
  static let generated = "GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true }"

  @Test(
    arguments: [
      (resolved, "C5t1siy2xfaFlb8K8Pgce2nnwWlJt10qwV7Gm7x4", [.secretInTemplate]),
      (resolved, "!Ref NonceSecret", [.secretInTemplate]), (resolved, "!Ref Audience", [.secretInTemplate]),
      (resolved, #""{{resolve:ssm:/nonce}}""#, []),
      (resolved, #""{{resolve:secretsmanager:of-another-stack}}""#, []), (resolved, #""""#, []),
      (generated, "GenerateSecretString: { PasswordLength: 31 }", [.secretTooShort]),
      (generated, "GenerateSecretString: {}", []),
      (generated, "SecretString: C5t1siy2xfaFlb8K8Pgce2nnwWlJt10qwV7Gm7x4", [.secretInTemplate]),
    ] as [(String, String, [Code])])
  func findsSecretsInTheTemplate(_ old: String, _ new: String, _ codes: [Code]) throws {
    #expect(try Self.findings([Change(old, new)]).map(\.code) == codes)
  }

  /// A parameter value is not part of the template.
  @Test func ignoresSecretsInParameterValues() throws {
    let text = try TemplateSamples.deployed("identity")
      .replacing(Self.resolved, with: "!Ref Given")
      .replacing("\nParameters:\n", with: "\nParameters:\n  Given: { Type: String, NoEcho: true }\n")
    let parameters = ["Given": "C5t1siy2xfaFlb8K8Pgce2nnwWlJt10qwV7Gm7x4"]
    let findings = TemplateIdentityInspection(
      ParsedTemplate(text, parameters: parameters).survey,
      template: try GatewayTemplate(parsing: text, parameters: parameters),
      identities: ["IdentityFunction": Self.identity])
    #expect(findings.findings == [])
  }
}
