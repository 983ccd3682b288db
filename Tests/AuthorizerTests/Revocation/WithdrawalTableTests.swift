import DynamoDB
import IssuerKeys
import Testing
import Withdrawals

@testable import Authorizer

@Suite("Reading the table where issuers is an object")
struct WithdrawalTableTests {
  typealias Endpoint = RevocationTableTests.Endpoint
  typealias Step = Result<DynamoDBAnswer, CallFailure>

  /// Two of the keys of a token.
  static let items = [Array("revocation#2#a".utf8), Array("revocation#2#b".utf8)]

  private static func answer(_ body: String, _ status: Int = 200) -> Step {
    .success(DynamoDBAnswer(status: status, body: Array(body.utf8)))
  }

  /// An answer with these items, and with these names left unprocessed.
  private static func batch(_ items: [String], left: [String] = []) -> Step {
    let keys = left.map { #"{"pk":{"S":"revocation#2#\#($0)"}}"# }.joined(separator: ",")
    let unprocessed = left.isEmpty ? "" : #""t":{"ConsistentRead":true,"Keys":[\#(keys)]}"#
    return answer(
      #"{"Responses":{"t":[\#(items.joined(separator: ","))]},"UnprocessedKeys":{\#(unprocessed)}}"#)
  }

  private static func item(_ name: String, _ attributes: String = #""eventMilliseconds":{"N":"7"}"#) -> String
  {
    #"{"pk":{"S":"revocation#2#\#(name)"},"kind":{"S":"sid"}\#(attributes.isEmpty ? "" : "," + attributes)}"#
  }

  private static func table(
    _ endpoint: Endpoint, _ pace: RevocationTableTests.Pace = RevocationTableTests.Pace()
  ) -> RevocationTable<Endpoint, RevocationTableTests.Pace> {
    RevocationTable(readsBatches: true) { DynamoDBClient(table: "t", transport: endpoint, pace: pace) }
  }

  private static let throttled = answer(#"{"__type":"a#ProvisionedThroughputExceededException"}"#, 400)
  private static let malformed = RevocationAnswer.unavailable(DynamoDBError.malformedAnswer.description)

  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let steps: [Step]
    let answer: RevocationAnswer
    let requests: Int

    init(_ description: String, _ steps: [Step], _ answer: RevocationAnswer, requests: Int = 1) {
      (testDescription, self.steps, self.answer, self.requests) = (description, steps, answer, requests)
    }
  }

  static let rows = [
    Row("nothing withdrawn", [batch([])], .events([nil, nil])),
    Row("one, in any order", [batch([item("b")])], .events([nil, 7])),
    Row("both, in the other order", [batch([item("b"), item("a")])], .events([7, 7])),
    Row(
      "an expired item is absent",
      [batch([item("a", #""eventMilliseconds":{"N":"7"},"expires":{"N":"999"}"#)])], .events([nil, nil])),
    Row(
      "an item counts in the second of its expiry",
      [batch([item("a", #""eventMilliseconds":{"N":"7"},"expires":{"N":"1000"}"#)])], .events([7, nil])),
    Row(
      "an item without an event", [batch([item("a", "")])],
      .unavailable(
        "an item of the table has no eventMilliseconds", known: [.init(index: 1, eventMilliseconds: nil)])),
    Row("no member Responses", [answer("{}")], malformed),
    Row("no list of the table", [answer(#"{"Responses":{}}"#)], malformed),
    Row("the list of another table", [answer(#"{"Responses":{"u":[]}}"#)], malformed),
    Row("lists of two tables", [answer(#"{"Responses":{"t":[],"u":[]}}"#)], malformed),
    Row("no array", [answer(#"{"Responses":{"t":{}}}"#)], malformed),
    Row("an item twice", [batch([item("a"), item("a")])], malformed),
    Row("an item that was not asked for", [batch([item("c")])], malformed),
    Row("an item that is unprocessed too", [batch([item("a")], left: ["a"])], malformed),
    Row("an unprocessed key that was not asked for", [batch([], left: ["c"])], malformed),
    Row("an unprocessed key twice", [batch([], left: ["a", "a"])], malformed),
    Row(
      "unprocessed keys of another table",
      [answer(#"{"Responses":{"t":[]},"UnprocessedKeys":{"u":{"Keys":[]}}}"#)], malformed),
    Row("unprocessed keys in a list", [answer(#"{"Responses":{"t":[]},"UnprocessedKeys":[]}"#)], malformed),
    Row("an unknown member", [answer(#"{"Responses":{"t":[]},"Item":{}}"#)], malformed),
    Row(
      "an unprocessed rest is asked again", [batch([item("a")], left: ["b"]), batch([item("b")])],
      .events([7, 7]), requests: 2),
    Row(
      "everything unprocessed", [batch([], left: ["b", "a"]), batch([])], .events([nil, nil]), requests: 2),
    Row(
      "an item of the first part, again in the second",
      [batch([item("a")], left: ["b"]), batch([item("a")])],
      .unavailable(
        DynamoDBError.malformedAnswer.description, known: [.init(index: 0, eventMilliseconds: 7)]),
      requests: 2),
    Row(
      "throttling between the parts", [batch([item("a")], left: ["b"]), throttled, batch([])],
      .events([7, nil]),
      requests: 3),
    Row(
      "a lost answer between the parts",
      [batch([item("a")], left: ["b"]), .failure(CallFailure(.connect)), batch([])],
      .events([7, nil]), requests: 3),
    Row(
      "a rest that stays unprocessed",
      Array(repeating: batch([item("a")], left: ["b"]), count: 1)
        + Array(repeating: batch([], left: ["b"]), count: 9),
      .unavailable(
        DynamoDBError.throttled.description, known: [.init(index: 0, eventMilliseconds: 7)]), requests: 10),
    Row(
      "a rest that is refused",
      [batch([], left: ["b"]), answer(#"{"__type":"a#AccessDeniedException"}"#, 400)],
      .unavailable(
        DynamoDBError.accessDenied("AccessDeniedException").description,
        known: [.init(index: 0, eventMilliseconds: nil)]), requests: 2),
    Row("a table without answers", [], .unavailable("DynamoDB did not answer (storeConnect)"), requests: 10),
  ]

  @Test("only a whole and fitting answer counts", arguments: rows)
  func reads(_ row: Row) {
    let endpoint = Endpoint(row.steps)
    var table = Self.table(endpoint)
    #expect(table.answer(about: Self.items, at: 1000, endMilliseconds: nil) == row.answer)
    #expect(endpoint.calls.count == row.requests)
    #expect(endpoint.calls.allSatisfy { $0.operation == "BatchGetItem" })
  }

  @Test("one consistent request has all keys, and the next one those that are left")
  func requests() {
    let endpoint = Endpoint([Self.batch([Self.item("a")], left: ["b"]), Self.batch([])])
    var table = Self.table(endpoint)
    _ = table.answer(about: Self.items, at: 1000, endMilliseconds: nil)
    func body(_ names: String...) -> String {
      let keys = names.map { #"{"pk":{"S":"revocation#2#\#($0)"}}"# }.joined(separator: ",")
      return #"{"RequestItems":{"t":{"Keys":[\#(keys)],"ConsistentRead":true}}}"#
    }
    #expect(endpoint.calls.map { String(decoding: $0.body, as: UTF8.self) } == [body("a", "b"), body("b")])
  }

  @Test("unprocessed keys are asked again within the deadline only")
  func deadline() {
    let (endpoint, pace) = (Endpoint([]), RevocationTableTests.Pace())
    endpoint.results = Array(repeating: Self.batch([], left: ["a", "b"]), count: 100)
    endpoint.whenSent = { _ in pace.pause(milliseconds: 400) }
    var table = Self.table(endpoint, pace)
    let start = pace.monotonicMilliseconds
    #expect(
      table.answer(about: Self.items, at: 1000, endMilliseconds: pace.unixMilliseconds + 1000)
        == .unavailable(DynamoDBError.throttled.description))
    // The last request began before the deadline.
    #expect(pace.monotonicMilliseconds - start < 1000 + 400)
    #expect(endpoint.calls.count == 3)
  }

  /// What may happen to one request.
  enum Fault: CaseIterable {
    case none, oneLeft, allLeft, throttled, lost, failed, contentless, foreign

    /// Whether the rest is still found out if the later requests succeed.
    var isPassing: Bool { self != .contentless && self != .foreign }
  }

  /// The answer of a table in which only `a` is withdrawn.
  private static func step(_ fault: Fault, _ body: String) -> Step {
    let asked = ["a", "b"].filter { body.contains(#""revocation#2#\#($0)""#) }
    func found(_ left: [String]) -> [String] {
      asked.filter { $0 == "a" && !left.contains($0) }.map { item($0) }
    }
    return switch fault {
    case .none: batch(found([]))
    case .oneLeft: batch(found(Array(asked.prefix(1))), left: Array(asked.prefix(1)))
    case .allLeft: batch([], left: asked)
    case .throttled: throttled
    case .lost: .failure(CallFailure(.connect))
    case .failed: answer("", 500)
    case .contentless: answer("{}")
    case .foreign: batch([item("c")])
    }
  }

  @Test(
    "whatever happens to the requests, a withdrawn key is found or nothing is known",
    arguments: Fault.allCases)
  func faults(_ first: Fault) {
    for second in Fault.allCases {
      for third in Fault.allCases {
        for isDead in [false, true] {
          let faults = [first, second, third]
          let endpoint = Endpoint([])
          endpoint.whenSent = { [unowned endpoint] call in
            let index = endpoint.calls.count - 1
            let fault = index < faults.count ? faults[index] : isDead ? .lost : .none
            endpoint.results = [Self.step(fault, String(decoding: call.body, as: UTF8.self))]
          }
          var table = Self.table(endpoint)
          let answer = table.answer(about: Self.items, at: 1000, endMilliseconds: nil)
          if case .unavailable(_, let known) = answer {
            #expect(known.allSatisfy { $0.eventMilliseconds == ($0.index == 0 ? 7 : nil) }, "\(faults)")
            #expect(isDead || !faults.allSatisfy(\.isPassing), "\(faults)")
          } else {
            #expect(answer == .events([7, nil]), "\(faults)")
          }
        }
      }
    }
  }

  /// What a lookup of a token with `sub` and `sid` finds.
  struct Part: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var subject: String?
    var session: String?
    /// The keys that stay unprocessed.
    var left: [WithdrawalKey.Kind] = []
    /// The reason if both were good half a minute before, and if nothing was known.
    let reasons: [ReasonCode?]
    /// Whether the next token needs no lookup.
    var isRemembered = false
  }

  private static let event = #""eventMilliseconds":{"N":"9007199254740991"}"#
  static let parts = [
    Part(
      testDescription: "the user has ended, the session stays unknown", subject: event, left: [.session],
      reasons: [.revoked, .revoked], isRemembered: true),
    Part(
      testDescription: "the session has ended, the user stays unknown", session: event, left: [.subject],
      reasons: [.revoked, .revoked], isRemembered: true),
    Part(
      testDescription: "the session has ended, the user's item is broken", subject: "", session: event,
      reasons: [.revoked, .revoked], isRemembered: true),
    Part(
      testDescription: "the user is good, the session stays unknown", left: [.session],
      reasons: [nil, .storeUnavailable]),
    Part(
      testDescription: "both stay unknown", left: [.subject, .session], reasons: [nil, .storeUnavailable]),
  ]

  @Test("a withdrawal that was found counts, also if other keys of the token stay unknown", arguments: parts)
  func partial(_ part: Part) throws {
    func name(_ kind: WithdrawalKey.Kind) throws -> String {
      let value = Array((kind == .subject ? "u" : "s").utf8)
      let key = WithdrawalKey(issuer: Array("https://id.example.com".utf8), kind: kind, value: value)
      return String(decoding: try #require(key.itemKey).dropFirst("revocation#2#".utf8.count), as: UTF8.self)
    }
    let found = try [(WithdrawalKey.Kind.subject, part.subject), (.session, part.session)].compactMap {
      kind, attributes in try attributes.map { Self.item(try name(kind), $0) }
    }
    let left = try part.left.map(name)
    let token = try TestRules.partnerToken(#""sub":"u","sid":"s","iat":\#(TestIssuers.now - 100)"#)
    for (wasGood, reason) in zip([true, false], part.reasons) {
      let endpoint = Endpoint(wasGood ? [Self.batch([])] : [])
      let settings = try RevocationHarness.settings(
        #","lastKnownSeconds":100"#, issuers: #"{"partner":["sub","sid"]}"#)
      let table = Self.table(endpoint)
      var authorizer = Authorizer(
        settings: settings, transport: ScriptedTransport(), revocations: table, at: TestIssuers.now)
      func decide(at seconds: Int64) -> ReasonCode? {
        authorizer.decide(
          on: TestEvent.bytes(.restToken, token: token),
          at: InvocationTime(unixSeconds: TestIssuers.now + seconds, machineMilliseconds: 100_000)
        ).reason
      }
      if wasGood { #expect(decide(at: 0) == nil) }
      endpoint.results =
        [Self.batch(found, left: left)] + Array(repeating: Self.batch([], left: left), count: 9)
      #expect(decide(at: 40) == reason, "\(wasGood)")
      let calls = endpoint.calls.count
      endpoint.results = []
      #expect(decide(at: 41) == reason, "\(wasGood)")
      if part.isRemembered { #expect(endpoint.calls.count == calls) }
    }
  }
}
