import Foundation
import JSON
import TestSupport
import Testing

@testable import authorizer_local

/// `revoke`, with a file as the store.
@Suite struct RevokeCommandTests {
  static let now = RecordedMachine.now

  static func machine(_ revocation: String?) throws -> RecordedMachine {
    let machine = try RecordedMachine()
    try machine.write(
      """
      {"issuers":[{"preset":"apple","audiences":["a"]},
       {"name":"acme","issuer":"https://id.example.com","audiences":["api"],"algorithms":["ES256"],
        "keys":{"url":"https://id.example.com/jwks"}}]\(revocation.map { ",\"revocation\":" + $0 } ?? "")}
      """, to: "conf/authorizer.json")
    return machine
  }

  static let object =
    #"{"file":"r.json","issuers":{"apple":["sub"],"acme":{"keys":["sub","sid","jti","origin_jti"]}}}"#
  static let list = #"{"file":"r.json","issuers":["acme","apple"]}"#

  private static func second(_ kind: String, _ value: String, _ issuer: String = "https://id.example.com")
    -> String
  {
    #"{"issuer":"\#(issuer)","kind":"\#(kind)","value":"\#(value)","eventMilliseconds":\#(now)000}"#
  }

  private static func first(_ subject: String) -> String {
    #"{"sub":"\#(subject)","eventMilliseconds":\#(now)000}"#
  }

  @Test(
    "the entry has the form in which the configuration looks it up",
    arguments: [
      (object, "--issuer acme --sub u", second("sub", "u")),
      (object, "--issuer acme --sid s", second("sid", "s")),
      (object, "--issuer acme --jti j", second("jti", "j")),
      (object, "--issuer acme --origin-jti o", second("origin_jti", "o")),
      (object, "--issuer apple --sub u", second("sub", "u", "https://appleid.apple.com") + "," + first("u")),
      (list, "--issuer acme --sub u", first("u")),
      (list, "--issuer apple --sub u", second("sub", "u", "https://appleid.apple.com") + "," + first("u")),
    ])
  func entries(_ revocation: String, _ options: String, _ entries: String) async throws {
    let machine = try Self.machine(revocation)
    let code = await machine.run(words: "revoke --config conf/authorizer.json \(options)")
    #expect(code == 0, "\(machine.notes)")
    #expect(try machine.text(of: "conf/r.json") == #"{"revocations":[\#(entries)]}"# + "\n")
    #expect(machine.answer.contains("withdrawn in "))
    #expect(machine.answer.contains("for 30 s"))
    #expect(machine.answer.contains("aws apigateway flush-stage-authorizers-cache"))
    #expect(machine.answer.contains("aws apigatewayv2 reset-authorizers-cache"))
  }

  @Test("an older event never replaces a later one, and undoing deletes each form of the key alone")
  func order() async throws {
    let machine = try Self.machine(Self.object)
    let command = "revoke --config conf/authorizer.json --file other.json --issuer"
    #expect(await machine.run(words: "\(command) acme --sid kept") == 0)
    #expect(await machine.run(words: "\(command) apple --sub u --at -1h") == 0)
    #expect(await machine.run(words: "\(command) apple --sub u") == 0)
    let text = try machine.text(of: "other.json")
    #expect(await machine.run(words: "\(command) apple --sub u --at -2h") == 0)
    #expect(try machine.text(of: "other.json") == text)
    #expect(machine.answer.contains("other.json has an event that is as late: nothing to write"))
    #expect(
      text.contains(Self.first("u")) && text.contains(Self.second("sub", "u", "https://appleid.apple.com")))
    #expect(await machine.run(words: "\(command) apple --sub u --undo") == 0)
    #expect(
      try machine.text(of: "other.json") == #"{"revocations":[\#(Self.second("sid", "kept"))]}"# + "\n")
    #expect(!machine.machine.files.exists("conf/r.json"))
  }

  @Test("of commands that run at the same time, none loses the entry of another")
  func parallel() async throws {
    let machine = try Self.machine(Self.object)
    let command = "revoke --config conf/authorizer.json --issuer acme --file shared/r.json"
    let sessions = (0..<40).map { "session-\($0)" }
    let (folder, place) = (machine.folder, machine.machine)
    let codes = await withTaskGroup(of: Int32.self, returning: [Int32].self) { group in
      for session in sessions {
        group.addTask {
          await AuthorizerLocal.end(
            of: "\(command) --sid \(session)".split(separator: " ").map(String.init), on: place)
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes == Array(repeating: 0, count: sessions.count), "\(machine.notes)")
    let text = try machine.text(of: "shared/r.json")
    for session in sessions { #expect(text.contains("\"value\":\"\(session)\""), "\(session)") }
    // Nothing else is left in the folder: the lock is not a file.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/shared") == ["r.json"])
  }

  @Test(
    "what the configuration would not look up is refused, and nothing is written",
    arguments: [
      (nil, "--issuer acme --sub u", "the configuration has no \"revocation\""),
      (list, "--issuer acme --sid s", "tokens of acme are not looked up by sid"),
      (object, "--issuer apple --sid s", "tokens of apple are not looked up by sid"),
      (#"{"file":"r.json"}"#, "--issuer acme --sub u", "tokens of acme are not looked up"),
    ] as [(String?, String, String)])
  func notLookedUp(_ revocation: String?, _ options: String, _ problem: String) async throws {
    let machine = try Self.machine(revocation)
    #expect(await machine.run(words: "revoke --config conf/authorizer.json --file r.json \(options)") == 1)
    #expect(machine.notes.contains("withdrawalNotLookedUp: " + problem), "\(machine.notes)")
    #expect(!machine.machine.files.exists("r.json"))
  }

  @Test(
    "wrong options are refused",
    arguments: [
      ("--issuer acme", "give a value for one of --sub, --sid, --jti and --origin-jti"),
      ("--issuer acme --sub a --sid b", "give a value for one of --sub, --sid, --jti and --origin-jti"),
      ("--issuer acme --sub a --at yesterday", "--at must be a time such as"),
      ("--issuer acme --sub a --file a --table b", "--file excludes --table and --region"),
      ("--issuer other --sub a", "no issuer has the name other"),
    ])
  func refused(_ options: String, _ problem: String) async throws {
    let machine = try Self.machine(Self.object)
    #expect(await machine.run(words: "revoke --config conf/authorizer.json \(options)") == 64)
    #expect(machine.notes.contains(problem), "\(machine.notes)")
  }

  @Test("another file is never replaced")
  func anotherFile() async throws {
    let machine = try Self.machine(Self.object)
    try machine.write(#"{"users":[]}"#, to: "users.json")
    #expect(
      await machine.run(words: "revoke --config conf/authorizer.json --issuer acme --sub a --file users.json")
        == 64)
    #expect(machine.notes.contains("users.json is not a revocation file: nothing was written"))
    #expect(try machine.text(of: "users.json") == #"{"users":[]}"#)
  }

  @Test("a table needs the program that calls DynamoDB")
  func table() async throws {
    let machine = try Self.machine(Self.object)
    #expect(
      await machine.run(words: "revoke --config conf/authorizer.json --issuer acme --sub a --table users")
        == 69)
    #expect(machine.notes.contains("call-dynamodb"), "\(machine.notes)")
  }

  /// The program answers with a frame: version, outcome, status, length, text.
  @Test("without region or credentials DynamoDB is not asked, and a file is an alternative")
  func noRegion() async throws {
    let machine = try Self.machine(Self.object)
    let program = "installed/libexec/authorizer-local/call-dynamodb"
    try machine.write(
      "#!/bin/sh\nprintf '\\001\\010\\000\\000\\000\\000\\000\\025AWS_REGION is not set'\nexec cat >/dev/null\n",
      to: program)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: machine.folder + "/" + program)
    #expect(
      await machine.run(words: "revoke --config conf/authorizer.json --issuer acme --sub a --table users")
        == 69)
    #expect(
      machine.notes
        == """
        error: AWS_REGION is not set: nothing was written to the table users
        hint: set AWS_REGION and credentials, or write a revocation file of this machine with --file FILE

        """)
  }

  @Test("config check says what is looked up")
  func check() async throws {
    let machine = try Self.machine(
      #"{"file":"r.json","issuers":{"apple":["sub"],"acme":{"keys":["sub","sid"],"required":["sid"]}}}"#)
    #expect(await machine.run(words: "config check conf/authorizer.json") == 0)
    #expect(
      machine.answer.contains(
        "revocation: r.json for apple by sub, acme by sub and sid (required), results cached"),
      "\(machine.answer)")
  }
}
