@testable import DeploymentChecks
import Testing

/// Tests with files that must not be in a package, and with similar files that may.
@Suite struct PrivateMaterialTests {
  typealias File = DeploymentPackage.File

  static func findings(
    _ files: [(String, [UInt8])], secretFiles: Set<String> = []
  ) throws -> [DeploymentFinding] {
    let package = try DeploymentPackage(
      files: files.map { File(path: $0.0, bytes: $0.1, permissions: 0o644) })
    return PrivateMaterial(in: package, secretFiles: secretFiles).findings
  }

  /// Returns a PEM block with a label, built here so that secret scanners do not report this repository.
  static func pem(_ label: String) -> String {
    "-----BEGIN " + label + "-----\nAAAA\n-----END \(label)-----\n"
  }

  @Test(
    arguments: [
      ("a.pem", pem("PRIVATE KEY"), .privateKeyInside), ("a.pem", pem("RSA PRIVATE KEY"), .privateKeyInside),
      ("a.key", pem("EC PRIVATE KEY"), .privateKeyInside),
      ("a.txt", pem("ENCRYPTED PRIVATE KEY"), .privateKeyInside),
      ("backup", pem("OPENSSH PRIVATE KEY"), .privateKeyInside),
      ("a.asc", pem("PGP PRIVATE KEY BLOCK"), .privateKeyInside),
      ("ca.pem", pem("CERTIFICATE") + pem("PRIVATE KEY"), .privateKeyInside),
      (
        "account.json", #"{"type":"service_account","private_key":"\#(pem("PRIVATE KEY"))"}"#,
        .privateKeyInside
      ),
      ("AuthKey_ABC.p8", "", .privateKeyInside), ("x/store.P12", "", .privateKeyInside),
      ("id_rsa", "", .privateKeyInside), (".ssh/id_ed25519", "", .privateKeyInside),
      ("a.ppk.txt", "PuTTY-User-Key-File-3: ssh-ed25519\n", .privateKeyInside),
      ("a.json", #"{"kty":"EC","crv":"P-256","x":"A","y":"A","d":"A"}"#, .privateKeyInside),
      ("a.json", #"{"kty":"oct","k":"AA"}"#, .privateKeyInside),
      ("a.json", #" {"\u006bty":"oct","k":"AA"}"#, .privateKeyInside),
      ("a.json", #"{"key":"-----BEGIN PRIVATE"# + #" KEY-----\r\nMIIE"}"#, .privateKeyInside),
      ("a.pem", "-----BEGIN RSA PRIVATE" + " KEY-----\nProc-Type: 4,ENCRYPTED\n", .privateKeyInside),
      (
        "keys/a.json", #"{"keys":[{"kty":"RSA","n":"A","e":"AQAB"},{"kty":"RSA","d":"A"}]}"#,
        .privateKeyInside
      ),
      ("deep.json", #"{"a":[{"b":{"kty":"OKP","d":"A"}}]}"#, .privateKeyInside),
      (".env", "", .credentialsInside), ("app/.env.production", "", .credentialsInside),
      (".aws/credentials", "", .credentialsInside), ("home/.AWS/Credentials", "", .credentialsInside),
      ("notes.txt", "aws_secret_access_key = AAAA", .credentialsInside), (".npmrc", "", .credentialsInside),
      ("terraform.tfstate", "{}", .credentialsInside), ("prod.tfvars", "", .credentialsInside),
      (".git/HEAD", "ref: refs/heads/main", .repositoryInside), ("lib/.git", "gitdir: x", .repositoryInside),
      (".git/id_rsa", pem("PRIVATE KEY"), .repositoryInside),
      // Files that are allowed.
      ("a.pem", pem("CERTIFICATE"), nil), ("a.pem", pem("PUBLIC KEY"), nil),
      // Libraries that read keys contain the label.
      ("a.js", #"if (pem.startsWith("-----BEGIN PRIVATE"# + #" KEY-----")) {}"#, nil),
      ("a.js", "`-----BEGIN PRIVATE" + " KEY-----\\n${body}`", nil),
      ("a.md", "-----BEGIN and the words PRIVATE KEY far after it, not in one label", nil),
      ("keys/a.json", #"{"keys":[{"kty":"EC","crv":"P-256","x":"A","y":"A","kid":"d"}]}"#, nil),
      ("a.json", #"{"d":"A","k":"A"}"#, nil), ("a.json", #"{"kty":"oct","k":"AA""#, nil),
      (".env.example", "A=", nil), ("environment.env", "A=", nil), (".gitignore", "a", nil),
      ("credentials", "", nil), ("id_rsa.pub", "ssh-rsa AAAA", nil), ("p8", "", nil), ("a", "", nil),
      ("program", "\u{7F}ELF" + pem("PRIVATE KEY"), nil),
    ] as [(String, String, DeploymentFinding.Code?)])
  func findsPrivateFiles(_ path: String, _ text: String, _ code: DeploymentFinding.Code?) throws {
    let findings = try Self.findings([(path, Array(text.utf8))])
    #expect(findings.map(\.code) == (code.map { [$0] } ?? []))
    #expect(findings.allSatisfy { !$0.cure.isEmpty && $0.severity == .error })
  }

  /// The first bytes of DER files, padded to a length of 32.
  @Test(
    arguments: [
      ([0x30, 30, 2, 1, 0, 0x30], true), ([0x30, 30, 2, 1, 1, 0x30], true), ([0x30, 30, 2, 1, 0, 2], true),
      ([0x30, 30, 2, 1, 1, 4], true), ([0x30, 0x81, 29, 2, 1, 0, 0x30], true),
      // A certificate, a public key, a length that is not the file's, another version, no SEQUENCE.
      ([0x30, 30, 0x30, 20], false), ([0x30, 30, 0x30, 13, 6, 9], false), ([0x30, 29, 2, 1, 0, 0x30], false),
      ([0x30, 30, 2, 1, 9, 0x30], false), ([0x31, 30, 2, 1, 0, 0x30], false), ([0x30, 0xFF], false),
    ] as [([UInt8], Bool)])
  func findsBinaryKeys(_ start: [UInt8], _ isKey: Bool) throws {
    let bytes = start + [UInt8](repeating: 0, count: 32 - start.count)
    #expect(try Self.findings([("key.der", bytes)]).map(\.code) == (isKey ? [.privateKeyInside] : []))
    #expect(try Self.findings([("key.der", Array(start.prefix(2)))]).isEmpty)
  }

  @Test func allowsTheConfigurationsSharedSecrets() throws {
    let secret = ("secret.p8", Array(#"{"kty":"oct","k":"AA"}"#.utf8))
    #expect(try Self.findings([secret], secretFiles: ["secret.p8"]).isEmpty)
    #expect(try Self.findings([secret], secretFiles: ["other"]).map(\.code) == [.privateKeyInside])
    let key = ("secret.p8", Array(Self.pem("PRIVATE KEY").utf8))
    #expect(try Self.findings([key], secretFiles: ["secret.p8"]).map(\.code) == [.privateKeyInside])
  }

  @Test func limitsTheNumberOfFindings() throws {
    let repository = (0..<500).map { (".git/objects/\($0)", [UInt8]()) }
    #expect(try Self.findings(repository).map(\.place) == [".git"])
    let keys = (0..<500).map { ("\($0).p8", [UInt8]()) }
    let findings = try Self.findings(keys)
    #expect(findings.count == PrivateMaterial.maximumNamed + 1)
    #expect(findings.last?.problem == "490 more files of the same kind")
  }

  @Test func readsOnlyTheStartOfALargeFile() throws {
    let key = Array(Self.pem("PRIVATE KEY").utf8)
    let blanks = [UInt8](repeating: 0x20, count: PrivateMaterial.examinedBytes)
    #expect(try Self.findings([("a.txt", key + blanks)]).map(\.code) == [.privateKeyInside])
    #expect(try Self.findings([("a.txt", blanks + key)]).isEmpty)
  }
}
