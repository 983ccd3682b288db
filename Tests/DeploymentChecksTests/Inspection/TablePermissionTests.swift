@testable import DeploymentChecks
import Testing

/// Tests of both functions' permissions on the table, in variants of `template/identity.yaml`.
@Suite struct TablePermissionTests {
  typealias Code = DeploymentFinding.Code
  typealias Change = TemplateIdentityTests.Change

  static let writes =
    "dynamodb:GetItem, dynamodb:PutItem, dynamodb:UpdateItem, dynamodb:ConditionCheckItem"
  static let actions = "Action: [\(writes)]"
  static let resource = "Resource: !GetAtt UserTable.Arn"
  static let ours = actions + "\n                " + resource
  static let read = "Action: dynamodb:GetItem"

  static func action(_ text: String, on table: String = resource) -> [Change] {
    [Change(ours, "Action: [\(text)]\n                \(table)")]
  }

  @Test(
    arguments: [
      (action("dynamodb:GetItem, dynamodb:PutItem"), [.roleTooNarrow]),
      (action("dynamodb:Query"), [.roleTooNarrow, .roleTooWide]),
      (action("dynamodb:getitem, DYNAMODB:PutItem, dynamodb:UpdateItem, dynamodb:ConditionCheckItem"), []),
      (
        action(writes + ", dynamodb:DeleteItem"), [.roleTooWide]
      ),
      (action(#""dynamodb:*""#), [.roleTooWide]), (action(#""dynamodb:*Item""#), [.roleTooWide]),
      (action("dynamodb:GetItem, dynamodb:PutItem, dynamodb:UpdateItem"), [.roleTooNarrow]),
      (action(writes + ", s3:GetObject"), []),
      (
        action(writes, on: #"Resource: "*""#),
        [.roleTooWide]
      ),
      // TemplateResourceInspection reports these.
      (action(#""*""#), []), (action(#""dynamodb:*""#, on: #"Resource: "*""#), []),
      (
        action(
          writes,
          on:
            #"Resource: !Sub "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/${UserTable}""#
        ),
        []
      ),
      (
        action(
          writes,
          on: "Resource: arn:aws:dynamodb:us-east-1:1:table/Other"), [.roleTooNarrow]
      ),
      (
        action(
          writes,
          on: "Resource: !GetAtt IdentityLogs.Arn"), [.roleTooNarrow]
      ),
      ([Change(read, "Action: dynamodb:Query")], [.roleTooNarrow, .roleTooWide]),
      ([Change(read, "Action: [dynamodb:GetItem, dynamodb:PutItem]")], [.roleTooWide]),
    ] as [([Change], [Code])])
  func comparesActionsAndResources(_ changes: [Change], _ codes: [Code]) throws {
    #expect(try TemplateIdentityTests.findings(changes).map(\.code) == codes)
  }

  /// The authorizer whose configuration names keys: with the right of a list, which it may keep, with the new right, and
  /// with both. A list needs no more than before.
  @Test(
    arguments: [
      ([], [.batchGetItemMissing]), ([Change(read, "Action: dynamodb:BatchGetItem")], []),
      ([Change(read, both)], []),
      ([Change(read, "Action: [dynamodb:BatchGetItem, dynamodb:GetItem, dynamodb:Query]")], [.roleTooWide]),
      (
        [
          Change(read, "Action: dynamodb:BatchGetItem"),
          Change(limit, limit.replacing("revocation#*", with: "dpop#*")),
        ], [.batchGetItemMissing]
      ),
    ] as [([Change], [Code])])
  func readsOfSeveralItems(_ changes: [Change], _ codes: [Code]) throws {
    let table = DeployedTable(name: "UserTable", region: nil, readsBatches: true)
    let findings = try TemplateIdentityTests.findings(changes, TemplateIdentityTests.identity, table)
    #expect(findings.map(\.code) == codes)
    for finding in findings where finding.code == .batchGetItemMissing {
      #expect(finding.problem.contains("dynamodb:BatchGetItem for revocation#*"))
    }
  }

  static let both = "Action: [dynamodb:GetItem, dynamodb:BatchGetItem]"

  @Test("a list of issuers needs GetItem alone")
  func readsOfOneItem() throws {
    #expect(try TemplateIdentityTests.findings([]) == [])
    let findings = try TemplateIdentityTests.findings([Change(Self.read, Self.both)])
    #expect(findings.map(\.code) == [.roleTooWide])
    #expect(findings.first?.cure == "allow only dynamodb:GetItem on the table")
    let narrow = try TemplateIdentityTests.findings([Change(Self.read, "Action: dynamodb:BatchGetItem")])
    #expect(narrow.map(\.code).contains(.roleTooNarrow))
  }

  static let limit = #"ForAllValues:StringLike: { "dynamodb:LeadingKeys": ["revocation#*"] }"#

  /// The authorizer that remembers used proofs in the table of users.
  @Test(
    arguments: [
      ([], [.roleTooNarrow]),
      ([Change(read, "Action: [dynamodb:GetItem, dynamodb:PutItem]")], [.roleTooNarrow]),
      (
        [
          Change(read, "Action: [dynamodb:GetItem, dynamodb:PutItem]"),
          Change(limit, limit.replacing("revocation#*\"", with: "revocation#*\", \"dpop#*\"")),
        ], []
      ),
      (
        [
          Change(read, "Action: [dynamodb:GetItem, dynamodb:PutItem]"),
          Change(limit, limit.replacing("revocation#*", with: "dpop#*")),
        ], [.roleTooNarrow]
      ),
      (
        [
          Change(read, "Action: [dynamodb:GetItem, dynamodb:PutItem]"),
          Change(limit, "Bool: { aws:SecureTransport: true }"),
        ], [.roleTooWide]
      ),
      (
        [
          Change(read, "Action: [dynamodb:GetItem, dynamodb:PutItem, dynamodb:Query]"),
          Change(limit, "Bool: { aws:SecureTransport: true }"),
        ], [.roleTooWide]
      ),
    ] as [([Change], [Code])])
  func comparesTheKeysOfTheAuthorizersItems(_ changes: [Change], _ codes: [Code]) throws {
    let findings = try TemplateIdentityTests.findings(changes, proofs: [TemplateIdentityTests.revocations])
    #expect(findings.map(\.code) == codes)
  }

  /// A table of proofs alone.
  @Test(
    arguments: [
      ("AttributeName: pk,", "AttributeName: id,", [.tableKeyMismatch]),
      ("expires, Enabled: true", "expires, Enabled: false", [.tableWithoutExpiry]),
      ("DeletionPolicy: Retain", "DeletionPolicy: Delete", []),
    ] as [(String, String, [Code])])
  func inspectsATableOfProofs(_ old: String, _ new: String, _ codes: [Code]) throws {
    let findings = try TemplateIdentityTests.findings(
      [Change(old, new)], nil, nil, proofs: [TemplateIdentityTests.revocations])
    // The role of the sample is that of a table for users.
    let roles: [Code] = [.roleTooNarrow, .roleTooWide]
    #expect(findings.map(\.code).filter { !roles.contains($0) } == codes)
  }

  /// With a role outside of the template, an unknown AWS managed policy, or a Deny, missing rights are uncertain.
  @Test(
    arguments: [
      [Change("Role: !GetAtt IdentityRole.Arn", "Role: arn:aws:iam::123456789012:role/r")],
      action("dynamodb:GetItem")
        + [
          Change(
            "  IdentityRole:\n    Type: AWS::IAM::Role\n    Properties:\n",
            "  IdentityRole:\n    Type: AWS::IAM::Role\n    Properties:\n      ManagedPolicyArns: [arn:aws:iam::1:policy/p]\n"
          )
        ],
      action("dynamodb:GetItem") + [
        Change("Effect: Allow\n                Action: [logs", "Effect: Deny\n                Action: [logs")
      ],
    ])
  func unreadablePoliciesGiveNoFinding(_ changes: [Change]) throws {
    #expect(try TemplateIdentityTests.findings(changes) == [])
  }

  @Test func managedLogPolicyAllowsNoTable() throws {
    let basic = Change(
      "  IdentityRole:\n    Type: AWS::IAM::Role\n    Properties:\n",
      """
        IdentityRole:
          Type: AWS::IAM::Role
          Properties:
            ManagedPolicyArns: [arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]

      """)
    let findings = try TemplateIdentityTests.findings(Self.action("dynamodb:GetItem") + [basic])
    #expect(findings.map(\.code) == [.roleTooNarrow])
    #expect(
      findings.first?.problem.contains("dynamodb:UpdateItem, dynamodb:ConditionCheckItem on UserTable")
        == true)
  }

  /// SAM creates the role of a function that has none.
  @Test(
    arguments: [
      ("Policies: []", [.roleTooNarrow]), ("Tags: {}", [.roleTooNarrow]),
      ("Policies: AWSLambdaBasicExecutionRole", [.roleTooNarrow]),
      ("Policies: [DynamoDBCrudPolicy: { TableName: !Ref UserTable }]", [.roleTooWide]),
      ("Policies: [DynamoDBCrudPolicy: { TableName: other }]", [.roleTooNarrow]),
      ("Policies: [DynamoDBReadPolicy: { TableName: !Ref UserTable }]", [.roleTooNarrow, .roleTooWide]),
      ("Policies: [S3ReadPolicy: { BucketName: b }]", [.roleTooNarrow]),
      (
        "Policies: [{ Statement: { Effect: Allow, \(actions), Resource: !GetAtt UserTable.Arn } }]",
        []
      ),
    ] as [(String, [Code])])
  func readsTheFunctionsPolicies(_ policies: String, _ codes: [Code]) throws {
    let change = Change("Role: !GetAtt IdentityRole.Arn", policies)
    #expect(try TemplateIdentityTests.findings([change]).map(\.code) == codes)
  }

  /// A policy that is a separate resource, which names the role or is named by it.
  @Test(arguments: [true, false]) func readsSeparatePolicyResources(_ isNamedByTheRole: Bool) throws {
    let policy = """
      Resources:
        TablePolicy:
          Type: AWS::IAM::\(isNamedByTheRole ? "ManagedPolicy" : "Policy")
          Properties:
            PolicyName: table
            \(isNamedByTheRole ? "Description: d" : "Roles: [!Ref IdentityRole]")
            PolicyDocument: { Statement: { Effect: Allow, \(Self.actions), Resource: !GetAtt UserTable.Arn } }

      """
    var changes = Self.action("s3:GetObject") + [Change("Resources:\n", policy)]
    if isNamedByTheRole {
      changes.append(
        Change(
          "  IdentityRole:\n    Type: AWS::IAM::Role\n    Properties:\n",
          "  IdentityRole:\n    Type: AWS::IAM::Role\n    Properties:\n      ManagedPolicyArns: [!Ref TablePolicy]\n"
        ))
    }
    #expect(try TemplateIdentityTests.findings(changes) == [])
  }
}
