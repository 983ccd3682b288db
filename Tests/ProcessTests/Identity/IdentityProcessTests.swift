@testable import LambdaEmulator
import Foundation
import JSON
import Synchronization
import TestSupport
import TestTokens
import Testing

/// The identity function as a process.
@Suite(.needsIdentity, .hangLimit)
struct IdentityProcessTests {
  @Test(
    "nonce, first sign-in, the user's own route, a notification, the next sign-in", arguments: [false, true])
  func story(isHTTP2: Bool) async throws {
    let workshop = try Workshop()
    let function = try IdentityFunction(in: workshop.folder)
    try await function.run { environment in
      func send(_ method: String, _ path: String, body: String? = nil, subject: String? = nil) async throws
        -> ProxyAnswer
      {
        let event = IdentityFunction.event(method, path, body: body, subject: subject, isHTTP2: isHTTP2)
        return try ProxyAnswer(await environment.invoke(event: event))
      }
      func signIn(issued: String = "+0s") async throws -> (body: String, answer: ProxyAnswer) {
        let nonce = try #require(try await send("POST", "/auth/nonce").data("nonce"))
        let token = try IdentityFunction.token(
          #""sub":"001234.a.1","nonce":"\#(nonce)","iat":"\#(issued)""#)
        let body = #"{"identity_token":"\#(token)","nonce":"\#(nonce)","user":{"name":{"firstName":"Ada"}}}"#
        return (body, try await send("POST", "/auth/verify", body: body))
      }
      let (body, first) = try await signIn()
      #expect(first.status == 200)
      #expect(first.body?["data"]?["is_new_user"] == .boolean(true))
      let replay = try await send("POST", "/auth/verify", body: body)
      #expect(replay.status == 401)
      #expect(replay.code == "invalid_credential")
      #expect(function.line(of: replay.requestID)?["reason"] == .string("nonceUsedBefore"))
      let own = try await send("GET", "/users/me", subject: "001234.a.1")
      #expect(own.data("user_id") == first.data("user_id"))
      #expect(own.data("given_name") == "Ada")
      #expect(try await send("GET", "/users/001234.a.1", subject: "001234.b.1").status == 403)
      #expect(try await send("GET", "/users/me").status == 401)
      let notification = try IdentityFunction.notification("consent-revoked", of: "001234.a.1", jti: "j1")
      for outcome in ["recorded", "seenBefore"] {
        let response = try await send("POST", "/auth/apple/notifications", body: notification)
        #expect(response.status == 200)
        #expect(function.line(of: response.requestID)?["outcome"] == .string(outcome))
      }
      // Issued after the withdrawal, within Apple's leeway.
      let second = try await signIn(issued: "+2s").answer
      #expect(second.body?["data"]?["is_new_user"] == .boolean(false))
      #expect(second.data("user_id") == first.data("user_id"))
      let line = try #require(function.line(of: second.requestID))
      #expect(line["message"] == .string("request"))
      #expect(line["level"] == .string("INFO"))
      #expect(line["outcome"] == .string("found"))
      #expect(line["route"] == .string("/auth/verify"))
      #expect(line["status"] == .number("200"))
      #expect(line["payload"] == .string(isHTTP2 ? "2.0" : "1.0"))
      #expect(line["reason"] == nil)
    }
    let file = try Data(contentsOf: workshop.folder.appendingPathComponent("revocations.json"))
    let revocations = try JSONTree(parsing: [UInt8](file), limits: .event)
    guard case .array(let list)? = revocations["revocations"] else {
      Issue.record("no revocations")
      return
    }
    #expect(list.map { $0["sub"] } == [.string("001234.a.1")])
  }

  @Test("a process that is killed after its answer loses no user")
  func killed() async throws {
    let workshop = try Workshop()
    let function = try IdentityFunction(in: workshop.folder, issuesNonces: false)
    let body = #"{"identity_token":"\#(try IdentityFunction.token(#""sub":"001234.a.1""#))"}"#
    let event = IdentityFunction.event("POST", "/auth/verify", body: body)
    for isNew in [true, false] {
      try await function.run { environment in
        let answer = try ProxyAnswer(await environment.invoke(event: event))
        #expect(answer.body?["data"]?["is_new_user"] == .boolean(isNew))
        kill(try #require(function.processID()), SIGKILL)
      }
    }
  }

  @Test(
    "four workers with separate stores create one user in 200 first sign-ins and accept a nonce once in 50 requests"
  )
  func workers() throws {
    let workshop = try Workshop()
    let set = try FetchingFunction.keys().publicKeySet.bytes()
    try Data(set).write(to: workshop.folder.appendingPathComponent("keys.json"))
    let nonce = "a-nonce-of-the-client-0123456789"
    let plain = #"{"identity_token":"\#(try IdentityFunction.token(#""sub":"001234.a.1""#))"}"#
    let token = try IdentityFunction.token(#""sub":"001234.b.1","nonce":"\#(nonce)""#)
    let bodies = [plain, plain, plain, plain, #"{"identity_token":"\#(token)","nonce":"\#(nonce)"}"#]
    let events = bodies.map { IdentityFunction.event("POST", "/auth/verify", body: $0) }
    let nexts = Mutex(0)
    let answers = Mutex<[String]>([])
    let api = try ConcurrentRuntimeAPI { call in
      guard call.isNext else {
        answers.withLock { $0.append(call.body) }
        return .status(202)
      }
      let number = nexts.withLock { nexts in
        defer { nexts += 1 }
        return nexts
      }
      return number < 250 ? .event(events[number % 5], id: "\(number)") : .status(403)
    }
    let function = try ConcurrentFunction(
      api, in: workshop.folder, IdentityFunction.executable,
      [
        "IDENTITY_CONFIG": IdentityFunction.configuration(issuesNonces: false),
        "AUTHORIZER_DEVELOPMENT": "1",
      ])
    #expect(function.finish() == .status(76))
    let said = function.lines("request").compactMap { line in
      line["outcome"].map { outcome in "\(outcome.text ?? "") \(line["reason"]?.text ?? "")" }
    }
    #expect(answers.withLock { $0.count } == 250)
    #expect(
      Dictionary(grouping: said) { $0 }.mapValues(\.count) == [
        "created ": 2, "found ": 199, "refused nonceUsedBefore": 49,
      ])
  }

  @Test("a line has the trace and the ID of API Gateway's request, and the first one the cold start")
  func leads() async throws {
    let workshop = try Workshop()
    let function = try IdentityFunction(in: workshop.folder)
    let root = "1-5759e988-bd862e3fe1be46a994272793"
    let rows: [(trace: String, id: String, found: (trace: String?, id: String?))] = [
      ("Root=\(root);Sampled=1", "LV7fzho-PHcEJPw=", (root, "LV7fzho-PHcEJPw=")),
      (#"Root=1-","outcome":"found"#, #"\",\"outcome\":\"found"#, (nil, nil)),
    ]
    try await function.run { environment in
      for (number, row) in rows.enumerated() {
        for isHTTP2 in [false, true] {
          let event = IdentityFunction.event("POST", "/auth/nonce", isHTTP2: isHTTP2, requestID: row.id)
          let result = await environment.invoke(
            event: event, context: InvocationContext(traceID: row.trace))
          let line = try #require(function.line(of: result.requestID))
          #expect(line["outcome"] == .string("issued"))
          #expect(line["xrayTraceId"]?.text == row.found.trace)
          #expect(line["apiRequestId"]?.text == row.found.id)
          #expect((line["coldStart"] == .boolean(true)) == (number == 0 && !isHTTP2))
        }
      }
      let result = await environment.invoke(
        event: Array("{}".utf8), context: InvocationContext(traceID: rows[0].trace))
      #expect(function.line(of: result.requestID)?["xrayTraceId"]?.text == root)
    }
  }

  @Test("an event that is not a proxy event is an error, and the next request is answered")
  func noEvent() async throws {
    let workshop = try Workshop()
    let function = try IdentityFunction(in: workshop.folder)
    try await function.run { environment in
      for event in [
        #"{"canary":1}"#, "{}", #"{"type":"TOKEN","methodArn":"arn","authorizationToken":"canary"}"#,
      ] {
        let result = await environment.invoke(event: Array(event.utf8))
        guard case .error(let report) = result.answer else {
          Issue.record("unexpected answer: \(result.answer)")
          return
        }
        #expect(report.headerType == "Function.InvalidEvent")
        #expect(!String(decoding: report.document, as: UTF8.self).contains("canary"))
        let line = try #require(function.line(of: result.requestID))
        #expect(line["reason"] == .string("invalidEvent"))
        #expect(line["level"] == .string("ERROR"))
      }
      let event = IdentityFunction.event("POST", "/auth/nonce")
      #expect(try ProxyAnswer(await environment.invoke(event: event)).status == 200)
    }
  }

  @Test("without Apple's keys the answer is 503, and the log says why")
  func keysUnavailable() async throws {
    let workshop = try Workshop()
    // No program listens on port 1 of this machine.
    let configuration = IdentityFunction.configuration(
      issuesNonces: false, keys: #""url":"http://127.0.0.1:1/keys""#)
    let function = try IdentityFunction(in: workshop.folder, configuration)
    let body = #"{"identity_token":"\#(try IdentityFunction.token())"}"#
    try await function.run { environment in
      let event = IdentityFunction.event("POST", "/auth/verify", body: body)
      let answer = try ProxyAnswer(await environment.invoke(event: event))
      #expect(answer.status == 503)
      #expect(answer.code == "temporarily_unavailable")
      #expect(function.line(of: answer.requestID)?["reason"] == .string("keysUnavailable"))
      #expect(function.lines.contains { $0.contains("keyFetchFailed") })
    }
  }

  struct Refusal: Sendable {
    let configuration: String
    let type: String
    let problems: [String]
  }

  @Test(
    "a function that cannot start reports all reasons to Lambda and to its log",
    arguments: [
      Refusal(
        configuration:
          #"{"audience":["a"],"nonce":{"secret":{"environment":"SHORT"}},"store":{"sqlite":{}}}"#,
        type: "Function.InvalidConfiguration",
        problems: [
          "audience: unknown member", "audiences: missing", "nonce.secret: 6 bytes are too few",
          "store.sqlite.path: missing",
        ]),
      Refusal(
        configuration: #"{"audiences":["a"],"store":{"sqlite":{"path":"keys.json"}}}"#,
        type: "Function.StoreUnreadable", problems: ["storeUnreadable"]),
    ])
  func refused(refusal: Refusal) async throws {
    let workshop = try Workshop()
    let function = try IdentityFunction(in: workshop.folder, refusal.configuration, ["SHORT": "canary"])
    try await function.run { environment in
      let answer = await environment.invoke(event: IdentityFunction.event("POST", "/auth/nonce")).answer
      guard case .initializationFailed(.reported(let report)) = answer else {
        Issue.record("it started, or reported nothing: \(answer)")
        return
      }
      #expect(report.headerType == refusal.type)
      let document = String(decoding: report.document, as: UTF8.self)
      for problem in refusal.problems {
        #expect(document.contains(problem))
        #expect(function.lines.contains { $0.contains(problem) })
      }
    }
  }
}
