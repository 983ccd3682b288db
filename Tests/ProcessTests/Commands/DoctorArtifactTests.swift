import Foundation
import Testing
import TestSupport

/// The files that `doctor` expects a template alone to deploy.
@Suite(.hangLimit) struct DoctorArtifactTests {
  typealias Doctor = DoctorCommandTests

  static let fetchedAt = #","fetchedAt":\#(Int(Date().timeIntervalSince1970) - 86_400)"#
  static let keys = DoctorCommandTests.seed(kid: "1", fetchedAt)

  static func configuration(seed: String) -> String {
    DoctorCommandTests.issuer(#"{"url":"https://id.example.com/k","seed":"\#(seed)"}"#)
  }

  /// Functions that each authorize one HTTP API.
  static func template(_ functions: [String], variables: [String] = [], code: String = "") -> String {
    var text = "Transform: AWS::Serverless-2016-10-31\nResources:\n"
    for (index, name) in functions.enumerated() {
      text += """
          \(name):
            Type: AWS::Serverless::Function
            Properties:
              Runtime: provided.al2023
              Handler: bootstrap
              Timeout: 10
              LoggingConfig: { LogFormat: JSON }
              Environment: { Variables: { \(variables.isEmpty ? "" : variables[index]) } }
        \(code)
          \(name)Api:
            Type: AWS::Serverless::HttpApi
            Properties:
              Auth:
                DefaultAuthorizer: Bearer
                Authorizers:
                  Bearer:
                    FunctionArn: !GetAtt \(name).Arn
                    EnableFunctionDefaultPermissions: true
                    AuthorizerPayloadFormatVersion: "2.0"
                    Identity: { Headers: [Authorization], ReauthorizeEvery: 300 }
              DefinitionBody:
                openapi: 3.0.1
                paths:
                  /me:
                    get:
                      x-amazon-apigateway-integration: { type: http_proxy, httpMethod: GET, uri: "https://a.example/" }

        """
    }
    return text
  }

  static let makefile = "build-AuthorizerFunction:\n\tcp -R template/keys $(ARTIFACTS_DIR)\n"

  static func shipped() throws -> String {
    try Checkout.text("template/template.yaml")
  }

  /// Files next to the shipped `template/template.yaml`.
  @Test(
    arguments: [
      (["keys/k.json": keys], "keys/k.json", [], ""),
      (["keys/k.json": keys], "./keys/k.json", [], ""),
      (["keys/k.json": keys], "/var/task/keys/k.json", [], ""),
      (
        ["k.json": keys], "k.json", ["fileNotPacked"],
        "template/keys/k.json and configure it as keys/k.json"
      ),
      (["seeds/k.json": keys], "seeds/k.json", ["fileNotPacked"], "template/keys/k.json"),
      ([:], "keys/k.json", ["fileNotPacked"], "put it in template/keys/k.json: sam build packs that folder"),
      (
        [:], "keys/k.json", ["fileNotPacked"],
        "; authorizer-local keys fetch PRESET_OR_URL -o template/keys/k.json writes it"
      ),
      (["keys/k.json": "{"], "keys/k.json", ["configurationInvalid"], ""),
      ([:], "/opt/keys/k.json", ["configurationElsewhere"], ""),
    ] as [([String: String], String, Set<String>, String)])
  func findsFilesThatSamBuildDoesNotPack(
    _ files: [String: String], _ seed: String, _ codes: Set<String>, _ cure: String
  ) async throws {
    let workshop = try Workshop()
    try workshop.write(try Self.shipped(), to: "template/template.yaml")
    try workshop.write(Self.makefile, to: "Makefile")
    try workshop.write(Self.configuration(seed: seed), to: "template/authorizer.json")
    for (path, text) in files { try workshop.write(text, to: "template/" + path) }
    let answer = try await workshop.run(["doctor", "--json", "--template", "template/template.yaml"])
    #expect(try Set(Doctor.codes(answer)) == Set(codes), "\(answer.output)")
    #expect(cure.isEmpty || answer.output.contains(cure), "\(answer.output)")
    #expect(answer.exit == (codes.isEmpty || codes == ["configurationElsewhere"] ? 0 : 1))
  }

  static func secrets(_ first: String, _ second: String) -> String {
    let issuers = [first, second].enumerated().map { index, file in
      #"{"name":"p\#(index)","issuer":"https://i\#(index).example","audiences":["a"],"algorithms":["HS256"],"keys":{"secret":{"file":"\#(file)"}}}"#
    }
    return #"{"issuers":[\#(issuers.joined(separator: ","))]}"#
  }

  /// A message about a secret contains no file name, and one missing file must not hide another.
  @Test(
    arguments: [
      ("/opt/s", "keys/s", ["configurationElsewhere", "fileNotPacked"]),
      ("/opt/s", "/opt/t", ["configurationElsewhere"]), ("keys/s", "keys/t", ["fileNotPacked"]),
    ] as [(String, String, Set<String>)])
  func reportsMissingSecretsOnce(_ first: String, _ second: String, _ codes: Set<String>) async throws {
    let workshop = try Workshop()
    try workshop.write(try Self.shipped(), to: "template.yaml")
    try workshop.write(Self.secrets(first, second), to: "authorizer.json")
    let answer = try await workshop.run(["doctor", "--json", "--template", "template.yaml"])
    #expect(try Set(Doctor.codes(answer)) == Set(codes), "\(answer.output)")
    let package = try Doctor.package(
      ["authorizer.json": Self.secrets(first, second), "bootstrap": "#!", "fetch-keys": "#!"])
    try Data(package).write(to: workshop.folder.appendingPathComponent("a.zip"))
    let packed = try await Doctor.codes(workshop.run(["doctor", "--json", "a.zip"]))
    #expect(packed.contains("configurationInvalid") == (codes != ["configurationElsewhere"]), "\(packed)")
  }

  /// Without the shipped Makefile the folder is deployed unchanged. The result of a custom build is unknown.
  @Test(
    arguments: [
      (["code/authorizer.json": configuration(seed: "k.json"), "code/k.json": keys], []),
      (["code/authorizer.json": configuration(seed: "k.json"), "k.json": keys], ["fileNotPacked"]),
      (["authorizer.json": Doctor.apple, "code/x": ""], ["fileNotPacked", "noSeed"]),
      (["code/x": ""], ["configurationMissing"]),
      (["authorizer.json": configuration(seed: "k.json"), "k.json": keys], []),
      (
        ["authorizer.json": configuration(seed: "k.json"), "k.json": keys, "code/Makefile": "all:\n"], []
      ),
    ] as [([String: String], Set<String>)])
  func searchesTheFolderOfTheCode(_ files: [String: String], _ codes: Set<String>) async throws {
    let workshop = try Workshop()
    try workshop.write(Self.template(["F"], code: "      CodeUri: code/"), to: "t.yaml")
    for (path, text) in files { try workshop.write(text, to: path) }
    let answer = try await workshop.run(["doctor", "--json", "--template", "t.yaml"])
    #expect(try Set(Doctor.codes(answer)) == Set(codes), "\(answer.output)")
  }

  @Test func readsTheArchiveOfTheCode() async throws {
    let workshop = try Workshop()
    try workshop.write(Self.template(["F"], code: "      CodeUri: dist/a.zip"), to: "t.yaml")
    try workshop.write("", to: "dist/x")
    try Data(Doctor.package(["authorizer.json": Self.configuration(seed: "k.json"), "k.json": Self.keys]))
      .write(to: workshop.folder.appendingPathComponent("dist/a.zip"))
    let answer = try await workshop.run(["doctor", "--template", "t.yaml"])
    #expect(answer.exit == 0, "\(answer.output)")
  }

  /// Before the first package the files beside the template are checked, and afterwards those in it. A package with
  /// another configuration than the one beside the template is probably an old one.
  @Test(
    arguments: [
      (nil, Doctor.apple, ["archiveMissing", "noSeed"]), (Doctor.apple, Doctor.apple, ["noSeed"]),
      (Doctor.apple, nil, ["noSeed"]), (Doctor.apple, "{}", ["archiveOutdated", "noSeed"]),
      (nil, nil, ["archiveMissing", "configurationMissing"]),
      (nil, "{", ["archiveMissing", "configurationInvalid"]),
      (Doctor.apple, "{", ["archiveOutdated", "configurationInvalid", "noSeed"]),
    ] as [(String?, String?, [String])])
  func comparesTheArchiveWithItsSource(_ packed: String?, _ beside: String?, _ codes: [String]) async throws {
    let workshop = try Workshop()
    let archive = "dist/authorizer-x86_64.zip"
    try workshop.write(Self.template(["F"], code: "      CodeUri: \(archive)"), to: "t.yaml")
    if let beside { try workshop.write(beside, to: "authorizer.json") }
    try workshop.write("", to: "dist/x")
    if let packed {
      try Data(Doctor.package(["authorizer.json": packed]))
        .write(to: workshop.folder.appendingPathComponent(archive))
    }
    let answer = try await workshop.run(["doctor", "--json", "--template", "t.yaml"])
    #expect(try Set(Doctor.codes(answer)) == Set(codes), "\(answer.output)")
    let isSound = Set(codes).isSubset(of: ["archiveMissing", "noSeed"])
    #expect(answer.exit == (isSound ? 0 : 1), "\(answer.output)")
  }

  @Test("an archive that package never writes is probably misspelled")
  func misspelledArchive() async throws {
    let workshop = try Workshop()
    try workshop.write(Self.template(["F"], code: "      CodeUri: dist/authoriser.zip"), to: "t.yaml")
    try workshop.write(Doctor.apple, to: "authorizer.json")
    let answer = try await workshop.run(["doctor", "--template", "t.yaml"])
    #expect(answer.exit == 1)
    #expect(answer.output.contains("warning archiveMisnamed: dist/authoriser.zip: "), "\(answer.output)")
    #expect(answer.output.contains("  hint: did you mean dist/authorizer-x86_64.zip?"), "\(answer.output)")
    #expect(!answer.output.contains("archiveMissing"), "\(answer.output)")
  }

  /// A package for this machine's processor would not be deployed by a template for the other one.
  @Test(arguments: [("x86_64", "arm64"), ("arm64", "x86_64")])
  func warnsAboutAnArchiveOfTheOtherProcessor(_ deployed: String, _ packed: String) async throws {
    let workshop = try Workshop()
    try workshop.write(Self.template(["F"], code: "      CodeUri: dist/a-\(deployed).zip"), to: "t.yaml")
    try workshop.write(Doctor.apple, to: "authorizer.json")
    try workshop.write("", to: "dist/a-\(packed).zip")
    let answer = try await workshop.run(["doctor", "--json", "--template", "t.yaml"])
    #expect(try Set(Doctor.codes(answer)) == ["archiveOfOtherProcessor", "noSeed"], "\(answer.output)")
    #expect(answer.exit == 1, "\(answer.output)")
  }

  @Test func findsTheKeysOfTheShortFormNextToTheTemplate() async throws {
    let workshop = try Workshop()
    try workshop.write(try Self.shipped(), to: "deploy/template.yaml")
    let values = ["Issuer=https://id.example.com", "Audience=a", "Keys=keys/k.json"]
    let command =
      ["doctor", "--json"] + values.flatMap { ["--parameter", $0] } + ["--template", "deploy/template.yaml"]
    try workshop.write(Self.keys, to: "keys/k.json")
    await #expect(try Doctor.codes(workshop.run(command)) == ["fileNotPacked"])
    try workshop.write(Self.keys, to: "deploy/keys/k.json")
    let answer = try await workshop.run(command)
    #expect(try Doctor.codes(answer) == ["pinnedKeys"], "\(answer.output)")
    #expect(answer.exit == 0)
  }

  static let inline = "AUTHORIZER_CONFIG: '\(DoctorCommandTests.apple)'"

  @Test(
    arguments: [
      (inline, ["authorizer.json": Doctor.apple], ["configurationShadowed", "noSeed"]),
      (inline, [:], ["noSeed"]),
      (
        "AUTHORIZER_CONFIG: other.json", ["authorizer.json": Doctor.apple, "other.json": Doctor.apple],
        ["configurationShadowed", "noSeed"]
      ),
      ("AUTHORIZER_CONFIG: other.json", ["other.json": Doctor.apple], ["noSeed"]),
      ("AUTHORIZER_CONFIG: ./authorizer.json", ["authorizer.json": Doctor.apple], ["noSeed"]),
      (
        "AUTHORIZER_ISSUER: apple, AUTHORIZER_AUDIENCE: a", ["authorizer.json": Doctor.apple],
        ["configurationInvalid"]
      ),
      ("AUTHORIZER_CONFIG: '{{resolve:ssm:/a}}'", [:], ["configurationElsewhere"]),
    ] as [(String, [String: String], Set<String>)])
  func findsConfigurationsThatAreNotRead(
    _ variables: String, _ files: [String: String], _ codes: Set<String>
  ) async throws {
    let workshop = try Workshop()
    try workshop.write(Self.template(["F"], variables: [variables]), to: "t.yaml")
    for (path, text) in files { try workshop.write(text, to: path) }
    let answer = try await workshop.run(["doctor", "--json", "--template", "t.yaml"])
    #expect(try Set(Doctor.codes(answer)) == Set(codes), "\(answer.output)")
  }

  @Test func checksEachFunctionWithItsOwnConfiguration() async throws {
    let workshop = try Workshop()
    let off = Doctor.apple.dropLast() + #","gatewayCache":"off"}"#
    try workshop.write(
      Self.template(["F", "G"], variables: [Self.inline, "AUTHORIZER_CONFIG: '\(off)'"]), to: "t.yaml")
    let answer = try await workshop.run(["doctor", "--template", "t.yaml"])
    #expect(answer.output.contains("warning cacheExpectedOff: GApi.Bearer: "), "\(answer.output)")
    #expect(!answer.output.contains("cacheExpectedOff: FApi"), "\(answer.output)")
    try workshop.write(
      Self.template(["F", "G"], variables: [Self.inline, "AUTHORIZER_CONFIG: '{}'"]), to: "t.yaml")
    let broken = try await workshop.run(["doctor", "--template", "t.yaml"])
    #expect(broken.output.contains("error configurationInvalid: G: "), "\(broken.output)")
    #expect(!broken.output.contains("configurationInvalid: F: "), "\(broken.output)")
    // Equal configurations are reported once.
    try workshop.write(Self.template(["F", "G"], variables: [Self.inline, Self.inline]), to: "t.yaml")
    let alike = try await workshop.run(["doctor", "--template", "t.yaml"])
    #expect(alike.exit == 0 && alike.output.ranges(of: "note noSeed").count == 1, "\(alike.output)")
  }

  /// Files that a foreign template names are read up to the function's limit, and pipes and devices are not read.
  @Test(
    arguments: [
      ("authorizer.json", "configurationMissing"), ("Makefile", "configurationMissing"),
    ])
  func pipesAndDevicesAreNotRead(_ name: String, _ code: String) async throws {
    let workshop = try Workshop()
    try workshop.write(
      Self.template(["Authorizer"], variables: [""], code: "      CodeUri: code/"), to: "template.yaml")
    try workshop.write("x", to: "code/x")
    let place = workshop.folder.appendingPathComponent("code/\(name)")
    #expect(unsafe mkfifo(place.path, 0o644) == 0)
    let answer = try await workshop.run(["doctor", "--json", "--template", "template.yaml"])
    #expect(try Doctor.codes(answer).contains(code))
  }

  @Test func reportsALargeFile() async throws {
    let workshop = try Workshop()
    try workshop.write(
      Self.template(["Authorizer"], variables: [""], code: "      CodeUri: code/"), to: "template.yaml")
    try workshop.write(" ", to: "code/authorizer.json")
    let place = workshop.folder.appendingPathComponent("code/authorizer.json").path
    // A sparse file of one tebibyte, which needs no disk space.
    #expect(unsafe truncate(place, 1 << 40) == 0)
    let answer = try await workshop.run(["doctor", "--json", "--template", "template.yaml"])
    #expect(try Doctor.codes(answer) == ["configurationInvalid"], "\(answer.output)")
  }

  @Test func ignoresNamesOutsideOfTheFolder() async throws {
    let workshop = try Workshop()
    try workshop.write(Self.keys, to: "elsewhere.json")
    try workshop.write(Self.configuration(seed: "../../elsewhere.json"), to: "a/code/authorizer.json")
    try workshop.write(
      Self.template(["Authorizer"], variables: [""], code: "      CodeUri: code/"), to: "a/template.yaml")
    let answer = try await workshop.run(["doctor", "--json", "--template", "a/template.yaml"])
    #expect(try Doctor.codes(answer) == ["configurationInvalid"], "\(answer.output)")
  }
}
