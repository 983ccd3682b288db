import DynamoDB
import FunctionHost
import JSON
import Testing

@testable import Authorizer

/// Items and file entries as they were before withdrawals had keys, and the requests of a configuration of that time.
@Suite("Items and file entries of the first form")
struct FirstFormTests {
  typealias Endpoint = RevocationTableTests.Endpoint

  struct Row: Sendable, CustomTestStringConvertible {
    /// The member `issuers`; empty for its default.
    let issuers: String
    let isApple: Bool
    /// The only request; `nil` for none.
    let request: String?
    /// Whether the first form counts.
    let counts: Bool
    var testDescription: String { "\(issuers) \(isApple ? "apple" : "partner")" }

    var isList: Bool { !issuers.contains("{") }
  }

  private static let one = #"{"TableName":"users","Key":{"pk":{"S":"revocation#u"}},"ConsistentRead":true}"#

  private static func batch(_ keys: String...) -> String {
    let list = keys.map { #"{"pk":{"S":"revocation#\#($0)"}}"# }.joined(separator: ",")
    return #"{"RequestItems":{"users":{"Keys":[\#(list)],"ConsistentRead":true}}}"#
  }

  /// SHA-256 over the lengths and texts of issuer, `sub` and `u`, computed with Python's hashlib.
  private static let apple = "2#a8ec53511a0540b431a6ab640bdc40f49ec47c0e0dd7d307a87b519f2d0042cb"
  private static let partner = "2#a8b31fdd64442663164a2176efc0c599d711fad2ebd900ec7418acd8e023f57f"

  static let rows = [
    Row(issuers: "", isApple: true, request: one, counts: true),
    Row(issuers: #","issuers":["apple"]"#, isApple: true, request: one, counts: true),
    Row(issuers: #","issuers":["partner"]"#, isApple: false, request: one, counts: true),
    Row(issuers: #","issuers":["partner","apple"]"#, isApple: true, request: one, counts: true),
    Row(issuers: #","issuers":["partner"]"#, isApple: true, request: nil, counts: false),
    Row(issuers: #","issuers":{"apple":["sub"]}"#, isApple: true, request: batch(apple, "u"), counts: true),
    Row(issuers: #","issuers":{"partner":["sub"]}"#, isApple: false, request: batch(partner), counts: false),
  ]

  private static func token(_ row: Row) throws -> String {
    row.isApple
      ? try TestIssuers.token(
        #""preset":"apple","claims":{"aud":"com.example.app","sub":"u","iat":\#(TestIssuers.now)}"#)
      : try TestRules.partnerToken(#""sub":"u","iat":\#(TestIssuers.now)"#)
  }

  private static func decide(_ row: Row, _ store: String, _ source: some RevocationSource) throws
    -> ReasonCode?
  {
    var authorizer = Authorizer(
      settings: try TestRules.settings(#""revocation":{\#(store)\#(row.issuers)}"#),
      transport: ScriptedTransport(), revocations: source, at: TestIssuers.now)
    let event = TestEvent.bytes(.restToken, token: try token(row))
    return authorizer.decide(on: event, at: TestIssuers.now).reason
  }

  @Test("an item is read as before, with the request of before where issuers are a list", arguments: rows)
  func table(_ row: Row) throws {
    for event in [TestIssuers.now * 1000, TestIssuers.now * 1000 - 1] {
      let item = #"{"pk":{"S":"revocation#u"},"eventMilliseconds":{"N":"\#(event)"}}"#
      let body =
        row.isList
        ? #"{"Item":\#(item)}"#
        : #"{"Responses":{"users":[\#(row.counts ? item : "")]},"UnprocessedKeys":{}}"#
      let endpoint = Endpoint([.success(DynamoDBAnswer(status: 200, body: Array(body.utf8)))])
      let source = RevocationTable(readsBatches: !row.isList) {
        DynamoDBClient(table: "users", transport: endpoint, pace: RevocationTableTests.Pace())
      }
      let reason = try Self.decide(row, #""dynamoDB":{"table":"users"}"#, source)
      #expect(reason == (row.counts && event == TestIssuers.now * 1000 ? .revoked : nil))
      #expect(
        endpoint.calls.map(\.operation)
          == (row.request == nil ? [] : [row.isList ? "GetItem" : "BatchGetItem"]))
      let sent = try endpoint.calls.first.map { try JSONTree(parsing: $0.body, limits: .token) }
      let wanted = try row.request.map { try JSONTree(parsing: Array($0.utf8), limits: .token) }
      #expect(
        sent == nil ? wanted == nil : wanted.map { sent?.equalsIgnoringOrder($0) == true } == true,
        "\(String(describing: sent))")
    }
  }

  @Test("a file is read as before", arguments: rows)
  func file(_ row: Row) throws {
    for event in [TestIssuers.now * 1000, TestIssuers.now * 1000 - 1] {
      let folder = try RevocationFileTests.Folder()
      try folder.write(
        #"{"revocations":[{"sub":"a","eventMilliseconds":1},{"sub":"u","eventMilliseconds":\#(event)}]}"#
          + "\n")
      let source = RevocationFile(path: folder.file, readsKeys: !row.isList, FunctionEnvironment())
      let reason = try Self.decide(row, #""file":"r.json""#, source)
      #expect(reason == (row.counts && event == TestIssuers.now * 1000 ? .revoked : nil))
    }
  }
}
