import DeploymentChecks
import Foundation
import JSON
import Testing
import TestSupport

/// `authorizer-local doctor` on packages, folders and templates with one problem each.
@Suite(.hangLimit) struct DoctorCommandTests {
  static let apple = #"{"issuers":[{"preset":"apple","audiences":["a"]}]}"#

  static func package(_ files: [String: String]) throws -> [UInt8] {
    try DeploymentPackage(
      files: files.map { DeploymentPackage.File(path: $0, bytes: Array($1.utf8), permissions: 0o755) }
    ).archive
  }

  /// The codes of all findings except notes about AWS alone, such as throttling.
  static func codes(_ answer: Workshop.Answer) throws -> Set<String> {
    let tree = try JSONTree(parsing: Array(answer.output.utf8), limits: .event)
    guard case .array(let findings)? = tree["findings"] else { return [] }
    return Set(findings.compactMap { if case .string(let code)? = $0["code"] { code } else { nil } })
      .subtracting(["templateNote"])
  }

  static let keySet = #"""
    {"keys":[{"kty":"EC","crv":"P-256","alg":"ES256","use":"sig","kid":"KID",\#
    "x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]TIME}
    """#

  static func seed(kid: String, _ time: String = "") -> String {
    keySet.replacing("KID", with: kid).replacing("TIME", with: time)
  }

  static func issuer(_ keys: String) -> String {
    #"{"issuers":[{"name":"p","issuer":"https://id.example.com","audiences":["a"],"algorithms":["ES256"],"keys":"#
      + keys + "}]}"
  }

  static let seeded = issuer(#"{"url":"https://id.example.com/k","seed":"k.json"}"#)

  @Test(
    arguments: [
      ([:], ["configurationElsewhere"]), (["authorizer.json": apple], ["noSeed"]),
      (["authorizer.json": "{"], ["configurationInvalid"]),
      (["authorizer.json": ""], ["configurationInvalid"]),
      (["deploy/authorizer.json": apple], ["configurationElsewhere", "configurationMisplaced"]),
      (["authorizer.json": apple, "deploy/authorizer.json": apple], ["noSeed", "configurationMisplaced"]),
      (
        [
          "authorizer.json":
            #"{"issuers":[{"name":"p","issuer":"https://i.example","audiences":["a"],"algorithms":["HS256"],"keys":{"secret":{"file":"./s.env.jwk"}}}]}"#,
          "s.env.jwk": #"{"kty":"oct","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#,
        ], []
      ),
      (["authorizer.json": apple, ".env": "A=b"], ["noSeed", "credentialsInside"]),
      (["authorizer.json": #"{"issuers":[]}"#], ["configurationInvalid"]),
      (
        ["authorizer.json": issuer(#"{"seed":"k.json","pinned":true}"#), "k.json": seed(kid: "1")],
        ["pinnedKeys"]
      ),
      (
        [
          "authorizer.json": issuer(#"{"seed":"k.json","pinned":true}"#),
          "k.json": seed(kid: "development-1"),
        ],
        ["developmentConfiguration"]
      ),
      (["authorizer.json": issuer(#"{"url":"http://127.0.0.1:1/k"}"#)], ["developmentConfiguration"]),
      (["authorizer.json": seeded, "k.json": seed(kid: "1", #","fetchedAt":1000000000"#)], ["seedExpired"]),
      (
        ["authorizer.json": seeded, "k.json": seed(kid: "1", #","fetchedAt":9000000000"#)], ["seedFromFuture"]
      ),
      (
        [
          "authorizer.json":
            #"{"issuers":[{"name":"p","issuer":"https://i.example","audiences":["a"],"algorithms":["HS512"],"keys":{"secret":{"environment":"S"}}}]}"#
        ], ["secretAssumed"]
      ),
      (
        [
          "authorizer.json":
            #"{"issuers":[{"name":"p","issuer":"https://i.example","audiences":["a"],"algorithms":["HS256"],"keys":{"secret":{"file":"s.txt"}}}]}"#,
          "s.txt": " {{resolve:secretsmanager:partner:SecretString:secret}}\n",
        ], ["configurationInvalid"]
      ),
      (["authorizer.json": issuer(#"{"seed":"/opt/k.json","pinned":true}"#)], ["configurationElsewhere"]),
      (
        [
          "authorizer.json": apple.dropLast()
            + #","default":"allow","rules":[{"routes":["GET /a"],"require":{"scopes":["s"]}}]}"#
        ], ["noSeed", "defaultAllow", "scopeNeverSent"]
      ),
    ] as [([String: String], Set<String>)])
  func checksTheConfigurationInAPackage(_ files: [String: String], _ codes: Set<String>) async throws {
    let workshop = try Workshop()
    let path = workshop.folder.appendingPathComponent("a.zip")
    try Data(Self.package(files.merging(["bootstrap": "#!", "fetch-keys": "#!"]) { $1 })).write(to: path)
    let answer = try await workshop.run(["doctor", "--json", "a.zip"])
    #expect(try Self.codes(answer).subtracting(["programInvalid"]) == codes, "\(answer.output)")
    #expect(answer.exit == 1)
  }

  static func rules(_ members: String) -> String { String(apple.dropLast()) + "," + members + "}" }

  static let crossing = rules(#""default":"deny","rules":[{"allow":true,"routes":["DELETE /reports/{id}"]}]"#)
  static let shadowed = rules(
    #""default":"deny","rules":[{"allow":true,"routes":["* /*"]},{"allow":true,"routes":["GET /a"],"require":{"scopes":["s"]}}]"#
  )

  /// Each warning of the configuration has a code of its own. Rules that need the path suit every kind of API.
  @Test(
    arguments: [
      ("HttpApi", crossing, ["routeCrossesSegments"]),
      ("Api", crossing, ["routeCrossesSegments"]),
      ("HttpApi", shadowed, ["ruleWithoutEffect"]),
    ] as [(String, String, Set<String>)])
  func warnsOfRules(_ api: String, _ configuration: String, _ codes: Set<String>) async throws {
    let workshop = try Workshop()
    var template = DoctorArtifactTests.template(["F"])
    if api == "Api" {
      template = template.replacing("AWS::Serverless::HttpApi", with: "AWS::Serverless::Api")
        .replacing("            EnableFunctionDefaultPermissions: true\n", with: "")
        .replacing(#"AuthorizerPayloadFormatVersion: "2.0""#, with: "FunctionPayloadType: REQUEST")
        .replacing(
          "    Properties:\n      Auth:", with: "    Properties:\n      StageName: prod\n      Auth:")
    }
    try workshop.write(template, to: "t.yaml")
    try workshop.write(configuration, to: "authorizer.json")
    let answer = try await workshop.run(["doctor", "--json", "--template", "t.yaml"])
    let all = try Self.codes(answer)
    let known: Set = ["routeCrossesSegments", "ruleWithoutEffect"]
    #expect(all.intersection(known) == codes, "\(answer.output)")
    #expect(!all.contains("templateRefused") && !all.contains("configurationWarning"), "\(answer.output)")
    #expect(answer.exit == 1)
  }

  /// The configuration that was read is the first fact.
  @Test func namesTheConfiguration() async throws {
    let workshop = try Workshop()
    try workshop.write(DoctorArtifactTests.template(["F"], code: "      CodeUri: code/"), to: "t.yaml")
    try workshop.write(Self.apple, to: "code/authorizer.json")
    try workshop.write(Self.apple, to: "authorizer.json")
    let folder = try await workshop.run(["doctor", "--template", "t.yaml"])
    #expect(folder.output.hasPrefix("configuration: code/authorizer.json\n"), "\(folder.output)")
    let given = try await workshop.run(["doctor", "--config", "authorizer.json", "--template", "t.yaml"])
    #expect(given.output.hasPrefix("configuration: authorizer.json\n"), "\(given.output)")
    try workshop.write(
      DoctorArtifactTests.template(["F"], variables: ["AUTHORIZER_CONFIG: '\(Self.apple)'"]), to: "t.yaml")
    let variable = try await workshop.run(["doctor", "--template", "t.yaml"])
    #expect(
      variable.output.hasPrefix("configuration: the variable AUTHORIZER_CONFIG\n"), "\(variable.output)")
    let package = try await workshop.run(["doctor", "code"])
    #expect(
      package.output.contains("configuration: authorizer.json in the package\n"), "\(package.output)")
  }

  /// A change that damages a valid archive.
  enum Damage: String, CaseIterable {
    case truncated, empty, onlyItsStart, outside, control, huge

    var code: String {
      switch self {
      case .truncated, .empty, .onlyItsStart: "archiveDamaged"
      case .outside, .control: "entryRefused"
      case .huge: "unpackedTooLarge"
      }
    }

    func done(to bytes: [UInt8]) -> [UInt8] {
      switch self {
      case .truncated: Array(bytes.dropLast(5))
      case .empty: []
      case .onlyItsStart: Array("PK\u{3}\u{4}".utf8)
      case .outside: replace(bytes, "bootstrap", "../strap.")
      case .control: replace(bytes, "fetch-keys", "fetch\u{1}keys")
      case .huge: huge(bytes)
      }
    }

    /// Replaces a name everywhere with another of the same length.
    private func replace(_ bytes: [UInt8], _ name: String, _ other: String) -> [UInt8] {
      bytes.replacing(Array(name.utf8), with: Array(other.utf8))
    }

    /// Sets the size of the first file in the directory to 4 GB.
    private func huge(_ bytes: [UInt8]) -> [UInt8] {
      guard let entry = bytes.firstRange(of: [0x50, 0x4B, 1, 2]) else { return bytes }
      var bytes = bytes
      for place in 24..<28 { bytes[entry.lowerBound + place] = 0xFE }
      return bytes
    }
  }

  @Test(arguments: Damage.allCases) func reportsOnlyTheDamageOfAHostileArchive(_ damage: Damage)
    async throws
  {
    let workshop = try Workshop()
    let bytes = try Self.package(["bootstrap": "#!", "fetch-keys": "#!"])
    try Data(damage.done(to: bytes)).write(to: workshop.folder.appendingPathComponent("a.zip"))
    let answer = try await workshop.run(["doctor", "--json", "a.zip"])
    #expect(answer.exit == 1, "\(answer.errors)")
    #expect(try Self.codes(answer) == [damage.code], "\(answer.output)")
  }

  /// Names in foreign archives and folders are printed escaped, so that a terminal does not interpret them.
  @Test func escapesNamesForTheTerminal() async throws {
    let workshop = try Workshop()
    let bytes = try Self.package(["bootstrap": "#!", "fetch-keys": "#!"])
    let name = "\u{1B}[2J\n\u{9B}31"
    #expect(name.utf8.count == 9)
    try Data(bytes.replacing(Array("bootstrap".utf8), with: Array(name.utf8)))
      .write(to: workshop.folder.appendingPathComponent("a.zip"))
    try workshop.write("A=b", to: "f/\u{1B}[31m\u{202E}\n/.env")
    for (path, shown) in [("a.zip", #"\u{1b}[2J\u{a}\u{9b}31"#), ("f", #"\u{1b}[31m"#)] {
      let answer = try await workshop.run(["doctor", path])
      #expect(answer.exit == 1 && answer.output.contains(shown), "\(answer.output)")
      let raw = answer.output.unicodeScalars.filter {
        $0.value != 0x0A && ($0.value < 0x20 || 0x7F...0x9F ~= $0.value)
      }
      #expect(raw.isEmpty && !answer.output.contains("\u{202E}"), "\(raw)")
    }
    let invoked = try workshop.execute(["invoke", "--zip", "a.zip", "event.json"])
    #expect(invoked.exit != 0 && !invoked.errors.contains("\u{1B}"), "\(invoked.errors)")
  }

  @Test func stopsReadingAtTheSizeLimit() async throws {
    let workshop = try Workshop()
    for path in ["large.zip", "large.yaml"] {
      try workshop.write("", to: path)
      let handle = try FileHandle(forWritingTo: workshop.folder.appendingPathComponent(path))
      try handle.truncate(atOffset: 5 << 30)
      try handle.close()
    }
    let archive = try await workshop.run(["doctor", "--json", "large.zip"])
    #expect(try Self.codes(archive) == ["unpackedTooLarge", "uploadTooLarge"] && archive.exit == 1)
    for path in ["large.yaml", "/dev/zero"] {
      let answer = try await workshop.run(["doctor", "--template", path])
      #expect(answer.exit == 64 && answer.errors.contains("has more than 1048576 bytes"), "\(answer.errors)")
    }
  }

  @Test func comparesATemplateWithTheConfigurationNextToIt() async throws {
    let workshop = try Workshop()
    let template = try Checkout.text("template/template.yaml")
    try workshop.write(template, to: "template.yaml")
    let missing = try await workshop.run(["doctor", "--json", "--template", "template.yaml"])
    #expect(try Self.codes(missing).contains("configurationMissing") && missing.exit == 1)
    let short = try await workshop.run(
      ["doctor", "--parameter", "Issuer=apple", "--parameter", "Audience=a", "--template", "template.yaml"])
    #expect(short.exit == 0 && short.output.hasSuffix("errors: 0, warnings: 0\n"), "\(short.output)")
    try workshop.write(Self.apple.dropLast() + #","gatewayCache":"off"}"#, to: "authorizer.json")
    let off = try await workshop.run(["doctor", "--json", "--template", "template.yaml"])
    #expect(try Self.codes(off).contains("cacheExpectedOff") && off.exit == 1, "\(off.output)")
    let accepted = try await workshop.run([
      "doctor", "--accept", "cacheExpectedOff", "--template", "template.yaml",
    ])
    #expect(accepted.exit == 0, "\(accepted.output)")
    #expect(accepted.output.contains("accepted cacheExpectedOff: RestApi.Bearer"), "\(accepted.output)")
    let refused = try await workshop.run([
      "doctor", "--json", "--config", "bad.json", "--template", "template.yaml",
    ])
    #expect(refused.exit == 64)
    try workshop.write(
      template.replacing(
        "        Variables:\n", with: "        Variables:\n          AUTHORIZER_DEVELOPMENT: \"1\"\n"),
      to: "development.yaml")
    await #expect(
      try Self.codes(workshop.run(["doctor", "--json", "--template", "development.yaml"])).contains(
        "developmentVariable"))
    try workshop.write("Resources:\n  A: {}\n", to: "broken.yaml")
    let broken = try await workshop.run(["doctor", "--json", "--template", "broken.yaml"])
    #expect(try Self.codes(broken) == ["templateRefused"] && broken.exit == 1)
  }
}
