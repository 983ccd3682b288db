@testable import DeploymentSmoke
@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
import Synchronization
import Testing

/// What is sent: nothing that changes anything, and no token where no authorizer reads it.
@Suite struct SmokePlanTests {
  private static let titles = [
    "GET /pets with good", "GET /pets with reader", "GET /pets with garbage", "GET /pets without a token",
    "GET /pets/{id} with good", "GET /pets/{id} with reader", "GET /pets/{id} with garbage",
    "GET /pets/{id} without a token", "GET /open without a token", "OPTIONS /open without a token",
    "OPTIONS /pets without a token",
  ]

  @Test func eachGuardedRouteGetsEachCredential() throws {
    let plan = try SmokeStage(SmokeStage.rest).plan()
    #expect(Set(plan.requests.map(\.title)).isSuperset(of: Self.titles))
    #expect(plan.withToken == 4 && plan.refused == 4)
  }

  /// Tokens first, so that an answer that is cached for all shows.
  @Test func requestsWithTokensAreFirst() throws {
    let titles = try SmokeStage(SmokeStage.rest).plan().requests.map(\.title)
    #expect(titles.filter { $0.hasPrefix("GET /pets ") } == Array(Self.titles.prefix(4)))
  }

  @Test(
    arguments: [
      (nil, [:], [], ["GET /pets", "GET /open", "OPTIONS /pets", "OPTIONS /pets/{id}", "OPTIONS /open"]),
      (nil, ["id": "7"], ["* /pets*"], ["GET /open", "OPTIONS /open"]),
      (["POST"], ["id": "7"], [], ["POST /pets/{id}"]), (["HEAD"], ["id": "7"], [], ["HEAD /pets/{id}"]),
      (["get"], ["id": "7"], ["ANY *"], ["GET /pets", "GET /open"]),
    ] as [([String]?, [String: String], [String], [String])])
  func theUserChoosesRoutes(
    _ methods: [String]?, _ values: [String: String], _ exceptions: [String], _ expected: [String]
  ) throws {
    var stage = SmokeStage(SmokeStage.rest)
    stage.methods = methods
    let plan = try stage.plan(except: exceptions, values: values.isEmpty ? ["other": "1"] : values)
    let sent = plan.requests.map { $0.title.split(separator: " ").prefix(2).joined(separator: " ") }
    #expect(
      Set(sent).isSubset(of: expected) && Set(expected).isSubset(of: sent + ["OPTIONS /pets/{id}"]), "\(sent)"
    )
    #expect(
      plan.skipped.count + Set(plan.requests.map(\.route.key)).count
        == (try stage.served).apis[0].routes.count)
  }

  @Test(
    arguments: [
      ("id", "..", "valueForm"), ("id", ".", "valueForm"), ("id", "a?b", "valueForm"),
      ("id", "", "valueForm"),
      ("id", "a b", "valueForm"), ("id", "%2e", "valueForm"), ("id", "a//b", "valueForm"),
    ])
  func aValueIsPlain(_ name: String, _ value: String, _ code: String) {
    do throws(SmokeRefusal) {
      _ = try SmokePlan.Choices(methods: nil, values: [name: value], exceptions: [], roles: [])
      Issue.record("accepted")
    } catch { #expect(error.code == code) }
  }

  @Test(arguments: [[], ["TRACE"], ["GET", "G ET"], [""]]) func aMethodIsKnown(_ methods: [String]) {
    #expect(throws: SmokeRefusal.method) {
      try SmokePlan.Choices(methods: methods, values: [:], exceptions: [], roles: [])
    }
  }

  @Test func aValueWithASlashIsForGreedyVariablesOnly() throws {
    #expect(throws: SmokeRefusal.nothingToAsk) {
      var stage = SmokeStage(SmokeStage.rest)
      stage.methods = ["DELETE"]
      _ = try stage.plan(values: ["id": "a/b"])
    }
  }

  @Test func aTokenGoesOnlyWhereAnAuthorizerReadsIt() async throws {
    let asked = SmokeStage.Asked()
    _ = try await SmokeStage(SmokeStage.rest).report(asked: asked)
    for (url, request) in asked.requests {
      let isGuarded = url.contains("/pets")
      #expect(request.method == "GET" && isGuarded || request.values(ofHeader: "authorization").isEmpty)
      #expect(url.hasPrefix("https://api.example.com/"))
    }
    #expect(asked.requests.contains { $0.request.values(ofHeader: "authorization") == ["Bearer good"] })
  }

  @Test func requestsKeepTheRate() async throws {
    let waits = Mutex<[Int]>([])
    let asked = SmokeStage.Asked()
    _ = try await SmokeStage(SmokeStage.rest).report(asked: asked) { milliseconds in
      waits.withLock { $0.append(milliseconds) }
    }
    #expect(waits.withLock { $0 } == Array(repeating: 500, count: asked.requests.count - 1))
  }

  /// An authorizer sees the event of a request and that of its repetition a minute later, at the begin of the run and
  /// before the request.
  @Test(arguments: [SmokeStage.rest, SmokeStage.http]) func anAuthorizerIsAskedOnceForEachEvent(
    _ template: String
  ) async throws {
    let events = Mutex<[String]>([])
    var stage = SmokeStage(template)
    stage.predicted = { event in
      events.withLock { $0.append(event) }
      return SmokeStage.authorizer(event)
    }
    let called = try await stage.report().results.count { result in
      switch result.request.credential {
      case .role, .garbage: true
      case .none, .preflight: false
      }
    }
    let found = events.withLock { $0 }
    #expect(found.count >= called)
    // Two assumptions change events of HTTP APIs.
    #expect(found.count <= called * (template == SmokeStage.rest ? 4 : 6), "\(found.count) of \(called)")
  }

  /// The report has names of the template and of roles, and nothing else.
  @Test func theReportHasNoTokenAndNoHost() async throws {
    let stage = SmokeStage(SmokeStage.rest)
    let report = try await stage.report()
    let texts = [report.text, String(decoding: report.json, as: UTF8.self), report.junit]
    for text in texts {
      #expect(!text.contains("Bearer") && !text.contains("api.example.com") && !text.contains("123456789012"))
    }
  }
}
