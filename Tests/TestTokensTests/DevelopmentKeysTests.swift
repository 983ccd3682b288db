import Foundation
import JSON
import TestSupport
import Testing

@testable import TestTokens

/// The folder of development keys.
@Suite struct DevelopmentKeysTests {
  @Test("publishes each public key with kid, alg and use, without private members")
  func publicKeySet() throws {
    let set = try SharedKeys.all().publicKeySet
    let keys = try #require(set["keys"]?.elements)
    #expect(set.names == ["keys"])
    #expect(
      keys.map { $0.text("kid") } == [
        "development-rs256", "development-rs384", "development-rs512", "development-ps256",
        "development-ps384", "development-ps512", "development-es256", "development-es384",
        "development-es512", "development-eddsa",
      ])
    for key in keys {
      #expect(key.text("kid") == "development-" + key.text("alg").lowercased())
      #expect(key.text("use") == "sig")
      #expect(Set(key.names).isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "k"]))
    }
  }

  @Test(
    "gives unpublished keys an unknown kid or the kid of a published key",
    arguments: [
      (DevelopmentKeyName.other, "development-unknown"), (.otherES256, "development-unknown"),
      (.forged, "development-rs256"), (.forgedES256, "development-es256"),
    ])
  func unpublished(_ name: DevelopmentKeyName, _ id: String) throws {
    let keys = try SharedKeys.all()
    #expect(keys[name].id == id)
    let jwk = try #require(keys[name].publicJWK)
    guard case .array(let published)? = keys.publicKeySet["keys"] else {
      Issue.record("no keys")
      return
    }
    let member = jwk.text("kty") == "RSA" ? "n" : "x"
    #expect(!published.contains { $0.text(member) == jwk.text(member) })
  }

  @Test("each algorithm has a key of its own", arguments: SigningAlgorithm.allCases)
  func keyOfEachAlgorithm(_ algorithm: SigningAlgorithm) {
    let name = DevelopmentKeyName(for: algorithm)
    #expect(name.algorithm == algorithm)
    #expect(name.rawValue == algorithm.rawValue.lowercased())
  }

  @Test("generates secrets that are long enough and valid in an environment variable")
  func secrets() throws {
    for (name, least) in [(DevelopmentKeyName.hs256, 32), (.hs384, 48), (.hs512, 64)] {
      let secret = try #require(try SharedKeys.all()[name].secret)
      #expect(secret.count >= least)
      #expect(secret.allSatisfy { (0x21...0x7E).contains($0) })
    }
  }

  @Test("are the same in the second run, and readable only for their owner")
  func reuse() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("keys")
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    let proof = try DevelopmentProofKey(in: path).thumbprint()
    let first = try DevelopmentKeys(in: path)
    let second = try DevelopmentKeys(in: path)
    #expect(try first.proofKey().thumbprint() == proof)
    for name in DevelopmentKeyName.allCases { #expect(first[name].privateJWK == second[name].privateJWK) }

    func permissions(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try permissions(path) == 0o700)
    let files = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    #expect(files == [".gitignore", "dpop.json", "keys.json", "lock"])
    for file in files { #expect(try permissions(path + "/" + file) == 0o600) }
    #expect(try String(contentsOfFile: path + "/.gitignore", encoding: .utf8) == "*\n")
  }

  @Test("take the permissions of others away from an existing folder and its keys")
  func openPermissions() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("keys")
    try SharedKeys.write(to: URL(filePath: path))
    let names = [("", 0o755, 0o700), ("/keys.json", 0o644, 0o600)]
    for (name, open, _) in names {
      try FileManager.default.setAttributes([.posixPermissions: open], ofItemAtPath: path + name)
    }
    _ = try DevelopmentKeys(in: path)
    for (name, _, closed) in names {
      #expect(
        try FileManager.default.attributesOfItem(atPath: path + name)[.posixPermissions] as? Int == closed)
    }
  }

  /// A working tree of another author may contain links, which could lead to any file of the user.
  @Test("refuse links and special files", arguments: ["keys.json", "lock", ".gitignore"])
  func links(_ name: String) throws {
    for kind in ["symbolic", "hard", "pipe"] {
      let folder = try TemporaryFolder()
      let victim = folder.path("victim")
      try Data("precious".utf8).write(to: URL(filePath: victim))
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: victim)
      let path = folder.path("keys")
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      switch kind {
      case "symbolic":
        try FileManager.default.createSymbolicLink(
          atPath: "\(path)/\(name)", withDestinationPath: victim)
      case "hard": try FileManager.default.linkItem(atPath: victim, toPath: "\(path)/\(name)")
      default: #expect(unsafe mkfifo("\(path)/\(name)", 0o600) == 0)
      }
      if name == ".gitignore" {
        // It is only replaced, for each file of the folder; this one is made in a moment.
        _ = try DevelopmentProofKey(in: path)
      } else {
        let error = #expect(throws: DevelopmentKeysError.self) { try DevelopmentKeys(in: path) }
        #expect(error.map { caseName($0) } == "untrusted", "\(kind)")
      }
      #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
      let mode = try FileManager.default.attributesOfItem(atPath: victim)[.posixPermissions] as? Int
      #expect(mode == 0o644, "\(kind)")
    }
  }

  @Test("are not read from a linked folder")
  func linkedFolder() throws {
    let folder = try TemporaryFolder()
    try SharedKeys.write(to: URL(filePath: folder.path("keys")))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link"), withDestinationPath: folder.path("keys"))
    #expect(throws: DevelopmentKeysError.self) { try DevelopmentKeys(in: folder.path("link")) }
  }

  @Test("are one set when eight threads start at once")
  func concurrentStart() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("keys")
    let documents = Documents()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      documents.append(Result { try DevelopmentKeys(in: path).publicKeySet })
    }
    let sets = try documents.all.map { try $0.get() }
    #expect(sets.count == 8)
    #expect(sets.allSatisfy { $0 == sets[0] })
    let files = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    #expect(files == [".gitignore", "keys.json", "lock"])
  }

  private final class Documents: @unchecked Sendable {
    private let lock = NSLock()
    private var results: [Result<JSONTree, any Error>] = []

    var all: [Result<JSONTree, any Error>] { lock.withLock { results } }

    func append(_ result: Result<JSONTree, any Error>) { lock.withLock { results.append(result) } }
  }

  struct Damage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: String
    let change: @Sendable (inout JSONTree) -> Void
  }

  @Test(
    "reports the damage of a file and does not change the file",
    arguments: [
      Damage(testDescription: "another version", reason: "its version is not 1") {
        $0["version"] = .number("2")
      },
      Damage(testDescription: "no keys", reason: "the key rs256 is missing") { $0["keys"] = nil },
      Damage(testDescription: "a missing key", reason: "the key es256 is missing") {
        $0["keys"]?["es256"] = nil
      },
      Damage(
        testDescription: "a missing number",
        reason: "the key ps256: the member p of a private JWK is missing or malformed"
      ) { $0["keys"]?["ps256"]?["p"] = nil },
      Damage(
        testDescription: "another kid",
        reason: "the key es384: the member kid of a private JWK is missing or malformed"
      ) { $0["keys"]?["es384"]?["kid"] = .string("x") },
    ])
  func damaged(_ damage: Damage) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("keys")
    let file = path + "/keys.json"
    var tree = try SharedKeys.file()
    damage.change(&tree)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try Data(tree.bytes()).write(to: URL(filePath: file))
    let error = #expect(throws: DevelopmentKeysError.self) { try DevelopmentKeys(in: path) }
    #expect(error == .damaged(path: file, reason: damage.reason))
    #expect(error?.hint == "delete \(file); the next run generates new keys")
    #expect(try Data(contentsOf: URL(filePath: file)) == Data(tree.bytes()))
  }

  @Test("reports a file that is not JSON")
  func truncated() throws {
    let folder = try TemporaryFolder()
    try Data("{\"version\":1,".utf8).write(to: folder.url.appending(path: "keys.json"))
    let error = #expect(throws: DevelopmentKeysError.self) { try DevelopmentKeys(in: folder.url.path) }
    #expect(error.map { caseName($0) } == "damaged")
    #expect(error?.description.hasSuffix("is damaged: the text ends too early at byte 13") == true)
  }

  @Test("reports the path that the system refused")
  func inaccessible() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("missing/keys")
    #expect(throws: DevelopmentKeysError.inaccessible(path: path, reason: "No such file or directory")) {
      try DevelopmentKeys(in: path)
    }
    try Data().write(to: folder.url.appending(path: "file"))
    let error = #expect(throws: DevelopmentKeysError.self) { try DevelopmentKeys(in: folder.path("file")) }
    #expect(error.map { caseName($0) } == "inaccessible")
  }
}
