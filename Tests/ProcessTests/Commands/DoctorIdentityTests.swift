import Foundation
import Testing
import TestSupport

/// `authorizer-local doctor` on packages and templates of the identity function.
@Suite(.hangLimit) struct DoctorIdentityTests {
  typealias Doctor = DoctorCommandTests

  static func configuration(
    _ store: String = #"{"dynamoDB":{"table":"UserTable"}}"#, _ more: String = ""
  ) -> String {
    #"{"audiences":["a"],"store":\#(store)\#(more)}"#
  }

  static let sqlite = configuration(#"{"sqlite":{"path":"/tmp/users.sqlite"}}"#)
  static let secret = #","nonce":{"secret":{"environment":"S"}}"#

  @Test(
    arguments: [
      (["identity.json": configuration()], ["noSeed"]),
      (["identity.json": sqlite], ["storeDoesNotLast", "noSeed"]),
      (["identity.json": "{}"], ["configurationInvalid"]),
      (["identity.json": configuration("{}")], ["configurationInvalid"]),
      (["identity.json": configuration(), "other": ""], ["noSeed", "callDynamoDBMissing"]),
      (
        ["identity.json": configuration(#"{"dynamoDB":{"table":"UserTable"}}"#, secret)],
        ["noSeed", "secretAssumed"]
      ),
      (
        [
          "identity.json": configuration(
            #"{"dynamoDB":{"table":"UserTable"}}"#, #","nonce":{"secret":{"file":"s.env"}}"#),
          "s.env": "too short",
        ], ["configurationInvalid"]
      ),
      (
        [
          "identity.json": configuration(
            #"{"dynamoDB":{"table":"UserTable"}}"#, #","nonce":{"secret":{"file":".env"}}"#),
          ".env": "0Osh1lGLuAX8ufI7XQz0VZIw3Wb+tUdWo5nuBz/d",
        ], ["noSeed"]
      ),
      (
        [
          "identity.json": configuration(
            #"{"dynamoDB":{"table":"UserTable"}}"#, #","keys":{"seed":"k.json","pinned":true}"#),
          "k.json": rsa(kid: "development-1"),
        ], ["developmentConfiguration"]
      ),
      (
        [
          "identity.json": configuration(
            #"{"dynamoDB":{"table":"UserTable"}}"#, #","keys":{"url":"http://127.0.0.1:1/k"}"#)
        ], ["developmentConfiguration"]
      ),
      (
        [
          "identity.json": configuration(
            #"{"dynamoDB":{"table":"UserTable"}}"#, #","keys":{"seed":"k.json"}"#),
          "k.json": rsa(kid: "1", #","fetchedAt":1000000000"#),
        ], ["seedExpired"]
      ),
      (
        ["identity.json": configuration(), "deploy/identity.json": "{}"],
        ["noSeed", "configurationMisplaced"]
      ),
      (["deploy/authorizer.json": "{}", "identity.json": configuration()], ["noSeed"]),
    ] as [([String: String], Set<String>)])
  func checksTheConfigurationInAPackage(_ files: [String: String], _ codes: Set<String>) async throws {
    let workshop = try Workshop()
    var programs = ["bootstrap": "#!", "fetch-keys": "#!", "call-dynamodb": "#!"]
    if codes.contains("callDynamoDBMissing") { programs["call-dynamodb"] = nil }
    let package = try Doctor.package(files.merging(programs) { $1 })
    try Data(package).write(to: workshop.folder.appendingPathComponent("a.zip"))
    for (path, text) in files.merging(programs, uniquingKeysWith: { $1 }) {
      try workshop.write(text, to: "folder/" + path)
    }
    for path in ["a.zip", "folder"] {
      let answer = try await workshop.run(["doctor", "--json", path])
      let found = try Doctor.codes(answer).subtracting(["programInvalid"])
      let modes: Set = ["bootstrapNotExecutable", "fetchKeysNotExecutable", "callDynamoDBNotExecutable"]
      #expect(found.subtracting(modes) == codes, "\(path): \(answer.output)")
      #expect(answer.exit == 1)
    }
  }

  /// The modulus of RFC 7515 appendix A.2.
  static func rsa(kid: String, _ time: String = "") -> String {
    #"""
    {"keys":[{"kty":"RSA","alg":"RS256","use":"sig","kid":"\#(kid)","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"}]\#(time)}
    """#
  }

  static func shipped() throws -> String {
    try Checkout.text("template/identity.yaml")
  }

  @Test func shippedTemplateHasNoErrorsOrWarnings() async throws {
    let workshop = try Workshop()
    try workshop.write(try Self.shipped(), to: "identity.yaml")
    let answer = try await workshop.run(["doctor", "--template", "identity.yaml"])
    #expect(answer.exit == 0 && answer.output.hasSuffix("\nerrors: 0, warnings: 0\n"), "\(answer.output)")
    #expect(answer.output.contains("IdentityFunction: store: DynamoDB, UserTable"), "\(answer.output)")
    #expect(answer.output.contains("note secretAssumed: IdentityFunction: IDENTITY_NONCE_SECRET"))
    #expect(answer.output.contains("note noSeed: IdentityFunction: keys"))
    #expect(!answer.output.contains("routeWithoutAuthorizer"))
  }

  static let dynamoDB = #"{ "dynamoDB": { "table": "${UserTable}" } }"#
  static let inline = "IDENTITY_CONFIG: !Sub |-"

  @Test(
    arguments: [
      (dynamoDB, #"{ "sqlite": { "path": "/tmp/u" } }"#, [:], "storeDoesNotLast"),
      (dynamoDB, #"{ "memory": {} }"#, [:], "configurationInvalid"),
      (inline, "AUTHORIZER_DEVELOPMENT: \"1\"\n          " + inline, [:], "developmentVariable"),
      (
        inline, "AUTHORIZER_CLOCK_OFFSET_SECONDS: \"5\"\n          " + inline, [:],
        "developmentConfiguration"
      ),
      (inline, "OTHER: |-", [:], "configurationMissing"),
      (inline, inline, ["identity.json": configuration()], "configurationShadowed"),
      (inline, "OTHER: |-", ["identity.json": sqlite], "storeDoesNotLast"),
      (
        "[dynamodb:GetItem, dynamodb:PutItem, dynamodb:UpdateItem, dynamodb:ConditionCheckItem]",
        "[dynamodb:GetItem]", [:],
        "roleTooNarrow"
      ),
      (
        "Path: /users/me, Method: GET", "Path: /users/me, Method: GET, Auth: { Authorizer: NONE }", [:],
        "userRouteOpen"
      ),
      (
        #""revocation": { "dynamoDB": { "table": "${UserTable}" } }"#,
        #""revocation": { "dynamoDB": { "table": "Others" } }"#, [:], "tablesDiffer"
      ),
      (#"!Sub "{{resolve:secretsmanager:${NonceSecret}}}""#, "short", [:], "configurationInvalid"),
      (
        #"!Sub "{{resolve:secretsmanager:${NonceSecret}}}""#, "${NONCE_SECRET_OF_THE_IDENTITY_FUNCTION}", [:],
        "configurationInvalid"
      ),
      (
        #"!Sub "{{resolve:secretsmanager:${NonceSecret}}}""#, "<replace me with 32 random bytes or more>",
        [:],
        "configurationInvalid"
      ),
      (
        #"!Sub "{{resolve:secretsmanager:${NonceSecret}}}""#, "YXaMvXTeTBvEq3kwou7meEn6UMMp+noWzHtzvWMJ", [:],
        "secretInTemplate"
      ),
    ] as [(String, String, [String: String], String)])
  func comparesATemplateWithItsIdentityFunction(
    _ old: String, _ new: String, _ files: [String: String], _ code: String
  ) async throws {
    let workshop = try Workshop()
    let text = try Self.shipped()
    #expect(text.contains(old))
    try workshop.write(text.replacing(old, with: new), to: "t.yaml")
    for (path, content) in files { try workshop.write(content, to: path) }
    let answer = try await workshop.run(["doctor", "--json", "--template", "t.yaml"])
    #expect(try Doctor.codes(answer).contains(code), "\(answer.output)")
    #expect(answer.exit == 1)
  }

  /// The file name decides which function `--config` configures.
  @Test func readsTheConfigurationOfTheOption() async throws {
    let workshop = try Workshop()
    try workshop.write(
      try Self.shipped().replacing(Self.inline, with: "OTHER: |-"), to: "t.yaml")
    try workshop.write(Self.sqlite, to: "deploy/identity.json")
    let answer = try await workshop.run([
      "doctor", "--json", "--config", "deploy/identity.json", "--template", "t.yaml",
    ])
    #expect(try Doctor.codes(answer).contains("storeDoesNotLast"), "\(answer.output)")
    #expect(!(try Doctor.codes(answer)).contains("configurationMissing"), "\(answer.output)")
  }

  /// A package of one function with a template of both.
  @Test func comparesAPackageWithItsOwnFunction() async throws {
    let workshop = try Workshop()
    try workshop.write(try Self.shipped().replacing(Self.inline, with: "OTHER: |-"), to: "t.yaml")
    for (name, json) in [("identity", Self.sqlite), ("authorizer", Doctor.apple)] {
      let package = try Doctor.package(["\(name).json": json, "bootstrap": "#!", "fetch-keys": "#!"])
      try Data(package).write(to: workshop.folder.appendingPathComponent("\(name).zip"))
    }
    let identity = try await workshop.run(["doctor", "identity.zip", "--template", "t.yaml"])
    #expect(
      identity.output.contains("storeDoesNotLast: IdentityFunction: store.sqlite"), "\(identity.output)")
    #expect(!identity.output.contains("configurationShadowed"), "\(identity.output)")
    let authorizer = try await workshop.run(["doctor", "authorizer.zip", "--template", "t.yaml"])
    #expect(
      authorizer.output.contains("warning configurationShadowed: authorizer.json"), "\(authorizer.output)")
    #expect(
      authorizer.output.contains(
        "error configurationMissing: IdentityFunction: configuration: no identity.json"),
      "\(authorizer.output)")
    // The template's own configuration of the authorizer names a table.
    #expect(authorizer.output.contains("error callDynamoDBMissing: call-dynamodb"), "\(authorizer.output)")
  }
}
