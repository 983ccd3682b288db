import Foundation
import JSON
import Testing
import TestSupport

/// `authorizer-local keys fetch` turns an issuer's answer into a seed, or keeps the old seed and reports the reason.
@Suite(.needsFetchingFunction, .hangLimit)
struct KeysFetchCommandTests {
  /// Runs the command against a server with this answer; `ADDRESS` in an argument is the server's address.
  private static func fetch(
    _ workshop: borrowing Workshop, _ answer: (String) throws -> LoopbackKeyServer.Answer,
    _ arguments: [String]
  ) async throws -> (answer: Workshop.Answer, targets: [String], address: String) {
    let server = try LoopbackKeyServer(.silence)
    server.publish(try answer(server.address))
    try server.start()
    defer { server.stop() }
    let arguments = arguments.map { $0.replacing("ADDRESS", with: server.address) }
    let result = try await workshop.run(
      ["keys", "fetch", "--development", "--fetch-keys", FetchingFunction.fetchKeys] + arguments)
    return (result, server.targets, server.address)
  }

  @Test func seedIsTheIssuersDocumentWithSourceAndDate() async throws {
    let workshop = try Workshop()
    let before = Int64(Date().timeIntervalSince1970)
    let published = try FetchingFunction.keySet()
    let (answer, targets, address) = try await Self.fetch(
      workshop, { _ in .keySet(published) }, ["ADDRESS/jwks", "-o", "seed.json"])
    #expect(answer.exit == 0, "\(answer.errors)")
    #expect(answer.output.isEmpty)
    #expect(targets == ["/jwks"])
    var seed = try JSONTree(
      parsing: Array(try Data(contentsOf: workshop.folder.appendingPathComponent("seed.json"))))
    #expect(seed["source"] == .string(address + "/jwks"))
    guard case .number(let fetchedAt)? = seed["fetchedAt"] else {
      Issue.record("no fetchedAt")
      return
    }
    #expect((before...Int64(Date().timeIntervalSince1970)).contains(try #require(Int64(fetchedAt))))
    seed["source"] = nil
    seed["fetchedAt"] = nil
    #expect(seed == (try JSONTree(parsing: published)))
    #expect(answer.errors.contains("development-es256"))
    #expect(answer.errors.contains("EC P-256"))
    #expect(answer.errors.hasSuffix("wrote seed.json\n"))
  }

  @Test func printsTheSeedWithoutAFileAndListsUnusedKeys() async throws {
    let workshop = try Workshop()
    var set = try JSONTree(parsing: try FetchingFunction.keySet(["es256"]))
    guard case .array(let keys)? = set["keys"], let good = keys.first else {
      Issue.record("no keys")
      return
    }
    var encryption = good
    encryption["kid"] = .string("for\u{1B}encryption")
    encryption["use"] = .string("enc")
    set["keys"] = .array([good, encryption])
    let (answer, _, _) = try await Self.fetch(workshop, { _ in .keySet(set.bytes()) }, ["ADDRESS/"])
    #expect(answer.exit == 0, "\(answer.errors)")
    #expect(try JSONTree(parsing: Array(answer.output.utf8))["fetchedAt"] != nil)
    let rows = answer.errors.split(separator: "\n").dropFirst(2)
    #expect(rows.first?.hasSuffix("ES256       usable") == true, "\(answer.errors)")
    #expect(rows.last?.hasPrefix("for?encryption ") == true)
    #expect(rows.last?.contains("not used: notForSignatures") == true)
  }

  @Test(
    arguments: [
      (
        .response("200 OK", body: Array("<html>".utf8)), 1, "no usable key set: not JSON", "--discover ISSUER"
      ),
      (.keySet(Array(#"{"keys":[]}"#.utf8)), 1, "the key set contains no keys", "error: "),
      (.keySet(Array(#"{"keys":[{"kty":"oct","k":"AA"}]}"#.utf8)), 1, "symmetric", "error: "),
      (.response("500 Oops", body: []), 2, "fetchStatus: ", "--discover ISSUER"),
      (.response("302 Found", fields: ["Location: /x"], body: []), 2, "fetchRedirect: ", "hint: "),
      (.response("200 OK", body: [], missing: 9), 2, "fetchTransfer: ", "error: "),
      // fetchTimeout, or fetchDeadline if the start of the program already took longer.
      (.silence, 2, "error: fetch", "--timeout SECONDS"),
    ] as [(LoopbackKeyServer.Answer, Int32, String, String)])
  func keepsTheOldSeedIfTheAnswerIsNotAKeySet(
    _ given: LoopbackKeyServer.Answer, _ exit: Int32, _ error: String, _ hint: String
  ) async throws {
    let workshop = try Workshop()
    try workshop.write("old", to: "seed.json")
    var isSilent = false
    if case .silence = given { isSilent = true }
    let (answer, _, _) = try await Self.fetch(
      workshop, { _ in given },
      ["ADDRESS/jwks", "-o", "seed.json", "--timeout", isSilent ? "0.5" : "\(HangLimit.seconds)"])
    #expect(answer.exit == exit, "\(answer.errors)")
    #expect(answer.errors.contains(error), "\(answer.errors)")
    #expect(answer.errors.contains(hint), "\(answer.errors)")
    #expect(answer.output.isEmpty)
    #expect(try Self.text(of: "seed.json", workshop) == "old")
  }

  /// A limit on the file size stops a write halfway, like a full disk.
  @Test func keepsTheOldSeedIfTheNewOneCannotBeWritten() throws {
    let workshop = try Workshop(hasDevelopmentKeys: false)
    try workshop.write("old", to: "seed.json")
    let server = try LoopbackKeyServer(.keySet(try FetchingFunction.keySet()))
    try server.start()
    defer { server.stop() }
    let process = workshop.process([])
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    let script = #"trap '' XFSZ; ulimit -f 1; exec "$@""#
    process.arguments =
      ["-c", script, "sh", Workshop.tool.path, "keys", "fetch", "--development"]
      + ["--fetch-keys", FetchingFunction.fetchKeys, server.address + "/jwks", "-o", "seed.json"]
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 64, "\(text)")
    #expect(text.contains("error: cannot write seed.json: "))
    #expect(text.contains("hint: the old file is unchanged"))
    #expect(try Self.text(of: "seed.json", workshop) == "old")
    let files = try FileManager.default.contentsOfDirectory(atPath: workshop.folder.path)
    #expect(files.sorted() == [".git", "seed.json"])
  }

  @Test(
    arguments: [
      ("ADDRESS", "ADDRESS", "/.well-known/openid-configuration", 1, "no usable key set"),
      ("ADDRESS/", "ADDRESS/", "/.well-known/openid-configuration", 1, "no usable key set"),
      ("ADDRESS/tenant/", "ADDRESS/tenant/", "/tenant/.well-known/openid-configuration", 1, "no usable"),
      ("ADDRESS/", "ADDRESS", "/.well-known/openid-configuration", 1, "only the trailing slash differs"),
      ("ADDRESS", "https://other.example", "/.well-known/openid-configuration", 1, "the iss of a real token"),
    ] as [(String, String, String, Int32, String)])
  func discoveryComparesTheIssuerByteForByte(
    _ asked: String, _ stated: String, _ target: String, _ exit: Int32, _ error: String
  ) async throws {
    let (answer, targets, _) = try await Self.fetch(
      try Workshop(),
      { address in
        let issuer = stated.replacing("ADDRESS", with: address)
        return .keySet(Array(#"{"issuer":"\#(issuer)","jwks_uri":"\#(address)/keys"}"#.utf8))
      }, ["--discover", asked])
    #expect(answer.exit == exit, "\(answer.errors)")
    #expect(answer.errors.contains(error), "\(answer.errors)")
    // The key set is fetched only for the right issuer. Here its address returns the same document.
    #expect(targets == (error.hasPrefix("no usable") ? [target, "/keys"] : [target]))
  }

  @Test(
    arguments: [
      ([], 64, "error: give the address"), (["apple", "--discover", "https://x"], 64, "error: give the"),
      (["nonsense"], 64, "error: unknown preset nonsense"),
      (["supabase"], 64, "error: supabase needs an argument"),
      (["rfc9068"], 64, "error: the preset rfc9068 has no key set address"),
      (["ftp://x/"], 64, "error: the address does not begin with https://"),
      (["http://127.0.0.1/jwks"], 64, "hint: --development allows it"), (["https://x"], 64, "no path"),
      (["--discover", "apple"], 64, "error: the issuer does not begin"),
      (["--discover", "https://id.example.com/?a"], 64, "no query and no fragment"),
      (["apple", "--timeout", "0"], 64, "--timeout must"),
      (["apple", "--ca-file", "absent.pem"], 64, "error: there is no certificate file absent.pem"),
      (["apple", "--proxy", "nonsense"], 64, "error: fetchUsage: "),
      (["apple", "--fetch-keys", "absent"], 69, "error: fetchExecutableMissing: "),
    ] as [([String], Int32, String)])
  func reportsWrongCommandsWithHints(_ arguments: [String], _ exit: Int32, _ error: String) async throws {
    let place = arguments.contains("--fetch-keys") ? [] : ["--fetch-keys", FetchingFunction.fetchKeys]
    let answer = try await Workshop().run(["keys", "fetch"] + place + arguments)
    #expect(answer.exit == exit, "\(answer.errors)")
    #expect(answer.errors.contains(error), "\(answer.errors)")
    #expect(answer.output.isEmpty)
  }

  private static func text(of path: String, _ workshop: borrowing Workshop) throws -> String {
    try String(contentsOf: workshop.folder.appendingPathComponent(path), encoding: .utf8)
  }
}
