import Foundation
import JSON
import Testing

/// Checks that the output of `config schema` and the function's reader describe the same configuration.
@Suite struct ConfigurationSchemaTests {
  static func schema() async throws -> String { try await Workshop().run(["config", "schema"]).output }

  @Test func schemaIsAJSONObject() async throws {
    let answer = try await Workshop().run(["config", "schema"])
    #expect(answer.exit == 0)
    let root = try JSONDocument(parsing: Array(answer.output.utf8), limits: .event).root
    #expect(root["$schema"]?.text == "https://json-schema.org/draft/2020-12/schema")
    #expect(root["additionalProperties"]?.boolean == false)
  }

  /// Every name that the reader uses is in the schema, and the reader knows every name of the schema.
  @Test func schemaAndReaderHaveTheSameMembers() async throws {
    let readers = try ["Authorizer", "IssuerKeys"].flatMap { module in
      let folder = Workshop.packageRoot.appendingPathComponent("Sources/\(module)")
      return try FileManager.default.subpathsOfDirectory(atPath: folder.path).map {
        folder.appendingPathComponent($0)
      }
    }
    let call =
      #/[^A-Za-z](?:text|texts|integer|boolean|word|reader|value|scopes|claimRequirements|claimPath)\(\s*"([A-Za-z$0-9]+)"/#
    var read: Set<String> = []
    for file in readers where file.pathExtension == "swift" {
      for match in try String(contentsOf: file, encoding: .utf8).matches(of: call) {
        read.insert(String(match.1))
      }
    }
    let root = try await JSONDocument(parsing: Array(try Self.schema().utf8), limits: .event).root
    let known = Self.members(root)
    #expect(read.count > 40)
    #expect(read.subtracting(known) == [])
    #expect(known.subtracting(read).subtracting(["exists", "contains", "prefix", "suffix"]) == [])
  }

  /// Returns the names under every `properties` of a schema.
  private static func members(_ schema: JSONValue) -> Set<String> {
    var names: Set<String> = []
    for (name, value) in schema.members {
      if name.equals("properties") {
        for (member, inner) in value.members {
          names.insert(member.text ?? "")
          names.formUnion(members(inner))
        }
      } else {
        names.formUnion(members(value))
      }
    }
    for element in schema.elements { names.formUnion(members(element)) }
    return names
  }

  static let validator: String? = {
    guard let python = Workshop.python else { return nil }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = ["-c", "import jsonschema"]
    process.standardError = FileHandle.nullDevice
    try? process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? python : nil
  }()

  static let refused = [
    "{}", #"{"issuers":[]}"#, #"{"issuers":[{"preset":"apple"}],"rules":[]}"#,
    #"{"issuers":[{"preset":"apple","audience":["a"]}]}"#, #"{"issuers":[{"issuer":"https://a"}]}"#,
    #"{"issuers":[{"preset":"apple"}],"default":"deny"}"#,
    #"{"issuers":[{"preset":"apple"}],"gatewayCache":"always"}"#,
    #"{"issuers":[{"preset":"apple","leewaySeconds":301}]}"#,
    #"{"issuers":[{"preset":"apple","context":{"claims":"a"}}]}"#,
    #"{"issuers":[{"preset":"apple","requiredClaims":{"a":null}}]}"#,
    #"{"issuers":[{"preset":"apple","requiredClaims":[{"path":["a"]}]}]}"#,
    #"{"issuers":[{"preset":"apple"}],"default":"deny","rules":[{"routes":["GET /"],"allow":true,"require":{"not":{}}}]}"#,
    #"{"issuers":[{"preset":"apple"}],"default":"deny","rules":[{"routes":["GET /"],"allow":true,"require":{"any":[]}}]}"#,
    #"{"issuers":[{"preset":"apple"}],"default":"deny","rules":[{"routes":["get /"],"allow":true}]}"#,
    #"{"issuers":[{"preset":"apple"}],"gatewayCache":"off","anonymous":{"routes":["GET /users/${sub}"]}}"#,
    #"{"issuers":[{"preset":"apple"}],"gatewayCache":"off","anonymous":{"routes":["GET /a","GET /a"]}}"#,
    #"{"issuers":[{"preset":"apple"}],"httpApiAnswer":{"http1":"simple"}}"#,
  ]

  /// Validates with an independent validator.
  @Test(.enabled(if: validator != nil, "the Python package jsonschema is not installed"))
  func validatorAcceptsSamplesAndRejectsMistakes() async throws {
    let workshop = try Workshop()
    try await workshop.write(try Self.schema(), to: "schema.json")
    let events = Workshop.packageRoot.appendingPathComponent("events")
    let files = try #require(FileManager.default.enumerator(atPath: events.path)).compactMap { $0 as? String }
    let samples = files.filter { $0.hasSuffix("authorizer.json") }.map {
      events.appendingPathComponent($0).path
    }
    #expect(samples.count > 5)
    try workshop.write(Self.refused.joined(separator: "\n"), to: "refused.txt")
    let program = """
      import json, sys, jsonschema
      check = jsonschema.Draft202012Validator(json.load(open("schema.json")))
      check.check_schema(check.schema)
      for path in sys.argv[1:]:
          for error in check.iter_errors(json.load(open(path))): print("refused", path, error.message)
      for line in open("refused.txt"):
          if check.is_valid(json.loads(line)): print("accepted", line.strip())
      """
    #expect(try Self.output(of: program, samples, in: workshop) == "")
  }

  /// Runs a program for the validator and returns its output.
  static func output(
    of program: String, _ arguments: [String] = [], in workshop: borrowing Workshop
  ) throws -> String {
    try workshop.write(program, to: "check.py")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(validator))
    process.arguments = ["check.py"] + arguments
    process.currentDirectoryURL = workshop.folder
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return text
  }
}
