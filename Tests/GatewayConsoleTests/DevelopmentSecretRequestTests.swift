@testable import GatewayConsole
@testable import GatewayModel
import JSON
@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import LambdaEmulator
import TestSupport
import TestTokens
import Testing

/// What other users of the machine can do with the port of the gateway.
@Suite(.hangLimit) struct DevelopmentSecretRequestTests {
  /// Values of the header that are not the secret: none, empty, changed at one end, cut, longer, in another case.
  static let wrong: [(name: String, value: @Sendable (String) -> String?)] = [
    ("none", { _ in nil }), ("empty", { _ in "" }),
    ("first byte", { ($0.first == "A" ? "B" : "A") + $0.dropFirst() }),
    ("last byte", { $0.dropLast() + ($0.last == "A" ? "B" : "A") }),
    ("cut", { String($0.dropLast()) }), ("longer", { $0 + "A" }), ("upper case", { $0.uppercased() }),
    ("its line", { "\(DevelopmentSecret.header): \($0)" }),
  ]

  /// Each way to see or change what requests of others do.
  static let guarded: [(method: String, path: String)] = [
    ("GET", "/dev/decisions"), ("GET", "/dev/decisions/1"), ("GET", "/dev/decisions/9"),
    ("GET", "/dev/decisions/stream"), ("POST", "/dev/decisions/1/replay"), ("GET", "/dev/matrix"),
    ("POST", "/dev/send"), ("GET", "/dev/cache"), ("GET", "/dev/keys"), ("GET", "/dev/revocations"),
    ("GET", "/dev/findings"), ("GET", "/dev/session"), ("GET", "/dev/clock"), ("POST", "/dev/clock"),
    ("POST", "/dev/cache/flush"), ("DELETE", "/dev/clock"),
    ("POST", "/2015-03-31/functions/authorizer/invocations"), ("GET", "/2015-03-31/functions"),
  ]

  /// Runs a gateway with a console, after one request, and returns the answers to requests.
  private static func answers(
    to requests: [(method: String, path: String, headers: [String: String])], _ stage: ConsoleStage
  ) async throws -> [LoopbackClient.Answer] {
    let invocations = InvokeAPI(functions: [], logger: .silent)
    await stage.call()
    return try await GatewayServer(
      stage.service, issuer: stage.connection.issuer, secret: stage.connection.secret,
      invocations: invocations, console: stage.console
    ).run(logger: .silent) { port in
      let client = LoopbackClient(base: "http://127.0.0.1:\(port)")
      var answers: [LoopbackClient.Answer] = []
      for request in requests {
        answers.append(
          try await client.send(
            request.method, request.path, body: request.method == "POST" ? Array("{}".utf8) : [],
            headers: request.headers.merging(["Content-Type": "application/json"]) { first, _ in first }))
      }
      return answers
    }
  }

  @Test(arguments: wrong.indices) func nothingIsShownOrChangedWithoutTheSecret(_ index: Int) async throws {
    let stage = try ConsoleStage()
    let secret = stage.connection.secret
    let value = Self.wrong[index].value(secret.value)
    let headers = value.map { [DevelopmentSecret.header: $0, "X-Amz-Security-Token": $0] } ?? [:]
    let answers = try await Self.answers(to: Self.guarded.map { ($0.method, $0.path, headers) }, stage)
    for (answer, request) in zip(answers, Self.guarded) {
      #expect(answer.status == 403, "\(request)")
      #expect(answer.body.contains("curl -H @FILE sends it, and FILE is /state/secret"), "\(answer.body)")
      #expect(!answer.body.contains(secret.value) && !answer.body.contains("outcome"))
    }
    #expect(stage.events.count == 1 && stage.log.openFeeds == 0 && stage.service.clockOffsetSeconds == 0)
    #expect(!stage.lines.texts.contains { $0.contains(secret.value) })
  }

  @Test func programsWithTheSecretGetEverything() async throws {
    let stage = try ConsoleStage()
    let secret = stage.connection.secret.value
    let some = Self.guarded.filter { $0.path != "/dev/decisions/stream" }
    let answers = try await Self.answers(
      to: some.map { ($0.method, $0.path, [DevelopmentSecret.header: secret]) }, stage)
    for (answer, request) in zip(answers, some) { #expect(answer.status != 403, "\(request)") }
    // An AWS SDK has no header of its own.
    let invoked = try await Self.answers(
      to: Self.guarded.suffix(2).map { ($0.method, $0.path, ["X-Amz-Security-Token": secret]) }, stage)
    #expect(invoked.map(\.status) == [404, 501])
    let other = try await Self.answers(
      to: [("GET", "/dev/session", ["X-Amz-Security-Token": secret])], stage)
    #expect(other.map(\.status) == [403])
  }

  /// The applications that a user develops get tokens, and the files of the page show nothing.
  @Test(arguments: [
    ("POST", "/dev/token"), ("POST", "/dev/notification"), ("GET", "/.well-known/jwks.json"),
    ("GET", "/.well-known/openid-configuration"), ("GET", "/dev/console"), ("GET", "/"),
    ("GET", "/Api/prod/open"),
  ]) func whatApplicationsNeedIsOpen(_ method: String, _ path: String) async throws {
    let host = path == "/dev/console" ? "console.localhost" : "127.0.0.1"
    let answers = try await Self.answers(to: [(method, path, ["Host": host])], try ConsoleStage())
    #expect(answers.map(\.status) == [200])
  }

  /// A user who sends the secret to an API by mistake does not find it in a decision or in the log.
  @Test func theSecretIsNotShown() async throws {
    let stage = try ConsoleStage()
    let secret = stage.connection.secret.value
    await stage.call(
      query: "echo=\(secret)", headers: ConsoleStage.headers + [.init(DevelopmentSecret.header, secret)])
    let answer = try await stage.ask("/dev/decisions/1")
    #expect(answer.status == 200 && answer.text.contains("redacted"))
    #expect(!answer.text.contains(secret))
    #expect(!stage.lines.texts.contains { $0.contains(secret) })
  }
}
