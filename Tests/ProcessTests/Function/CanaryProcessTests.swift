@testable import AuthorizerContract
@testable import LambdaEmulator
import Foundation
import JSON
import TestSupport
import TestTokens
import Testing

/// Everything that a caller sends and every secret of the function contain the word "canary". The word may appear
/// only in a policy, which goes back to the API.
@Suite(.needsFetchingFunction, .hangLimit)
struct CanaryProcessTests {
  /// Secrets in the environment, unused ones and those that the function uses.
  static let secrets = [
    "AWS_ACCESS_KEY_ID": "AKIACANARY", "AWS_SECRET_ACCESS_KEY": "canary/secret",
    "AWS_SESSION_TOKEN": "canary=",
    "DATABASE_URL": "postgres://canary:canary@db.example.com/canary",
    "HTTPS_PROXY": "http://canary:canary@127.0.0.1:9",
    "SHARED_SECRET": "canary one canary two canary three", "_X_AMZN_TRACE_ID": "Root=canary",
  ]

  static let claims =
    #""email":"canary@example.com","name":"Canary","nonce":"canary","scope":"canary","groups":["canary"]"#
  /// With "canary" in front it has 43 characters.
  static let thumbprint = String(repeating: "A", count: 37)
  static let partner = #""preset":"oidc:https://id.example.com""#
  static let symmetric =
    #""preset":"oidc:https://hmac.example.com","secret":"canary one canary two canary three""#

  struct Row: Sendable, CustomTestStringConvertible {
    /// The body of a token's recipe, or the credential itself.
    var recipe: String?
    var credential: String?
    /// The expected reason; nil if the request is allowed.
    let reason: String?
    var outcome = Outcome.unauthorized
    var testDescription: String { "\(reason ?? "allowed"): \(recipe ?? credential ?? "nothing")" }
  }

  static func row(_ members: String, _ reason: String?, _ issuer: String = partner) -> Row {
    Row(recipe: "\(issuer),\(members)", reason: reason, outcome: reason == nil ? .allowed : .unauthorized)
  }

  /// At least one row for each reason that the configuration below can give. A new reason needs a new row.
  static let rows = [
    row(#""claims":{"aud":"api","sub":"canary",\#(claims)}"#, nil),
    row(#""claims":{"aud":"hmac","sub":"canary",\#(claims)}"#, nil, symmetric),
    Row(reason: "missingToken"), Row(credential: "Basic canary", reason: "malformedToken"),
    Row(credential: "Bearer canary", reason: "malformedToken"),
    Row(credential: "Bearer canary.canary.canary", reason: "malformedToken"),
    Row(credential: "Bearer canary, Bearer canary", reason: "ambiguousToken"),
    row(#""header":{"enc":"canary"}"#, "encryptedToken"),
    row(#""header":{"alg":"canary"}"#, "algorithmNotAllowed"),
    row(#""claims":{"iss":"https://canary.example.com",\#(claims)}"#, "wrongIssuer"),
    row(#""claims":{"aud":"canary",\#(claims)}"#, "wrongAudience"),
    row(#""claims":{"aud":"api","exp":"-1h","sub":"canary",\#(claims)}"#, "expired"),
    row(#""claims":{"aud":"api","exp":"+9d",\#(claims)}"#, "lifetimeTooLong"),
    row(#""claims":{"aud":"api","iat":"-2h","exp":"+1h",\#(claims)}"#, "tooOld"),
    row(#""omit":"sub","claims":{"aud":"api",\#(claims)}"#, "missingClaim"),
    row(#""claims":{"aud":"api","exp":"canary",\#(claims)}"#, "malformedClaim"),
    row(#""claims":{"aud":"api","sub":["canary"],\#(claims)}"#, "malformedClaim"),
    row(#""header":{"typ":"canary+jwt"},"claims":{"aud":"api",\#(claims)}"#, "wrongType"),
    row(#""header":{"kid":"canary"},"claims":{"aud":"api","sub":"canary",\#(claims)}"#, "unknownKey"),
    row(#""damage":"signature","claims":{"aud":"api","sub":"canary",\#(claims)}"#, "signatureMismatch"),
    row(#""claims":{"aud":"api","nbf":"+1h","exp":"+2h",\#(claims)}"#, "notYetValid"),
    row(#""claims":{"aud":"api","iat":"+1h","exp":"+2h",\#(claims)}"#, "issuedInFuture"),
    row(
      #""claims":{"aud":"api","sub":"canary","cnf":{"jkt":"canary\#(thumbprint)"},\#(claims)}"#, "boundToken"),
    Row(
      recipe: #""preset":"oidc:https://down.example.com","claims":{"aud":"api",\#(claims)}"#,
      reason: "keysUnavailable", outcome: .failure),
  ]

  static func configuration(port: UInt16) -> String {
    """
    {"issuers":[
    {"name":"partner","issuer":"https://id.example.com","audiences":["api"],"algorithms":["RS256"],
    "maximumLifetimeSeconds":14400,"maximumAgeSeconds":3600,"keys":{"seed":"keys.json","pinned":true}},
    {"name":"hmac","issuer":"https://hmac.example.com","audiences":["hmac"],"algorithms":["HS256"],
    "keys":{"secret":{"environment":"SHARED_SECRET"}}},
    {"name":"down","issuer":"https://down.example.com","audiences":["api"],"algorithms":["RS256"],
    "keys":{"url":"http://127.0.0.1:\(port)/canary/jwks?canary=canary"}}],
    \(FetchingFunction.longestFetch),"metrics":{"namespace":"Authorizer"}}
    """
  }

  @Test("no decision reveals text of a caller or a secret", arguments: ["JSON", "Text"])
  func decisions(format: String) async throws {
    let workshop = try Workshop()
    let server = try LoopbackKeyServer(
      .response("500 canary", fields: ["X-Canary: canary", "Set-Cookie: canary"], body: Array("canary".utf8)))
    try server.start()
    defer { server.stop() }
    let cage = try Cage(
      in: workshop.folder, Self.configuration(port: server.port),
      ["AWS_LAMBDA_LOG_FORMAT": format, "AWS_LAMBDA_LOG_LEVEL": "TRACE"])
    let rows = Self.rows
    let events = try rows.map { row in
      Self.event(try row.recipe.map { "Bearer " + (try Self.token($0)) } ?? row.credential)
    }
    try await cage.run { environment in
      for (row, event) in zip(rows, events) {
        let result = await environment.invoke(
          event: event, context: InvocationContext(traceID: "Root=1-canary;canary=canary"))
        #expect(Evaluation(of: result.answer, to: event).outcome == row.outcome, "\(row)")
        switch row.outcome {
        // A policy contains principal and context on purpose.
        case .allowed, .forbidden: Cage.expectPolicy(result.answer)
        case .unauthorized, .failure: cage.expectSilence(result.answer)
        }
        let said = row.reason ?? "allowed"
        #expect(cage.lines.contains { $0.contains(said) && $0.contains(result.requestID) }, "\(row)")
      }
      for event in Self.brokenEvents {
        cage.expectSilence(await environment.invoke(event: Array(event.utf8)).answer)
      }
    }
    #expect(server.targets.contains("/canary/jwks?canary=canary"))
    #expect(cage.lines.count >= 2 * (rows.count + Self.brokenEvents.count))
    cage.expectSilence()
  }

  /// Valid tokens without the right to the route. Canaries of claims must not appear in any line, and in a policy
  /// only as the principal.
  static let forbidden: [(route: String, claims: String, reason: String)] = [
    ("GET/canary/canary", #""sub":"owner-canary""#, "noRule"),
    ("GET/admin/canary", #""sub":"owner-canary""#, "insufficientScope"),
    ("GET/paid", #""sub":"owner-canary","plan":"canary""#, "claimNotAllowed"),
    ("GET/users/canary", #""sub":"owner|canary""#, "claimNotRoutable"),
    ("GET/users/owner-canary", #""sub":"owner-canary""#, "allowed"),
  ]

  static let rules = #"""
    "default":"deny","rules":[{"routes":["GET /users/${sub}"],"allow":true},
    {"routes":["GET /admin/*"],"allow":true,"require":{"scopes":["admin"]}},
    {"routes":["GET /paid"],"allow":true,"require":{"claims":{"plan":"paid"}}}]
    """#

  @Test(
    "denials by rules and every form of a 401 reveal no text of a caller",
    arguments: ["error", "message", "deny"])
  func rules(style: String) async throws {
    let workshop = try Workshop()
    let issuer = Self.issuer(#""seed":"keys.json","pinned":true"#)
    let cage = try Cage(
      in: workshop.folder, #"{\#(issuer),\#(Self.rules),"unauthorized":"\#(style)"}"#,
      ["AWS_LAMBDA_LOG_LEVEL": "TRACE"])
    let events = try Self.forbidden.map { row in
      let recipe = #"\#(Self.partner),"claims":{"aud":"api",\#(row.claims),\#(Self.claims)}"#
      return Self.event("Bearer " + (try Self.token(recipe)), route: row.route)
    }
    let expired = #"\#(Self.partner),"claims":{"aud":"api","exp":"-1h","sub":"canary",\#(Self.claims)}"#
    let refused = Self.event("Bearer " + (try Self.token(expired)))
    try await cage.run { environment in
      for (row, event) in zip(Self.forbidden, events) {
        let result = await environment.invoke(event: event)
        Cage.expectPolicy(result.answer)
        #expect(cage.lines.contains { $0.contains(row.reason) && $0.contains(result.requestID) }, "\(row)")
      }
      let result = await environment.invoke(event: refused)
      #expect(result.decision?.reason == "expired")
      cage.expectSilence(result.answer)
    }
    cage.expectSilence()
  }

  static let brokenEvents = [
    "canary", #"{"canary":"#, #"{"canary":1,"canary":2}"#, #"{"type":"canary","methodArn":"canary"}"#,
    #"{"type":"TOKEN","methodArn":"arn:aws:canary","authorizationToken":"canary"}"#,
    #"{"type":"TOKEN","methodArn":["canary"],"authorizationToken":{"canary":"canary"}}"#,
  ]

  /// Configurations that cannot start, with the variables beside them.
  static let configurations: [(text: String, variables: [String: String])] = [
    (#"{"issuers":[{"canary"#, [:]), (#"canary secret"#, [:]), (#""canary""#, [:]),
    (#"{"issuers":"canary"}"#, [:]),
    (#"{\#(issuer(#""url":"https://canary:canary@id.example.com/jwks""#))}"#, [:]),
    (#"{\#(issuer(#""url":"http://id.example.com/jwks?canary""#))}"#, [:]),
    (#"{\#(issuer(#""url":"https://id.example.com/jwks#canary""#))}"#, [:]),
    (
      #"{\#(issuer(#""seed":"keys.json","pinned":true"#)),"fetch":{"proxy":"http://canary:canary@p.example.com:1"}}"#,
      [:]
    ),
    (#"{\#(hmac(#""secret":"canary canary canary canary canary""#))}"#, [:]),
    (#"{\#(hmac(#""secret":{"environment":"canary canary canary canary"}"#))}"#, [:]),
    (#"{\#(hmac(#""secret":{"file":"canary-canary-canary-canary"}"#))}"#, [:]),
    (#"{\#(hmac(#""secret":{"environment":"SHORT"}"#))}"#, ["SHORT": "canary"]),
    (
      #"{\#(hmac(#""secret":{"environment":"PEM"}"#))}"#,
      ["PEM": "-----BEGIN canary canary canary canary-----"]
    ),
    (
      #"{\#(hmac(#""secret":{"environment":"CODED","encoding":"base64"}"#))}"#,
      ["CODED": "canary!canary!canary!canary!canary"]
    ),
  ]

  static func issuer(_ keys: String) -> String {
    #""issuers":[{"issuer":"https://id.example.com","audiences":["api"],"algorithms":["RS256"],"keys":{\#(keys)}}]"#
  }

  static func hmac(_ keys: String) -> String {
    #""issuers":[{"issuer":"https://id.example.com","audiences":["api"],"algorithms":["HS256"],"keys":{\#(keys)}}]"#
  }

  @Test("a configuration that cannot start reveals no secret", arguments: configurations)
  func configuration(text: String, variables: [String: String]) async throws {
    let workshop = try Workshop()
    let cage = try Cage(in: workshop.folder, text, variables)
    try await cage.run { environment in
      let answer = await environment.invoke(event: Self.event("Bearer canary")).answer
      guard case .initializationFailed(.reported) = answer else {
        Issue.record("it started, or reported nothing: \(answer)")
        return
      }
      cage.expectSilence(answer)
    }
    #expect(!cage.lines.isEmpty)
    cage.expectSilence()
  }

  @Test(
    "a process that ends during a decision leaves no file behind and reveals nothing",
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/environ"), "there is no /proc"),
    arguments: [SIGABRT, SIGSEGV, SIGILL, SIGBUS, SIGTRAP, SIGTERM, SIGKILL])
  func ended(signal: Int32) async throws {
    let workshop = try Workshop(hasDevelopmentKeys: false)
    let server = try LoopbackKeyServer(.keySet(try FetchingFunction.keySet()))
    try server.start()
    defer { server.stop() }
    let cage = try Cage(in: workshop.folder, Self.configuration(port: server.port))
    let down = #""preset":"oidc:https://down.example.com","claims":{"aud":"api",\#(Self.claims)}"#
    let good = Self.event("Bearer " + (try Self.token(down)))
    let unknown = Self.event("Bearer " + (try Self.token(down + #","header":{"kid":"canary"}"#)))
    try await cage.run { environment in
      #expect(Evaluation(of: await environment.invoke(event: good).answer, to: good).outcome == .allowed)
      server.publish(.silence)
      async let middle = environment.invoke(event: unknown)
      // The decision waits for a key set that does not come.
      while server.targets.count < 2, !Task.isCancelled { await Task.yield() }
      let process = try #require(cage.processID())
      kill(process, signal)
      let answer = await middle.answer
      guard case .died = answer else {
        cage.expectSilence(answer)
        return
      }
    }
    cage.expectSilence()
    let left = try FileManager.default.contentsOfDirectory(atPath: workshop.folder.path)
    #expect(Set(left).isSubset(of: [".git", "keys.json"]))
  }

  // MARK: Material

  private static func token(_ recipe: String) throws -> String {
    let recipes = try TokenRecipes(parsing: Array("{\"t\":{\(recipe)}}".utf8))
    let now = Int64(Date().timeIntervalSince1970)
    return try TokenMint(recipes: recipes, keys: try FetchingFunction.keys(), now: now).token(named: "t")
  }

  /// A REST REQUEST event in which every value from a caller contains the word.
  private static func event(_ credential: String?, route: String = "GET/canary/canary") -> [UInt8] {
    let own = credential.map { #""Authorization":"\#($0)","# } ?? ""
    return Array(
      """
      {"type":"REQUEST","methodArn":"arn:aws:execute-api:eu-west-1:123456789012:api/prod/\(route)",
      "resource":"/canary/{canary}","path":"/canary/canary","httpMethod":"GET",
      "headers":{\(own)"Cookie":"canary=canary","X-Canary":"canary","User-Agent":"canary"},
      "multiValueHeaders":{"X-Canary":["canary"]},"queryStringParameters":{"canary":"canary","token":"canary"},
      "multiValueQueryStringParameters":{"canary":["canary"]},"pathParameters":{"canary":"canary"},
      "stageVariables":{"canary":"canary"},
      "requestContext":{"path":"/prod/canary","requestId":"canary.canary","accountId":"123456789012",
      "identity":{"sourceIp":"canary","userAgent":"canary","apiKey":"canary"},"authorizer":{"principalId":"canary"}}}
      """.utf8)
  }
}

/// The function with secrets in its environment, and everything that it writes.
private final class Cage: RecordedFunction, @unchecked Sendable {
  init(in folder: URL, _ configuration: String, _ variables: [String: String] = [:]) throws {
    let set = try FetchingFunction.keys().publicKeySet.bytes()
    try Data(set).write(to: folder.appendingPathComponent("keys.json"))
    let own = ["AUTHORIZER_CONFIG": configuration, "AUTHORIZER_DEVELOPMENT": "1"]
    super.init(
      Workshop.bootstrap, in: folder,
      CanaryProcessTests.secrets.merging(own) { $1 }.merging(variables) { $1 })
  }

  /// Checks that no written line contains a canary.
  func expectSilence(sourceLocation: SourceLocation = #_sourceLocation) {
    for line in lines { Self.expectNoCanary(line, sourceLocation) }
  }

  /// Checks that a posted answer contains no canary.
  func expectSilence(_ answer: InvocationAnswer, sourceLocation: SourceLocation = #_sourceLocation) {
    Self.expectNoCanary(Self.text(answer), sourceLocation)
  }

  /// Checks that a policy contains the canary of its principal, and nothing of the token, the path, a header or a
  /// secret.
  static func expectPolicy(_ answer: InvocationAnswer, sourceLocation: SourceLocation = #_sourceLocation) {
    let text = text(answer)
    #expect(text.contains("canary"), sourceLocation: sourceLocation)
    let others = [
      "eyJ", "/canary", "canary/", "canary=", "canary canary", "AKIACANARY", "postgres", "X-Canary",
    ]
    #expect(others.filter { text.contains($0) } == [], sourceLocation: sourceLocation)
  }

  private static func text(_ answer: InvocationAnswer) -> String {
    switch answer {
    case .response(let bytes): String(decoding: bytes, as: UTF8.self)
    case .error(let report), .initializationFailed(.reported(let report)):
      report.headerType + " " + String(decoding: report.document, as: UTF8.self)
    case .died, .timedOut, .initializationFailed: ""
    }
  }

  /// Looks for the word, and for its Base64 at each of the three possible offsets. Each segment of a token begins
  /// with the Base64 of `{"`.
  private static func expectNoCanary(_ text: String, _ sourceLocation: SourceLocation) {
    let found = ["Y2FuYXJ5", "NhbmFye", "jYW5hcn", "eyJ"].filter { text.contains($0) }
    #expect(found == [] && !text.lowercased().contains("canary"), "\(text)", sourceLocation: sourceLocation)
  }
}
