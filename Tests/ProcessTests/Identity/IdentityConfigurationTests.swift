import Foundation
import JSON
import TestSupport
import Testing

/// `config check` and `config schema` for the identity function, from end to end.
@Suite struct IdentityConfigurationTests {
  static let valid = #"{"audiences":["com.example.app"],"store":{"dynamoDB":{"table":"users"}}}"#

  @Test func describesAValidConfiguration() async throws {
    let workshop = try Workshop()
    try workshop.write(Self.valid, to: "identity.json")
    try workshop.write(Self.valid, to: "settings.json")
    let text = """
      valid
        signs users in to com.example.app
        users: DynamoDB, users in the function's own region
        nonces: made by the clients

      """
    for arguments in [
      ["identity.json"], ["./identity.json"], ["--identity"], ["--identity", "settings.json"],
    ] {
      let answer = try await workshop.run(["config", "check"] + arguments)
      #expect(answer.exit == 0 && answer.output == text, "\(arguments): \(answer)")
    }
    let inline = try await workshop.run(
      ["config", "check", "--identity"], environment: ["IDENTITY_CONFIG": Self.valid])
    #expect(inline.exit == 0 && inline.output == text, "\(inline)")
    let input = try await workshop.run(["config", "check", "--identity", "-"], input: Self.valid)
    #expect(input.exit == 0 && input.output == text, "\(input)")
    // Without --identity a file with another name is read as the authorizer's configuration.
    let other = try await workshop.run(["config", "check", "settings.json"])
    #expect(other.exit == 1 && other.output.contains("issuers: "), "\(other)")
  }

  @Test func comparesReceiversWithTheAuthorizer() async throws {
    let workshop = try Workshop()
    let issuer = { (name: String, issuer: String) in
      #"{"name":"\#(name)","issuer":"\#(issuer)","audiences":["a"],"algorithms":["RS256"],"#
        + #""keys":{"url":"https://id.example.com/jwks"}}"#
    }
    try workshop.write(
      """
      {"issuers":[\(issuer("acme", "https://acme.example.com/")),\(issuer("other", "https://other.example.com"))],
      "revocation":{"dynamoDB":{"table":"users"},"issuers":{"acme":["sub","sid"]}}}
      """, to: "authorizer.json")
    let users = ["https://acme.example.com/", "https://other.example.com", "https://nobody.example.com"]
    for (first, warning) in [(users[0], nil), ("https://acme.example.com", users[0])] as [(String, String?)] {
      let names = ([first] + users.dropFirst()).map { "\"\($0)\"" }.joined(separator: ",")
      try workshop.write(
        """
        {"store":{"dynamoDB":{"table":"users"}},"receivers":[{"name":"idp","issuer":"https://id.example.com",
        "users":[\(names)],"algorithms":["RS256"],"audiences":["a"],"accept":["back-channel-logout"],
        "keys":{"url":"https://id.example.com/jwks"}}]}
        """, to: "identity.json")
      let answer = try await workshop.run([
        "config", "check", "identity.json", "--authorizer", "authorizer.json",
      ])
      let expected =
        warning.map { ["warning: receivers[0].users[0]: the authorizer looks up \($0); write it so"] } ?? []
      #expect(answer.exit == 0, "\(answer)")
      let warnings = answer.output.split(separator: "\n").filter { $0.hasPrefix("warning:") }
      #expect(
        warnings.map(String.init)
          == expected + [
            "warning: receivers[0].users[1]: the authorizer does not look up sub, by which the sender may end tokens: add it to revocation.issuers.other, in an object",
            "warning: receivers[0].users[1]: the authorizer does not look up sid, by which the sender may end tokens: add it to revocation.issuers.other, in an object",
            "warning: receivers[0].users[2]: the authorizer has no entry with this issuer; its first spelling is expected",
          ])
    }
  }

  @Test func reportsEveryProblemWithItsPath() async throws {
    let workshop = try Workshop()
    try workshop.write(
      #"{"audience":["a"],"store":{"sqlite":{}},"nonce":{"secret":{"environment":"S"}},"basePath":"v1"}"#,
      to: "identity.json")
    let answer = try await workshop.run(["config", "check", "identity.json"])
    #expect(answer.exit == 1 && answer.errors.hasPrefix("hint: the check reads the secret's variable"))
    let paths = answer.output.split(separator: "\n").map { $0.prefix { $0 != ":" } }
    #expect(
      paths.sorted() == [
        "audience", "audiences", "basePath", "nonce.secret.environment", "store.sqlite.path",
      ], "\(answer.output)")
    let json = try await workshop.run(["config", "check", "--json", "identity.json"])
    let tree = try JSONTree(parsing: Array(json.output.utf8))
    #expect(json.exit == 1 && tree["valid"] == .boolean(false))
    #expect(tree["problems"]?.elements.count == paths.count, "\(json.output)")
  }

  @Test(arguments: [["--identity"], ["--identity", "absent.json"], ["absent/identity.json"]])
  func failsWithoutAConfiguration(_ arguments: [String]) async throws {
    let answer = try await Workshop().run(["config", "check"] + arguments)
    #expect(answer.exit == 64 && answer.errors.hasPrefix("error: "), "\(answer)")
  }

  // MARK: The schema

  static func schema() async throws -> JSONTree {
    try JSONTree(
      parsing: Array(try await Workshop().run(["config", "schema", "--identity"]).output.utf8), limits: .event
    )
  }

  /// Returns every member of the schema with its path, outermost first.
  static func members(_ schema: JSONTree, at path: [String] = []) -> [(path: [String], schema: JSONTree)] {
    guard case .object(let properties)? = schema["properties"] else { return [] }
    return properties.flatMap { [(path + [$0.name], $0.value)] + members($0.value, at: path + [$0.name]) }
  }

  /// Returns the valid configuration with a value at a path.
  static func document(_ value: JSONTree, at path: [String]) throws -> JSONTree {
    func set(_ tree: JSONTree?, _ path: ArraySlice<String>) -> JSONTree {
      guard let name = path.first else { return value }
      var object = tree ?? .object([])
      object[name] = set(object[name], path.dropFirst())
      return object
    }
    var document = try JSONTree(parsing: Array(Self.valid.utf8))
    // With two stores the reader would read neither.
    if path.starts(with: ["store", "sqlite"]) { document["store"] = nil }
    return set(document, path[...])
  }

  static func problems(_ document: JSONTree) async throws -> [String] {
    let answer = try await Workshop().run(
      ["config", "check", "--identity", "-"], input: String(decoding: document.bytes(), as: UTF8.self))
    return answer.output.split(separator: "\n").map(String.init)
  }

  /// The reader knows every member of the schema, rejects a value of a wrong type in each, and knows no other name
  /// beside it.
  @Test func readerKnowsTheSchema() async throws {
    let members = await Self.members(try Self.schema())
    #expect(members.count > 25)
    for (path, _) in members where path != ["$schema"] {
      let name = path.joined(separator: ".")
      let found = try await Self.problems(Self.document(.array([.object([])]), at: path))
      // A list of objects is read, and lacks the members of its elements.
      #expect(
        found.contains { $0.hasPrefix(name + ": ") || $0.hasPrefix(name + "[0].") }, "\(name): \(found)")
      #expect(!found.contains { $0.contains("unknown member") }, "\(name): \(found)")
      let other = path.dropLast() + ["q-\(path.last ?? "")"]
      let unknown = try await Self.problems(Self.document(.boolean(true), at: Array(other)))
      #expect(
        unknown.contains { $0.hasPrefix(other.joined(separator: ".") + ": unknown member") }, "\(unknown)")
    }
  }

  /// The ends of every range are accepted, and nothing beyond them.
  @Test func schemaAndReaderHaveTheSameRanges() async throws {
    var count = 0
    for (path, schema) in await Self.members(try Self.schema()) {
      guard case .number(let minimum)? = schema["minimum"], case .number(let maximum)? = schema["maximum"],
        let low = Int(minimum), let high = Int(maximum)
      else { continue }
      count += 1
      let name = path.joined(separator: ".")
      for (value, isGood) in [(low - 1, false), (low, true), (high, true), (high + 1, false)] {
        let found = try await Self.problems(Self.document(.number(String(value)), at: path))
        #expect(found.contains { $0.hasPrefix(name + ": ") } != isGood, "\(name) \(value): \(found)")
      }
    }
    #expect(count == 8)
  }

  /// Every name that the reader uses is in the schema. `keys.secret` is always refused and in no schema.
  @Test func schemaKnowsTheReader() async throws {
    let call = #/[^A-Za-z](?:text|texts|integer|boolean|word|reader|value)\(\s*"([A-Za-z$0-9]+)"/#
    let known = await Set(Self.members(try Self.schema()).compactMap(\.path.last))
    for file in [
      "Identity/IdentitySettings+Reading", "IssuerKeys/Reader/KeysConfiguration",
      "IssuerKeys/Reader/SecretConfiguration",
      "IssuerKeys/Source/FetchSettings",
    ] {
      let source = Workshop.packageRoot.appendingPathComponent("Sources/\(file).swift")
      let read = try String(contentsOf: source, encoding: .utf8).matches(of: call).map { String($0.1) }
      #expect(read.count > 2)
      #expect(Set(read).subtracting(known) == [], "\(file)")
    }
    let keys = await Self.members(try Self.schema()).filter { $0.path.first == "keys" }
    #expect(!keys.contains { $0.path.last == "secret" })
  }

  static let refused = [
    "{}", #"{"audiences":["a"]}"#, #"{"audiences":[],"store":{"sqlite":{"path":"a"}}}"#,
    #"{"audiences":["a"],"store":{}}"#,
    #"{"audiences":["a"],"store":{"sqlite":{"path":"a"},"dynamoDB":{"table":"abc"}}}"#,
    #"{"audiences":["a"],"store":{"dynamoDB":{"table":"a b"}}}"#,
    #"{"audiences":["a"],"store":{"sqlite":{"path":"a"}},"nonce":{}}"#,
    #"{"audiences":["a"],"store":{"sqlite":{"path":"a"}},"nonce":{"secret":{"environment":"A","file":"b"}}}"#,
    #"{"audiences":["a"],"store":{"sqlite":{"path":"a"}},"basePath":"/v1/"}"#,
    #"{"audiences":["a"],"store":{"sqlite":{"path":"a"}},"keys":{"secret":{"environment":"A"}}}"#,
  ]
  static let accepted = [
    valid,
    #"{"$schema":"s","audiences":["a"],"store":{"sqlite":{"path":"a","revocations":"b"}},"basePath":"/v1"}"#,
    #"{"audiences":["a"],"store":{"dynamoDB":{"table":"users","region":"eu-west-1"}},"authorizerIssuer":"x"}"#,
  ]

  /// Compares the reader with the schema, using an independent validator.
  @Test(
    .enabled(if: ConfigurationSchemaTests.validator != nil, "the Python package jsonschema is not installed"))
  func validatorAgreesWithTheReader() async throws {
    let workshop = try Workshop()
    try await workshop.write(
      String(decoding: try Self.schema().bytes(), as: UTF8.self), to: "schema.json")
    for text in Self.refused + Self.accepted {
      let found = try await Self.problems(JSONTree(parsing: Array(text.utf8)))
      #expect((found.first == "valid") == Self.accepted.contains(text), "\(text): \(found)")
    }
    let program = """
      import json, sys, jsonschema
      check = jsonschema.Draft202012Validator(json.load(open("schema.json")))
      check.check_schema(check.schema)
      for line in open("lines.txt"): print(check.is_valid(json.loads(line)))
      """
    try workshop.write((Self.refused + Self.accepted).joined(separator: "\n"), to: "lines.txt")
    let text = try ConfigurationSchemaTests.output(of: program, in: workshop)
    let wanted = Self.refused.map { _ in "False" } + Self.accepted.map { _ in "True" }
    #expect(text.split(separator: "\n").map(String.init) == wanted)
  }
}
