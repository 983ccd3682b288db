import DeploymentChecks
import Templates
import Foundation
import Testing
import TestSupport

/// `authorizer-local package --name identity`, which `make package-identity` calls, with the shipped function; and
/// which packages contain the program that calls DynamoDB.
@Suite(.needsBootstrap, .needsIdentity, .hangLimit)
struct PackageIdentityTests {
  static let root = Workshop.packageRoot.path

  static func arguments(_ more: String...) -> [String] {
    [
      "package", "--name", "identity", "--bootstrap", root + "/dist/identity", "--fetch-keys",
      root + "/dist/fetch-keys", "--call-dynamodb", root + "/dist/call-dynamodb", "--output", ".",
    ] + more
  }

  static func files(_ answer: Workshop.Answer, in workshop: borrowing Workshop) throws -> [String] {
    let name = try #require(answer.output.split(separator: ":").first.map(String.init))
    let path = workshop.folder.appendingPathComponent(name)
    return try DeploymentPackage(parsing: Array(Data(contentsOf: path))).files.map(\.path)
  }

  @Test func startsWithoutAConfiguration() throws {
    let workshop = try Workshop()
    let answer = try workshop.execute(Self.arguments())
    #expect(answer.exit == 0, "\(answer.errors)")
    #expect(answer.output.hasPrefix("./identity-") && answer.output.contains(" MiB (target 4, limit 5)\n"))
    #expect(answer.output.contains("configuration: none in the package; set IDENTITY_CONFIG"))
    #expect(
      answer.output.contains("started with development keys: POST /auth/nonce returned 200"),
      "\(answer.output)")
    #expect(try Self.files(answer, in: workshop) == ["bootstrap", "call-dynamodb", "fetch-keys"])
    // The trial leaves no file.
    let left = try FileManager.default.subpathsOfDirectory(atPath: workshop.folder.path)
    #expect(!left.contains { $0.hasSuffix(".sqlite3") }, "\(left)")
  }

  @Test func packagesAreReproducibleValidAndStartWithTheirConfiguration() throws {
    let workshop = try Workshop()
    try workshop.write(
      DoctorIdentityTests.configuration(
        #"{"dynamoDB":{"table":"UserTable"}}"#,
        DoctorIdentityTests.secret + #","keys":{"seed":"keys/apple.json","pinned":true}"#),
      to: "c/identity.json")
    try workshop.write(DoctorIdentityTests.rsa(kid: "1"), to: "c/keys/apple.json")
    let arguments = Self.arguments("--config", "c/identity.json")
    let first = try workshop.execute(arguments)
    #expect(first.exit == 0, "\(first.errors)")
    #expect(
      first.output.contains("started with its own configuration: POST /auth/nonce returned 200"),
      "\(first.output)")
    let name = try #require(first.output.split(separator: ":").first.map(String.init))
    let path = workshop.folder.appendingPathComponent(name)
    let bytes = try Data(contentsOf: path)
    #expect(try workshop.execute(arguments).exit == 0)
    #expect(try Data(contentsOf: path) == bytes)
    #expect(bytes.count <= 5 << 20)
    #expect(
      try Self.files(first, in: workshop) == [
        "bootstrap", "call-dynamodb", "fetch-keys", "identity.json", "keys/apple.json",
      ])
    let package = try DeploymentPackage(parsing: Array(bytes))
    #expect(
      Array(try Data(contentsOf: URL(fileURLWithPath: Workshop.identity))) == package.file("bootstrap")?.bytes
    )
    #expect(ShippedFunction(of: package) == .identity)
    let doctor = try workshop.execute(["doctor", name])
    #expect(doctor.exit == 0 && doctor.output.hasSuffix("errors: 0, warnings: 0\n"), "\(doctor.output)")
  }

  @Test func recognizesTheConfigurationOfTheOtherFunction() throws {
    let workshop = try Workshop()
    try workshop.write(DoctorIdentityTests.configuration(#"{"dynamoDB":{"table":"t"}}"#), to: "identity.json")
    let answer = try workshop.execute([
      "package", "--bootstrap", Workshop.bootstrap, "--fetch-keys", Self.root + "/dist/fetch-keys",
      "--call-dynamodb", Self.root + "/dist/call-dynamodb", "--config", "identity.json", "--output", ".",
    ])
    #expect(
      answer.exit == 1 && answer.errors.contains("hint: this configures the identity function"), "\(answer)")
  }

  @Test func createsNoDatabaseOnThisMachine() throws {
    let workshop = try Workshop()
    let database = workshop.folder.appendingPathComponent("users.sqlite").path
    try workshop.write(
      DoctorIdentityTests.configuration(#"{"sqlite":{"path":"\#(database)"}}"#), to: "identity.json")
    let answer = try workshop.execute(Self.arguments("--config", "identity.json"))
    #expect(answer.exit == 0 && answer.output.contains("not started with its own configuration"), "\(answer)")
    #expect(!FileManager.default.fileExists(atPath: database))
    #expect(try Self.files(answer, in: workshop) == ["bootstrap", "fetch-keys", "identity.json"])
  }

  @Test(
    arguments: [
      (#"{"audiences":["a"]}"#, 1, "store: missing"), ("{", 1, "would not start with identity.json"),
      (
        #"{"audiences":["a"],"store":{"dynamoDB":{"table":"users"}},"keys":{"seed":"k.json"}}"#, 64,
        "cannot read"
      ),
    ] as [(String, Int32, String)])
  func refusesToPackWhatWouldNotStart(_ text: String, _ exit: Int32, _ message: String) throws {
    let workshop = try Workshop()
    try workshop.write(text, to: "identity.json")
    let answer = try workshop.execute(Self.arguments("--config", "identity.json"))
    #expect(answer.exit == exit && answer.errors.contains(message), "\(answer)")
    let names = try FileManager.default.contentsOfDirectory(atPath: workshop.folder.path)
    #expect(!names.contains { $0.hasSuffix(".zip") })
  }

  /// The authorizer issues no nonces, and its error for an unknown event does not count as an answer.
  @Test func detectsAnotherProgramUnderItsName() throws {
    let answer = try Workshop().execute(
      Self.arguments() + ["--bootstrap", Self.root + "/dist/bootstrap"])
    #expect(answer.exit != 0 && answer.errors.contains("POST /auth/nonce was not answered"), "\(answer)")
  }

  /// Without a configuration file a variable may name a table; a configuration without a table needs no program.
  @Test func packsCallDynamoDBOnlyIfNeeded() throws {
    let workshop = try Workshop()
    let without = try workshop.execute(PackageCommandTests.arguments())
    #expect(try Self.files(without, in: workshop) == ["bootstrap", "call-dynamodb", "fetch-keys"])
    try workshop.write(DoctorCommandTests.apple, to: "authorizer.json")
    let with = try workshop.execute(PackageCommandTests.arguments("--config", "authorizer.json"))
    #expect(try Self.files(with, in: workshop) == ["authorizer.json", "bootstrap", "fetch-keys"])
  }

  @Test func notesThatOutcomesDoNotApplyToProxyEvents() throws {
    let workshop = try Workshop()
    let event =
      #"{"version":"2.0","rawPath":"/auth/nonce","headers":{},"requestContext":{"http":{"method":"POST"},"stage":"$default"}}"#
    let configuration = DoctorIdentityTests.configuration(#"{"sqlite":{"path":"users.sqlite"}}"#)
    let answer = try workshop.execute(
      ["invoke", "--function", Workshop.identity, "--env", "IDENTITY_CONFIG=" + configuration, "-"],
      input: event)
    #expect(answer.errors.contains("note: - is a proxy event"), "\(answer.errors)")
    #expect(answer.errors.contains("hint: use authorizer-local serve"), "\(answer.errors)")
  }
}
