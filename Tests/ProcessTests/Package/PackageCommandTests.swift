import DeploymentChecks
import Foundation
import Testing
import TestSupport

/// `authorizer-local package`, which `make package` calls, with the shipped function.
@Suite(.needsBootstrap, .hangLimit)
struct PackageCommandTests {
  static let root = Workshop.packageRoot.path

  static func arguments(_ more: String...) -> [String] {
    [
      "package", "--bootstrap", root + "/dist/bootstrap", "--fetch-keys", root + "/dist/fetch-keys",
      "--call-dynamodb", root + "/dist/call-dynamodb", "--output", ".",
      "--event", root + "/events/rest-token-good.json",
    ] + more
  }

  @Test func packagesAreReproducibleValidAndStart() throws {
    let workshop = try Workshop()
    try workshop.write(
      DoctorCommandTests.issuer(#"{"seed":"keys/p.json","pinned":true}"#), to: "c/authorizer.json")
    try workshop.write(DoctorCommandTests.seed(kid: "1"), to: "c/keys/p.json")
    let arguments = Self.arguments("--config", "c/authorizer.json")
    let first = try workshop.execute(arguments)
    #expect(first.exit == 0, "\(first.errors)")
    #expect(first.output.contains("rest-token-good.json is allowed"), "\(first.output)")
    #expect(first.output.contains("is unauthorized (malformedToken)"), "\(first.output)")
    let name = try #require(first.output.split(separator: ":").first.map(String.init))
    let path = workshop.folder.appendingPathComponent(name)
    let bytes = try Data(contentsOf: path)
    #expect(try workshop.execute(arguments).exit == 0)
    #expect(try Data(contentsOf: path) == bytes)
    let package = try DeploymentPackage(parsing: Array(bytes))
    #expect(package.files.map(\.path) == ["authorizer.json", "bootstrap", "fetch-keys", "keys/p.json"])
    #expect(package.files.map(\.permissions) == [0o644, 0o755, 0o755, 0o644])
    #expect(bytes.count <= 5 << 20)
    #expect(
      Array(try Data(contentsOf: URL(fileURLWithPath: Workshop.bootstrap)))
        == package.file("bootstrap")?.bytes)
    #if os(Linux)
      let bootstrap = try ELFFile(parsing: package.file("bootstrap")?.bytes ?? [])
      #expect(bootstrap.interpreter == nil && bootstrap.libraries.isEmpty && bootstrap.searchPath == nil)
      let fetcher = try ELFFile(parsing: package.file("fetch-keys")?.bytes ?? [])
      #expect(fetcher.isPositionIndependent && fetcher.searchPath == nil)
    #endif
    let doctor = try workshop.execute(["doctor", name])
    #if os(Linux)
      #expect(first.output.contains("\nOpenSSL: 3."), "\(first.output)")
      #expect(doctor.output.contains(", linked into bootstrap; to patch it"), "\(doctor.output)")
    #endif
    #expect(doctor.exit == 0 && doctor.output.hasSuffix("errors: 0, warnings: 0\n"), "\(doctor.output)")
    try Self.unpackElsewhere(path.path)
  }

  /// Reads the archive with another program, because writer and reader might have the same bug.
  private static func unpackElsewhere(_ path: String) throws {
    guard let python = Workshop.python else { return }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = [
      "-I", "-c", "import sys, zipfile; sys.exit(zipfile.ZipFile(sys.argv[1]).testzip() is not None)", path,
    ]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test(
    arguments: [
      (["--bootstrap", "none"], 64, "cannot read none"),
      (["--bootstrap", "script"], 1, "it is not an ELF file"),
      (["--config", "bad.json"], 1, "the function would not start with bad.json"),
      (["--config", "outside.json"], 64, "its name leads outside of the package"),
      (["--config", "seedless.json"], 64, "cannot read"), (["--keys", "none"], 64, "cannot read none"),
      (["--config", "seedless.json"], 64, "; authorizer-local keys fetch PRESET_OR_URL -o "),
      (["--event", "none.json"], 64, "cannot read none.json"),
      (["--event", "bad.txt"], 64, "bad.txt is not JSON"),
      (["--event", "token.json"], 64, "no tokens.json for the requested tokens"),
    ] as [([String], Int32, String)])
  func refusesToPackWhatCannotBeDeployed(_ arguments: [String], _ exit: Int32, _ message: String) throws {
    let workshop = try Workshop()
    try workshop.write("#!/bin/sh\n", to: "script")
    try workshop.write(#"{"issuers":[]}"#, to: "bad.json")
    try workshop.write("#!/bin/sh\n", to: "bad.txt")
    try workshop.write(#"{"authorizationToken":"Bearer {{token good}}"}"#, to: "token.json")
    try workshop.write("{}", to: "../outside-\(workshop.folder.lastPathComponent)")
    defer {
      try? FileManager.default.removeItem(
        at: workshop.folder.appendingPathComponent("../outside-\(workshop.folder.lastPathComponent)"))
    }
    try workshop.write(
      DoctorCommandTests.issuer(
        #"{"seed":"../outside-\#(workshop.folder.lastPathComponent)","pinned":true}"#),
      to: "outside.json")
    try workshop.write(
      DoctorCommandTests.issuer(#"{"seed":"absent.json","pinned":true}"#), to: "seedless.json")
    let answer = try workshop.execute(Self.arguments() + arguments)
    #expect(answer.exit == exit && answer.errors.contains(message), "\(answer)")
    let names = try FileManager.default.contentsOfDirectory(atPath: workshop.folder.path)
    #expect(!names.contains { $0.hasSuffix(".zip") })
  }

  /// Outside of a checkout there are no sample events.
  @Test func startsThePackageWithTheBuiltInEvent() throws {
    let workshop = try Workshop()
    let answer = try workshop.execute(Self.arguments().dropLast(2))
    #expect(answer.exit == 0, "\(answer)")
    #expect(
      answer.output.contains("started with development keys: the built-in event is allowed"), "\(answer)")
  }

  /// A configuration that was left out is probably a mistake; the package is written nevertheless.
  @Test(
    arguments: [
      ("template/authorizer.json", [], true), ("authorizer.json", [], true), ("other.json", [], false),
      ("authorizer.json", ["--config", "authorizer.json"], false),
    ] as [(String, [String], Bool)])
  func warnsAboutAConfigurationThatIsNotPacked(_ path: String, _ options: [String], _ isWarned: Bool) throws {
    let workshop = try Workshop()
    try workshop.write(DoctorCommandTests.issuer(#"{"seed":"p.json","pinned":true}"#), to: path)
    try workshop.write(DoctorCommandTests.seed(kid: "1"), to: "p.json")
    let answer = try workshop.execute(Self.arguments() + options)
    #expect(answer.exit == 0, "\(answer)")
    #expect(answer.errors.contains("although \(path) exists\n") == isWarned, "\(answer.errors)")
    #expect(answer.errors.contains("hint: pack it with --config \(path)\n") == isWarned, "\(answer.errors)")
  }

  /// A folder of keys must not contain secrets.
  @Test(
    arguments: [
      ("AuthKey.p8", "-----BEGIN PRIVATE KEY-----", "is not a key set: its name does not end in .json"),
      ("private.json", #"{"keys":[{"kty":"EC","kid":"a","d":"AA"}]}"#, "contains a private key"),
      ("secret.json", #"{"keys":[{"kty":"oct","k":"AA"}]}"#, "contains a private key"),
      ("notes.json", #"{"a":1}"#, "an object with an array"), ("text.json", "hello", "is not a key set"),
      ("deep/a.json", #"{"keys":[]}"#, "deep is not a regular file"),
    ] as [(String, String, String)])
  func onlyPublicKeySetsArePacked(_ name: String, _ content: String, _ message: String) throws {
    let workshop = try Workshop()
    try workshop.write(content, to: "k/" + name)
    let answer = try workshop.execute(Self.arguments() + ["--keys", "k"])
    #expect(answer.exit == 64 && answer.errors.contains(message), "\(answer)")
  }

  @Test func refusesSymbolicLinks() throws {
    let workshop = try Workshop()
    try workshop.write(DoctorCommandTests.seed(kid: "1"), to: "elsewhere.json")
    try workshop.write(DoctorCommandTests.seed(kid: "1"), to: "k/good.json")
    try FileManager.default.createSymbolicLink(
      atPath: workshop.folder.appendingPathComponent("k/link.json").path,
      withDestinationPath: "../elsewhere.json")
    let answer = try workshop.execute(Self.arguments() + ["--keys", "k"])
    #expect(answer.exit == 64 && answer.errors.contains("link.json is not a regular file"), "\(answer)")
  }

  // MARK: Other functions

  /// The compiler of a small static program that answers everything and replaces another function.
  static let compiler = ["/usr/bin/cc", "/usr/bin/gcc", "/usr/bin/clang"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test(.enabled(if: compiler != nil, "no C compiler for a second function"))
  func packsAnotherFunctionByName() throws {
    let workshop = try Workshop()
    try Self.compileFloor(to: workshop.folder.appendingPathComponent("backend"))
    try workshop.write("{}", to: "event.json")
    // The authorizer would refuse this configuration, but it belongs to another function.
    try workshop.write(#"{"store":"memory"}"#, to: "deploy/settings.json")
    let arguments = [
      "package", "--name", "backend", "--bootstrap", "backend", "--fetch-keys",
      Self.root + "/dist/fetch-keys", "--call-dynamodb", Self.root + "/dist/call-dynamodb", "--config",
      "deploy/settings.json", "--output", ".",
    ]
    let packed = try workshop.execute(arguments)
    #expect(
      packed.exit == 0 && packed.output.contains("not started: give an event with --event"), "\(packed)")
    let name = try #require(packed.output.split(separator: ":").first.map(String.init))
    #expect(name.hasPrefix("./backend-") && name.hasSuffix(".zip"))
    let package = try DeploymentPackage(
      parsing: Array(Data(contentsOf: workshop.folder.appendingPathComponent(name))))
    #expect(package.files.map(\.path) == ["backend.json", "bootstrap", "call-dynamodb", "fetch-keys"])
    #expect(package.files.map(\.permissions) == [0o644, 0o755, 0o755, 0o755])
    let started = try workshop.execute(arguments + ["--event", "event.json"])
    #expect(started.exit == 0 && started.output.contains("event.json was answered"), "\(started)")
  }

  @Test func reportsAnotherFunctionThatDoesNotStart() throws {
    let workshop = try Workshop()
    try workshop.write("{}", to: "event.json")
    // The authorizer finds no configuration in a package with another name.
    let answer = try workshop.execute(Self.arguments("--name", "backend", "--event", "event.json"))
    #expect(answer.exit != 0 && answer.errors.contains("event.json was not answered"), "\(answer)")
  }

  @Test(arguments: ["", "a/b", "A", "a.b", "../a"])
  func refusesInvalidNames(_ name: String) throws {
    let answer = try Workshop().execute(Self.arguments("--name", name))
    #expect(answer.exit == 64 && answer.errors.contains("--name must be "), "\(answer)")
  }

  private static func compileFloor(to place: URL) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(compiler))
    #if os(Linux)
      let form = ["-static", "-s"]
    #else
      let form: [String] = []
    #endif
    process.arguments = ["-O1"] + form + ["-o", place.path, root + "/Tests/Fixtures/floor.c"]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }
}
