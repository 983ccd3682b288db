@testable import GatewayModel
@testable import IssuerEmulator
import TestSupport
@testable import EmulatorTestSupport
@testable import GatewayConsole
@testable import GatewayEmulator
@testable import LambdaEmulator
import JSON
import Synchronization
import Testing

/// Replays: what they ask, what they change, and what they never do.
@Suite struct ConsoleReplayTests {
  /// Allows users whose subject begins with `a`.
  @Sendable private static func answer(_ event: JSONTree) -> InvocationAnswer {
    guard case .string(let value)? = event["headers"]?["Authorization"],
      let token = DecodedToken(String(value.dropFirst("Bearer ".count))), let subject = token.subject
    else { return GatewayStage.error("Unauthorized") }
    return GatewayStage.policy(
      subject.hasPrefix("a") ? "Allow" : "Deny", context: #"{"subject":"\#(subject)"}"#)
  }

  private static func stage(
    trials: [String: any FunctionInvoking] = [:]
  ) async throws -> ConsoleStage {
    let stage = try ConsoleStage(
      trials: trials, backend: { _ in .response(Array(#"{"statusCode":200,"body":"hello"}"#.utf8)) },
      answer: Self.answer)
    await stage.call(headers: [
      .init("Authorization", "Bearer " + (try Self.token("alice", stage))), .init("X-Identity", "x"),
    ])
    return stage
  }

  private static func token(_ user: String, _ stage: ConsoleStage) throws -> String {
    try ConsoleTokens(
      issuer: stage.connection.issuer, base: "http://127.0.0.1", now: stage.service.unixMilliseconds / 1000
    ).token(user: user, scope: nil, for: nil)
  }

  @Test func theSameRequestIsAnsweredFromTheCacheAndChangesNothing() async throws {
    let stage = try await Self.stage()
    let reply = try await stage.ask("/dev/decisions/1/replay", json: "{}")
    #expect(reply.status == 200, "\(reply.text)")
    #expect(reply.text("decision", "answer") == "cache")
    #expect(reply.text("decision", "replayOf") == "1")
    #expect(reply.text("decision", "id") == "2")
    #expect(reply.json["difference"] == .array([]))
    #expect(stage.events.count == 1 && stage.calls.count == 1)
    #expect(stage.service.keptAnswers == 1)
  }

  @Test func anEmptyCacheAsksTheAuthorizerAndIsNotFilled() async throws {
    let stage = try await Self.stage()
    let reply = try await stage.ask("/dev/decisions/1/replay", json: #"{"emptyCache":true}"#)
    #expect(reply.text("decision", "answer") == "called")
    #expect(stage.events.count == 2 && stage.calls.count == 1)
    _ = stage.service.flushCache()
    _ = try await stage.ask("/dev/decisions/1/replay", json: "{}")
    #expect(stage.events.count == 3)
    #expect(stage.service.keptAnswers == 0)
  }

  @Test func anotherUserIsDecidedAnewWithTheDifference() async throws {
    let stage = try await Self.stage()
    let reply = try await stage.ask("/dev/decisions/1/replay", json: #"{"user":"bob","scope":"read"}"#)
    #expect(reply.text("decision", "outcome") == "forbidden")
    #expect(reply.text("decision", "user") == "bob")
    #expect(reply.text("decision", "token", "claims", "scope") == "read")
    let difference = try #require(reply.json["difference"]?.elements)
    let paths = difference.compactMap { $0["path"]?.plain }
    for path in ["/status", "/outcome", "/claims/sub", "/policy/policyDocument/Statement/0/Effect"] {
      #expect(paths.contains(path), "\(paths)")
    }
    let subject = difference.first { $0["path"] == .string("/claims/sub") }
    #expect(subject?["before"] == .string("alice") && subject?["after"] == .string("bob"))
    #expect(stage.calls.count == 1)
    #expect(stage.service.keptAnswers == 1)
  }

  /// Nothing is invented: what cannot be taken over is said, or refused.
  @Test(arguments: [
    ("Bearer {{foreign}}", #"{"scope":"read"}"#, 409, "not of the development issuer"),
    ("Bearer {{foreign}}", "{}", 200, #""difference":[]"#),
    ("Bearer opaque", #"{"scope":"read"}"#, 400, "no token to take the user from"),
    ("Bearer opaque", #"{"user":"alice"}"#, 200, #""note":"the request has no token"#),
  ]) func claimsThatCannotBeTakenOver(
    _ value: String, _ order: String, _ status: Int, _ words: String
  ) async throws {
    let stage = try ConsoleStage(answer: Self.answer)
    let foreign = "eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiJhbGljZSJ9.c2ln"
    await stage.call(headers: [
      .init("Authorization", value.replacing("{{foreign}}", with: foreign)), .init("X-Identity", "x"),
    ])
    let reply = try await stage.ask("/dev/decisions/1/replay", json: order)
    #expect(reply.status == status)
    #expect(reply.text.contains(words), "\(reply.text)")
  }

  /// The recipe of a token that was refused for its signature makes no valid one.
  @Test func aWrongSignatureStaysWrong() async throws {
    let stage = try await Self.stage()
    let token = try #require(stage.log.decision(1)?.credentials.token)
    let recipe = try #require(RecordedRecipe(token, refused: "signatureMismatch"))
    #expect(recipe.tree(user: "bob", scope: nil)["damage"] == .string("signature"))
    #expect(RecordedRecipe(token, refused: nil)?.tree(user: "bob", scope: nil)["damage"] == nil)
  }

  /// A proof of the client's own key is for one token.
  @Test func aProofOfAnotherKeyIsForNoOtherToken() async throws {
    let stage = try ConsoleStage()
    let now = stage.service.unixMilliseconds / 1000
    let token = try ConsoleTokens(issuer: stage.connection.issuer, base: "http://x", now: now)
      .token(user: "alice", scope: nil, for: nil, isBound: true)
    let own = try stage.connection.issuer.signed(
      .members([
        "header": .members(["typ": .string("dpop+jwt"), "jwk": .members(["kty": .string("EC")])]),
        "claims": .members(["htm": .string("GET"), "htu": .string("https://x/")]),
      ]), now: now)
    await stage.call(headers: [
      .init("Authorization", "DPoP " + token), .init("X-Identity", "x"), .init("DPoP", own),
    ])
    let reply = try await stage.ask("/dev/decisions/1/replay", json: #"{"user":"bob"}"#)
    #expect(reply.status == 409 && reply.text("error").contains("the client's own key"))
    #expect(try await stage.ask("/dev/decisions/1/replay", json: "{}").status == 200)
  }

  @Test func theBackendIsCalledOnlyIfTheOrderSaysSo() async throws {
    let stage = try await Self.stage()
    let silent = try await stage.ask("/dev/decisions/1/replay", json: #"{"emptyCache":true}"#)
    #expect(silent.text("decision", "status") == "200")
    #expect(silent.json["decision"]?["response"]?["body"] == .null)
    #expect(stage.calls.count == 1)
    let called = try await stage.ask("/dev/decisions/1/replay", json: #"{"backend":true}"#)
    #expect(called.text("decision", "response", "body") == "hello")
    #expect(stage.calls.count == 2)
  }

  /// Another time is that of a function of its own, not of the one that answers clients.
  @Test func anotherTimeDoesNotMoveTheClockOfTheGateway() async throws {
    let events = ConsoleStage.Events()
    let trial = ConsoleStage.Scripted(events, Self.answer)
    let stage = try await Self.stage(trials: ["Authorizer": trial])
    #expect(stage.service.moveClock(bySeconds: 60))
    let reply = try await stage.ask("/dev/decisions/1/replay", json: #"{"clock":"+1h","emptyCache":true}"#)
    #expect(trial.offsets.withLock { $0 } == [3660])
    #expect(events.count == 1 && stage.events.count == 1)
    #expect(stage.service.clockOffsetSeconds == 60)
    let first = try #require(stage.log.decision(1)?.served.identity.unixMilliseconds)
    let second = try #require(stage.log.decision(2)?.served.identity.unixMilliseconds)
    #expect(second - first >= 3_660_000)
    #expect(reply.status == 200)
  }

  @Test func acachedAnswerHasEndedAtALaterTime() async throws {
    let stage = try await Self.stage(trials: ["Authorizer": ConsoleStage.Scripted(.init(), Self.answer)])
    let reply = try await stage.ask("/dev/decisions/1/replay", json: #"{"clock":"+1h"}"#)
    #expect(reply.text("decision", "answer") == "called")
    #expect(stage.service.keptAnswers == 1)
  }

  /// A proof is for one time: a replay needs a new one, and keeps method and URL, which may be what is wrong.
  @Test func aProofIsMadeAnew() async throws {
    let stage = try ConsoleStage()
    let now = stage.service.unixMilliseconds / 1000
    let issuer = stage.connection.issuer
    let token = try ConsoleTokens(issuer: issuer, base: "http://x", now: now)
      .token(user: "alice", scope: nil, for: nil, isBound: true)
    let proof = try issuer.proof(
      method: "PUT", address: "https://other.example/a", token: token, now: now - 900)
    await stage.call(headers: [
      .init("Authorization", "DPoP " + token), .init("X-Identity", "x"), .init("DPoP", proof),
    ])
    for (order, isSame) in [(#"{"emptyCache":true}"#, true), (#"{"emptyCache":true,"user":"bob"}"#, false)] {
      let reply = try await stage.ask("/dev/decisions/1/replay", json: order)
      #expect(reply.status == 200, "\(reply.text)")
      guard case .string(let value)? = stage.events.last?["headers"]?["DPoP"],
        case .string(let authorization)? = stage.events.last?["headers"]?["Authorization"]
      else {
        Issue.record("no proof")
        return
      }
      let fresh = try #require(DecodedToken(value))
      let old = try #require(DecodedToken(proof))
      #expect(value != proof)
      #expect(fresh.claims["htm"] == .string("PUT"))
      #expect(fresh.claims["htu"] == .string("https://other.example/a"))
      #expect(fresh.claims["jti"] != old.claims["jti"])
      #expect(try #require(fresh.seconds("iat")) >= now)
      #expect(authorization.hasPrefix("DPoP "))
      #expect((authorization == "DPoP " + token) == isSame)
      #expect((fresh.claims["ath"] == old.claims["ath"]) == isSame)
    }
  }

  @Test(arguments: [
    (#"{"clock":"soon"}"#, 400, "clock must be a distance"), (#"{"clock":"+9000d"}"#, 400, "within a year"),
    (#"{"user":7}"#, 400, "user must be a string"), (#"{"usr":"a"}"#, 400, "unknown member usr"),
    ("[]", 400, "must be a JSON object"), ("{", 400, "not JSON"), (#"{"backend":1}"#, 400, "true or false"),
  ]) func refusesWrongOrders(_ order: String, _ status: Int, _ words: String) async throws {
    let stage = try await Self.stage()
    let reply = try await stage.ask("/dev/decisions/1/replay", json: order)
    #expect(reply.status == status)
    #expect(reply.text("error").contains(words), "\(reply.text)")
    #expect(stage.events.count == 1)
  }

  @Test func aDecisionThatIsGoneCannotBeReplayed() async throws {
    let reply = try await Self.stage().ask("/dev/decisions/9/replay", json: "{}")
    #expect(reply.status == 404)
  }

  @Test func headersThatWereTooLongCannotBeSentAgain() async throws {
    let stage = try ConsoleStage()
    await stage.call(headers: ConsoleStage.headers + [.init("X", String(repeating: "a", count: 80 << 10))])
    let reply = try await stage.ask("/dev/decisions/1/replay", json: "{}")
    #expect(reply.status == 409 && reply.text.contains("too long"))
  }

  /// A function without a clock of its own would answer about another time than the one asked for.
  @Test(arguments: [(#"{"clock":"+1h"}"#, 409), (#"{"clock":"+0s"}"#, 200)])
  func aFunctionWithoutAClockIsNotAskedAboutAnotherTime(_ order: String, _ status: Int) async throws {
    let reply = try await Self.stage().ask("/dev/decisions/1/replay", json: order)
    #expect(reply.status == status)
    #expect(status == 200 || reply.text("error").hasPrefix("Authorizer runs at this machine's time"))
  }

  /// Two replays at other times would move one clock.
  @Test func oneReplayAtAnotherTimeAfterTheOther() async throws {
    let trials = TrialFunctions([:])
    let result = try await trials.run(offsetSeconds: 1) { _, _ async throws(ConsoleProblem) in
      do throws(ConsoleProblem) {
        _ = try await trials.run(offsetSeconds: 2) { _, _ in 1 }
        return "ran"
      } catch {
        return if case .busy = error { "busy" } else { "\(error)" }
      }
    }
    #expect(result == "busy")
    #expect(try await trials.alone { 3 } == 3)
  }
}
