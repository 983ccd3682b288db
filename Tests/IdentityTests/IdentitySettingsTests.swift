import FunctionHost
import IssuerKeys
import JOSE
import JSON
import KeyFetcher
import TestTokens
import Testing

@testable import Identity

@Suite("Configuration of the identity function")
struct IdentitySettingsTests {
  static func read(_ text: String, _ variables: [String: String] = [:]) throws -> IdentitySettings {
    var source = InMemorySource()
    source.variables = ["IDENTITY_CONFIG": text].merging(variables) { $1 }
    source.files["keys.json"] = try IdentityHarness.keys().publicKeySet.bytes()
    source.files["secret.txt"] = Array((IdentityHarness.secret + "\n").utf8)
    return try IdentitySettings(reading: source)
  }

  static let store = #""store":{"sqlite":{"path":"users.sqlite"}}"#

  @Test("the minimal configuration: audiences and a store")
  func least() throws {
    let settings = try Self.read(#"{"audiences":["com.example.app"],\#(Self.store)}"#)
    #expect(settings.apple?.keys.address?.text == "https://appleid.apple.com/auth/keys")
    #expect(settings.nonces == nil)
    #expect(settings.store == .sqlite(path: "users.sqlite", revocations: nil))
    #expect(settings.basePath.isEmpty)
    #expect(settings.authorizerIssuer == "apple")
    #expect(settings.apple?.identity.maximumAgeSeconds == 600)
    #expect(settings.apple?.notification.maximumAgeSeconds == nil)
    #expect(!settings.isDevelopment)
  }

  @Test("a configuration with all members")
  func everything() throws {
    let settings = try Self.read(
      """
      {"$schema":"x","audiences":["a","b"],"keys":{"url":"https://keys.example.com/jwks","graceSeconds":5},
      "maximumAgeSeconds":300,"nonce":{"secret":{"file":"secret.txt"},"lifetimeSeconds":120},"basePath":"/v1/id",
      "store":{"dynamoDB":{"table":"Users.Table-1","region":"eu-central-1"}},"authorizerIssuer":"sign-in",
      "fetch":{"timeoutMilliseconds":1000}}
      """)
    #expect(settings.apple?.keys.address?.text == "https://keys.example.com/jwks")
    #expect(settings.apple?.identity.maximumAgeSeconds == 300)
    #expect(settings.nonces?.lifetimeSeconds == 120)
    #expect(settings.basePath == Array("/v1/id".utf8))
    #expect(settings.store == .dynamoDB(table: "Users.Table-1", region: "eu-central-1"))
    #expect(settings.authorizerIssuer == "sign-in")
    #expect(settings.fetch.totalMilliseconds == 1000)
  }

  @Test("the configuration may be a file, identity.json by default", arguments: [nil, "own.json"])
  func file(path: String?) throws {
    var source = InMemorySource()
    source.variables["IDENTITY_CONFIG"] = path
    source.files[path ?? "identity.json"] = Array(#"{"audiences":["a"],\#(Self.store)}"#.utf8)
    #expect(throws: Never.self) { try IdentitySettings(reading: source) }
    source.files = [:]
    #expect(throws: ConfigurationError.self) { try IdentitySettings(reading: source) }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let text: String
    var variables: [String: String] = [:]
    let problems: [String]
    var testDescription: String { text }

    init(_ text: String, _ variables: [String: String] = [:], _ problems: String...) {
      self.text = text
      self.variables = variables
      self.problems = problems
    }
  }

  static func nonce(_ nonce: String) -> String { #"{"audiences":["a"],\#(store),"nonce":\#(nonce)}"# }
  static func store(_ store: String) -> String { #"{"audiences":["a"],"store":\#(store)}"# }

  static let rows = [
    Row(
      "{}", [:], "audiences: missing: the bundle and Services IDs that the tokens are for",
      "store: missing: \"sqlite\" or \"dynamoDB\""),
    Row(#"["a"]"#, [:], "IDENTITY_CONFIG: neither a path nor JSON that begins with a brace"),
    Row("{", [:], "IDENTITY_CONFIG: not JSON: the text ends too early at line 1, column 2"),
    Row(#"{"audiences":[],\#(store)}"#, [:], "audiences: a non-empty list of non-empty strings is expected"),
    Row(
      #"{"audience":["a"],\#(store)}"#, [:],
      "audience: unknown member, did you mean \"audiences\"?",
      "audiences: missing: the bundle and Services IDs that the tokens are for"),
    Row(
      #"{"audiences":["a"],\#(store),"maximumAgeSeconds":0}"#, [:],
      "maximumAgeSeconds: a whole number from 1 to 86400 is expected"),
    Row(
      #"{"audiences":["a"],\#(store),"keys":{"secret":{"environment":"S"}}}"#, ["S": IdentityHarness.secret],
      "keys.secret: presets are for issuers with public keys"),
    Row(
      #"{"audiences":["a"],\#(store),"keys":{"seed":"keys.json","pinned":true}}"#, [:],
      "keys.seed: keys.json: contains development keys"),
    Row(nonce("{}"), [:], "nonce.secret: missing: at least 32 random bytes"),
    Row(nonce("true"), [:], "nonce: an object is expected"),
    Row(nonce(#"{"secret":"text"}"#), [:], "nonce.secret: an object is expected"),
    Row(
      nonce(#"{"secret":{"environment":"S"}}"#), [:],
      "nonce.secret.environment: the variable is unset or empty"),
    Row(
      nonce(#"{"secret":{"file":"secret.txt","environment":"S"}}"#), [:],
      "nonce.secret: either \"environment\" or \"file\" is expected"),
    Row(nonce(#"{"secret":{"file":"nowhere"}}"#), [:], "nonce.secret.file: no such file"),
    Row(
      nonce(#"{"secret":{"file":"secret.txt"},"lifetimeSeconds":5}"#), [:],
      "nonce.lifetimeSeconds: a whole number from 10 to 600 is expected"),
    Row(store("{}"), [:], "store: either \"sqlite\" or \"dynamoDB\" is expected"),
    Row(
      store(#"{"sqlite":{"path":"a"},"dynamoDB":{"table":"abc","region":"r"}}"#), [:],
      "store: either \"sqlite\" or \"dynamoDB\" is expected"),
    Row(store(#"{"sqlite":"a"}"#), [:], "store.sqlite: an object is expected"),
    Row(store(#"{"sqlite":{}}"#), [:], "store.sqlite.path: missing: the path of the database"),
    Row(
      store(#"{"sqlite":{"path":"a","revocations":"a"}}"#), [:],
      "store.sqlite.revocations: must not be the database; choose another path"),
    Row(
      store(#"{"dynamoDB":{"table":"a b"}}"#), ["AWS_REGION": "eu-central-1"],
      "store.dynamoDB.table: 3 to 255 letters, digits and _.- are expected"),
    Row(
      store(#"{"dynamoDB":{"table":"users"}}"#), [:],
      "store.dynamoDB.region: missing, and AWS_REGION is not set"),
    Row(
      store(#"{"dynamoDB":{"table":"users","region":"eu/x"}}"#), [:],
      "store.dynamoDB.region: the name of a region is expected, such as eu-central-1"),
    Row(
      #"{"audiences":["a"],\#(store)}"#, ["AUTHORIZER_CLOCK_OFFSET_SECONDS": "5"],
      "AUTHORIZER_CLOCK_OFFSET_SECONDS: moves the clock"),
  ]

  static let basePaths = ["v1", "/v1/", "/%76"].map {
    Row(
      #"{"audiences":["a"],\#(store),"basePath":"\#($0)"}"#, [:],
      "basePath: a path such as /v1 is expected, without a slash at its end")
  }

  private static let dynamicReference = "a CloudFormation dynamic reference that was not resolved"

  static let secrets: [Row] = [
    ("{{resolve:secretsmanager:arn:aws:secretsmanager:x}}", dynamicReference),
    (" \n{{resolve:secretsmanager:arn:aws:secretsmanager:x}}", dynamicReference),
    ("${ssm:/identity/nonce-secret/of/this/stage}", "a variable of a deploy tool that was not resolved"),
    ("<replace me with 32 random bytes>", "a placeholder, not a secret"),
    (String(repeating: "a", count: 32), "too few different bytes: 1"),
    ("thirty-one bytes are not enough", "31 bytes are too few for HS256, which needs 32"),
  ].map { value, problem in
    Row(nonce(#"{"secret":{"environment":"S"}}"#), ["S": value], "nonce.secret: " + problem)
  }

  @Test("all problems are reported at once", arguments: rows + basePaths + secrets)
  func problems(row: Row) throws {
    do {
      _ = try Self.read(row.text, row.variables)
      Issue.record("it was accepted")
    } catch let error as ConfigurationError {
      let found = error.problems.map(\.description).sorted()
      #expect(found.count == row.problems.count, "\(found)")
      for (found, wanted) in zip(found, row.problems.sorted()) { #expect(found.hasPrefix(wanted)) }
    }
  }

  @Test("development keys are accepted only in development")
  func development() throws {
    let text = #"{"audiences":["a"],\#(Self.store),"keys":{"seed":"keys.json","pinned":true}}"#
    #expect(try Self.read(text, ["AUTHORIZER_DEVELOPMENT": "1"]).isDevelopment)
    #expect(throws: ConfigurationError.self) { try Self.read(text, ["AUTHORIZER_DEVELOPMENT": "true"]) }
  }

  @Test("the region defaults to the function's")
  func region() throws {
    let settings = try Self.read(
      Self.store(#"{"dynamoDB":{"table":"users"}}"#), ["AWS_REGION": "eu-central-1"])
    #expect(settings.store == .dynamoDB(table: "users", region: nil))
  }
}
