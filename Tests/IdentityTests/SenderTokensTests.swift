import FunctionHost
import TestSupport
import IssuerKeys
import JSON
import KeyFetcher
import TestTokens
import Testing

@testable import Identity

@Suite("Apple's tokens and key rotation")
struct SenderTokensTests {
  /// Two key sets with the same key IDs but different keys.
  static let old = Result { try SharedKeys.all() }
  static let new = Result { try DevelopmentKeys.generate() }
  static let now: Int64 = 1_795_000_000

  /// Apple's answer to the first fetch, at the start, and to every later one.
  struct Row: Sendable, CustomTestStringConvertible {
    let published: [Publication]
    var signer = Publication.old
    var more = ""
    /// The reason; `nil` for a valid token.
    let reason: String?
    let fetches: Int
    var testDescription: String { "\(published) for \(signer) \(more): \(reason ?? "good")" }
  }

  enum Publication: Sendable { case old, new, nothing }

  @Test(
    "keys are fetched if needed, and tokens are verified with Apple's current keys",
    arguments: [
      Row(published: [.old], reason: nil, fetches: 1),
      Row(published: [.nothing, .nothing], reason: "keysUnavailable", fetches: 1),
      Row(published: [.old, .new], signer: .new, reason: nil, fetches: 2),
      Row(published: [.old, .old], signer: .new, reason: "signatureMismatch", fetches: 2),
      Row(published: [.old, .nothing], signer: .new, reason: "keysUnavailable", fetches: 2),
      Row(published: [.old, .old], more: #","header":{"kid":"unknown"}"#, reason: "unknownKey", fetches: 2),
      Row(
        published: [.old, .nothing], more: #","header":{"kid":"unknown"}"#, reason: "keysUnavailable",
        fetches: 2),
      Row(published: [.old], more: #","header":{"alg":"none"}"#, reason: "algorithmNotAllowed", fetches: 1),
      Row(
        published: [.old], more: #","claims":{"cnf":{"jkt":"0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"}}"#,
        reason: "boundToken", fetches: 1),
    ])
  func rotation(row: Row) throws {
    let transport = ScriptedTransport(try row.published.map(Self.fetch))
    var tokens = SenderTokens(try Self.settings(), transport: transport, at: Self.now)
    let token = try Self.token(by: row.signer, row.more)
    do throws(Refusal) {
      _ = try tokens.verify(token, as: .identity, at: InvocationTime(unixSeconds: Self.now))
      #expect(row.reason == nil)
    } catch {
      #expect(error.reason == row.reason)
    }
    #expect(transport.fetches == row.fetches)
  }

  @Test("keys are refreshed between requests, and a failed refresh is a notice with the issuer's name")
  func refresh() throws {
    let transport = ScriptedTransport([try Self.fetch(.old), try Self.fetch(.nothing)])
    var tokens = SenderTokens(try Self.settings(), transport: transport, at: Self.now)
    #expect(tokens.takeNotices().isEmpty)
    tokens.refreshKeys(at: InvocationTime(unixSeconds: Self.now + 1))
    #expect(transport.fetches == 1)
    tokens.refreshKeys(at: InvocationTime(unixSeconds: Self.now + 86_400))
    #expect(transport.fetches == 2)
    let notices = tokens.takeNotices()
    #expect(notices.map(\.code) == ["keyFetchFailed"])
    #expect(notices.map(\.issuerName) == ["apple"])
  }

  @Test(
    "a sender repeats a signal only if a newer key could verify it, and the limit allowed no fetch",
    arguments: [
      (#""header":{"kid":"absent"}"#, [.new], ["unknownKey", "keysNotRefreshed", "keysNotRefreshed"]),
      (#""omitHeader":["kid"]"#, [.old], ["signatureMismatch", "signatureMismatch", "keysNotRefreshed"]),
      (#""omitHeader":["kid"]"#, [.old, .new], ["unknownKey", "unknownKey", "unknownKey"]),
      (#""omitHeader":["kid"]"#, [.new], ["good", "good", "good"]),
    ] as [(String, [Publication], [String])])
  func newerKey(header: String, published: [Publication], reasons: [String]) throws {
    var source = InMemorySource()
    source.variables["AUTHORIZER_DEVELOPMENT"] = "1"
    source.variables["IDENTITY_CONFIG"] = #"""
      {"receivers":[{"name":"r","issuer":"\#(SignalHarness.issuer)","algorithms":["RS256"],"audiences":["client"],
      "accept":["back-channel-logout"],"keys":{"url":"https://id.example.com/jwks"}}],
      "store":{"sqlite":{"path":"users.sqlite"}}}
      """#
    let sets = try published.map { publication in
      String(decoding: try Self.keys(publication).publicKeySet.bytes(), as: UTF8.self)
        .replacing("development-", with: "development-\(publication)-")
    }
    let body = Array(sets.joined().replacing(#"]}{"keys":["#, with: ",").utf8)
    var tokens = SenderTokens(
      try IdentitySettings(reading: source),
      transport: ScriptedTransport([.success(KeySetResponse(body: body, maximumAgeSeconds: nil))]),
      at: Self.now)
    let claims = SignalHarness.logoutClaims.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
    let recipe = #"{"t":{\#(header),"claims":{\#(claims)}}}"#
    let token = try TokenMint(
      recipes: try TokenRecipes(parsing: Array(recipe.utf8)), keys: try Self.keys(.new), now: Self.now
    ).token(named: "t")
    for reason in reasons {
      do throws(Refusal) {
        _ = try tokens.verify(
          Array(token.utf8), as: .logout(receiver: 0), at: InvocationTime(unixSeconds: Self.now))
        #expect(reason == "good")
      } catch {
        #expect(error.reason == reason)
      }
    }
  }

  private static func settings() throws -> IdentitySettings {
    var source = InMemorySource()
    source.variables["AUTHORIZER_DEVELOPMENT"] = "1"
    source.variables["IDENTITY_CONFIG"] =
      #"{"audiences":["com.example.app"],"store":{"sqlite":{"path":"users.sqlite"}}}"#
    return try IdentitySettings(reading: source)
  }

  private static func keys(_ publication: Publication) throws -> DevelopmentKeys {
    try (publication == .new ? new : old).get()
  }

  private static func fetch(_ publication: Publication) throws -> KeyFetchResult {
    publication == .nothing
      ? .failure(.deadlineExceeded)
      : .success(KeySetResponse(body: try keys(publication).publicKeySet.bytes(), maximumAgeSeconds: nil))
  }

  private static func token(by publication: Publication, _ more: String) throws -> [UInt8] {
    let recipes = try TokenRecipes(parsing: Array(#"{"t":{"preset":"apple"\#(more)}}"#.utf8))
    return Array(
      try TokenMint(recipes: recipes, keys: try keys(publication), now: now).token(named: "t").utf8)
  }
}

/// A key transport with scripted answers; the last answer repeats.
private final class ScriptedTransport: KeyTransport {
  private var answers: [KeyFetchResult]
  private(set) var fetches = 0

  init(_ answers: [KeyFetchResult]) { self.answers = answers }

  func fetch(_ addresses: [KeyAddress], milliseconds: Int64) -> KeyFetches {
    fetches += 1
    let answer = answers.count > 1 ? answers.removeFirst() : answers.first ?? .failure(.deadlineExceeded)
    return KeyFetches(results: addresses.map { _ in answer }, elapsedMilliseconds: 0)
  }
}
