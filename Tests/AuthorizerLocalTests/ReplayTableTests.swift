import DeploymentChecks
import Templates
import JSON
import Testing

@testable import authorizer_local

/// The table of used proofs in `package`, `doctor` and `serve`.
@Suite("The table of used proofs")
struct ReplayTableTests {
  /// An authorizer with `replay`, in SAM's HTTP API.
  static func template(_ policies: String = "", native: String = "") -> String {
    DoctorRunTests.template.replacing("Timeout: 5", with: "Timeout: 5\n\(policies)")
      .replacing("[Authorization] }", with: "[Authorization], ReauthorizeEvery: 0 }")
      .replacing(
        "Method: get } }",
        with: """
          Method: get\(native) } }
                  Other: { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: /other, Method: get } }
          """
      )
      .replacing(
        "          Own:",
        with: """
                    Native:
                      IdentitySource: $request.header.Authorization
                      JwtConfiguration: { issuer: "https://id.example.com", audience: [api] }
                    Own:
          """)
  }

  static func policy(_ actions: String, keys: String? = "dpop#*", table: String = "proofs") -> String {
    let condition =
      keys.map { #", Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["\#($0)"] } }"# }
      ?? ""
    return """
            Policies:
              - Statement: { Effect: Allow, Action: [\(actions)], Resource: "arn:aws:dynamodb:*:*:table/\(table)"\(condition) }
      """
  }

  static func configuration(_ more: String = "", replay: Bool = true) -> String {
    let memory = replay ? #""replay": { "dynamoDB": { "table": "proofs" } }"# : ""
    return #"""
      {
        "gatewayCache": "off"\#(more),
        "issuers": [{
          "name": "company", "issuer": "https://id.example.com", "audiences": ["api"], "algorithms": ["RS256"],
          "keys": { "url": "https://id.example.com/jwks" }, "proofOfPossession": { "dpop": { \#(memory) } }
        }]
      }
      """#
  }

  static let rows: [(policies: String, codes: [String])] = [
    ("", ["roleTooNarrow"]), (policy("dynamodb:PutItem"), []),
    (policy("dynamodb:PutItem", keys: "*"), []),
    (policy("dynamodb:PutItem", keys: "revocation#*"), ["roleTooNarrow"]),
    (policy("dynamodb:PutItem", keys: nil), ["roleTooWide"]),
    (policy("dynamodb:GetItem"), ["roleTooNarrow", "roleTooWide"]),
    (policy("dynamodb:PutItem, dynamodb:DeleteItem"), ["roleTooWide"]),
    (policy("dynamodb:PutItem", table: "other"), ["roleTooNarrow"]),
  ]

  @Test("doctor checks the permission of the authorizer to write proofs", arguments: rows)
  func permissions(_ row: (policies: String, codes: [String])) async throws {
    let recorded = try RecordedMachine()
    try recorded.write(Self.template(row.policies), to: "template.yaml")
    try recorded.write(Self.configuration(), to: "code/authorizer.json")
    _ = await recorded.run("doctor")
    for code in ["roleTooNarrow", "roleTooWide"] {
      #expect(recorded.answer.contains(code) == row.codes.contains(code), "\(code): \(recorded.answer)")
    }
  }

  @Test("doctor needs no table of an authorizer that remembers no proofs")
  func withoutMemory() async throws {
    let recorded = try RecordedMachine()
    try recorded.write(Self.template(), to: "template.yaml")
    try recorded.write(Self.configuration(replay: false), to: "code/authorizer.json")
    _ = await recorded.run("doctor")
    #expect(!recorded.answer.contains("roleTooNarrow"), "\(recorded.answer)")
  }

  @Test("doctor finds a route where API Gateway accepts the tokens itself", arguments: [true, false])
  func native(isUsed: Bool) async throws {
    let recorded = try RecordedMachine()
    let auth = isUsed ? ", Auth: { Authorizer: Native }" : ""
    try recorded.write(Self.template(native: auth), to: "template.yaml")
    try recorded.write(Self.configuration(replay: false), to: "code/authorizer.json")
    _ = await recorded.run("doctor")
    #expect(recorded.answer.contains("error proofNotChecked: Api GET /me: ") == isUsed, "\(recorded.answer)")
  }

  static let configurations: [(text: String, table: String?, proofs: [String])] = [
    (configuration(), nil, ["proofs"]), (configuration(replay: false), nil, []),
    (
      configuration(#", "revocation": { "dynamoDB": { "table": "users" }, "issuers": ["company"] }"#),
      "users",
      ["proofs"]
    ),
    (#"{"issuers":[{"proofOfPossession":"refuse"},{"proofOfPossession":{"dpop":1}},7]}"#, nil, []),
    (#"{"issuers":{}}"#, nil, []), ("[]", nil, []),
  ]

  @Test("the package needs call-dynamodb for users, revocations and proofs", arguments: configurations)
  func tables(_ row: (text: String, table: String?, proofs: [String])) throws {
    let document = try JSONTree(parsing: Array(row.text.utf8))
    let function = ShippedFunction.authorizer
    #expect(function.table(of: document)?.name == row.table)
    #expect(function.proofTables(of: document).map(\.name) == row.proofs)
    #expect(function.needsTable(document) == (row.table != nil || !row.proofs.isEmpty))
    #expect(ShippedFunction.identity.proofTables(of: document).isEmpty)
  }

  @Test("serve keeps the table of proofs, and says what it needs")
  func served() throws {
    let document = try JSONTree(parsing: Array(Self.configuration().utf8))
    let local = "http://127.0.0.1:8000"
    for (environment, note) in [
      ([:], "requests with a proof fail with storeUnavailable; set AWS_ENDPOINT_URL_DYNAMODB"),
      (["AWS_ENDPOINT_URL_DYNAMODB": "https://dynamodb.example.com"], "fail with storeUnavailable"),
      (["AWS_ENDPOINT_URL_DYNAMODB": local], "used proofs are written to proofs of \(local)"),
    ] {
      var store = LocalStore(on: try RecordedMachine(environment).machine)
      let adapted = store.adapt(authorizer: document)
      #expect(adapted == document)
      #expect(store.notes.count == 1 && store.notes[0].contains(note), "\(store.notes)")
    }
    var store = LocalStore(on: try RecordedMachine().machine)
    _ = store.adapt(authorizer: try JSONTree(parsing: Array(Self.configuration(replay: false).utf8)))
    #expect(store.notes.isEmpty)
  }
}
