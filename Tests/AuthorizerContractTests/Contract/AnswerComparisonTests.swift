@testable import AuthorizerContract
@testable import GatewayModel
@testable import LambdaEmulator
import JSON
import Testing

/// What two answers to the same events mean: `more` is what B allows and A refuses.
@Suite struct AnswerComparisonTests {
  /// An event and two answers.
  struct Pair: Sendable {
    let event: String
    let a: String
    let b: String

    init(_ event: String, a: String, b: String) { (self.event, self.a, self.b) = (event, a, b) }
  }

  private static let stage = "arn:aws:execute-api:eu-west-1:123456789012:api/prod/"

  static func token(_ caller: String, _ request: String) -> String {
    #"{"type":"TOKEN","methodArn":"\#(stage)\#(request)","authorizationToken":"Bearer \#(caller)"}"#
  }

  static func http(_ caller: String?, _ request: String) -> String {
    let source = caller.map { #""identitySource":["\#($0)"],"# } ?? ""
    return #"{"version":"2.0","type":"REQUEST",\#(source)"routeArn":"\#(stage)\#(request)"}"#
  }

  /// A policy that allows these requests, and denies others.
  static func policy(_ allowed: String..., deny: String = "", more: String = "") -> String {
    let list = { (text: [String]) in text.map { #""\#(stage)\#($0)""# }.joined(separator: ",") }
    let denied =
      deny.isEmpty
      ? "" : #",{"Effect":"Deny","Action":"execute-api:Invoke","Resource":[\#(list([deny]))]}"#
    let resources = allowed.isEmpty ? #""arn:aws:execute-api:eu-west-1:123456789012:none/*""# : list(allowed)
    return #"{"principalId":"u","policyDocument":{"Version":"2012-10-17","Statement":[{"Effect":"Allow","#
      + #""Action":"execute-api:Invoke","Resource":[\#(resources)]}\#(denied)]}\#(more)}"#
  }

  static func context(_ members: String) -> String { policy("*", more: #","context":{\#(members)}"#) }

  static let unauthorized = "Unauthorized"
  static let (yes, no) = (#"{"isAuthorized":true}"#, #"{"isAuthorized":false}"#)

  private static func answer(_ text: String, to event: String) -> ComparedAnswer {
    let answer =
      text.hasPrefix("{")
      ? InvocationAnswer.response(Array(text.utf8))
      : AnswerSample.thrown(#"{"errorMessage":"\#(text)","errorType":"Error"}"#)
    let bytes = Array(event.utf8)
    return ComparedAnswer(
      of: answer, Evaluation(of: answer, to: bytes, at: 0), for: AuthorizerEvent(bytes)?.kind,
      by: AnswerRules())
  }

  /// The differences of each case, such as `more outcome forbidden allowed`.
  static func found(
    _ pairs: [Pair], requests: [EventKind: [String]] = [:], ttl: Int? = nil
  ) -> [[String]] {
    let cases = pairs.map { pair in
      AnswerComparison.Case(
        event: Array(pair.event.utf8), a: answer(pair.a, to: pair.event), b: answer(pair.b, to: pair.event))
    }
    return AnswerComparison(cases, requests: { requests[$0] ?? [] }, ttl: ttl, at: 0).differences.map {
      list in
      list.map { difference in
        let words = [AnswerComparison.Effect.allowsMore: "more", .allowsLess: "less", .other: "other"]
        let mismatch = difference.mismatch
        return
          "\(words[difference.effect] ?? "") \(mismatch.subject): \(mismatch.expected), \(mismatch.found)"
      }
    }
  }

  private static let (pets, dogs, admin) = ("GET/pets", "GET/dogs", "GET/admin")

  @Test(
    "the outcome of the event itself",
    arguments: [
      (policy("*"), policy("*"), []), (policy(), policy("*"), ["more outcome: forbidden, allowed"]),
      (unauthorized, policy("*"), ["more outcome: unauthorized, allowed"]),
      ("broken", policy("*"), ["more outcome: failure, allowed"]),
      (policy("*"), unauthorized, ["less outcome: allowed, unauthorized"]),
      (policy("*"), "broken", ["less outcome: allowed, failure"]),
      (policy(), unauthorized, ["other outcome: forbidden, unauthorized"]),
      ("broken", unauthorized, ["other outcome: failure, unauthorized"]),
      ("broken", "also broken", []), (unauthorized, unauthorized, []),
      // Other statements with the same meaning.
      (policy("GET/pets"), policy("*", deny: "*/admin"), []),
    ] as [(String, String, [String])])
  func outcomes(_ a: String, _ b: String, _ expected: [String]) {
    #expect(Self.found([Pair(Self.token("ali", Self.pets), a: a, b: b)]) == [expected])
  }

  @Test("a cached answer is evaluated for the requests of the other events of the stage")
  func policies() {
    let others = Pair(Self.token("root", Self.admin), a: Self.policy("*"), b: Self.policy("*"))
    let wide = Pair(Self.token("ali", Self.pets), a: Self.policy(Self.pets), b: Self.policy("*"))
    #expect(Self.found([wide, others]) == [["more the answer for GET /admin: refused, allowed"], []])
    let narrow = Pair(Self.token("ali", Self.pets), a: Self.policy("*"), b: Self.policy(Self.pets))
    #expect(Self.found([narrow, others]) == [["less the answer for GET /admin: allowed, refused"], []])
    let denied = Pair(Self.token("ali", Self.pets), a: Self.policy("*", deny: "*/admin"), b: Self.policy("*"))
    #expect(Self.found([denied, others]) == [["more the answer for GET /admin: refused, allowed"], []])
    // Another stage has another cache, and so has another kind of authorizer.
    for other in [
      others.event.replacing("/prod/", with: "/test/"), Self.http("root", Self.admin),
    ] {
      #expect(Self.found([wide, Pair(other, a: Self.policy("*"), b: Self.policy("*"))]).first == [])
    }
  }

  /// The classic narrow policy: no caller gains what each of their requests is allowed anyway.
  @Test("what A allows in another answer to the caller, B does not let in")
  func narrowPolicies() {
    let both = [Self.pets, Self.dogs].map { request in
      Pair(Self.token("ali", request), a: Self.policy(request), b: Self.policy("GET/*"))
    }
    #expect(
      Self.found(both) == [
        ["other the answer for GET /dogs: refused, allowed"],
        ["other the answer for GET /pets: refused, allowed"],
      ])
    let reversed = both.map { Pair($0.event, a: $0.b, b: $0.a) }
    #expect(Self.found(reversed).flatMap(\.self).allSatisfy { $0.hasPrefix("other ") })
    // The answers to another caller say nothing about this one.
    let eve = Pair(Self.token("eve", Self.admin), a: Self.policy(), b: Self.policy())
    #expect(Self.found(both + [eve])[0].contains("more the answer for GET /admin: refused, allowed"))
    #expect(
      Self.found([both[0], Pair(Self.token("eve", Self.dogs), a: Self.policy("*"), b: Self.policy("*"))])[0]
        == ["more the answer for GET /dogs: refused, allowed"])
  }

  @Test("an answer to a caller who is refused allows nothing else")
  func refusals() {
    let others = Pair(Self.token("root", Self.admin), a: Self.policy("*"), b: Self.policy("*"))
    for refusal in [Self.unauthorized, "broken"] {
      let outcome = refusal == "broken" ? "failure" : "unauthorized"
      let event = Pair(Self.token("ali", Self.pets), a: refusal, b: Self.policy(Self.admin))
      #expect(
        Self.found([event, others]).first == [
          "more the answer for GET /admin: refused, allowed", "other outcome: \(outcome), forbidden",
        ])
    }
  }

  @Test("listed requests belong to events of their kind")
  func listed() {
    let listed = [EventKind.restToken: ["PUT/pets/1"], .http2: ["GET/http"]]
    let rest = Pair(Self.token("ali", Self.pets), a: Self.policy("GET/*"), b: Self.policy("*"))
    #expect(
      Self.found([rest], requests: listed) == [["more the answer for PUT /pets/1: refused, allowed"]])
    let http = Pair(Self.http("ali", Self.pets), a: Self.policy("GET/*"), b: Self.policy("GET/pets"))
    #expect(Self.found([http], requests: listed) == [["less the answer for GET /http: allowed, refused"]])
  }

  @Test("a policy is written for a cache, a simple answer is not, unless the TTL says it")
  func ttl() {
    let policies = [
      Pair(Self.http("ali", Self.pets), a: Self.policy(Self.pets), b: Self.policy("*")),
      Pair(Self.http("root", Self.admin), a: Self.policy("*"), b: Self.policy("*")),
    ]
    let simple = policies.map { Pair($0.event, a: $0.a, b: Self.yes) }
    let difference = "more the answer for GET /admin: refused, allowed"
    for (pairs, ttl, expected) in [
      (policies, nil, [difference]), (policies, 300, [difference]), (policies, 0, []),
      (simple, 300, [difference]),
      (simple, nil, []), (simple, 0, []),
    ] as [([Pair], Int?, [String])] {
      let found = Self.found(pairs, ttl: ttl)[0].filter { !$0.contains("principalId") }
      #expect(found == expected, "\(ttl ?? -1)")
    }
    let refused = Pair(Self.http("ali", Self.pets), a: Self.no, b: Self.yes)
    #expect(Self.found([refused]) == [["more outcome: forbidden, allowed"]])
  }

  @Test("events without a credential have no caller in common")
  func guests() {
    let pairs = [Self.pets, Self.dogs].map {
      Pair(Self.http(nil, $0), a: Self.policy($0), b: Self.policy("GET/*"))
    }
    #expect(Self.found(pairs).allSatisfy { $0.count == 1 && $0[0].hasPrefix("more ") })
  }

  @Test(
    "the context by name, type and value",
    arguments: [
      (#""a":"1""#, #""a":"1""#, []), (#""a":1,"b":2"#, #""b":2,"a":1"#, []),
      (#""a":1"#, #""a":"1""#, [#"other context.a: 1, "1""#]),
      (#""a":true"#, #""a":false"#, ["other context.a: true, false"]),
      (
        #""a":1,"b":2,"c":"""#, #""d":1"#,
        [
          "other context.a, context.b, context.c: present, absent", "other context.d: absent, present",
        ]
      ),
    ] as [(String, String, [String])])
  func contexts(_ a: String, _ b: String, _ expected: [String]) {
    let event = Self.token("ali", Self.pets)
    #expect(Self.found([Pair(event, a: Self.context(a), b: Self.context(b))]) == [expected])
  }

  @Test("the backend gets nothing of a refused request, and a difference of one caller is told once")
  func contextsOfCallers() {
    let refused = Pair(
      Self.token("ali", Self.pets), a: Self.policy("*", deny: "*", more: #","context":{"a":1}"#),
      b: Self.policy("*", deny: "*"))
    #expect(Self.found([refused]) == [[]])
    let events = [Self.token("ali", Self.pets), Self.token("ali", Self.dogs), Self.token("eve", Self.pets)]
    let pairs = events.map { Pair($0, a: Self.context(#""a":1"#), b: Self.context(#""a":2"#)) }
    #expect(Self.found(pairs).map(\.count) == [1, 0, 1])
    let other = Self.context(#""a":1"#).replacing(#""u""#, with: #""v""#)
    #expect(
      Self.found([Pair(events[0], a: Self.context(#""a":1"#), b: other)]) == [
        [#"other principalId: "u", "v""#]
      ])
  }

  @Test("an event of no authorizer has only an outcome")
  func foreignEvents() {
    #expect(Self.found([Pair("{}", a: Self.policy("*"), b: Self.unauthorized)]) == [[]])
  }

  // MARK: Reports

  private static func report(strict: Bool = false) -> ContractReport {
    let pairs = [
      ("same", Pair(token("ali", pets), a: policy("GET/*"), b: policy("GET/*"))),
      ("late", Pair(token("old", pets), a: policy(), b: unauthorized)),
      ("open", Pair(token("eve", pets), a: policy(), b: policy(pets))),
      ("lost", Pair(token("bob", pets), a: policy(pets), b: policy())),
    ]
    let cases = pairs.map { pair in
      AnswerComparison.Case(
        event: Array(pair.1.event.utf8), a: answer(pair.1.a, to: pair.1.event),
        b: answer(pair.1.b, to: pair.1.event))
    }
    let differences = AnswerComparison(cases, ttl: nil, at: 0).differences
    return ContractReport(
      comparing: pairs.enumerated().map { index, pair in
        let (a, b) = (answer(pair.1.a, to: pair.1.event), answer(pair.1.b, to: pair.1.event))
        var entry = ContractReport.Entry(
          name: pair.0, eventKind: .restToken, outcome: a.evaluation.outcome, reason: nil, microseconds: 1,
          mismatches: differences[index].filter { strict || $0.effect == .allowsMore }.map(\.mismatch))
        entry.comparison = .init(
          outcome: b.evaluation.outcome, reason: nil, microseconds: 2, differences: differences[index])
        return entry
      })
  }

  private static func list(_ tree: JSONTree?) -> [JSONTree] {
    if case .array(let elements)? = tree { elements } else { [] }
  }

  @Test("the report tells first what B lets in")
  func report() {
    #expect(
      Self.report().table.lines == [
        "file  kind       A          B             result",
        "open  restToken  forbidden  allowed       allows more",
        "lost  restToken  allowed    forbidden     allows less",
        "late  restToken  forbidden  unauthorized  differs",
        "same  restToken  allowed    allowed       same",
      ])
    #expect(
      Self.report().details == [
        "B allows what A refuses:",
        "  open: outcome: A forbidden, B allowed"
          + " (A: denied: no statement allows it; B: allowed by Statement[0])",
        "B refuses what A allows:",
        "  lost: outcome: A allowed, B forbidden"
          + " (A: allowed by Statement[0]; B: denied: no statement allows it)",
        "other differences:",
        "  late: outcome: A forbidden, B unauthorized"
          + " (A: denied: no statement allows it; B: errorMessage is Unauthorized)",
      ])
    #expect(Self.report().summary == "1 allows more, 1 allows less, 1 differs, 1 same")
  }

  @Test("in JSON and JUnit, what B lets in fails, and the rest only with --strict")
  func machineReports() throws {
    for (strict, failed) in [(false, 1), (true, 3)] {
      let report = Self.report(strict: strict)
      let json = try JSONTree(parsing: report.json)
      #expect(json["failed"] == .integer(Int64(failed)) && json["passed"] == .integer(Int64(4 - failed)))
      let tests = Self.list(json["tests"])
      #expect(tests.first?["file"] == .string("open") && tests.first?["passed"] == .boolean(false))
      #expect(tests.first?["outcome"] == .string("forbidden"))
      #expect(tests.first?["against"]?["outcome"] == .string("allowed"))
      #expect(
        tests.map { Self.list($0["differences"]).map { $0["effect"] } } == [
          [.string("allowsMore")], [.string("allowsLess")], [.string("other")], [],
        ])
      #expect(tests.map { Self.list($0["mismatches"]).count } == (strict ? [1, 1, 1, 0] : [1, 0, 0, 0]))
      let junit = report.junit
      #expect(junit.contains(#"<testsuites tests="4" failures="\#(failed)">"#))
      #expect(junit.contains(#"<failure message="outcome: A: denied"#))
      #expect(junit.ranges(of: "<system-out>outcome: A ").count == (strict ? 0 : 2), "\(junit)")
    }
  }
}
