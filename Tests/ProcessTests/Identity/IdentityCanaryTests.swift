import LambdaEmulator
import Foundation
import Testing
import TestSupport

/// Everything that a caller sends and every secret of the identity function contain the word "canary". The word may
/// appear only in a 200 answer, which contains the user's own data.
@Suite(.needsIdentity, .hangLimit)
struct IdentityCanaryTests {
  static let claims =
    #""email":"canary@example.com","name":"Canary","transfer_sub":"canary.t","groups":["canary"]"#
  static let user =
    #""user":{"name":{"firstName":"Canary","lastName":"Canary"},"email":"canary@example.com"}"#
  static let nonce = "canary-canary-canary-canary"

  struct Row: Sendable, CustomTestStringConvertible {
    var method = "POST"
    var path = "/auth/verify"
    var body: String?
    var subject: String?
    var contentType = "application/json"
    let status: Int
    let said: String
    var testDescription: String { "\(status) \(said): \(method) \(path)" }
  }

  /// Returns a row for each way that a request with client nonces can end.
  static func rows() throws -> [Row] {
    func signIn(_ claims: String, more: String = "") throws -> String {
      #"{"identity_token":"\#(try IdentityFunction.token(claims, more: more))","nonce":"\#(nonce)",\#(user)}"#
    }
    let good = #""sub":"canary.1","nonce":"\#(nonce)",\#(claims)"#
    let first = try signIn(good)
    return [
      Row(body: first, status: 200, said: "created"), Row(body: first, status: 401, said: "nonceUsedBefore"),
      Row(
        body:
          #"{"identity_token":"\#(try IdentityFunction.token(#""sub":"canary.1",\#(claims)"#))",\#(user)}"#,
        status: 200, said: "found"),
      Row(body: try signIn(#""nonce":"canary2""#), status: 401, said: "nonceClaim.mismatch"),
      Row(body: try signIn(#""iat":"-3m","exp":"+1h",\#(good)"#), status: 401, said: "nonceTokenTooOld"),
      Row(body: try signIn(#""aud":"canary""#), status: 401, said: "wrongAudience"),
      Row(body: try signIn(#""iss":"https://canary.example.com""#), status: 401, said: "wrongIssuer"),
      Row(body: try signIn(#""sub":["canary"]"#), status: 401, said: "malformedClaim"),
      Row(body: try signIn(good, more: #","damage":"signature""#), status: 401, said: "signatureMismatch"),
      Row(body: try signIn(good, more: #","header":{"kid":"canary"}"#), status: 401, said: "unknownKey"),
      Row(
        body: try signIn(good, more: #","header":{"alg":"canary"}"#), status: 401, said: "algorithmNotAllowed"
      ),
      Row(body: #"{"identity_token":"canary"}"#, status: 401, said: "malformedToken"),
      Row(body: #"{"identity_token":"canary","canary":"canary"}"#, status: 400, said: "unknownMember"),
      Row(body: #"{"canary":"canary"}"#, status: 400, said: "missingMember"),
      Row(body: #"{"identity_token":"canary","user":"canary"}"#, status: 400, said: "bodyNotJSON"),
      Row(body: "canary", status: 400, said: "bodyNotJSON"),
      Row(body: #""canary""#, status: 400, said: "bodyNotAnObject"),
      Row(body: "canary", contentType: "canary/canary", status: 415, said: "unsupportedMediaType"),
      Row(
        body: #"{"identity_token":"\#(String(repeating: "canary", count: 20_000))"}"#, status: 413,
        said: "bodyTooLarge"),
      Row(method: "CANARY", status: 405, said: "methodNotAllowed"),
      Row(path: "/canary", status: 404, said: "unknownPath"),
      Row(method: "GET", path: "/users/canary", subject: "canary.2", status: 403, said: "anotherUser"),
      Row(method: "GET", path: "/users/canary%", subject: "canary.2", status: 400, said: "malformedPath"),
      Row(method: "GET", path: "/users/canary", status: 401, said: "noCaller"),
      Row(method: "GET", path: "/users/me", subject: "canary.2", status: 404, said: "userNotFound"),
      Row(method: "GET", path: "/users/canary.1", subject: "canary.1", status: 200, said: "found"),
      Row(
        path: "/auth/apple/notifications",
        body: try IdentityFunction.notification("canary", of: "canary.1", jti: "canary"), status: 200,
        said: "ignored"),
      Row(
        path: "/auth/apple/notifications",
        body: try IdentityFunction.notification("account-deleted", of: "canary.1", jti: "canary"),
        status: 200,
        said: "recorded"),
      Row(
        path: "/auth/apple/notifications", body: #"{"payload":"canary"}"#, status: 401, said: "malformedToken"
      ),
    ]
  }

  @Test("no request reveals text of a caller or a secret", arguments: ["JSON", "Text"])
  func requests(format: String) async throws {
    let workshop = try Workshop()
    let secrets = CanaryProcessTests.secrets.merging([
      "AWS_LAMBDA_LOG_FORMAT": format, "AWS_LAMBDA_LOG_LEVEL": "TRACE",
    ]) { $1 }
    let function = try IdentityFunction(in: workshop.folder, issuesNonces: false, secrets)
    let rows = try Self.rows()
    try await function.run { environment in
      for row in rows {
        let event = IdentityFunction.event(
          row.method, row.path, body: row.body, subject: row.subject, contentType: row.contentType)
        let answer = try ProxyAnswer(await environment.invoke(event: event))
        #expect(answer.status == row.status, "\(row)")
        if row.status != 200 { Self.expectNoCanary(answer.text) }
        #expect(
          function.lines.contains { $0.contains(answer.requestID) && $0.contains(row.said) }, "\(row)")
      }
      for event in ["canary", #"{"canary":"#, #"{"httpMethod":"canary","path":"canary"}"#] {
        let result = await environment.invoke(event: Array(event.utf8))
        guard case .error(let report) = result.answer else {
          Issue.record("unexpected answer")
          continue
        }
        Self.expectNoCanary(String(decoding: report.document, as: UTF8.self))
      }
    }
    #expect(function.lines.count >= rows.count + 3)
    for line in function.lines { Self.expectNoCanary(line) }
  }

  @Test("an issued nonce appears only in its own answer")
  func issuedNonce() async throws {
    let workshop = try Workshop()
    let function = try IdentityFunction(in: workshop.folder)
    try await function.run { environment in
      let event = IdentityFunction.event("POST", "/auth/nonce")
      let nonce = try #require(try ProxyAnswer(await environment.invoke(event: event)).data("nonce"))
      let body = #"{"identity_token":"\#(try IdentityFunction.token())","nonce":"\#(nonce)"}"#
      let refused = try ProxyAnswer(
        await environment.invoke(event: IdentityFunction.event("POST", "/auth/verify", body: body)))
      #expect(refused.status == 401)
      #expect(!refused.text.contains(nonce))
      #expect(function.lines.allSatisfy { !$0.contains(nonce.prefix(20)) })
      for line in function.lines { Self.expectNoCanary(line) }
    }
  }

  /// Configurations with secrets and other texts in wrong members.
  @Test(
    "a configuration that cannot start reveals nothing",
    arguments: [
      #"{"canary"#, "canary secret", #"{"audiences":"canary"}"#,
      #"{"audiences":["canary"],"nonce":{"secret":"canary canary canary canary canary"},"store":{}}"#,
      #"{"audiences":["canary"],"nonce":{"secret":{"environment":"canary canary canary"}},"store":{}}"#,
      #"{"audiences":["canary"],"nonce":{"secret":{"file":"canary-canary"}},"store":{}}"#,
      #"{"audiences":["canary"],"nonce":{"secret":{"environment":"SHORT"}},"store":{}}"#,
      #"{"audiences":["a"],"keys":{"url":"https://canary:canary@keys.example.com/"},"store":{}}"#,
      #"{"audiences":["a"],"basePath":"canary","authorizerIssuer":1,"store":{"dynamoDB":{"table":"canary canary"}}}"#,
    ])
  func configuration(text: String) async throws {
    let workshop = try Workshop()
    let function = try IdentityFunction(in: workshop.folder, text, ["SHORT": "canary"])
    try await function.run { environment in
      let answer = await environment.invoke(event: IdentityFunction.event("POST", "/auth/nonce")).answer
      guard case .initializationFailed(.reported(let report)) = answer else {
        Issue.record("it started, or reported nothing: \(answer)")
        return
      }
      Self.expectNoCanary(String(decoding: report.document, as: UTF8.self))
    }
    #expect(!function.lines.isEmpty)
    for line in function.lines { Self.expectNoCanary(line) }
  }

  @Test(
    "a process that ends during a request reveals nothing",
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/environ"), "there is no /proc"),
    arguments: [SIGABRT, SIGSEGV, SIGILL, SIGBUS, SIGTRAP, SIGTERM, SIGKILL])
  func ended(signal: Int32) async throws {
    let workshop = try Workshop()
    let server = try LoopbackKeyServer(.keySet(try FetchingFunction.keySet()))
    try server.start()
    defer { server.stop() }
    let configuration = IdentityFunction.configuration(
      issuesNonces: false, keys: #""url":"http://127.0.0.1:\#(server.port)/keys""#)
    let function = try IdentityFunction(in: workshop.folder, configuration, CanaryProcessTests.secrets)
    let unknown = try IdentityFunction.token(Self.claims, more: #","header":{"kid":"canary"}"#)
    let event = IdentityFunction.event(
      "POST", "/auth/verify", body: #"{"identity_token":"\#(unknown)",\#(Self.user)}"#)
    try await function.run { environment in
      let good = #"{"identity_token":"\#(try IdentityFunction.token(Self.claims))",\#(Self.user)}"#
      let first = try ProxyAnswer(
        await environment.invoke(event: IdentityFunction.event("POST", "/auth/verify", body: good)))
      #expect(first.status == 200)
      server.publish(.silence)
      async let middle = environment.invoke(event: event)
      // The request waits for a key set that does not come.
      while server.targets.count < 2, !Task.isCancelled { await Task.yield() }
      kill(try #require(function.processID()), signal)
      switch await middle.answer {
      case .error(let report): Self.expectNoCanary(String(decoding: report.document, as: UTF8.self))
      case .response(let bytes): Self.expectNoCanary(String(decoding: bytes, as: UTF8.self))
      default: break
      }
    }
    for line in function.lines { Self.expectNoCanary(line) }
  }

  /// Looks for the word, and for its Base64 at each of the three possible offsets. Each segment of a token begins
  /// with the Base64 of `{"`.
  private static func expectNoCanary(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let found = ["Y2FuYXJ5", "NhbmFye", "jYW5hcn", "eyJ"].filter { text.contains($0) }
    #expect(
      found == [] && !text.lowercased().contains("canary"), "\(text)", sourceLocation: sourceLocation)
  }
}
